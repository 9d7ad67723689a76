//! The stages of the gate, one record at a time: decode, strip, detect, decide, redact, write.
//!
//! [`Stages`] is pure but for the time that its caller gives: the same record, ruleset, key and time make the same
//! bytes. It does no I/O; a driver reads records and writes what comes of them, reservations first. Whatever cannot be
//! read, looked up, decided or redacted is never sent: it becomes a dead letter, or is held.

mod identifiers;
mod ids;
mod outputs;
mod search;
mod settings;
mod size;
mod tally;

pub use identifiers::WITHHELD;
pub use ids::{Coordinates, next_attempt};
pub use outputs::RESERVATION_HEADER;
pub use settings::{Contradictions, Erasures, MissingKey, Settings, take_in};
pub use size::{MOST_FINDINGS, largest};
pub use tally::Tally;

use crate::{
    gate::{Decision, Identifiers, Reason, Request, Route, may_send},
    ruleset::{Ruleset, destinations::Destination, policy::Mode, tenants::Tenant},
    wire::{DeadLetterReason, Header, HeldRecord, Source, Transcript, decode, digest},
};
use identifiers::Opaque;
use jiff::Timestamp;
use outputs::{NotWritten, Written};
use search::Searched;
use std::sync::Arc;

/// What outputs call the program.
pub const PROGRAM: &str = concat!("maysend ", env!("CARGO_PKG_VERSION"));

/// Where an output goes. The names are those of the topics and of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Output {
    /// May be sent, redacted; in shadow mode everything.
    Cleared,
    /// Blocked, and a reviewer can judge it.
    Review,
    /// Blocked, and only other terms can change it.
    Held,
    /// What was decided, for every attempt.
    Decisions,
    /// Evidence of possible disclosure. Written before anything cleared.
    Reservations,
    /// What could not be decoded.
    DeadLetter,
}

impl Output {
    /// Every output. Reservations stand before what they must be written before.
    pub const ALL: [Self; 6] =
        [Self::Reservations, Self::Cleared, Self::Review, Self::Held, Self::Decisions, Self::DeadLetter];

    /// Its name: `cleared`, `dead-letter`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cleared => "cleared",
            Self::Review => "review",
            Self::Held => "held",
            Self::Decisions => "decisions",
            Self::Reservations => "reservations",
            Self::DeadLetter => "dead-letter",
        }
    }
}

/// The stages, for one time of decision.
pub struct Stages {
    settings: Arc<Settings>,
    as_of: Timestamp,
}

/// A record to write.
pub struct Produced {
    /// Where it goes.
    pub output: Output,
    /// Its key, where outputs have keys: no record can overwrite another.
    pub key: String,
    /// One JSON object without a line break.
    pub value: Vec<u8>,
    /// Headers, where outputs have headers. They never hold text.
    pub headers: Vec<(&'static str, String)>,
}

impl Produced {
    /// Bytes of its key, value and headers.
    pub fn bytes(&self) -> usize {
        let headers = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
        self.key.len() + self.value.len() + headers
    }
}

/// What came of one record.
pub struct Attempt {
    /// Records to write, reservations first.
    pub outputs: Vec<Produced>,
    /// What to count.
    pub tally: Tally,
}

/// A transcript on its way, with its names.
struct Subject<'s> {
    transcript: &'s Transcript,
    /// The record as it was read, for shadow mode.
    record: &'s [u8],
    source: &'s Source,
    /// When it was published, where that is known.
    published: Option<Timestamp>,
    attempt: String,
    /// The attempt before, where this is a later one.
    previous: Option<&'s str>,
    /// Where identifiers that held personal data were found, if the record at hand has hashes in their place.
    not_opaque_before: Option<&'static str>,
    reservation_id: String,
}

impl Stages {
    /// The stages at a time of decision.
    pub fn at(settings: Arc<Settings>, as_of: Timestamp) -> Self {
        Self { settings, as_of }
    }

    /// The ruleset.
    pub fn ruleset(&self) -> &Arc<Ruleset> {
        &self.settings.ruleset
    }

    /// The time that decisions are taken for.
    pub fn as_of(&self) -> Timestamp {
        self.as_of
    }

    /// Takes a record through all stages. Linear in its bytes.
    pub fn process(&self, record: &[u8], source: &Source, at: &Coordinates<'_>) -> Attempt {
        self.read_and_decide(record, at.first_attempt(record), None, source, at)
            .unwrap_or_else(|reason| self.undecodable(record, source, at, reason))
    }

    /// Decides a record again that an earlier attempt did not send, as the next attempt. It is always enforced.
    ///
    /// # Errors
    /// It still cannot be decoded. Nothing has changed, so that is no attempt.
    pub fn process_again(
        &self,
        record: &[u8],
        previous: &str,
        source: &Source,
        at: &Coordinates<'_>,
    ) -> Result<Attempt, DeadLetterReason> {
        let attempt = next_attempt(previous, &self.settings.ruleset.digest, &self.as_of.to_string());
        self.read_and_decide(record, attempt, Some(previous), source, at)
    }

    fn read_and_decide(
        &self,
        record: &[u8],
        attempt: String,
        previous: Option<&str>,
        source: &Source,
        at: &Coordinates<'_>,
    ) -> Result<Attempt, DeadLetterReason> {
        let rules = &self.settings.ruleset.rules;
        let transcript =
            decode(record, &rules.policy.intake, rules.mapping.as_ref()).map_err(|error| error.reason())?;
        // A record with more values than can be looked up has not been read.
        let searched = search::search(&self.settings.ruleset, self.as_of, &transcript, self.tenant(&transcript))
            .map_err(|search::TooManyValues| DeadLetterReason::TooLarge)?;
        let reservation_id = at.reservation(record, &transcript.destination, &attempt);
        let subject = Subject {
            transcript: &transcript,
            record,
            source,
            published: at.published,
            attempt,
            previous,
            not_opaque_before: None,
            reservation_id,
        };
        Ok(self.decide(&subject, &searched))
    }

    /// A record that cannot be decoded.
    pub fn undecodable(
        &self,
        record: &[u8],
        source: &Source,
        at: &Coordinates<'_>,
        reason: DeadLetterReason,
    ) -> Attempt {
        match reason {
            DeadLetterReason::TooLarge => self.too_large(&digest(record), record.len() as u64, source, at),
            _ => {
                let attempt = at.first_attempt(record);
                self.dead_letter(self.header_of_letter(&attempt, source, at.published), record, reason)
            }
        }
    }

    /// A record that was too large to be kept: only its digest and size are known.
    pub fn too_large(&self, digest: &str, bytes: u64, source: &Source, at: &Coordinates<'_>) -> Attempt {
        let attempt = at.first_attempt(digest.as_bytes());
        self.letter_of_too_large(self.header_of_letter(&attempt, source, at.published), digest, bytes)
    }

    fn letter_of_too_large(&self, header: Header<'_>, digest: &str, bytes: u64) -> Attempt {
        let outputs = outputs::too_large(header, self.as_of, digest);
        let mut tally = Tally::of_dead_letter(bytes, DeadLetterReason::TooLarge);
        tally.count_outputs(&outputs, None);
        Attempt { outputs, tally }
    }

    /// Decides a withheld transcript again, as the next attempt. It is always enforced: the record as it came in is
    /// gone, so it could not be forwarded untouched.
    pub fn redecide(&self, held: &HeldRecord, record: &[u8], source: &Source, at: &Coordinates<'_>) -> Attempt {
        let attempt = next_attempt(&held.attempt, &self.settings.ruleset.digest, &self.as_of.to_string());
        let reservation_id = at.reservation(record, &held.transcript.destination, &attempt);
        let subject = Subject {
            transcript: &held.transcript,
            record,
            source,
            // Of the transcript, not of the record that holds it: that one is newer.
            published: held.published_at,
            attempt,
            previous: Some(&held.attempt),
            // No command makes an identifier opaque: the platform has to publish the transcript again.
            not_opaque_before: held.has_reason(Reason::IdentifierNotOpaque).then_some("previous_attempt"),
            reservation_id,
        };
        let searched = search::search_again(&self.settings.ruleset, self.as_of, held, self.tenant(&held.transcript));
        self.decide(&subject, &searched)
    }

    fn tenant(&self, transcript: &Transcript) -> Option<&Tenant> {
        self.settings.ruleset.rules.tenants.get(&transcript.tenant)
    }

    fn destination(&self, transcript: &Transcript) -> Option<&Destination> {
        self.settings.ruleset.rules.destinations.get(&transcript.destination)
    }

    fn decide(&self, subject: &Subject<'_>, searched: &Searched<'_>) -> Attempt {
        let transcript = subject.transcript;
        let opaque = Opaque::of(transcript, &self.settings.ruleset, self.settings.key.as_ref());
        let mut not_opaque = opaque.not_opaque.clone();
        not_opaque.extend(subject.not_opaque_before);
        let identifiers = Identifiers { not_opaque, erased: self.is_erased(subject) };
        let request = Request {
            findings: &searched.findings,
            distinct: &searched.distinct,
            identifiers: &identifiers,
            tenant: self.tenant(transcript),
            claimed_region: transcript.tenant_region.as_deref(),
            destination: self.destination(transcript),
            contradicted: self.is_contradicted(transcript),
            policy: &self.settings.ruleset.rules.policy,
            as_of: self.as_of,
        };
        let decision = may_send(&request);
        let mode = self.mode(subject);
        let mut tally = Tally::of_decision(subject.record.len(), &decision, mode, searched, &self.settings.ruleset);
        let writing = outputs::Writing { stages: self, subject, searched, opaque: &opaque, mode };
        let outputs = match self.route(&decision, mode) {
            Written::Sent { copy } => writing.sent(&decision, copy),
            Written::Withheld(route) => writing.withheld(&decision, route),
            Written::Decision => writing.decision_only(&decision),
        };
        let most = self.settings.ruleset.rules.policy.intake.max_record_bytes;
        match outputs {
            Ok(outputs) if outputs.iter().any(|produced| size::is_too_large(produced, most)) => {
                self.too_large_to_write(subject)
            }
            Ok(outputs) => {
                tally.count_outputs(&outputs, request.destination.map(|known| known.id.as_str()));
                Attempt { outputs, tally }
            }
            Err(NotWritten::TooLarge) => self.too_large_to_write(subject),
            // A bug; what cannot be written is not sent, and is accounted for.
            Err(NotWritten::Unsound) => {
                let header = self.header_of_letter(&subject.attempt, subject.source, subject.published);
                self.dead_letter(header, subject.record, DeadLetterReason::WrongType)
            }
        }
    }

    /// What came of a transcript is larger than any output may be, so the transcript is not sent.
    fn too_large_to_write(&self, subject: &Subject<'_>) -> Attempt {
        let (digest, bytes) = (digest(subject.record), subject.record.len() as u64);
        let header = self.header_of_letter(&subject.attempt, subject.source, subject.published);
        self.letter_of_too_large(header, &digest, bytes)
    }

    /// What becomes of a decided transcript. In shadow mode everything goes out, but for erased customers: what they
    /// are owed does not depend on whether a gate is being tried.
    fn route(&self, decision: &Decision, mode: Mode) -> Written {
        match (decision.route(), mode) {
            (Route::Nothing, _) => Written::Decision,
            (Route::Send, _) => Written::Sent { copy: None },
            (route, Mode::Shadow) => Written::Sent { copy: Some(route) },
            (route, Mode::Enforce) => Written::Withheld(route),
        }
    }

    fn mode(&self, subject: &Subject<'_>) -> Mode {
        match self.settings.enforce || subject.previous.is_some() {
            true => Mode::Enforce,
            false => self.settings.ruleset.rules.policy.mode(&subject.transcript.destination, self.as_of),
        }
    }

    /// Whether the transcript is older than its customer's erasure. It is, unless both what was said last and the record
    /// itself are newer: one without a time is taken to be older, and a clock that is ahead makes no old record a new one.
    /// Lines of a file have no time of their own.
    fn is_erased(&self, subject: &Subject<'_>) -> bool {
        let transcript = subject.transcript;
        let Some(customer) = &transcript.customer_key else { return false };
        if self.settings.erasures.is_empty() {
            return false;
        }
        let Some(erased_at) = self.settings.erasures.get(&(transcript.tenant.clone(), customer.clone())) else {
            return false;
        };
        let newest = transcript.turns.iter().filter_map(|turn| turn.at.as_ref()).map(|at| at.time).max();
        newest.is_none_or(|newest| newest <= *erased_at)
            || match subject.published {
                Some(published) => published <= *erased_at,
                None => matches!(subject.source, Source::Topic { .. }),
            }
    }

    /// Whether usage has contradicted the terms that would apply.
    fn is_contradicted(&self, transcript: &Transcript) -> bool {
        let contradictions = &self.settings.contradictions;
        !contradictions.is_empty()
            && self.destination(transcript).and_then(|known| known.terms_at(self.as_of)).is_some_and(|terms| {
                contradictions.contains(&(transcript.destination.clone(), terms.terms_id().to_owned()))
            })
    }

    fn header_of_letter<'h>(
        &'h self,
        attempt: &'h str,
        source: &'h Source,
        published_at: Option<Timestamp>,
    ) -> Header<'h> {
        let ruleset = &self.settings.ruleset.digest;
        Header { published_at, ..Header::new(attempt, Mode::Enforce, ruleset, PROGRAM, source) }
    }

    fn dead_letter(&self, header: Header<'_>, record: &[u8], reason: DeadLetterReason) -> Attempt {
        let outputs = outputs::dead_letter(header, self.as_of, record, reason);
        let mut tally = Tally::of_dead_letter(record.len() as u64, reason);
        tally.count_outputs(&outputs, None);
        Attempt { outputs, tally }
    }
}
