//! The records that come of one attempt.

use super::{MOST_FINDINGS, Output, PROGRAM, Produced, Stages, Subject, identifiers::Opaque, search::Searched};
use crate::{
    gate::{self, Decision, Reason, Route, Verdict, is_field},
    redact::{self, Hashing, Redaction, with_texts},
    ruleset::policy::Mode,
    wire::{
        Body, Cleared, DeadLetter, DeadLetterReason, DecisionBody, DecisionRecord, FindingRecord, Header, Json,
        Pointer, ReasonCode, ReasonRecord, Reservation, Source, SuppressedRecord, Withheld, encode,
        mapped::{self, Identifiers},
        records,
    },
};
use jiff::Timestamp;
use maysend_detector::Finding;
use std::{borrow::Cow, cmp::Reverse, collections::BTreeMap};

/// What becomes of a decided transcript.
pub(super) enum Written {
    /// It goes out; in shadow mode perhaps with a copy of what enforcing would have withheld.
    Sent { copy: Option<Route> },
    /// It is withheld.
    Withheld(Route),
    /// Only the decision is kept.
    Decision,
}

/// Why a record could not be written. Nothing of the attempt is, then.
pub(super) enum NotWritten {
    /// Its parts do not belong together.
    Unsound,
    /// It would be too large.
    TooLarge,
}

type Outputs = Result<Vec<Produced>, NotWritten>;

/// The texts of the turns, and the carried members.
type Redacted<'w> = (Vec<Cow<'w, str>>, Vec<(String, Json)>);

/// What the records of an attempt are made of.
pub(super) struct Writing<'w> {
    pub(super) stages: &'w Stages,
    pub(super) subject: &'w Subject<'w>,
    pub(super) searched: &'w Searched<'w>,
    pub(super) opaque: &'w Opaque,
    pub(super) mode: Mode,
}

impl Writing<'_> {
    /// Reserved and cleared: redacted in enforce mode, byte for byte in shadow mode.
    pub(super) fn sent(&self, decision: &Decision, copy: Option<Route>) -> Outputs {
        let id = self.subject.reservation_id.as_str();
        let destination = self.stages.destination(self.subject.transcript).ok_or(NotWritten::Unsound)?;
        let reservation = Reservation {
            header: self.header(),
            reservation_id: id,
            provider: &destination.provider,
            reserved_requests: 1,
            reserved_at: self.stages.as_of,
        };
        let body = self.decision_body(decision, Some(id));
        let cleared = match self.mode {
            Mode::Shadow => self.subject.record.to_vec(),
            Mode::Enforce => self.cleared(decision, id)?,
        };
        let header = self.header();
        let reservation = produced(Output::Reservations, id.into(), encoded(&reservation)?);
        let mut cleared = produced(Output::Cleared, key(&header), cleared);
        cleared.headers.push((RESERVATION_HEADER, id.into()));
        cleared.headers.extend(self.subject.published.map(|published| (PUBLISHED_HEADER, published.to_string())));
        let mut outputs = vec![reservation, cleared];
        if let Some(route) = copy {
            outputs.push(self.copy(&body, route, true)?);
        }
        outputs.push(self.decision(&body)?);
        Ok(outputs)
    }

    /// Withheld for review or as held.
    pub(super) fn withheld(&self, decision: &Decision, route: Route) -> Outputs {
        let body = self.decision_body(decision, None);
        Ok(vec![self.copy(&body, route, false)?, self.decision(&body)?])
    }

    /// Nothing but the decision.
    pub(super) fn decision_only(&self, decision: &Decision) -> Outputs {
        Ok(vec![self.decision(&self.decision_body(decision, None))?])
    }

    fn header(&self) -> Header<'_> {
        let transcript = self.subject.transcript;
        let destination = self.stages.destination(transcript);
        Header {
            previous_attempt: self.subject.previous,
            transcript_id: Some(self.opaque.id(transcript)),
            tenant: Some(self.opaque.tenant(transcript)),
            customer_key: self.opaque.customer_key(transcript),
            destination: Some(self.opaque.destination(transcript)),
            terms: destination.and_then(|known| known.terms_at(self.stages.as_of)).map(|terms| terms.terms_id()),
            published_at: self.subject.published,
            ..Header::new(
                &self.subject.attempt,
                self.mode,
                &self.stages.settings.ruleset.digest,
                PROGRAM,
                self.subject.source,
            )
        }
    }

    /// The header of a review record: a reviewer sees the identifiers as they are.
    fn header_for_review(&self) -> Header<'_> {
        let transcript = self.subject.transcript;
        Header {
            transcript_id: Some(&transcript.id),
            tenant: Some(&transcript.tenant),
            customer_key: transcript.customer_key.as_deref(),
            destination: Some(&transcript.destination),
            ..self.header()
        }
    }

    fn decision(&self, body: &DecisionBody) -> Result<Produced, NotWritten> {
        let header = self.header();
        Ok(produced(Output::Decisions, key(&header), encoded(&DecisionRecord { header, decision: body })?))
    }

    fn decision_body(&self, decision: &Decision, reservation_id: Option<&str>) -> DecisionBody {
        let suppressed = self.searched.suppressed.iter().map(|((reference, pattern), count)| SuppressedRecord {
            reference: reference.clone(),
            pattern: pattern.to_string(),
            count: *count,
        });
        DecisionBody {
            verdict: decision.verdict(),
            reasons: decision.reasons.iter().map(|reason| reason_record(*reason, decision)).collect(),
            entities: decision.entities.iter().map(|(entity, n)| (entity.to_string(), *n as u64)).collect(),
            suppressed: suppressed.collect(),
            stripped: self.searched.stripped.clone(),
            reservation_id: reservation_id.map(Into::into),
            as_of: self.stages.as_of,
        }
    }

    fn copy(&self, body: &DecisionBody, route: Route, shadow: bool) -> Result<Produced, NotWritten> {
        let transcript = self.subject.transcript;
        let (output, header, id, tenant_region) = match route {
            Route::Review => {
                let region = transcript.tenant_region.as_deref();
                (Output::Review, self.header_for_review(), transcript.id.as_str(), region)
            }
            _ => {
                let region = self.opaque.tenant_region(transcript);
                (Output::Held, self.header(), self.opaque.id(transcript), region)
            }
        };
        let findings = listed(&self.searched.findings).ok_or(NotWritten::TooLarge)?;
        let record = Withheld {
            header,
            body: Body {
                transcript,
                id,
                tenant_region,
                texts: &self.searched.texts,
                carried: &transcript.carried,
                speakers: true,
            },
            findings_omitted: self.searched.findings.len() - findings.len(),
            findings: findings.into_iter().map(FindingRecord::from).collect(),
            decision: body,
            shadow,
        };
        Ok(produced(output, key(&header), encoded(&record)?))
    }

    fn cleared(&self, decision: &Decision, reservation_id: &str) -> Result<Vec<u8>, NotWritten> {
        let transcript = self.subject.transcript;
        let (texts, carried) = self.redacted(decision)?;
        // A withheld record may have what the policy of today carries no more.
        let policy = &self.stages.settings.ruleset.rules.policy;
        let carried = carried.into_iter().filter_map(|(name, value)| {
            let carry = policy.intake.carry.iter().find(|carry| carry.name == name)?;
            Some((&carry.pointer, value))
        });
        match &self.stages.settings.ruleset.rules.mapping {
            None => self.cleared_native(&texts, carried, reservation_id),
            Some(mapping) => {
                let identifiers = Identifiers {
                    id: self.opaque.id(transcript),
                    tenant: self.opaque.tenant(transcript),
                    tenant_region: self.opaque.tenant_region(transcript),
                    customer_key: self.opaque.customer_key(transcript),
                    destination: self.opaque.destination(transcript),
                };
                let record = mapped::shape(mapping, transcript, identifiers, &texts, carried.collect());
                let record = &record.map_err(|_| NotWritten::Unsound)?;
                encoded(&mapped::Cleared { record, header: self.header(), reservation_id })
            }
        }
    }

    fn cleared_native<'c>(
        &self,
        texts: &[Cow<'_, str>],
        carried: impl Iterator<Item = (&'c Pointer, Json)>,
        reservation_id: &str,
    ) -> Result<Vec<u8>, NotWritten> {
        let transcript = self.subject.transcript;
        let carried = records::nested(carried).map_err(|_| NotWritten::Unsound)?;
        let record = Cleared {
            header: self.header(),
            body: Body {
                transcript,
                id: self.opaque.id(transcript),
                tenant_region: self.opaque.tenant_region(transcript),
                texts,
                carried: &carried,
                speakers: false,
            },
            reservation_id,
        };
        encoded(&record)
    }

    /// Turns and carried members with the policy's forms in place of what was found.
    fn redacted(&self, decision: &Decision) -> Result<Redacted<'_>, NotWritten> {
        let policy = &self.stages.settings.ruleset.rules.policy;
        let whole = |redaction: &gate::Redaction| self.searched.whole(redaction.finding, redaction.span);
        let wholes: Vec<Option<String>> = decision.redactions.iter().map(whole).collect();
        let redactions: Vec<Redaction<'_>> = decision
            .redactions
            .iter()
            .zip(&wholes)
            .map(|(redaction, whole)| {
                let rule = policy.rule(redaction.entity.as_str());
                let (span, entity, whole) = (redaction.span, &redaction.entity, whole.as_deref());
                Redaction { span, entity, form: rule.form, label: &rule.label, whole }
            })
            .collect();
        let tenant = self.subject.transcript.tenant.as_str();
        let hashing = self.stages.settings.key.as_ref().map(|key| Hashing { key, tenant });
        let all: Vec<&str> =
            self.searched.texts.iter().map(AsRef::as_ref).chain(self.searched.carried.iter().copied()).collect();
        let mut turns = redact::redact(&all, &redactions, hashing).map_err(|_| NotWritten::Unsound)?;
        let carried = turns.split_off(self.searched.texts.len());
        let carried = with_texts(&self.subject.transcript.carried, &carried).map_err(|_| NotWritten::Unsound)?;
        let turns = turns.into_iter().map(|text| Cow::Owned(text.into_owned())).collect();
        Ok((turns, carried))
    }
}

/// The findings that a record lists, in order of place: what the look-up of fields found, since nothing can find it
/// again, then the strongest. `None` if there is more of the former than a record may list.
fn listed(findings: &[Finding]) -> Option<Vec<&Finding>> {
    let mut listed: Vec<&Finding> = findings.iter().collect();
    if listed.len() > MOST_FINDINGS {
        listed.sort_by_key(|finding| (!is_field(&finding.pattern), Reverse(finding.points), finding.span));
        let rest = listed.split_off(MOST_FINDINGS);
        if rest.iter().any(|finding| is_field(&finding.pattern)) {
            return None;
        }
        listed.sort_by_key(|finding| finding.span);
    }
    Some(listed)
}

fn reason_record(reason: Reason, decision: &Decision) -> ReasonRecord {
    let entities = match reason {
        Reason::Tier1Retained => decision.tier1_entities.as_slice(),
        Reason::EntityBlocked => decision.blocked_entities.as_slice(),
        _ => &[],
    };
    ReasonRecord { reason: ReasonCode::Gate(reason), entities: entities.iter().map(ToString::to_string).collect() }
}

/// A dead letter and its decision: a record that was read is an attempt, and every attempt has a decision.
pub(super) fn dead_letter(
    header: Header<'_>,
    as_of: Timestamp,
    record: &[u8],
    reason: DeadLetterReason,
) -> Vec<Produced> {
    with_decision(header, as_of, reason, &DeadLetter::new(header, reason, record))
}

/// The dead letter of a record that was not kept, and its decision.
pub(super) fn too_large(header: Header<'_>, as_of: Timestamp, digest: &str) -> Vec<Produced> {
    with_decision(header, as_of, DeadLetterReason::TooLarge, &DeadLetter::too_large(header, digest))
}

fn with_decision(
    header: Header<'_>,
    as_of: Timestamp,
    reason: DeadLetterReason,
    letter: &DeadLetter<'_>,
) -> Vec<Produced> {
    let body = DecisionBody {
        verdict: Verdict::Block,
        reasons: vec![ReasonRecord { reason: ReasonCode::DeadLetter(reason), entities: Vec::new() }],
        entities: BTreeMap::new(),
        suppressed: Vec::new(),
        stripped: BTreeMap::new(),
        reservation_id: None,
        as_of,
    };
    let place = place(header.source);
    let headers = dead_letter_headers(header.source, reason);
    // Neither holds anything that can fail to be written.
    let letter = encode(letter).map(|value| Produced { output: Output::DeadLetter, key: place, value, headers });
    let decision = encode(&DecisionRecord { header, decision: &body })
        .map(|value| produced(Output::Decisions, key(&header), value));
    [letter, decision].into_iter().flatten().collect()
}

/// The header that names the reservation of a cleared record; in shadow mode the record itself cannot.
pub const RESERVATION_HEADER: &str = "maysend-reservation-id";

/// The header that says when the transcript of a cleared record was published, for the same reason.
const PUBLISHED_HEADER: &str = "maysend-published-at";

fn produced(output: Output, key: String, value: Vec<u8>) -> Produced {
    Produced { output, key, value, headers: Vec::new() }
}

/// `tenant/transcript_id/attempt`; for what could not be decoded the attempt alone.
fn key(header: &Header<'_>) -> String {
    header.key().unwrap_or_else(|| header.attempt.to_owned())
}

/// Where a record was read, as a key.
fn place(source: &Source) -> String {
    match source {
        Source::File { file, line } => format!("{file}/{line}"),
        Source::Topic { topic, partition, offset } => format!("{topic}/{partition}/{offset}"),
    }
}

fn dead_letter_headers(source: &Source, reason: DeadLetterReason) -> Vec<(&'static str, String)> {
    let mut headers = vec![("maysend-reason", reason.code().to_owned())];
    if let Source::Topic { topic, partition, offset } = source {
        headers.push(("maysend-source-topic", topic.clone()));
        headers.push(("maysend-source-partition", partition.to_string()));
        headers.push(("maysend-source-offset", offset.to_string()));
    }
    headers
}

fn encoded(record: &impl serde::Serialize) -> Result<Vec<u8>, NotWritten> {
    encode(record).map_err(|_| NotWritten::Unsound)
}
