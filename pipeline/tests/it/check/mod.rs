//! `maysend check` on rulesets.

mod cli;
mod ruleset;
