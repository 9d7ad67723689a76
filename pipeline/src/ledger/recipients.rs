//! Who possibly received data: of one tenant, or of one of its customers; how much, where it was transferred to, and how long
//! copies are kept by contract.
//!
//! That is what a record of processing (GDPR Art. 30(1)), an answer about recipients (Art. 15(1)) and an impact assessment
//! (Art. 35(7)) need of a ledger. It comes from what was possibly sent, like handoffs, and from the register; what no program
//! can know is declared.

use super::{
    datamap::{Action, DataMap, Row, Systems, escaped},
    handoffs::OF_SENDER,
    identity::Customer,
    person::Person,
    processing::{self, Processing},
    rows::time,
    store::{Record, Store, StoreError, Value},
};
use crate::ruleset::{
    Rules, day_of,
    destinations::{Attributes, Destination},
    region::Region,
};
use jiff::{Timestamp, civil::Date};
use serde::Serialize;
use std::{collections::BTreeMap, fmt::Write as _};

/// The recipients of a tenant's data, or of one customer's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recipients {
    /// Version of the form.
    pub schema: u32,
    /// The day that it is true for.
    pub as_of: Date,
    /// The tenant.
    pub tenant: String,
    /// The region whose law governs the export of its customers' data; null where the register does not know the tenant.
    pub tenant_region: Option<&'static str>,
    /// Whether it is about one customer only.
    pub of_one_customer: bool,
    /// What is declared of the processing; null where nothing is.
    pub processing: Option<Processing>,
    /// By provider, destination and kind of work.
    pub recipients: Vec<Recipient>,
    /// Transcripts that were blocked, by reason; one with several reasons counts for each.
    pub blocked: BTreeMap<String, i64>,
    /// How long our own copies are kept.
    pub kept: Vec<Kept>,
}

/// A copy of ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// Where it is.
    pub system: String,
    /// What copy it is.
    pub copy: String,
    /// How long it is kept.
    pub kept: String,
}

/// What is known beside the ledger.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'b> {
    /// The register, and tenants.
    pub rules: &'b Rules,
    /// What is declared.
    pub systems: &'b Systems,
    /// The data map: our own copies.
    pub map: &'b DataMap,
}

/// One recipient.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recipient {
    /// The provider.
    pub provider: String,
    /// The destination.
    pub destination: String,
    /// The kind of work, such as `transcript`.
    pub source: String,
    /// Customers whose data it possibly received; each anonymous chat counts as one.
    pub customers: i64,
    /// Requests that were reserved.
    pub reserved_requests: i64,
    /// Requests that were reported as used.
    pub requests_used: i64,
    /// The first time that any of it was reserved or reported.
    pub first_at: Timestamp,
    /// The last time.
    pub last_at: Timestamp,
    /// What the register says of it today; null where it is not in it any more.
    pub terms: Option<Terms>,
}

/// What a destination's terms prove.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Terms {
    /// The account at the provider.
    pub account: String,
    /// Where it processes; null is unknown.
    pub region: Option<&'static str>,
    /// By what the transfer is allowed; null where nothing is proven.
    pub transfer: Option<String>,
    /// Days for which inputs and outputs are kept by contract; null is without end.
    pub standard_days: Option<u32>,
    /// Days for which copies for abuse monitoring are.
    pub abuse_monitoring_days: Option<u32>,
    /// Days for which copies under human review are.
    pub human_review_days: Option<u32>,
    /// Whether inputs may be used for training.
    pub training_eligible: bool,
    /// The processing agreement.
    pub processing_agreement: Option<String>,
    /// The sub-processors; null is unknown.
    pub subprocessors: Option<Vec<String>>,
}

const SUMS: &str = "provider, destination, source, CAST(count(DISTINCT customer) AS BIGINT), \
                    CAST(sum(reserved_requests) AS BIGINT), CAST(sum(requests_used) AS BIGINT), min(first_at), max(last_at)";
const GROUPS: &str = "GROUP BY provider, destination, source";

/// The recipients of a tenant, which reads all its rows; or of one of its customers.
///
/// # Errors
/// The store does not go along.
pub fn recipients(
    store: &mut Store,
    tenant: &str,
    person: Option<&Person>,
    Beside { rules, systems, map }: Beside<'_>,
    as_of: Timestamp,
) -> Result<Recipients, StoreError> {
    let region = rules.tenants.get(tenant).map(|tenant| tenant.region);
    let mut found: BTreeMap<(String, String, String), Recipient> = BTreeMap::new();
    let mut add = |row: Record| -> Result<(), StoreError> {
        let name = |column| Ok::<_, StoreError>(row.opt_text(column)?.unwrap_or_default().to_owned());
        let (provider, destination, source) = (name(0)?, name(1)?, name(2)?);
        let terms = rules.destinations.get(&destination).map(|known| terms(known, region, as_of));
        let (first_at, last_at) = (time(row.integer(6)?), time(row.integer(7)?));
        let one = found.entry((provider.clone(), destination.clone(), source.clone())).or_insert(Recipient {
            provider,
            destination,
            source,
            customers: 0,
            reserved_requests: 0,
            requests_used: 0,
            first_at,
            last_at,
            terms,
        });
        one.customers = if person.is_some() { 1 } else { row.integer(3)? };
        one.reserved_requests += row.integer(4)?;
        one.requests_used += row.integer(5)?;
        (one.first_at, one.last_at) = (one.first_at.min(first_at), one.last_at.max(last_at));
        Ok(())
    };
    let mut blocked = BTreeMap::new();
    let mut add_blocked = |row: Record| -> Result<(), StoreError> {
        let reasons: Vec<String> =
            serde_json::from_str(row.text(0)?).map_err(|_| StoreError::Unexpected("text", "a list of reasons"))?;
        for reason in reasons {
            *blocked.entry(reason).or_default() += row.integer(1)?;
        }
        Ok(())
    };
    let names: Vec<(&str, Value)> = match person {
        None => vec![("tenant", tenant.into())],
        Some(Person { keys, .. }) => {
            keys.iter().map(|key| ("customer", Customer::of(tenant, key).bytes().into())).collect()
        }
    };
    store.read(|transaction| {
        for (column, name) in names {
            let name = [name];
            let sums = format!("SELECT {SUMS} FROM owed_erase WHERE {column} = $1 {GROUPS}");
            transaction.each(&sums, &name, &mut add)?;
            let of = format!("SELECT reasons, count(*) FROM decisions WHERE {column} = $1 GROUP BY reasons");
            transaction.each(&of, &name, &mut add_blocked)?;
        }
        for sender in person.into_iter().flat_map(|person| &person.senders) {
            let sums = format!("SELECT {SUMS} FROM owed_replay WHERE {OF_SENDER} {GROUPS}");
            transaction.each(&sums, &[sender.as_str().into(), tenant.into()], &mut add)?;
        }
        Ok::<_, StoreError>(())
    })?;
    Ok(Recipients {
        schema: 1,
        as_of: day_of(as_of),
        tenant: tenant.into(),
        tenant_region: region.map(Region::code),
        of_one_customer: person.is_some(),
        processing: systems.processing.get(tenant).cloned(),
        recipients: found.into_values().collect(),
        blocked,
        kept: map.ours.iter().filter(|row| row.action != Action::Handoff).map(kept).collect(),
    })
}

fn kept(row: &Row) -> Kept {
    Kept { system: row.system.clone(), copy: row.copy.clone(), kept: row.kept.clone() }
}

fn terms(known: &Destination, from: Option<Region>, as_of: Timestamp) -> Terms {
    let proven = known.in_force(as_of);
    let Attributes { retention, .. } = &proven;
    let mechanism = |from: Region| match proven.region? {
        to if to == from => Some("within the region".to_owned()),
        to => {
            let by = proven.mechanisms.iter().find(|mechanism| mechanism.from == from)?;
            Some(format!("{} to {} by {}", from.code(), to.code(), by.kind.as_str()))
        }
    };
    Terms {
        account: known.account.clone(),
        region: proven.region.map(Region::code),
        transfer: from.and_then(mechanism),
        standard_days: retention.standard_days,
        abuse_monitoring_days: retention.abuse_monitoring_days,
        human_review_days: retention.human_review_days,
        training_eligible: proven.training_eligible,
        processing_agreement: proven.processing_agreement.map(str::to_owned),
        subprocessors: proven.subprocessors.map(<[String]>::to_vec),
    }
}

impl Recipients {
    /// The record as Markdown: of all customers in the order of Art. 30(1), of one what Art. 15(1) asks for.
    pub fn markdown(&self) -> String {
        let of = if self.of_one_customer { "Recipients of data of one customer" } else { "Record of processing" };
        let mut out = format!("# {of} of {}, {}\n", escaped(&self.tenant), self.as_of);
        processing::who_and_what(&mut out, self.processing.as_ref());
        self.recipients_table(&mut out);
        out += "\n## Time limits: Art. 30(1)(f)\n\nAt recipients: the column \"kept\" above. Our own copies:\n\n| where | what | kept |\n|---|---|---|\n";
        for Kept { system, copy, kept } in &self.kept {
            let _ = writeln!(out, "| {} | {} | {} |", escaped(system), escaped(copy), escaped(kept));
        }
        if self.of_one_customer {
            return out;
        }
        processing::security(&mut out, self.processing.as_ref());
        let blocked: i64 = self.blocked.values().sum();
        out += "\n## Figures for an impact assessment: Art. 35(7)\n\n\
                Of customers who are in the ledger now: of those who were erased, the signed records say what was possibly sent.\n\n";
        let sum = |of: fn(&Recipient) -> i64| self.recipients.iter().map(of).sum::<i64>();
        let (reserved, used) = (sum(|one| one.reserved_requests), sum(|one| one.requests_used));
        let _ = writeln!(out, "- requests that were possibly made: {reserved} reserved, {used} reported as used");
        let training =
            self.recipients.iter().filter(|one| one.terms.as_ref().is_none_or(|terms| terms.training_eligible));
        let _ = writeln!(out, "- recipients that may train on what they got: {}", training.count());
        let unproven = |one: &&Recipient| one.terms.as_ref().is_none_or(|terms| terms.transfer.is_none());
        let _ = writeln!(
            out,
            "- recipients to which no transfer is proven: {}",
            self.recipients.iter().filter(unproven).count()
        );
        let _ = writeln!(out, "- reasons for which transcripts were not sent: {blocked}");
        for (reason, count) in &self.blocked {
            let _ = writeln!(out, "  - {}: {count}", escaped(reason));
        }
        out
    }

    fn recipients_table(&self, out: &mut String) {
        let region = self.tenant_region.unwrap_or("unknown");
        let _ = write!(
            out,
            "\n## Recipients and transfers: Art. 30(1)(d) and (e)\n\nRegion of the tenant: {region}. From what was possibly sent; \
             retention is by contract, and unknown counts as without end.\n\n\
             | recipient | work | customers | requests reserved, used | first, last | transfer | kept | training | agreement, sub-processors |\n\
             |---|---|--:|--:|---|---|---|---|---|\n"
        );
        for one in &self.recipients {
            let Recipient { provider, destination, source, customers, reserved_requests, requests_used, .. } = one;
            let _ = write!(
                out,
                "| {}<br>{} | {} | {customers} | {reserved_requests}, {requests_used} | {}<br>{} | ",
                escaped(provider),
                escaped(destination),
                escaped(source),
                day_of(one.first_at),
                day_of(one.last_at),
            );
            match &one.terms {
                None => *out += "not in the register | without end | may be | none |\n",
                Some(terms) => terms.cells(out),
            }
        }
    }
}

impl Terms {
    fn cells(&self, out: &mut String) {
        let days = |days: Option<u32>| days.map_or_else(|| "without end".into(), |days| format!("{days} days"));
        let names = self.subprocessors.as_ref().map_or_else(|| "unknown".into(), |names| names.join(", "));
        let _ = writeln!(
            out,
            "{} | inputs and outputs {}, abuse monitoring {}, human review {} | {} | {}; {} |",
            escaped(self.transfer.as_deref().unwrap_or("nothing is proven")),
            days(self.standard_days),
            days(self.abuse_monitoring_days),
            days(self.human_review_days),
            if self.training_eligible { "may be" } else { "no" },
            escaped(self.processing_agreement.as_deref().unwrap_or("none")),
            escaped(&names),
        );
    }
}
