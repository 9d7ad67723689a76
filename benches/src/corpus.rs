//! The corpora's transcripts in memory, with what each stage makes of them.

use crate::MIB;
use jiff::Timestamp;
use maysend::{
    gate::{Decision, Distinct, Identifiers, Request, may_send},
    ruleset::Ruleset,
    stages::{Erasures, Settings, Stages},
    strip::{Lookup, strip},
    wire::{Transcript, decode},
};
use maysend_corpora::{Date, Day, Style};
use maysend_detector::{
    Detection, Finding, Options, Turn,
    engine::{Candidate, Engine as _},
    view::ByteView,
};
use std::{borrow::Cow, fmt, sync::Arc};

/// The corpus that every run measures. Another seed is another corpus.
const SEED: u64 = 20_260_302;

/// Records of one style, as bytes and after every stage.
pub struct Corpus {
    /// `normal`, `dense` or `digits`.
    pub name: &'static str,
    /// Lines of JSON without line ends.
    pub records: Vec<Vec<u8>>,
    /// The same, taken through the stages.
    pub prepared: Vec<Prepared>,
    /// Bytes of all records.
    pub record_bytes: u64,
    /// Bytes of all stripped texts: what the detector reads.
    pub text_bytes: u64,
    /// What there is to find.
    pub density: Density,
}

/// One record after each stage.
pub struct Prepared {
    /// Decoded.
    pub transcript: Transcript,
    /// Stripped texts.
    pub texts: Vec<Cow<'static, str>>,
    /// The view of the texts.
    pub view: ByteView,
    /// What the engine yields.
    pub candidates: Vec<Candidate>,
    /// What the detector finds.
    pub detection: Detection,
    /// What the gate decides.
    pub decision: Decision,
}

/// How much there is to find in a mebibyte of text.
#[derive(Clone, Copy, Debug)]
pub struct Density {
    bytes: u64,
    documents: usize,
    patterns: usize,
    candidates: usize,
    findings: usize,
}

impl fmt::Display for Density {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = |count: usize| count as f64 * MIB / self.bytes as f64;
        write!(
            f,
            "{} documents, {} bytes of text, {} patterns; each MiB has {:.0} candidates and {:.0} findings",
            self.documents,
            self.bytes,
            self.patterns,
            each(self.candidates),
            each(self.findings)
        )
    }
}

impl Prepared {
    fn of(record: &[u8], ruleset: &Ruleset, as_of: Timestamp) -> Self {
        let transcript = decode(record, &ruleset.rules.policy.intake, ruleset.rules.mapping.as_ref())
            .expect("the corpora write what can be read");
        let stripped = strip(&ruleset.templates, &transcript);
        let texts: Vec<Cow<'static, str>> =
            stripped.texts.into_iter().map(|text| Cow::Owned(text.into_owned())).collect();
        let mut view = ByteView::default();
        let mut candidates = Vec::new();
        let document = document(&transcript, &texts);
        view.fill(&document);
        ruleset.detector.engine().candidates(&view, &mut candidates);
        let detection = ruleset.detector.detect(&document, &Options::default());
        let decision = decide(&transcript, &detection.findings, ruleset, as_of);
        Self { transcript, texts, view, candidates, detection, decision }
    }

    /// The turns as the detector reads them.
    pub fn document(&self) -> Vec<Turn<'_>> {
        document(&self.transcript, &self.texts)
    }

    /// Strips the transcript and looks the values of its fields up in its texts. How many were found.
    pub fn strip_and_look_up(&self, ruleset: &Ruleset) -> usize {
        let stripped = strip(&ruleset.templates, &self.transcript);
        let fields = self.transcript.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let lookup = Lookup::new(&ruleset.templates, fields.chain(stripped.values.iter().copied()));
        lookup.expect("the corpora have few fields").find(&stripped.texts).len()
    }

    /// Asks the gate.
    pub fn decide(&self, ruleset: &Ruleset, as_of: Timestamp) -> Decision {
        decide(&self.transcript, &self.detection.findings, ruleset, as_of)
    }
}

fn document<'t>(transcript: &Transcript, texts: &'t [Cow<'static, str>]) -> Vec<Turn<'t>> {
    transcript.turns.iter().zip(texts).map(|(turn, text)| Turn { role: turn.role, text }).collect()
}

fn decide(transcript: &Transcript, findings: &[Finding], ruleset: &Ruleset, as_of: Timestamp) -> Decision {
    let rules = &ruleset.rules;
    may_send(&Request {
        findings,
        distinct: &Distinct::new(),
        identifiers: &Identifiers::default(),
        tenant: rules.tenants.get(&transcript.tenant),
        claimed_region: transcript.tenant_region.as_deref(),
        destination: rules.destinations.get(&transcript.destination),
        contradicted: false,
        policy: &rules.policy,
        as_of,
    })
}

impl Corpus {
    /// The three styles, of about so many bytes of records each.
    pub fn all(stages: &Stages, bytes: u64) -> Vec<Self> {
        [("normal", Style::Normal), ("dense", Style::Dense), ("digits", Style::Digits)]
            .map(|(name, style)| Self::of(name, style, stages, bytes))
            .into()
    }

    fn of(name: &'static str, style: Style, stages: &Stages, bytes: u64) -> Self {
        let date = Date::new(2026, 3, 2).expect("a day of the calendar");
        let mut records: Vec<Vec<u8>> = Vec::new();
        let mut record_bytes = 0;
        for made in Day::new(SEED, date, maysend_corpora::rates::DAY, style) {
            if record_bytes >= bytes {
                break;
            }
            let record = made.to_json().into_bytes();
            record_bytes += record.len() as u64;
            records.push(record);
        }
        let ruleset = stages.ruleset();
        let prepared: Vec<Prepared> =
            records.iter().map(|record| Prepared::of(record, ruleset, stages.as_of())).collect();
        let text_bytes = prepared.iter().flat_map(|one| &one.texts).map(|text| text.len() as u64).sum();
        let density = Density {
            bytes: text_bytes,
            documents: records.len(),
            patterns: ruleset.detector.catalogue().patterns.len(),
            candidates: prepared.iter().map(|one| one.candidates.len()).sum(),
            findings: prepared.iter().map(|one| one.detection.findings.len()).sum(),
        };
        Self { name, records, prepared, record_bytes, text_bytes, density }
    }
}

/// The stages under the built-in ruleset, enforced: in shadow mode nothing would be redacted.
pub fn stages() -> Stages {
    let ruleset: Arc<Ruleset> = Ruleset::builtin().expect("the built-in ruleset is without mistakes");
    let as_of: Timestamp = "2026-03-02T12:00:00Z".parse().expect("a time");
    let settings = Settings::new(ruleset, None, Erasures::new(), true).expect("the built-in policy needs no key");
    Stages::at(settings, as_of)
}

/// A record with these members beside what every record must have.
pub fn record(members: &str) -> Vec<u8> {
    format!(
        r#"{{"schema":1,"id":"t-bench","tenant":"acme","tenant_region":"EU","destination":"summaries-eu",{members}}}"#
    )
    .into_bytes()
}
