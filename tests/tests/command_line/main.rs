//! The command line: what scripts rely on, and what a person reads when something is wrong.

mod demo;
mod detect;
mod printing;
mod rulesets;
mod usage;

use maysend_tests::{AS_OF, Program, maysend};
use serde_json::{Value, json};

const CARD_LINE: &str = "My card number is 4111 1111 1111 1111, thanks";

fn detect<'a>(args: impl IntoIterator<Item = &'a str>) -> Program {
    maysend(["detect", "--as-of", AS_OF]).args(args)
}

fn jsonl(id: &Value, text: &str) -> String {
    format!("{}\n", json!({"id": id, "text": text}))
}
