//! placeholder until the command is there
use super::Error;
use std::process::ExitCode;
/// Options.
#[derive(clap::Args)]
pub(super) struct Options {}
pub(super) fn run(_: &Options) -> Result<ExitCode, Error> {
    Ok(ExitCode::SUCCESS)
}
