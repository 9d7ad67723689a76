//! From `destinations.toml` to the register: all its mistakes at once.

use super::{
    super::{date, id, opt_date, region::Region, text},
    Destination, Evidence, Mechanism, MechanismKind, Proven, RetentionTerms, Terms,
};
use maysend_detector::source::{Mistakes, SourceFile, Table, nearest};
use std::{collections::BTreeMap, sync::Arc};

/// The longest retention, in days, that is taken for meant: a century.
const MOST_DAYS: i64 = 36_525;

/// The evidence of a register, by id. `None` is evidence that is there but has a mistake.
type Register = BTreeMap<String, Option<Arc<Evidence>>>;

pub(super) fn read(file: &SourceFile, mistakes: &Mistakes) -> BTreeMap<String, Destination> {
    let mut by_id: BTreeMap<String, Destination> = BTreeMap::new();
    let Some(mut root) = file.read(mistakes) else { return by_id };
    let register = root.opt_table("evidence").map(evidence).unwrap_or_default();
    for mut table in root.tables("destination") {
        let read = destination(&mut table, &register);
        if let Some(destination) = read {
            if by_id.contains_key(&destination.id) {
                let wrong = format!("a second destination `{}`", destination.id);
                table.mistake("id", wrong, "one table for each destination; its terms are listed under it");
            }
            by_id.entry(destination.id.clone()).or_insert(destination);
        }
        table.finish();
    }
    root.finish();
    by_id
}

fn evidence(mut tables: Table<'_>) -> Register {
    let mut register = Register::new();
    for id in tables.keys() {
        let Some(mut table) = tables.opt_table(&id) else { continue };
        let document = text(&mut table, "document");
        let dated = date(&mut table, "date");
        let answered_by = text(&mut table, "answered_by");
        let role = text(&mut table, "role");
        let valid_from = opt_date(&mut table, "valid_from");
        let valid_until = date(&mut table, "valid_until");
        if let (Some(from), Some(until)) = (valid_from.max(dated), valid_until)
            && until < from
        {
            table.mistake(
                "valid_until",
                format!("{until} is before {from}"),
                "on or after the day from which it counts",
            );
        }
        table.finish();
        let read = || {
            Some(Evidence {
                id: id.clone(),
                document: document?,
                date: dated?,
                answered_by: answered_by?,
                role: role?,
                valid_from,
                valid_until: valid_until?,
            })
        };
        let read = read().map(Arc::new);
        register.insert(id, read);
    }
    tables.finish();
    register
}

fn destination(table: &mut Table<'_>, register: &Register) -> Option<Destination> {
    let id = id(table, "id");
    let provider = super::super::id(table, "provider");
    let account = text(table, "account");
    let suspended = table.opt_boolean("suspended").unwrap_or(false);
    let mut versions: Vec<Terms> = Vec::new();
    if !table.has("terms") {
        table.mistake("", "no terms", "at least one [[destination.terms]], with the day from which it applies");
    }
    for mut written in table.tables("terms") {
        if let Some(terms) = terms(&mut written, register) {
            if let Some(before) = versions.last()
                && terms.effective <= before.effective
            {
                let wrong = format!("{} is not after {}", terms.effective, before.effective);
                written.mistake("effective", wrong, "terms stand in order of the day from which they apply");
            }
            versions.push(terms);
        }
        written.finish();
    }
    let id = id?;
    let (provider, account) = (provider.unwrap_or_default(), account.unwrap_or_default());
    versions.iter_mut().for_each(|terms| terms.seal(&id, &provider, &account));
    Some(Destination { id, provider, account, suspended, terms: versions })
}

fn terms(table: &mut Table<'_>, register: &Register) -> Option<Terms> {
    let effective = date(table, "effective");
    let plan = text(table, "plan");
    let endpoint = text(table, "endpoint");
    if endpoint.as_ref().is_some_and(|endpoint| !endpoint.starts_with("https://")) {
        table.mistake("endpoint", "not an https address", "it begins with https://");
    }
    let zero_retention = attribute(table, "zero_retention", register, boolean);
    let training_eligible = attribute(table, "training_eligible", register, boolean);
    let region = attribute(table, "region", register, |table| Region::read(table, "value"));
    let mechanisms = mechanisms(table, register, region.as_ref().map(|region| region.value));
    let retention = match table.opt_table("retention") {
        Some(retention) => self::retention(retention, register),
        None => RetentionTerms::default(),
    };
    let processing_agreement = attribute(table, "processing_agreement", register, |table| text(table, "value"));
    let subprocessors = attribute(table, "subprocessors", register, |table| {
        if !table.has("value") {
            table.mistake("", "no value", "value is a list of names, or of one address where the list is");
        }
        Some(table.strings("value").into_iter().map(|item| item.value).collect())
    });
    Some(Terms {
        effective: effective?,
        plan: plan?,
        endpoint: endpoint?,
        zero_retention,
        training_eligible,
        region,
        mechanisms,
        retention,
        processing_agreement,
        subprocessors,
        id: String::new(),
    })
}

fn retention(mut table: Table<'_>, register: &Register) -> RetentionTerms {
    let read = RetentionTerms {
        standard_days: attribute(&mut table, "standard_days", register, days),
        abuse_monitoring_days: attribute(&mut table, "abuse_monitoring_days", register, days),
        human_review_days: attribute(&mut table, "human_review_days", register, days),
        deletion_covers_abuse_monitoring: attribute(&mut table, "deletion_covers_abuse_monitoring", register, boolean),
        deletion_covers_human_review: attribute(&mut table, "deletion_covers_human_review", register, boolean),
    };
    table.finish();
    read
}

fn mechanisms(table: &mut Table<'_>, register: &Register, to: Option<Region>) -> Vec<Proven<Mechanism>> {
    let kinds = [MechanismKind::Adequacy, MechanismKind::ContractClauses, MechanismKind::Eea];
    let kinds = kinds.map(|kind| (kind.as_str(), kind));
    let mut all = Vec::new();
    for mut written in table.tables("mechanisms") {
        let from = Region::read(&mut written, "from");
        let kind = written.one_of("kind", &kinds);
        let evidence = named(&mut written, register);
        if kind == Some(MechanismKind::Eea) && (from, to) != (Some(Region::EU), Some(Region::EU)) {
            written.mistake(
                "kind",
                "`eea` for a transfer that leaves the European Economic Area",
                "adequacy or contract_clauses",
            );
        }
        if let (Some(from), Some(kind)) = (from, kind) {
            all.push(Proven { value: Mechanism { from, kind }, evidence });
        }
        written.finish();
    }
    all
}

/// An optional attribute: a table of `value` and `evidence`.
fn attribute<T>(
    table: &mut Table<'_>,
    key: &str,
    register: &Register,
    value: impl Fn(&mut Table<'_>) -> Option<T>,
) -> Option<Proven<T>> {
    let mut written = table.opt_table(key)?;
    let value = value(&mut written);
    let evidence = named(&mut written, register);
    written.finish();
    value.map(|value| Proven { value, evidence })
}

/// The evidence that an attribute names. To name none is no mistake, it only proves nothing; to name one that the
/// register lacks is.
fn named(table: &mut Table<'_>, register: &Register) -> Option<Arc<Evidence>> {
    let id = table.opt_string("evidence")?;
    if let Some(found) = register.get(&id) {
        return found.clone();
    }
    let right = match nearest(&id, register.keys().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "a table [evidence.ID] of this file; leave the key out where there is no evidence".into(),
    };
    table.mistake("evidence", format!("no evidence `{}`", id.escape_debug()), right);
    None
}

fn boolean(table: &mut Table<'_>) -> Option<bool> {
    table.boolean("value")
}

fn days(table: &mut Table<'_>) -> Option<u32> {
    let days = table.integer("value")?;
    let valid = u32::try_from(days).ok().filter(|_| days <= MOST_DAYS);
    if valid.is_none() {
        table.mistake("value", format!("{days} days"), format!("from 0 to {MOST_DAYS}"));
    }
    valid
}
