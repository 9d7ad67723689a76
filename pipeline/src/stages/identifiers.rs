//! Identifiers: opaque names, or personal data in their place.
//!
//! An identifier travels on every output and is what an erasure is answered by, so it cannot be redacted. One that
//! holds an unambiguous form of personal data, such as an e-mail address for a customer key, blocks the transcript, and
//! every output but review carries a keyed hash in its place.

use crate::{
    redact::{Key, keyed_hash},
    ruleset::Ruleset,
    wire::Transcript,
};
use maysend_detector::{Options, Role, Turn};

/// What stands for an identifier when there is no key to hash it with.
pub const WITHHELD: &str = "withheld";

/// The identifiers of one record as outputs may carry them.
pub(super) struct Opaque {
    /// Names of those that are personal data.
    pub(super) not_opaque: Vec<&'static str>,
    id: Option<String>,
    tenant: Option<String>,
    customer_key: Option<String>,
    destination: Option<String>,
    tenant_region: Option<String>,
}

impl Opaque {
    /// Looks at every identifier of a transcript. An identifier is personal data if a finding in it reaches its block
    /// threshold: what is too weak to refuse a document is too weak to call a key personal.
    pub(super) fn of(transcript: &Transcript, ruleset: &Ruleset, key: Option<&Key>) -> Self {
        let named = [
            ("id", Some(&transcript.id)),
            ("tenant", Some(&transcript.tenant)),
            ("customer_key", transcript.customer_key.as_ref()),
            ("destination", Some(&transcript.destination)),
            ("tenant_region", transcript.tenant_region.as_ref()),
        ];
        let mut not_opaque = Vec::new();
        let hashed = named.map(|(name, value)| {
            let value = value.filter(|value| is_personal(value, ruleset))?;
            not_opaque.push(name);
            Some(match key {
                Some(key) => format!("hash:{}", keyed_hash(key, &transcript.tenant, name, value)),
                None => WITHHELD.to_owned(),
            })
        });
        let [id, tenant, customer_key, destination, tenant_region] = hashed;
        Self { not_opaque, id, tenant, customer_key, destination, tenant_region }
    }

    pub(super) fn id<'a>(&'a self, transcript: &'a Transcript) -> &'a str {
        self.id.as_deref().unwrap_or(&transcript.id)
    }

    pub(super) fn tenant<'a>(&'a self, transcript: &'a Transcript) -> &'a str {
        self.tenant.as_deref().unwrap_or(&transcript.tenant)
    }

    pub(super) fn customer_key<'a>(&'a self, transcript: &'a Transcript) -> Option<&'a str> {
        self.customer_key.as_deref().or(transcript.customer_key.as_deref())
    }

    pub(super) fn tenant_region<'a>(&'a self, transcript: &'a Transcript) -> Option<&'a str> {
        self.tenant_region.as_deref().or(transcript.tenant_region.as_deref())
    }

    pub(super) fn destination<'a>(&'a self, transcript: &'a Transcript) -> &'a str {
        self.destination.as_deref().unwrap_or(&transcript.destination)
    }
}

fn is_personal(value: &str, ruleset: &Ruleset) -> bool {
    let detection = ruleset.detector.detect(&[Turn { role: Role::Other, text: value }], &Options::default());
    let reaches = |entity: &str, points: i32| points >= ruleset.rules.policy.rule(entity).block_at;
    detection.findings.iter().any(|finding| {
        reaches(finding.entity.as_str(), finding.points)
            || finding.rivals.iter().any(|rival| reaches(rival.entity.as_str(), rival.points))
    })
}
