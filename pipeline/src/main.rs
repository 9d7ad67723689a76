//! The `maysend` program: see `maysend --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    maysend::cli::main()
}
