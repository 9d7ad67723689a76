//! The ledger, on SQLite and on a real PostgreSQL by the same tests. Each file is a subject.

#[macro_use]
mod support;

mod cases;
mod compacted;
mod desk;
mod erase;
mod follow;
mod handoffs;
mod hostile;
mod import;
mod killed;
mod migrations;
mod plan;
mod recipients;
mod restore;
mod roles;
mod senders;
mod verify;
