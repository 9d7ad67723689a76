//! What the gate answers.

use maysend_detector::{document::Span, finding::EntityId};
use std::{collections::BTreeMap, fmt};

/// Why a transcript may not be sent. In the order in which reasons are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A tier-1 entity at or over its block threshold, or a combination that is tier 1, and the destination retains.
    Tier1Retained,
    /// An entity whose action is `block`, at every destination.
    EntityBlocked,
    /// The destination may train on inputs, or nothing proves that it may not.
    TrainingEligible,
    /// Nothing allows a transfer from the tenant's region to the destination's.
    NoTransferMechanism,
    /// The register has no such destination.
    DestinationUnknown,
    /// An operator has stopped the destination.
    DestinationSuspended,
    /// An identifier holds personal data.
    IdentifierNotOpaque,
    /// The record is older than its customer's erasure.
    CustomerErased,
}

impl Reason {
    /// Every reason, in the order in which they are reported.
    pub const ALL: &'static [Self] = &[
        Self::Tier1Retained,
        Self::EntityBlocked,
        Self::TrainingEligible,
        Self::NoTransferMechanism,
        Self::DestinationUnknown,
        Self::DestinationSuspended,
        Self::IdentifierNotOpaque,
        Self::CustomerErased,
    ];

    /// The code that records and metrics use. It never changes.
    pub fn code(self) -> &'static str {
        match self {
            Self::Tier1Retained => "tier1_retained",
            Self::EntityBlocked => "entity_blocked",
            Self::TrainingEligible => "training_eligible",
            Self::NoTransferMechanism => "no_transfer_mechanism",
            Self::DestinationUnknown => "destination_unknown",
            Self::DestinationSuspended => "destination_suspended",
            Self::IdentifierNotOpaque => "identifier_not_opaque",
            Self::CustomerErased => "customer_erased",
        }
    }

    /// The reason with this code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|reason| reason.code() == code)
    }

    /// Whether a reviewer's judgement of the findings can change it. The others only change with terms, register or
    /// record.
    pub fn is_for_review(self) -> bool {
        matches!(self, Self::Tier1Retained | Self::EntityBlocked)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

/// Whether it may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It may, redacted by the policy.
    Send,
    /// It may not.
    Block,
}

impl Verdict {
    /// The name that records use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Block => "block",
        }
    }
}

/// Where a transcript goes by its decision, in enforce mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// Reserved, then cleared.
    Send,
    /// To the reviewers: what was found is in question.
    Review,
    /// To wait until terms, register or record are put right.
    Held,
    /// Nowhere: of an erased customer's transcript only the decision is kept.
    Nothing,
}

impl Route {
    /// The name that reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Review => "review",
            Self::Held => "held",
            Self::Nothing => "nothing",
        }
    }
}

/// A piece of text that must not be sent as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    /// Index of the finding in the request; the first one where several overlap.
    pub finding: usize,
    /// What is replaced: every reading that is to be redacted, so it can be wider than the finding.
    pub span: Span,
    /// The entity whose form and label the replacement has: of all readings the one with the strictest form, and among
    /// equals the finding itself.
    pub entity: EntityId,
}

/// The gate's answer. It holds no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Every reason that applies, in the order of [`Reason::ALL`]; none means that it may be sent.
    pub reasons: Vec<Reason>,
    /// The entities behind `tier1_retained`, sorted; empty without that reason. Special categories by family.
    pub tier1_entities: Vec<EntityId>,
    /// The entities behind `entity_blocked`, sorted; empty without that reason. Special categories by family.
    pub blocked_entities: Vec<EntityId>,
    /// What is to be redacted, in order and without overlaps.
    pub redactions: Vec<Redaction>,
    /// Findings at or over their `redact_at`, counted by entity; special categories by family.
    pub entities: BTreeMap<EntityId, usize>,
    /// Names of the combinations that hold, in the order of the policy.
    pub combinations: Vec<String>,
}

impl Decision {
    /// Whether it may be sent: it may exactly when no reason applies.
    pub fn verdict(&self) -> Verdict {
        if self.reasons.is_empty() { Verdict::Send } else { Verdict::Block }
    }

    /// Where the transcript goes in enforce mode.
    pub fn route(&self) -> Route {
        if self.reasons.is_empty() {
            Route::Send
        } else if self.reasons.contains(&Reason::CustomerErased) {
            Route::Nothing
        } else if self.reasons.iter().all(|reason| reason.is_for_review()) {
            Route::Review
        } else {
            Route::Held
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_stable_codes_in_a_fixed_order() {
        let codes: Vec<&str> = Reason::ALL.iter().map(|reason| reason.code()).collect();
        let expected = [
            "tier1_retained",
            "entity_blocked",
            "training_eligible",
            "no_transfer_mechanism",
            "destination_unknown",
            "destination_suspended",
            "identifier_not_opaque",
            "customer_erased",
        ];
        assert_eq!(codes, expected);
        assert!(Reason::ALL.is_sorted());
        assert!(Reason::ALL.iter().all(|reason| Reason::from_code(reason.code()) == Some(*reason)));
        assert_eq!(Reason::from_code("no_such_code"), None);
    }

    #[test]
    fn the_route_follows_from_all_reasons_together() {
        let route = |reasons: &[Reason]| {
            let decision = Decision {
                reasons: reasons.to_vec(),
                tier1_entities: Vec::new(),
                blocked_entities: Vec::new(),
                redactions: Vec::new(),
                entities: BTreeMap::new(),
                combinations: Vec::new(),
            };
            (decision.verdict(), decision.route())
        };
        use Reason::*;
        assert_eq!(route(&[]), (Verdict::Send, Route::Send));
        assert_eq!(route(&[Tier1Retained, EntityBlocked]), (Verdict::Block, Route::Review));
        assert_eq!(route(&[Tier1Retained, IdentifierNotOpaque]), (Verdict::Block, Route::Held));
        assert_eq!(route(&[DestinationSuspended]), (Verdict::Block, Route::Held));
        assert_eq!(route(&[Tier1Retained, CustomerErased]), (Verdict::Block, Route::Nothing));
    }
}
