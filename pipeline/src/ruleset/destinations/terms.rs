//! One version of a destination's terms, and what of it is proven on a day.

use super::{
    super::{day_of, region::Region},
    evidence::{Proven, Standing},
};
use jiff::{Timestamp, civil::Date};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The legal ground on which personal data may leave a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MechanismKind {
    /// The region of origin holds the destination's law to be adequate.
    Adequacy,
    /// Standard contract clauses were signed.
    ContractClauses,
    /// Processing stays in the European Economic Area.
    Eea,
}

impl MechanismKind {
    /// The name that `destinations.toml` uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Adequacy => "adequacy",
            Self::ContractClauses => "contract_clauses",
            Self::Eea => "eea",
        }
    }
}

/// A transfer mechanism: from where, and on what ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mechanism {
    /// The region that data may leave.
    pub from: Region,
    /// The ground.
    pub kind: MechanismKind,
}

/// How long copies are kept, by category, as the terms claim it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetentionTerms {
    /// Days that inputs and outputs are kept.
    pub standard_days: Option<Proven<u32>>,
    /// Days that copies for abuse monitoring are kept.
    pub abuse_monitoring_days: Option<Proven<u32>>,
    /// Days that copies under human review are kept.
    pub human_review_days: Option<Proven<u32>>,
    /// Whether a deletion reaches the copies for abuse monitoring.
    pub deletion_covers_abuse_monitoring: Option<Proven<bool>>,
    /// Whether a deletion reaches the copies under human review.
    pub deletion_covers_human_review: Option<Proven<bool>>,
}

/// One version of the terms of a destination. What is `None` was never answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The day, in UTC, from which they apply.
    pub effective: Date,
    /// The plan that was bought.
    pub plan: String,
    /// The endpoint, an https address.
    pub endpoint: String,
    /// Whether the provider claims to keep nothing.
    pub zero_retention: Option<Proven<bool>>,
    /// Whether the provider may train on inputs.
    pub training_eligible: Option<Proven<bool>>,
    /// Where it processes.
    pub region: Option<Proven<Region>>,
    /// Transfer mechanisms, each with its own evidence: they lapse one by one.
    pub mechanisms: Vec<Proven<Mechanism>>,
    /// How long copies are kept.
    pub retention: RetentionTerms,
    /// The processing agreement.
    pub processing_agreement: Option<Proven<String>>,
    /// Where the list of sub-processors is, or their names.
    pub subprocessors: Option<Proven<Vec<String>>>,
    pub(crate) id: String,
}

/// How long copies are kept, in days, by evidence in force; `None` is unknown, which counts as without end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Inputs and outputs.
    pub standard_days: Option<u32>,
    /// Copies for abuse monitoring.
    pub abuse_monitoring_days: Option<u32>,
    /// Copies under human review.
    pub human_review_days: Option<u32>,
}

/// What a destination's terms come to on one day: what is proven as claimed, and everything else at its worst.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributes<'t> {
    /// Whether zero retention is claimed and proven. Not enough by itself: see [`retains`](Self::retains).
    pub zero_retention: bool,
    /// Whether inputs may be used for training; unproven is yes.
    pub training_eligible: bool,
    /// Where it processes; unproven is `None`.
    pub region: Option<Region>,
    /// The transfer mechanisms that are proven.
    pub mechanisms: Vec<Mechanism>,
    /// How long copies are kept.
    pub retention: Retention,
    /// Whether a deletion is proven to reach the copies for abuse monitoring.
    pub deletion_covers_abuse_monitoring: bool,
    /// Whether a deletion is proven to reach the copies under human review.
    pub deletion_covers_human_review: bool,
    /// The processing agreement; unproven is `None`.
    pub processing_agreement: Option<&'t str>,
    /// The sub-processors; unproven is `None`.
    pub subprocessors: Option<&'t [String]>,
}

impl Attributes<'_> {
    /// What is to be assumed of a destination of which nothing is proven.
    pub const WORST: Attributes<'static> = Attributes {
        zero_retention: false,
        training_eligible: true,
        region: None,
        mechanisms: Vec::new(),
        retention: Retention { standard_days: None, abuse_monitoring_days: None, human_review_days: None },
        deletion_covers_abuse_monitoring: false,
        deletion_covers_human_review: false,
        processing_agreement: None,
        subprocessors: None,
    };

    /// Whether the destination keeps copies. `false` only when zero retention holds **and** every category, abuse
    /// monitoring and human review included, is zero days, all by evidence in force.
    pub fn retains(&self) -> bool {
        let Retention { standard_days, abuse_monitoring_days, human_review_days } = self.retention;
        let nothing_kept =
            [standard_days, abuse_monitoring_days, human_review_days].iter().all(|days| *days == Some(0));
        !(self.zero_retention && nothing_kept)
    }

    /// Whether data may go there from this region: the same region, or a mechanism for it. An unknown region of the
    /// destination has none.
    pub fn admits(&self, from: Region) -> bool {
        self.region
            .is_some_and(|region| region == from || self.mechanisms.iter().any(|mechanism| mechanism.from == from))
    }
}

impl Terms {
    /// What is proven at this time; everything else at its worst, attribute by attribute.
    pub fn in_force(&self, as_of: Timestamp) -> Attributes<'_> {
        let on = day_of(as_of);
        let retention = &self.retention;
        Attributes {
            zero_retention: known(&self.zero_retention, on).unwrap_or(false),
            training_eligible: known(&self.training_eligible, on).unwrap_or(true),
            region: known(&self.region, on),
            mechanisms: self.mechanisms.iter().filter_map(|mechanism| mechanism.on(on).copied()).collect(),
            retention: Retention {
                standard_days: known(&retention.standard_days, on),
                abuse_monitoring_days: known(&retention.abuse_monitoring_days, on),
                human_review_days: known(&retention.human_review_days, on),
            },
            deletion_covers_abuse_monitoring: known(&retention.deletion_covers_abuse_monitoring, on).unwrap_or(false),
            deletion_covers_human_review: known(&retention.deletion_covers_human_review, on).unwrap_or(false),
            processing_agreement: self
                .processing_agreement
                .as_ref()
                .and_then(|proven| proven.on(on))
                .map(String::as_str),
            subprocessors: self.subprocessors.as_ref().and_then(|proven| proven.on(on)).map(Vec::as_slice),
        }
    }

    /// The name by which records point to these terms: the day they apply from and a digest of their content,
    /// `2026-02-11 sha256:` and 64 hexadecimal digits.
    ///
    /// The digest covers what was agreed (destination, provider, account, plan, endpoint, attributes), not the
    /// evidence for it: a renewed letter proves the same terms for longer, and records must keep finding them.
    pub fn terms_id(&self) -> &str {
        &self.id
    }

    /// Every attribute with how it stands on a day: the name of its key, and what became of its evidence.
    pub fn standings(&self, on: Date) -> Vec<(String, Option<&str>, Standing)> {
        let retention = &self.retention;
        let mut all = vec![
            standing("zero_retention", &self.zero_retention, on),
            standing("training_eligible", &self.training_eligible, on),
            standing("region", &self.region, on),
            standing("retention.standard_days", &retention.standard_days, on),
            standing("retention.abuse_monitoring_days", &retention.abuse_monitoring_days, on),
            standing("retention.human_review_days", &retention.human_review_days, on),
            standing("retention.deletion_covers_abuse_monitoring", &retention.deletion_covers_abuse_monitoring, on),
            standing("retention.deletion_covers_human_review", &retention.deletion_covers_human_review, on),
            standing("processing_agreement", &self.processing_agreement, on),
            standing("subprocessors", &self.subprocessors, on),
        ];
        all.extend(self.mechanisms.iter().map(|proven| {
            let name = format!("mechanisms.{}", proven.value.from);
            (name, proven.evidence().map(|evidence| evidence.id.as_str()), proven.standing(on))
        }));
        all
    }

    /// Computes the id from the content and from the destination's own members.
    pub(super) fn seal(&mut self, destination: &str, provider: &str, account: &str) {
        let digest = Sha256::digest(self.canonical(destination, provider, account));
        self.id = format!("{} sha256:", self.effective);
        for byte in digest {
            // Writing to a string cannot fail.
            let _ = write!(self.id, "{byte:02x}");
        }
    }

    /// The content in one fixed form: a line for each member with its values, each led by its length in bytes, so that no
    /// value can imitate another. What was never answered has no values. Ids outlive compilers: nothing here may
    /// come from a format that is made for people to read.
    fn canonical(&self, destination: &str, provider: &str, account: &str) -> String {
        fn claim<T: ToString>(proven: &Option<Proven<T>>) -> Vec<String> {
            proven.iter().map(|proven| proven.value.to_string()).collect()
        }
        let retention = &self.retention;
        let mut mechanisms: Vec<String> = self
            .mechanisms
            .iter()
            .map(|proven| format!("{} {}", proven.value.from, proven.value.kind.as_str()))
            .collect();
        mechanisms.sort();
        let mut subprocessors = Vec::new();
        if let Some(answered) = &self.subprocessors {
            // An answer of none is an answer, so its length is written.
            subprocessors.clone_from(&answered.value);
            subprocessors.sort();
            subprocessors.insert(0, answered.value.len().to_string());
        }
        let members = [
            ("maysend terms", vec!["1".into()]),
            ("destination", vec![destination.into()]),
            ("provider", vec![provider.into()]),
            ("account", vec![account.into()]),
            ("effective", vec![self.effective.to_string()]),
            ("plan", vec![self.plan.clone()]),
            ("endpoint", vec![self.endpoint.clone()]),
            ("zero_retention", claim(&self.zero_retention)),
            ("training_eligible", claim(&self.training_eligible)),
            ("region", claim(&self.region)),
            ("mechanisms", mechanisms),
            ("standard_days", claim(&retention.standard_days)),
            ("abuse_monitoring_days", claim(&retention.abuse_monitoring_days)),
            ("human_review_days", claim(&retention.human_review_days)),
            ("deletion_covers_abuse_monitoring", claim(&retention.deletion_covers_abuse_monitoring)),
            ("deletion_covers_human_review", claim(&retention.deletion_covers_human_review)),
            ("processing_agreement", claim(&self.processing_agreement)),
            ("subprocessors", subprocessors),
        ];
        let mut content = String::new();
        for (name, values) in members {
            content.push_str(name);
            for value in values {
                // Writing to a string cannot fail.
                let _ = write!(content, " {}:{value}", value.len());
            }
            content.push('\n');
        }
        content
    }
}

fn known<T: Copy>(proven: &Option<Proven<T>>, on: Date) -> Option<T> {
    proven.as_ref().and_then(|proven| proven.on(on)).copied()
}

fn standing<'t, T>(name: &str, proven: &'t Option<Proven<T>>, on: Date) -> (String, Option<&'t str>, Standing) {
    match proven {
        Some(proven) => (name.into(), proven.evidence().map(|evidence| evidence.id.as_str()), proven.standing(on)),
        None => (name.into(), None, Standing::Missing),
    }
}
