//! Tests of the library and of single commands that need no server. One binary: each links all of librdkafka.

mod check;
mod config;
mod diff;
mod gate;
mod k8s;
mod mapping;
mod privacy;
mod rulesets;
mod schema;
mod topics_print;
