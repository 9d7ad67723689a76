//! What the findings come to under a policy, before any destination is looked at.

use super::{Distinct, decision::Redaction, is_field};
use crate::ruleset::policy::{Action, Form, Policy, Rule, Tier, When, family};
use maysend_detector::{
    document::Span,
    finding::{EntityId, Finding},
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// The family that is never reported by entity: the entity itself would be the sensitive fact.
const SPECIAL: &str = "special";

/// Findings, weighed by the policy.
pub(super) struct Weighed {
    /// Entities that are tier 1 here, sorted.
    pub tier1: Vec<EntityId>,
    /// Entities that block everywhere, sorted.
    pub blocked: Vec<EntityId>,
    pub redactions: Vec<Redaction>,
    pub entities: BTreeMap<EntityId, usize>,
    pub combinations: Vec<String>,
}

/// One way to read a finding's characters: the finding itself or one of its rivals.
struct Reading<'f> {
    entity: &'f EntityId,
    span: Span,
    more: &'f [Span],
    points: i32,
    field: bool,
    rule: &'f Rule,
}

impl<'f> Reading<'f> {
    fn all(finding: &'f Finding, policy: &'f Policy) -> impl Iterator<Item = Self> {
        let own = Self {
            entity: &finding.entity,
            span: finding.span,
            more: &finding.more,
            points: finding.points,
            field: is_field(&finding.pattern),
            rule: policy.rule(finding.entity.as_str()),
        };
        let rivals = finding.rivals.iter().map(|rival| Self {
            entity: &rival.entity,
            span: rival.span,
            more: &rival.more,
            points: rival.points,
            field: false,
            rule: policy.rule(rival.entity.as_str()),
        });
        std::iter::once(own).chain(rivals)
    }

    fn counts(&self) -> bool {
        self.field || self.points >= self.rule.redact_at
    }

    fn redacts(&self) -> bool {
        self.field || (self.points >= self.rule.redact_at && self.rule.action != Action::Allow)
    }

    fn can_refuse(&self) -> bool {
        self.field || self.points >= self.rule.block_at
    }
}

impl Weighed {
    pub(super) fn of(findings: &[Finding], distinct: &Distinct, policy: &Policy) -> Self {
        let mut tier1 = BTreeSet::new();
        let mut blocked = BTreeSet::new();
        let mut entities: BTreeMap<EntityId, usize> = BTreeMap::new();
        let mut present: BTreeMap<&EntityId, usize> = BTreeMap::new();
        let mut pieces = Vec::new();
        for (index, finding) in findings.iter().enumerate() {
            for (place, reading) in Reading::all(finding, policy).enumerate() {
                if reading.can_refuse() {
                    if reading.rule.tier == Tier::One {
                        tier1.insert(reported(reading.entity));
                    }
                    if reading.rule.action == Action::Block {
                        blocked.insert(reported(reading.entity));
                    }
                }
                if reading.counts() {
                    *present.entry(reading.entity).or_default() += 1;
                    if place == 0 {
                        *entities.entry(reported(reading.entity)).or_default() += 1;
                    }
                }
                if reading.redacts() {
                    pieces.extend(Piece::all(&reading, index, place > 0));
                }
            }
        }
        let mut combinations = Vec::new();
        for combination in &policy.combinations {
            let holds = match &combination.when {
                When::AllOf(all) => all.iter().all(|entity| present.contains_key(entity)),
                When::MoreThanDistinct { entity, limit } => {
                    let found = present.get(entity).copied().unwrap_or(0);
                    distinct.get(entity).copied().unwrap_or(found) > *limit
                }
            };
            if holds {
                combinations.push(combination.name.clone());
                if combination.tier == Tier::One {
                    tier1.extend(combination.when.entities().iter().map(reported));
                }
            }
        }
        Self {
            tier1: tier1.into_iter().collect(),
            blocked: blocked.into_iter().collect(),
            redactions: merge(pieces),
            entities,
            combinations,
        }
    }
}

/// An entity as decisions name it.
fn reported(entity: &EntityId) -> EntityId {
    if family(entity.as_str()) == SPECIAL { SPECIAL.into() } else { entity.clone() }
}

/// A reading that is to be redacted, with what decides whose form and name its place gets.
struct Piece {
    redaction: Redaction,
    rank: (Form, bool, Reverse<usize>, usize, Reverse<i32>),
}

impl Piece {
    /// One for each place where the reading stands.
    fn all(reading: &Reading<'_>, finding: usize, is_rival: bool) -> impl Iterator<Item = Self> {
        std::iter::once(&reading.span).chain(reading.more).map(move |span| Self {
            redaction: Redaction { finding, span: *span, entity: reading.entity.clone() },
            rank: (reading.rule.form, is_rival, Reverse(span.end - span.start), finding, Reverse(reading.points)),
        })
    }
}

/// Joins pieces that overlap, so that each byte is replaced once. The strictest form among them is used; among equal
/// forms a finding goes before rivals, then the longer reading (an address, not the name in it), then the earlier
/// finding, then the stronger rival.
fn merge(mut pieces: Vec<Piece>) -> Vec<Redaction> {
    pieces.sort_by_key(|piece| (piece.redaction.span.turn, piece.redaction.span.start));
    let mut merged: Vec<Piece> = Vec::with_capacity(pieces.len());
    for next in pieces {
        match merged.last_mut() {
            Some(last) if last.redaction.span.overlaps(&next.redaction.span) => {
                let end = last.redaction.span.end.max(next.redaction.span.end);
                let finding = last.redaction.finding.min(next.redaction.finding);
                if next.rank < last.rank {
                    last.rank = next.rank;
                    last.redaction.entity = next.redaction.entity;
                }
                last.redaction.span.end = end;
                last.redaction.finding = finding;
            }
            _ => merged.push(next),
        }
    }
    merged.into_iter().map(|piece| piece.redaction).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruleset::{policy, testing::read_clean};
    use maysend_detector::finding::{Rival, Verdict};

    const POLICY: &str = r#"
version = 1
dated = 2026-02-11

[[rule]]
entity = "contact.email"
tier = 2
action = "redact"
form = { kind = "keep_last_four" }

[[rule]]
entity = "network.ipv4"
tier = 3
action = "allow"

[[rule]]
entity = "special.minor"
tier = 1
action = "block"
"#;

    fn policy() -> Policy {
        let known = ["contact.email", "network.ipv4", "nl.bsn", "special.minor"].map(String::from).into();
        read_clean(policy::FILE, POLICY, |file, mistakes| Policy::read(file, &known, None, None, mistakes))
    }

    fn finding(entity: &str, pattern: &str, points: i32, start: usize, end: usize) -> Finding {
        Finding {
            entity: entity.into(),
            pattern: format!("{entity}/{pattern}").as_str().into(),
            span: Span { turn: 0, start, end },
            more: Vec::new(),
            points,
            verdict: Verdict::Unchecked,
            rivals: Vec::new(),
        }
    }

    fn rival(entity: &str, points: i32, start: usize, end: usize) -> Rival {
        let found = finding(entity, "plain", points, start, end);
        Rival { entity: found.entity, pattern: found.pattern, span: found.span, more: Vec::new(), points }
    }

    fn redactions(findings: &[Finding]) -> Vec<(usize, usize, usize, String)> {
        let weighed = Weighed::of(findings, &Distinct::new(), &policy());
        let all = weighed.redactions.into_iter();
        all.map(|r| (r.finding, r.span.start, r.span.end, r.entity.to_string())).collect()
    }

    #[test]
    fn a_redaction_covers_every_reading_and_has_the_strictest_form() {
        let mut mail = finding("contact.email", "plain", 50, 10, 20);
        mail.rivals = vec![rival("nl.bsn", 20, 8, 17), rival("nl.bsn", 19, 0, 30)];
        // A placeholder tells less than four characters, so the number's is used; a reading under its threshold is none.
        assert_eq!(redactions(&[mail]), [(0, 8, 20, "nl.bsn".into())]);
    }

    #[test]
    fn among_equal_forms_the_finding_names_the_place() {
        let mut bsn = finding("nl.bsn", "plain", 50, 10, 19);
        bsn.rivals = vec![rival("special.minor", 60, 5, 19)];
        let other = finding("nl.bsn", "plain", 50, 19, 28);
        assert_eq!(redactions(&[bsn, other]), [(0, 5, 19, "nl.bsn".into()), (1, 19, 28, "nl.bsn".into())]);
    }

    #[test]
    fn among_findings_of_equal_form_the_longer_names_the_place() {
        let name = finding("special.minor", "fields.name", 90, 10, 20);
        let longer = finding("nl.bsn", "plain", 50, 10, 30);
        assert_eq!(redactions(&[name, longer]), [(0, 10, 30, "nl.bsn".into())]);
    }

    #[test]
    fn what_is_allowed_stays_unless_it_stood_in_a_field_or_reads_as_something_else() {
        assert_eq!(redactions(&[finding("network.ipv4", "any", 90, 0, 9)]), []);
        assert_eq!(
            redactions(&[finding("network.ipv4", "fields.last_login", 0, 0, 9)]),
            [(0, 0, 9, "network.ipv4".into())]
        );
        let mut address = finding("network.ipv4", "any", 90, 0, 9);
        address.rivals = vec![rival("nl.bsn", 25, 1, 9)];
        assert_eq!(redactions(&[address]), [(0, 1, 9, "nl.bsn".into())]);
    }

    #[test]
    fn special_categories_are_named_by_family_only() {
        let weighed = Weighed::of(&[finding("special.minor", "plain", 50, 0, 9)], &Distinct::new(), &policy());
        let family: Vec<EntityId> = vec!["special".into()];
        assert_eq!((&weighed.tier1, &weighed.blocked), (&family, &family));
        assert_eq!(weighed.entities, BTreeMap::from([("special".into(), 1)]));
    }

    #[test]
    fn a_field_value_of_tier_one_refuses_whatever_its_points() {
        let weighed = Weighed::of(&[finding("nl.bsn", "fields.bsn", 1, 0, 9)], &Distinct::new(), &policy());
        assert_eq!(weighed.tier1, ["nl.bsn".into()]);
    }
}
