//! What is said to a person: on standard error, in colour where colour is wanted.

use anstyle::{AnsiColor, Style};

/// Says that something failed.
pub(super) fn error(message: &str) {
    let red = AnsiColor::Red.on_default().bold();
    anstream::eprintln!("{red}maysend:{red:#} {message}");
}

/// Says something worth knowing.
pub(super) fn note(message: &str) {
    let yellow = AnsiColor::Yellow.on_default();
    anstream::eprintln!("{yellow}maysend:{yellow:#} {message}");
}

/// For the names of files.
pub(super) const PATH: Style = AnsiColor::Magenta.on_default();
/// For line and column.
pub(super) const PLACE: Style = AnsiColor::Green.on_default();
/// For what was found.
pub(super) const FOUND: Style = AnsiColor::Red.on_default().bold();
/// For what is less important.
pub(super) const DIM: Style = Style::new().dimmed();
