//! The summary at the end of a run, on standard error.

use super::terminal::{DIM, FOUND};
use crate::{
    observe::quantiles_in_ms,
    scan::Report,
    stages::{Stages, Tally},
};
use clap::Args;
use std::{
    collections::BTreeMap,
    fmt::{self, Display, Write as _},
};

/// How long reviewing takes, for the projection.
#[derive(Args, Clone, Copy)]
pub(super) struct ReviewOptions {
    /// Seconds that a reviewer needs for most documents.
    #[arg(long, value_name = "SECONDS", default_value_t = 40)]
    pub(super) review_seconds: u32,
    /// Seconds for a document that needs a second opinion.
    #[arg(long, value_name = "SECONDS", default_value_t = 360)]
    pub(super) second_opinion_seconds: u32,
    /// Percent of documents that need one.
    #[arg(long, value_name = "PERCENT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(super) second_opinion_percent: u32,
}

/// Prints the summary.
pub(super) fn print(report: &Report, stages: &Stages, review: ReviewOptions) {
    let mut text = String::new();
    write(&mut text, report, stages, review).expect("a string takes all");
    anstream::eprint!("{text}");
}

fn write(out: &mut String, report: &Report, stages: &Stages, review: ReviewOptions) -> fmt::Result {
    let tally = &report.tally;
    let seconds = report.seconds.max(1e-9);
    let mebibytes = tally.bytes as f64 / f64::from(1 << 20);
    writeln!(
        out,
        "{} documents, {mebibytes:.1} MiB in {:.1} s: {:.1} MiB/s, {:.0} documents/s",
        tally.records,
        report.seconds,
        mebibytes / seconds,
        tally.records as f64 / seconds,
    )?;
    let decided = tally.records - tally.dead();
    writeln!(out, "blocked {FOUND}{}{FOUND:#} of {decided} ({})", tally.blocked, percent(tally.blocked, decided),)?;
    section(out, "outputs", &tally.outputs)?;
    section(out, "modes", &sums(tally.decisions.iter().map(|((mode, _), count)| (*mode, *count))))?;
    section(out, "reasons", &sums(tally.reasons.iter().map(|((_, reason), count)| (*reason, *count))))?;
    section(out, "held by cause", &tally.held)?;
    section(out, "dead letters by reason", &tally.dead_letters)?;
    let entities = tally.entities.iter().map(|((tier, entity), count)| (format!("tier {tier}  {entity}"), *count));
    rows(out, "entities", entities)?;
    section(out, "suppressed by reference", &tally.suppressed)?;
    section(out, "stripped fields", &tally.stripped)?;
    queue(out, tally, review)?;
    latency(out, report)?;
    writeln!(out, "{DIM}ruleset {}, decided as of {}{DIM:#}", stages.ruleset().digest, stages.as_of())
}

/// Reviewer hours, in all and a day: at the usual time for most documents and at a longer one for some.
fn queue(out: &mut String, tally: &Tally, review: ReviewOptions) -> fmt::Result {
    let documents = tally.for_review();
    let hours = hours(documents, review);
    write!(out, "review queue: {documents} documents, {hours:.1} reviewer hours")?;
    match tally.days() {
        Some(days) => writeln!(
            out,
            "; {:.1} hours a day over the {days} day{} of these transcripts",
            hours / days as f64,
            if days == 1 { "" } else { "s" },
        ),
        None => writeln!(out, "; the transcripts have no times, so not by day"),
    }
}

fn hours(documents: u64, review: ReviewOptions) -> f64 {
    let second = f64::from(review.second_opinion_percent) / 100.0;
    let each = f64::from(review.review_seconds) * (1.0 - second) + f64::from(review.second_opinion_seconds) * second;
    documents as f64 * each / 3600.0
}

fn latency(out: &mut String, report: &Report) -> fmt::Result {
    if report.latency.is_empty() {
        return Ok(());
    }
    writeln!(out, "latency in the stages, ms: {}", quantiles_in_ms(&report.latency))
}

fn sums(counts: impl Iterator<Item = (&'static str, u64)>) -> BTreeMap<&'static str, u64> {
    counts.fold(BTreeMap::new(), |mut sums, (name, count)| {
        *sums.entry(name).or_default() += count;
        sums
    })
}

fn section<K: Display>(out: &mut String, title: &str, counts: &BTreeMap<K, u64>) -> fmt::Result {
    rows(out, title, counts.iter().map(|(name, count)| (name.to_string(), *count)))
}

fn rows(out: &mut String, title: &str, rows: impl Iterator<Item = (String, u64)>) -> fmt::Result {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "{title}:")?;
    rows.try_for_each(|(name, count)| writeln!(out, "{count:>10}  {name}"))
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.2} %", part as f64 * 100.0 / whole.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn review_hours_weigh_second_opinions() {
        let review = ReviewOptions { review_seconds: 40, second_opinion_seconds: 360, second_opinion_percent: 5 };
        assert!((hours(144, review) - 144.0 * 56.0 / 3600.0).abs() < 1e-9);
        let none = ReviewOptions { second_opinion_percent: 0, ..review };
        assert!((hours(90, none) - 1.0).abs() < 1e-9);
    }
}
