//! `maysend ledger sender`.

use super::{Error, handoffs::given, print};
use crate::{ledger::person::sender, redact::Key};
use clap::Args;
use std::process::ExitCode;

/// Options of `ledger sender`.
#[derive(Args)]
pub(super) struct Options {
    /// The tenant.
    #[arg(long)]
    tenant: String,
    /// Addresses, such as that of a mail; `-` reads them from standard input, one a line. Neither case nor white space
    /// matters.
    #[arg(value_name = "ADDRESS", required = true)]
    addresses: Vec<String>,
}

/// Prints the name of each address, in the order of the addresses.
pub(super) fn run(options: &Options) -> Result<ExitCode, Error> {
    let key = Key::from_env()?;
    let names: Vec<String> =
        given(&options.addresses)?.iter().map(|address| sender(&key, &options.tenant, address) + "\n").collect();
    print(&names.concat())?;
    Ok(ExitCode::SUCCESS)
}
