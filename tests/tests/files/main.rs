//! The whole gate on files, from outside.

mod bad_input;
mod gate_rules;
mod interrupted;
mod invariants;
mod mapping;
mod output_sizes;
mod redecide;
mod seed;
