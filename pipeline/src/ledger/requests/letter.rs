//! A letter to a provider that owes a cleanup.

use crate::ledger::records::Owed;
use jiff::civil::Date;
use std::{collections::BTreeSet, fmt::Write as _};

/// The letter, in Markdown. It names no customer: the provider finds its copies by its own ids of requests, and where it
/// has none by account and time.
pub fn letter(provider: &str, request_id: &str, owed: &[Owed], on: Date, answer_by: Date) -> String {
    let owed: Vec<&Owed> = owed.iter().filter(|owed| owed.provider == provider).collect();
    let mut out = format!(
        "# Request to delete personal data\n\nTo: {provider}\n\nDate: {on}\n\nOur reference: {request_id}\n\n\
         Under Article 17 of the GDPR we erase the data of one person. Requests that concern this person may have been \
         made to you on our behalf. As our processor you act on our instructions (Article 28(3)(a)); we instruct you to \
         delete the inputs and outputs of these requests, with all copies, and to see that your sub-processors do.\n\n\
         | destination | terms | requests reserved | requests reported | first | last |\n|---|---|--:|--:|---|---|\n"
    );
    for line in &owed {
        let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "not known".into());
        let Owed { destination, terms, reserved_requests, requests_used, first, last, .. } = line;
        let (terms, first, last) = (or(terms), or(first), or(last));
        let _ = writeln!(out, "| {destination} | {terms} | {reserved_requests} | {requests_used} | {first} | {last} |");
    }
    out += "\nReserved means that a request was possibly made: we do not claim that each of them reached you.\n\n";
    let ids: BTreeSet<&String> = owed.iter().flat_map(|owed| &owed.provider_request_ids).collect();
    if ids.is_empty() {
        out += "We hold no ids of yours for these requests. Please match them by account and time.\n";
    } else {
        out += "Your ids of these requests, as far as they were reported to us:\n\n";
        for id in ids {
            let _ = writeln!(out, "- `{}`", id.replace('`', "'"));
        }
    }
    let _ = write!(
        out,
        "\nPlease answer by {answer_by}, in writing:\n\n\
         1. What was deleted, and when.\n\
         2. What was not, such as copies for abuse monitoring, under human review or under a legal duty; why, and when it \
         will be.\n\
         3. Whether any of it was used for training.\n\
         4. Which sub-processors had copies, and what they answered.\n\
         5. Who answers, in which role.\n"
    );
    out
}
