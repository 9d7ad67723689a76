//! The gate: may this transcript be sent to this destination?
//!
//! [`may_send`] is a pure function of what was found, where it would go and when. It has no clock, reads nothing and
//! keeps nothing; the same request has the same decision. It consults the policy, never a confidence alone, and it
//! reports every reason that applies, in one order.
//!
//! A finding that strip made by looking a field's value up in the prose ([`is_field`]) is certain: it reaches every
//! threshold whatever its points, and it is redacted even where its entity is allowed.
//!
//! Sending needs something to be proven for each question; whatever is missing, expired or unknown answers it at its worst.

mod decision;
mod evidence;

pub use crate::strip::is_field;
pub use decision::{Decision, Reason, Redaction, Route, Verdict};

use crate::ruleset::{
    destinations::{Attributes, Destination},
    policy::Policy,
    tenants::Tenant,
};
use evidence::Weighed;
use jiff::Timestamp;
use maysend_detector::finding::{EntityId, Finding};
use std::{collections::BTreeMap, fmt};

/// How many distinct values of an entity a document holds, among its findings at or over `redact_at`.
///
/// The gate sees no text, so its caller counts for the entities of [`Policy::counted`]. An entity that is missing
/// counts with the number of its findings, which is never less.
pub type Distinct = BTreeMap<EntityId, usize>;

/// What a record's identifiers say about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identifiers {
    /// Names of the identifier members (`id`, `customer_key`, `tenant`, the record key) that hold an unambiguous form of
    /// personal data. Names of our own, never a record's.
    pub not_opaque: Vec<&'static str>,
    /// Whether the record is older than its customer's erasure.
    pub erased: bool,
}

/// A question to the gate.
#[derive(Clone, Copy)]
pub struct Request<'r> {
    /// What was found in the texts, after strip.
    pub findings: &'r [Finding],
    /// Distinct values of the entities that a combination counts.
    pub distinct: &'r Distinct,
    /// What the identifiers say.
    pub identifiers: &'r Identifiers,
    /// The tenant; `None` when it is unknown.
    pub tenant: Option<&'r Tenant>,
    /// The region that the record claims, as it stands in the record. It is only ever compared.
    pub claimed_region: Option<&'r str>,
    /// The destination; `None` when it is unknown.
    pub destination: Option<&'r Destination>,
    /// Whether usage has contradicted the destination's terms: nothing of them is proven, then.
    pub contradicted: bool,
    /// The policy.
    pub policy: &'r Policy,
    /// The time of the decision.
    pub as_of: Timestamp,
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("findings", &self.findings.len())
            .field("identifiers", self.identifiers)
            .field("tenant", &self.tenant.map(|tenant| &tenant.id))
            .field("claims_region", &self.claimed_region.is_some())
            .field("destination", &self.destination.map(|destination| &destination.id))
            .field("contradicted", &self.contradicted)
            .field("as_of", &self.as_of)
            .finish_non_exhaustive()
    }
}

/// Decides. Cost: linear in the findings and their rivals, beside sorting what is to be redacted.
pub fn may_send(request: &Request<'_>) -> Decision {
    let weighed = Weighed::of(request.findings, request.distinct, request.policy);
    // Of an unknown destination, or one that is not what its terms say, nothing is proven: it has every attribute at its
    // worst.
    let attributes = match request.destination {
        Some(known) if !request.contradicted => known.in_force(request.as_of),
        _ => Attributes::WORST,
    };
    let applies = |reason: Reason| match reason {
        Reason::Tier1Retained => !weighed.tier1.is_empty() && attributes.retains(),
        Reason::EntityBlocked => !weighed.blocked.is_empty(),
        Reason::TrainingEligible => attributes.training_eligible,
        Reason::NoTransferMechanism => !may_leave(request, &attributes),
        Reason::DestinationUnknown => request.destination.is_none(),
        Reason::DestinationSuspended => request.destination.is_some_and(|known| known.suspended),
        Reason::IdentifierNotOpaque => !request.identifiers.not_opaque.is_empty(),
        Reason::CustomerErased => request.identifiers.erased,
    };
    let reasons: Vec<Reason> = Reason::ALL.iter().copied().filter(|reason| applies(*reason)).collect();
    let caused = |reason: Reason, entities| if reasons.contains(&reason) { entities } else { Vec::new() };
    Decision {
        tier1_entities: caused(Reason::Tier1Retained, weighed.tier1),
        blocked_entities: caused(Reason::EntityBlocked, weighed.blocked),
        redactions: weighed.redactions,
        entities: weighed.entities,
        combinations: weighed.combinations,
        reasons,
    }
}

/// Whether data may go from the tenant's region to the destination's. The tenant's region is the register's; a record
/// that claims another is not believed, it is refused.
fn may_leave(request: &Request<'_>, attributes: &Attributes<'_>) -> bool {
    let Some(tenant) = request.tenant else { return false };
    let contradicted = request.claimed_region.is_some_and(|claimed| claimed != tenant.region.code());
    !contradicted && attributes.admits(tenant.region)
}
