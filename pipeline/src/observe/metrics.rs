//! The metrics in Prometheus's text form, made when they are asked for. `docs/metrics.md` describes each.

use super::{Observer, UsageRead, latency::Latency, observer::State, process::Process};
use crate::ruleset::{day_of, destinations::Standing};
use jiff::Timestamp;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, NoLabelSet, prometheus_text},
    metrics::{
        MetricType::{self, Counter, Gauge, Histogram, Info},
        exemplar::Exemplar,
        histogram,
    },
    registry::Registry,
};
use std::{fmt, sync::Arc};

/// All metrics as of now, in Prometheus's text form.
pub fn render(observer: &Arc<Observer>) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Exporter(observer.clone())));
    let mut text = String::new();
    // Only a writer that fails makes this fail, and a string does not.
    let _ = prometheus_text::encode(&mut text, &registry);
    text
}

#[derive(Debug)]
struct Exporter(Arc<Observer>);

impl Collector for Exporter {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let state = self.0.state();
        let is_ready = state.facts().obstacles(self.0.bounds()).is_empty();
        let mut to = Families(encoder);
        to.info("maysend_build", "The program.", [("version", env!("CARGO_PKG_VERSION"))])?;
        to.one("maysend_ready", "Whether /readyz answers 200.", Gauge, f64::from(u8::from(is_ready)))?;
        counts(&mut to, &state)?;
        batches(&mut to, &state)?;
        group(&mut to, &state)?;
        ruleset(&mut to, &state)?;
        usage(&mut to, &state)?;
        Process::now().map_or(Ok(()), |now| process(&mut to, now))
    }
}

/// What was decided and committed.
fn counts(to: &mut Families<'_>, state: &State) -> fmt::Result {
    let tally = &state.tally;
    to.family(
        "maysend_attempts",
        "Attempts, by what became of them and by destination.",
        tally.attempts.iter().map(|((outcome, to), n)| ([("outcome", *outcome), ("destination", to)], *n)),
    )?;
    to.family(
        "maysend_decisions",
        "Decisions of what could be decoded, by mode and verdict.",
        tally.decisions.iter().map(|((mode, verdict), n)| ([("mode", *mode), ("verdict", *verdict)], *n)),
    )?;
    to.family(
        "maysend_decision_reasons",
        "Reasons to block; a decision can have several.",
        tally.reasons.iter().map(|((mode, reason), n)| ([("mode", *mode), ("reason", *reason)], *n)),
    )?;
    let entities = tally.entities.iter().map(|((tier, entity), n)| {
        let tier = ["1", "2", "3"].get(usize::from(*tier).wrapping_sub(1)).copied().unwrap_or("other");
        ([("tier", tier), ("entity", entity.as_str())], *n)
    });
    to.family("maysend_entities", "Findings strong enough to redact, by tier and entity.", entities)?;
    let one = |label, counts: &std::collections::BTreeMap<String, u64>| {
        counts.iter().map(|(name, n)| ([(label, name.clone())], *n)).collect::<Vec<_>>()
    };
    to.family(
        "maysend_suppressed",
        "Matches that a reference format hid, by format.",
        one("reference", &tally.suppressed),
    )?;
    to.family("maysend_stripped", "Rendered lines and fields taken out, by field.", one("field", &tally.stripped))?;
    to.family("maysend_held", "Transcripts held, by what has to be put right.", one("cause", &tally.held))?;
    let by_name = |label, counts: &std::collections::BTreeMap<&'static str, u64>| {
        counts.iter().map(|(name, n)| ([(label, *name)], *n)).collect::<Vec<_>>()
    };
    to.family(
        "maysend_dead_letters",
        "Records that could not be decoded, by reason.",
        by_name("reason", &tally.dead_letters),
    )?;
    to.family("maysend_records_written", "Records committed, by output.", by_name("output", &tally.outputs))?;
    to.one(
        "maysend_reservations",
        "Reservations that the broker acknowledged; one written again counts again.",
        Counter,
        state.reservations.acknowledged as f64,
    )?;
    to.one(
        "maysend_orphaned_reservations",
        "Reservations whose batch was aborted and whose record is not committed since, of partitions still assigned.",
        Gauge,
        state.reservations.orphans() as f64,
    )?;
    to.one(
        "maysend_reservations_handed_on",
        "Orphaned reservations whose partition went to another process, which may commit them.",
        Counter,
        state.reservations.handed_on as f64,
    )
}

/// Batches: how many, how large, how long.
fn batches(to: &mut Families<'_>, state: &State) -> fmt::Result {
    let transactions = state.transactions;
    to.family(
        "maysend_transactions",
        "Transactions, by result.",
        [([("result", "committed")], transactions.committed), ([("result", "aborted")], transactions.aborted)],
    )?;
    to.histogram("maysend_batch_records", "Records of a committed batch.", &state.batch_records)?;
    to.histogram("maysend_batch_bytes", "Bytes of a committed batch's records.", &state.batch_bytes)?;
    to.latency("maysend_scan_seconds", "Time that the stages take for a batch, on all cores.", &state.scanning)?;
    to.latency("maysend_commit_seconds", "Time from a transaction's begin to its commit.", &state.committing)?;
    to.latency(
        "maysend_end_to_end_seconds",
        "Time from a record's timestamp in the input topic to its commit.",
        &state.end_to_end,
    )?;
    to.one(
        "maysend_oldest_undecided_seconds",
        "Age of the oldest record that was read and is not committed; 0 while there is none.",
        Gauge,
        state.oldest_undecided_seconds(),
    )?;
    let in_flight = state.in_flight_bytes as f64;
    to.one("maysend_in_flight_bytes", "Bytes of records that were read and are not committed.", Gauge, in_flight)
}

/// The place of the process in its group.
fn group(to: &mut Families<'_>, state: &State) -> fmt::Result {
    let assigned = state.partitions.count().unwrap_or(0) as f64;
    to.one("maysend_assigned_partitions", "Partitions of the input topic that this process has.", Gauge, assigned)?;
    to.gauges(
        "maysend_lag_offsets",
        "Offsets of the input topic that are not committed, by partition.",
        state.lag().into_iter().map(|(partition, lag)| ([("partition", partition.to_string())], lag as f64)),
    )?;
    to.family(
        "maysend_rebalances",
        "Partitions assigned, revoked or lost: how often.",
        state.rebalances.iter().map(|(kind, n)| ([("kind", *kind)], *n)),
    )
}

/// What decisions depend on.
fn ruleset(to: &mut Families<'_>, state: &State) -> fmt::Result {
    let digest = state.ruleset.as_ref().map_or("", |in_use| &in_use.ruleset.digest);
    to.info("maysend_ruleset", "The ruleset in use.", [("digest", digest)])?;
    to.family(
        "maysend_ruleset_reloads",
        "Changed rulesets, by whether they could be used.",
        [([("result", "loaded")], state.reloads.loaded), ([("result", "refused")], state.reloads.refused)],
    )?;
    let now = Timestamp::now();
    let today = day_of(now);
    let destinations = state.ruleset.iter().flat_map(|in_use| in_use.ruleset.rules.destinations.iter());
    let standings = destinations.flat_map(|destination| {
        let standings = destination.terms_at(now).map(|terms| terms.standings(today)).unwrap_or_default();
        standings.into_iter().map(|(attribute, _, standing)| (destination.id.as_str(), attribute, standing))
    });
    let days = standings.filter_map(|(destination, attribute, standing)| match standing {
        Standing::InForce(until) | Standing::Expired(until) => {
            let left = f64::from((until - today).get_days());
            Some(([("destination", destination.to_owned()), ("attribute", attribute)], left))
        }
        Standing::Missing | Standing::NotYet(_) => None,
    });
    to.gauges(
        "maysend_evidence_days_left",
        "Days on which an attribute's evidence still counts after today; below 0 it has run out.",
        days,
    )
}

/// What senders report.
fn usage(to: &mut Families<'_>, state: &State) -> fmt::Result {
    to.family(
        "maysend_usage_records",
        "Records of usage that this process has read, by what came of them.",
        UsageRead::ALL.map(|what| ([("result", what.as_str())], state.usage.read(what))),
    )?;
    let is_contradicted = |words: &Option<String>| f64::from(u8::from(words.is_some()));
    to.gauges(
        "maysend_contradicted_terms",
        "1 while usage has contradicted the terms that apply to a destination, which is taken at its worst.",
        state.usage.contradicted.iter().map(|(to, words)| ([("destination", to.clone())], is_contradicted(words))),
    )
}

/// What the system says of the process.
fn process(to: &mut Families<'_>, now: Process) -> fmt::Result {
    to.one("process_cpu_seconds", "Processor time used, in seconds.", Counter, now.cpu_seconds)?;
    to.one("process_resident_memory_bytes", "Resident memory.", Gauge, now.resident_bytes as f64)?;
    to.one("process_open_fds", "Open file descriptors.", Gauge, now.open_files as f64)
}

/// Writes families of metrics, each with its help and type, also while it has no sample yet.
struct Families<'e>(DescriptorEncoder<'e>);

impl Families<'_> {
    /// A counter with labels.
    fn family<L: EncodeLabelSet>(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = (L, u64)>,
    ) -> fmt::Result {
        let mut family = self.0.encode_descriptor(name, help, None, Counter)?;
        samples.into_iter().try_for_each(|(labels, count)| {
            family.encode_family(&labels)?.encode_counter(&count, None::<&Exemplar<NoLabelSet, f64>>)
        })
    }

    /// A gauge with labels.
    fn gauges<L: EncodeLabelSet>(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = (L, f64)>,
    ) -> fmt::Result {
        let mut family = self.0.encode_descriptor(name, help, None, Gauge)?;
        samples.into_iter().try_for_each(|(labels, value)| family.encode_family(&labels)?.encode_gauge(&value))
    }

    /// A counter or a gauge without labels.
    fn one(&mut self, name: &str, help: &str, kind: MetricType, value: f64) -> fmt::Result {
        let mut metric = self.0.encode_descriptor(name, help, None, kind)?;
        match kind {
            Counter => metric.encode_counter(&value, None::<&Exemplar<NoLabelSet, f64>>),
            _ => metric.encode_gauge(&value),
        }
    }

    /// A label of the process that is always 1.
    fn info(&mut self, name: &str, help: &str, labels: impl EncodeLabelSet) -> fmt::Result {
        self.0.encode_descriptor(name, help, None, Info)?.encode_info(&labels)
    }

    fn histogram(&mut self, name: &str, help: &str, histogram: &histogram::Histogram) -> fmt::Result {
        histogram.encode(self.0.encode_descriptor(name, help, None, Histogram)?)
    }

    fn latency(&mut self, name: &str, help: &str, latency: &Latency) -> fmt::Result {
        self.histogram(name, help, latency.buckets())
    }
}

#[cfg(test)]
mod tests;
