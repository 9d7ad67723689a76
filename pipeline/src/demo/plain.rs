//! The demonstration in lines: while it runs, and at its end.

use super::{
    Closing, NOTICE,
    figures::{Figures, Phase, REVIEW_SECONDS},
    traffic::DAY,
    words::{clock, count, hours, latency, percent, rate},
};
use crate::{
    ledger::{
        datamap::Action,
        handoffs::{Handoff, Handoffs},
    },
    observe::Quantiles,
    ruleset::policy::Mode,
};
use anstyle::Style;
use std::fmt::{self, Write as _};

const BOLD: Style = Style::new().bold();

/// Rows of a list in the summary; the rest is summed up.
const MOST_ROWS: usize = 8;

/// One line of how it stands.
pub fn line(figures: &Figures) -> String {
    if figures.phase == Phase::Starting {
        return "starting: the gate joins its group".into();
    }
    let mut line = format!(
        "{:>5}  {:>7} of {} decided  {:>9}",
        clock(figures.elapsed),
        count(figures.decided()),
        count(figures.documents),
        rate(figures.rates.decided),
    );
    if let Some(Quantiles { p50, p99 }) = figures.seen.end_to_end {
        let _ = write!(line, "  p50 {:>6}, p99 {:>6}", latency(p50), latency(p99));
    }
    let _ = write!(
        line,
        "  blocked {} ({})  queue {}",
        count(figures.blocked()),
        percent(figures.blocked(), figures.decided()),
        hours(figures.queue_hours()),
    );
    line
}

/// What stays to be read when it has ended.
pub fn summary(figures: &Figures, closing: &Closing) -> String {
    let mut text = String::new();
    write_summary(&mut text, figures, closing).expect("a string takes all");
    text
}

fn write_summary(out: &mut String, figures: &Figures, closing: &Closing) -> fmt::Result {
    let (decided, blocked) = (figures.decided(), figures.blocked());
    let seconds = figures.elapsed.as_secs_f64();
    writeln!(
        out,
        "{BOLD}{} of {} transcripts decided{BOLD:#} in {seconds:.1} s, {}",
        count(decided),
        count(figures.documents),
        rate(decided as f64 / seconds.max(1e-9)),
    )?;
    writeln!(out, "{NOTICE}\nAll personal data in them is invented.\n")?;

    row(out, figures.sent(), "sent, redacted by the policy and reserved before that")?;
    let queue = format!("{} at {REVIEW_SECONDS} s each", hours(figures.queue_hours()));
    let a_day = format!("{} a day of {}", hours(figures.queue_hours_a_day()), count(DAY));
    row(out, figures.for_review(), &format!("for review: {queue}; {a_day}"))?;
    row(out, figures.held(), "held until terms or the register are put right")?;
    if figures.mode == Mode::Shadow {
        writeln!(out, "Shadow: registered destinations were sent also what would have been blocked, as it came in.")?;
    }

    let title =
        format!("Blocked: {} ({}); a decision may have several reasons", count(blocked), percent(blocked, decided));
    list(out, &title, &figures.reasons())?;
    list(out, "Tier-1 findings by entity", &figures.tier1())?;
    list(out, "Held by cause", &figures.held_by_cause())?;
    list(out, "Hidden by reference formats: the platform's own strings", &figures.hidden())?;
    if let Some(Quantiles { p50, p99 }) = figures.seen.end_to_end {
        writeln!(out, "\n{BOLD}From publishing to commit{BOLD:#}: p50 {}, p99 {}", latency(p50), latency(p99))?;
    }
    ledger(out, closing)?;
    writeln!(
        out,
        "\n{BOLD}Next{BOLD:#}, where every record can be read:\n  \
         cargo run --release -- scan --out out --replace examples/transcripts.jsonl\n\
         On a Kafka of your own: see \"On Kafka\" in README.md"
    )
}

/// Who owes a cleanup for one customer, and where copies are.
fn ledger(out: &mut String, Closing { handoffs, map }: &Closing) -> fmt::Result {
    match handoffs {
        Ok(Some(handoffs)) => owed(out, handoffs)?,
        Ok(None) => {}
        Err(error) => writeln!(out, "\nThe ledger has not followed to the end: {error}")?,
    }
    writeln!(out, "\n{BOLD}The data map{BOLD:#}: ours is work with an end, theirs a statement")?;
    for row in map.ours.iter().filter(|row| row.action == Action::Delete || row.action == Action::Expiry) {
        writeln!(out, "  ours    {}: {}", row.system, row.action.as_str())?;
    }
    for row in &map.theirs {
        let warning = row.warning.as_ref().map(|what| format!(": {what}")).unwrap_or_default();
        let name = row.id.strip_prefix("destination:").unwrap_or(&row.system);
        writeln!(out, "  theirs  {name}{warning}")?;
    }
    writeln!(out, "All of it: maysend ledger datamap")
}

fn owed(out: &mut String, Handoffs { customer_keys, providers, blocked, .. }: &Handoffs) -> fmt::Result {
    let keys: Vec<&str> = customer_keys.iter().map(String::as_str).collect();
    writeln!(out, "\n{BOLD}If {} asks to be erased{BOLD:#}: by the ledger", keys.join(", "))?;
    for Handoff { provider, possibly_sent } in providers {
        writeln!(out, "  {provider} owes a cleanup, for what was possibly sent:")?;
        for work in possibly_sent {
            writeln!(
                out,
                "    {}: {} reserved, {} used",
                work.destination, work.reserved_requests, work.requests_used
            )?;
            match work.copy_may_exist.until_by_contract {
                Some(day) => writeln!(out, "      a copy may exist until {day} by contract")?,
                None => writeln!(out, "      a copy may exist, and no contract that is known ends it")?,
            }
        }
    }
    if providers.is_empty() {
        writeln!(out, "  no provider owes a cleanup: nothing was reserved")?;
    }
    writeln!(out, "  {blocked} blocked: not sent, and copies wait in review or held")
}

fn list(out: &mut String, title: &str, rows: &[(&str, u64)]) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{BOLD}{title}{BOLD:#}")?;
    // One row that is left over says as much as a line that sums it up.
    let shown = if rows.len() > MOST_ROWS + 1 { MOST_ROWS } else { rows.len() };
    let (first, rest) = rows.split_at(shown);
    first.iter().try_for_each(|(name, number)| row(out, *number, name))?;
    match rest {
        [] => Ok(()),
        rest => row(out, rest.iter().map(|(_, number)| number).sum(), &format!("of {} others", rest.len())),
    }
}

fn row(out: &mut String, number: u64, name: &str) -> fmt::Result {
    writeln!(out, "{:>9}  {name}", count(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        demo::figures::testing::figures,
        ledger::datamap::{DataMap, Sources, Systems, TopicSettings},
        ruleset::Ruleset,
        stream::topics::Topics,
    };

    fn closing() -> Closing {
        let (topics, ruleset) = (TopicSettings::as_created(Topics::new("transcripts")), Ruleset::builtin().unwrap());
        let destinations = &ruleset.rules.destinations;
        let systems = &Systems::default();
        let sources = Sources { topics: &topics, store: None, destinations, systems, request: None };
        Closing { handoffs: Ok(None), map: DataMap::new(sources, jiff::Timestamp::UNIX_EPOCH) }
    }

    #[test]
    fn a_line_says_how_it_stands() {
        assert_eq!(
            line(&figures()),
            " 0:23   15,812 of 41,200 decided     684 /s  p50 112 ms, p99  1.3 s  blocked 67 (0.42 %)  queue 0.5 h"
        );
        assert_eq!(line(&Figures { phase: Phase::Starting, ..figures() }), "starting: the gate joins its group");
    }

    #[test]
    fn the_summary_says_what_was_decided_why_and_what_it_is_worth() {
        let text = anstream::adapter::strip_str(&summary(&figures(), &closing())).to_string();
        for part in [
            "15,812 of 41,200 transcripts decided in 23.0 s, 687 /s",
            NOTICE,
            "   15,745  sent",
            "       47  for review: 0.5 h at 40 s each; 1.4 h a day of 41,200",
            "       20  held",
            "Blocked: 67 (0.42 %)",
            "       52  tier1_retained",
            "       31  payment.card",
            "       15  no_transfer_mechanism",
            "    1,234  ticket",
            "p50 112 ms, p99 1.3 s",
            "  ours    Kafka topic `transcripts.review`: delete\n",
            "  theirs  ",
            "cargo run --release -- scan --out out --replace examples/transcripts.jsonl",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!text.contains("contact.email"), "of tier 2");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn a_long_list_is_summed_up() {
        let names: Vec<String> = (0..12).map(|number| format!("entity.{number:02}")).collect();
        let rows: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 2)).collect();
        let mut text = String::new();
        list(&mut text, "Title", &rows).unwrap();
        assert!(text.contains("entity.07") && !text.contains("entity.08") && text.contains("8  of 4 others"), "{text}");
    }
}
