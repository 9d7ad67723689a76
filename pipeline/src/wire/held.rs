//! Reads back a record of review or held, to decide it again or to show it to a reviewer.

use super::{
    error::DecodeError,
    json::Json,
    mapped::IDENTIFIERS,
    members::Members,
    records::{DecisionBody, ReasonCode, ReasonRecord, Source, SuppressedRecord},
    time::At,
    transcript::{self, KNOWN, Transcript, Written},
};
use crate::{gate, redact::carried_texts, ruleset::policy::Mode};
use jiff::Timestamp;
use maysend_detector::{
    document::Span,
    finding::{Finding, Verdict},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// A record of review or held.
#[derive(Clone, PartialEq, Eq)]
pub struct HeldRecord {
    /// Id of the attempt that it came from. The next attempt is linked to it.
    pub attempt: String,
    /// Whether the decision was acted on.
    pub mode: Mode,
    /// Digest of the ruleset that it was decided under.
    pub ruleset: String,
    /// The program that wrote it.
    pub program: String,
    /// The terms that it was decided under.
    pub terms: Option<String>,
    /// Where the transcript was read.
    pub source: Source,
    /// When it was published, where that is known.
    pub published_at: Option<Timestamp>,
    /// The id as it stands in the header: the transcript's, or the keyed hash in its place.
    pub transcript_id: String,
    /// The transcript after stripping. It has no `fields`; identifiers may be keyed hashes.
    pub transcript: Transcript,
    /// What was found. Rivals are not on the wire, so text must be searched again before it is decided again; only
    /// what the look-up of fields found cannot be found again, and must be taken from here.
    pub findings: Vec<Finding>,
    /// What was decided.
    pub decision: DecisionBody,
    /// Whether it was sent all the same.
    pub shadow: bool,
}

impl fmt::Debug for HeldRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HeldRecord(attempt {}, {:?}, {} findings)", self.attempt, self.transcript, self.findings.len())
    }
}

impl HeldRecord {
    /// Whether this was one of the reasons to withhold it.
    pub fn has_reason(&self, reason: gate::Reason) -> bool {
        self.decision.reasons.iter().any(|record| record.reason == ReasonCode::Gate(reason))
    }

    /// Reads one record. Strict: every member must be there with its type, and every finding's span must lie on
    /// character boundaries of its text. Members beyond the record's own are carried ones. Linear in the bytes.
    ///
    /// # Errors
    /// The same closed list as for transcripts, without `too_large`.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut members = Members::of(transcript::parse(bytes, &KNOWN)?, String::new())?;
        transcript::check_schema(&mut members)?;
        let attempt = members.string("attempt")?;
        let _ = members.opt_string("previous_attempt")?;
        let transcript_id = members.string("transcript_id")?;
        let tenant = members.string("tenant")?;
        let customer_key = members.opt_string("customer_key")?;
        let destination = members.string("destination")?;
        let mode = one_of(&mut members, "mode", [Mode::Enforce, Mode::Shadow], Mode::as_str)?;
        let ruleset = members.string("ruleset")?;
        let program = members.string("program")?;
        let terms = members.opt_string("terms")?;
        let source = source(members.object("source")?)?;
        let published_at = members.has("published_at").then(|| time(&mut members, "published_at")).transpose()?;
        let id = members.string("id")?;
        let tenant_region = members.opt_string("tenant_region")?;
        let (turns, single_text) = transcript::turns(&mut members, Written::ByTheGate)?;
        let numbers = numbers(&mut members)?;
        let found = members.array("findings")?;
        if members.has("findings_omitted") {
            let _: u64 = members.integer("findings_omitted")?;
        }
        let decision = decision(members.object("decision")?)?;
        let shadow = members.boolean("shadow")?;
        let transcript = Transcript {
            schema: super::SCHEMA,
            id,
            tenant,
            tenant_region,
            customer_key,
            destination,
            fields: Vec::new(),
            turns,
            single_text,
            carried: members.rest().collect(),
            numbers,
        };
        let findings = findings(found, &transcript)?;
        Ok(Self {
            attempt,
            mode,
            ruleset,
            program,
            terms,
            source,
            published_at,
            transcript_id,
            transcript,
            findings,
            decision,
            shadow,
        })
    }
}

/// A required string that is the name of one of `known`.
fn one_of<T: Copy>(
    members: &mut Members,
    name: &str,
    known: impl IntoIterator<Item = T>,
    code: fn(T) -> &'static str,
) -> Result<T, DecodeError> {
    let text = members.string(name)?;
    known
        .into_iter()
        .find(|known| code(*known) == text)
        .ok_or_else(|| members.wrong(name, "one of the documented codes"))
}

/// A required time.
fn time(members: &mut Members, name: &str) -> Result<Timestamp, DecodeError> {
    Ok(At::parse(&members.string(name)?).ok_or_else(|| members.wrong(name, "a time"))?.time)
}

/// The identifiers that were numbers in a record of another shape.
fn numbers(members: &mut Members) -> Result<BTreeSet<&'static str>, DecodeError> {
    if !members.has("numbers") {
        return Ok(BTreeSet::new());
    }
    let known = |json| match json {
        Json::String(name) => IDENTIFIERS.into_iter().find(|known| *known == name),
        _ => None,
    };
    let numbers: Option<_> = members.array("numbers")?.into_iter().map(known).collect();
    numbers.ok_or_else(|| members.wrong("numbers", "names of identifiers"))
}

fn source(mut members: Members) -> Result<Source, DecodeError> {
    if members.has("file") {
        return Ok(Source::File { file: members.string("file")?, line: members.integer("line")? });
    }
    Ok(Source::Topic {
        topic: members.string("topic")?,
        partition: members.integer("partition")?,
        offset: members.integer("offset")?,
    })
}

fn decision(mut members: Members) -> Result<DecisionBody, DecodeError> {
    let verdict = one_of(&mut members, "verdict", [gate::Verdict::Send, gate::Verdict::Block], gate::Verdict::as_str)?;
    let mut reasons = Vec::new();
    for mut reason in objects(&mut members, "reasons")? {
        let mut entities = Vec::new();
        for entity in reason.array("entities")? {
            match entity {
                Json::String(entity) => entities.push(entity),
                _ => return Err(reason.wrong("entities", "strings")),
            }
        }
        reasons.push(ReasonRecord {
            reason: ReasonCode::Gate(one_of(
                &mut reason,
                "reason",
                gate::Reason::ALL.iter().copied(),
                gate::Reason::code,
            )?),
            entities,
        });
    }
    let entities = counts(&mut members, "entities")?;
    let mut suppressed = Vec::new();
    for mut item in objects(&mut members, "suppressed")? {
        suppressed.push(SuppressedRecord {
            reference: item.string("reference")?,
            pattern: item.string("pattern")?,
            count: item.integer("count")?,
        });
    }
    let stripped = counts(&mut members, "stripped")?;
    let reservation_id = members.opt_string("reservation_id")?;
    let as_of = time(&mut members, "as_of")?;
    Ok(DecisionBody { verdict, reasons, entities, suppressed, stripped, reservation_id, as_of })
}

/// The objects in an array.
fn objects(members: &mut Members, name: &str) -> Result<Vec<Members>, DecodeError> {
    let pointer = members.pointer(name);
    members.array(name)?.into_iter().enumerate().map(|(i, json)| Members::of(json, format!("{pointer}/{i}"))).collect()
}

/// An object of counts.
fn counts(members: &mut Members, name: &str) -> Result<BTreeMap<String, u64>, DecodeError> {
    let counts = members.object(name)?;
    let count = |(key, value)| match value {
        Json::Number(text) => Some((key, text.parse().ok()?)),
        _ => None,
    };
    counts.rest().map(count).collect::<Option<_>>().ok_or_else(|| members.wrong(name, "counts"))
}

/// The findings, each checked against the text that it is about.
fn findings(found: Vec<Json>, transcript: &Transcript) -> Result<Vec<Finding>, DecodeError> {
    let turns = transcript.turns.iter().map(|turn| turn.text.as_str());
    let texts: Vec<&str> = turns.chain(carried_texts(&transcript.carried)).collect();
    let mut findings = Vec::with_capacity(found.len());
    for (i, json) in found.into_iter().enumerate() {
        let mut members = Members::of(json, format!("/findings/{i}"))?;
        let verdict = if members.has("validated") {
            if members.boolean("validated")? { Verdict::Valid } else { Verdict::Invalid }
        } else {
            Verdict::Unchecked
        };
        let span = span(&mut members, &texts)?;
        let mut pieces = Vec::new();
        if members.has("pieces") {
            for mut piece in objects(&mut members, "pieces")? {
                pieces.push(self::span(&mut piece, &texts)?);
            }
            if pieces.len() < 2 || pieces.remove(0) != span {
                return Err(members.wrong("pieces", "all pieces, the first of them that of the finding"));
            }
        }
        findings.push(Finding {
            entity: members.string("entity")?.as_str().into(),
            pattern: members.string("pattern")?.as_str().into(),
            span,
            more: pieces,
            points: members.integer("points")?,
            verdict,
            rivals: Vec::new(),
        });
    }
    Ok(findings)
}

/// `turn`, `start` and `end`, checked against the texts.
fn span(members: &mut Members, texts: &[&str]) -> Result<Span, DecodeError> {
    let span = Span { turn: members.integer("turn")?, start: members.integer("start")?, end: members.integer("end")? };
    let text = texts.get(span.turn).and_then(|text| text.get(span.start..span.end));
    match text {
        Some(text) if !text.is_empty() => Ok(span),
        _ => Err(members.wrong("start", "a span on character boundaries of its turn's text")),
    }
}
