//! The configuration: its example, and `maysend check --config`.

mod cli;
mod example;
