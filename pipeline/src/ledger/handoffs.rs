//! Who owes a cleanup for a customer, why, under which terms, and until when a copy may exist by those terms.
//!
//! It comes from what was possibly sent, and from nothing else; nobody is asked.

use super::{
    LedgerError,
    identity::Customer,
    passed::Ends,
    person::Person,
    predicate::View,
    registers::{Found, Registers},
    rows::time,
    store::{Record, Store, StoreError, Transaction, Value},
};
use jiff::{Timestamp, ToSpan as _, civil::Date, tz::Offset};
use serde::{Serialize, Serializer};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
    path::Path,
};

/// The handoffs of one person of a tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Handoffs {
    /// The tenant.
    pub tenant: String,
    /// The keys that were given, and those that are recorded for the same person.
    pub customer_keys: BTreeSet<String>,
    /// Names of the senders from which messages came that have no customer key.
    pub senders: BTreeSet<String>,
    /// The topics' ends that the ledger had passed before it was asked; null if they were not compared.
    pub ends: Option<Ends>,
    /// Records of the topics that could not be read: whom they are about is not known.
    pub unread: i64,
    /// Who owes a cleanup, by name.
    pub providers: Vec<Handoff>,
    /// Transcripts that were blocked: nothing of them was reserved, and copies of them may be in review and held.
    pub blocked: i64,
}

/// What one provider owes a cleanup for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Handoff {
    /// The provider.
    pub provider: String,
    /// Why: what it was possibly sent.
    pub possibly_sent: Vec<Work>,
}

/// Work of one kind that was possibly sent to one destination under one version of its terms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Work {
    /// The kind of work.
    pub source: String,
    /// The destination.
    pub destination: String,
    /// The terms; null where no record names any.
    pub terms: Option<String>,
    /// The rulesets that it was reserved under.
    pub rulesets: BTreeSet<String>,
    /// How many reservations there are, or reports of usage without one.
    pub reservations: u64,
    /// Their ids; too many for a person to read.
    #[serde(skip)]
    pub reservation_ids: BTreeSet<String>,
    /// Requests that were reserved.
    pub reserved_requests: i64,
    /// Requests that were reported as used.
    pub requests_used: i64,
    /// The provider's own ids of requests, by which it can find them.
    pub provider_request_ids: BTreeSet<String>,
    /// The first time that any of it was reserved or reported.
    #[serde(serialize_with = "as_text")]
    pub first_at: Timestamp,
    /// The last time.
    #[serde(serialize_with = "as_text")]
    pub last_at: Timestamp,
    /// Until when a copy may exist.
    pub copy_may_exist: CopyMayExist,
}

/// Until when a copy may exist by contract. It is what the terms say, never a fact about the provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CopyMayExist {
    /// The last day, in UTC, by contract; null where none is known, which counts as without end.
    #[serde(serialize_with = "as_opt_text")]
    pub until_by_contract: Option<Date>,
    /// Why.
    pub because: String,
    /// Where the terms were found.
    pub terms_found_in: Option<Found>,
}

fn as_text<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn as_opt_text<T: Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}

/// What one row of the view says.
struct Owed {
    source: String,
    reservation_id: String,
    provider: Option<String>,
    destination: Option<String>,
    terms: Option<String>,
    ruleset: Option<String>,
    reserved: i64,
    used: i64,
    request_ids: Vec<String>,
    first_at: i64,
    last_at: i64,
}

impl Owed {
    fn read(row: &Record) -> Result<Self, StoreError> {
        let opt = |column| Ok::<_, StoreError>(row.opt_text(column)?.map(str::to_owned));
        let ids = row.opt_text(8)?.unwrap_or("[]");
        Ok(Self {
            source: row.text(0)?.into(),
            reservation_id: row.opt_text(1)?.unwrap_or_default().into(),
            provider: opt(2)?,
            destination: opt(3)?,
            terms: opt(4)?,
            ruleset: opt(5)?,
            reserved: row.integer(6)?,
            used: row.integer(7)?,
            request_ids: serde_json::from_str(ids).map_err(|_| StoreError::Unexpected("text", "a list of ids"))?,
            first_at: row.integer(9)?,
            last_at: row.integer(10)?,
        })
    }
}

const COLUMNS: &str = "source, reservation_id, provider, destination, terms, ruleset, reserved_requests, requests_used, provider_request_ids, first_at, last_at";

/// The query for what one customer's rows come to, over a view.
pub fn query(view: View) -> String {
    format!("SELECT {COLUMNS} FROM {} WHERE customer = $1", view.name())
}

/// Which rows are those of a sender that have no customer key: the sender and the tenant.
pub(super) const OF_SENDER: &str = "sender = $1 AND tenant = $2 AND customer_key IS NULL";

/// The query for what the rows of a sender come to that have no customer key.
pub fn query_by_sender() -> String {
    format!("SELECT {COLUMNS} FROM {} WHERE {OF_SENDER}", View::Replay.name())
}

/// The handoffs of a person: of all these keys and those recorded for the same person, and of what came from their senders
/// without a key. `ends` are what the ledger was seen to have passed; `folder` is a ruleset for terms of which the ledger has
/// none.
///
/// # Errors
/// The store does not go along, or the folder is no ruleset's.
pub fn handoffs(
    store: &mut Store,
    person: &Person,
    ends: Option<Ends>,
    folder: Option<&Path>,
) -> Result<Handoffs, LedgerError> {
    ask(store, Question { view: View::Erase, person, stated: &BTreeSet::new() }, ends, folder)
}

/// The plan and the endpoint that a sender saw.
type Used = (Option<String>, Option<String>);

/// What was seen of each reservation.
type Seen = BTreeMap<String, Vec<Used>>;

const SEEN: &str = "SELECT reservation_id, plan, endpoint FROM usage WHERE customer = $1";

/// What is asked about a person.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// By which view.
    pub view: View,
    /// Whom.
    pub person: &'q Person,
    /// Reservations that were stated before, and are left out.
    pub stated: &'q BTreeSet<String>,
}

/// As [`handoffs`], beside what was stated before.
///
/// # Errors
/// As [`handoffs`].
pub fn ask(
    store: &mut Store,
    Question { view, person, stated }: Question<'_>,
    ends: Option<Ends>,
    folder: Option<&Path>,
) -> Result<Handoffs, LedgerError> {
    store.read(|transaction| {
        let Person { tenant, keys, senders } = person.whole_in(transaction)?;
        let (mut owed, mut blocked, mut seen) = (Vec::new(), 0, Seen::new());
        let mut take = |row: Record| {
            owed.extend(Some(Owed::read(&row)?).filter(|owed| !stated.contains(&owed.reservation_id)));
            Ok::<_, StoreError>(())
        };
        for key in &keys {
            let customer: Value = Customer::of(&tenant, key).bytes().into();
            transaction.each(&query(view), std::slice::from_ref(&customer), &mut take)?;
            transaction.each(SEEN, std::slice::from_ref(&customer), |row| {
                let opt = |column| Ok::<_, StoreError>(row.opt_text(column)?.map(str::to_owned));
                seen.entry(row.text(0)?.into()).or_default().push((opt(1)?, opt(2)?));
                Ok::<_, StoreError>(())
            })?;
            blocked += count(transaction, "SELECT count(*) FROM decisions WHERE customer = $1", &[customer])?;
        }
        for sender in &senders {
            let parameters = [sender.as_str().into(), tenant.as_str().into()];
            transaction.each(&query_by_sender(), &parameters, &mut take)?;
        }
        let unread = count(transaction, "SELECT count(*) FROM unread", &[])?;
        let rulesets = owed.iter().filter_map(|owed| owed.ruleset.clone()).collect();
        let registers = Registers::load::<LedgerError>(transaction, &rulesets, folder)?;
        let providers = grouped(owed, &seen, &registers);
        Ok(Handoffs { tenant, customer_keys: keys, senders, ends, unread, providers, blocked })
    })
}

fn count(transaction: &mut Transaction<'_>, statement: &str, parameters: &[Value]) -> Result<i64, StoreError> {
    transaction.query(statement, parameters)?.first().map_or(Ok(0), |row| row.integer(0))
}

/// By provider, and for each by kind of work, destination and terms.
fn grouped(mut owed: Vec<Owed>, seen: &Seen, registers: &Registers) -> Vec<Handoff> {
    // Usage need not name its terms: those of its reservation hold.
    let mut reserved_under: BTreeMap<String, (Option<String>, Option<String>)> = BTreeMap::new();
    for row in owed.iter().filter(|row| row.reserved > 0) {
        reserved_under.entry(row.reservation_id.clone()).or_insert_with(|| (row.terms.clone(), row.ruleset.clone()));
    }
    for row in owed.iter_mut().filter(|row| row.reserved == 0) {
        if let Some((terms, ruleset)) = reserved_under.get(&row.reservation_id) {
            row.terms = row.terms.take().or_else(|| terms.clone());
            row.ruleset = row.ruleset.take().or_else(|| ruleset.clone());
        }
    }
    let mut groups: BTreeMap<_, Vec<Owed>> = BTreeMap::new();
    for row in owed {
        let provider = row.provider.clone().unwrap_or_default();
        let group = (provider, row.source.clone(), row.destination.clone().unwrap_or_default(), row.terms.clone());
        groups.entry(group).or_default().push(row);
    }
    let mut handoffs: Vec<Handoff> = Vec::new();
    for ((provider, source, destination, terms), rows) in groups {
        let work = work(source, destination, terms, &rows, seen, registers);
        match handoffs.last_mut().filter(|last| last.provider == provider) {
            Some(last) => last.possibly_sent.push(work),
            None => handoffs.push(Handoff { provider, possibly_sent: vec![work] }),
        }
    }
    handoffs
}

fn work(
    source: String,
    destination: String,
    terms: Option<String>,
    rows: &[Owed],
    seen: &Seen,
    registers: &Registers,
) -> Work {
    // A reservation of which two things are said is one reservation, and the larger number counts.
    let mut reserved: BTreeMap<&str, i64> = BTreeMap::new();
    for row in rows {
        let most = reserved.entry(&row.reservation_id).or_default();
        *most = row.reserved.max(*most);
    }
    let rulesets: BTreeSet<String> = rows.iter().filter_map(|row| row.ruleset.clone()).collect();
    let last_at = time(rows.iter().map(|row| row.last_at).max().unwrap_or_default());
    let used: Vec<&Used> = reserved.keys().filter_map(|id| seen.get(*id)).flatten().collect();
    let copy_may_exist = copy_may_exist(&destination, terms.as_deref(), &rulesets, last_at, &used, registers);
    Work {
        source,
        destination,
        terms,
        rulesets,
        reservations: reserved.len() as u64,
        reservation_ids: reserved.keys().map(|id| (*id).to_owned()).collect(),
        reserved_requests: reserved.values().sum(),
        requests_used: rows.iter().map(|row| row.used).sum(),
        provider_request_ids: rows.iter().flat_map(|row| row.request_ids.iter().cloned()).collect(),
        first_at: time(rows.iter().map(|row| row.first_at).min().unwrap_or_default()),
        last_at,
        copy_may_exist,
    }
}

/// The latest end by the terms, as each ruleset proves them; without an end if one of them proves none, or if what was used
/// is not what they are for.
fn copy_may_exist(
    destination: &str,
    terms: Option<&str>,
    rulesets: &BTreeSet<String>,
    last_at: Timestamp,
    used: &[&Used],
    registers: &Registers,
) -> CopyMayExist {
    let unknown = |because: String| CopyMayExist { until_by_contract: None, because, terms_found_in: None };
    let Some(id) = terms else { return unknown("no record names the terms".into()) };
    let rulesets: Vec<Option<&str>> = match rulesets.is_empty() {
        true => vec![None],
        false => rulesets.iter().map(|digest| Some(digest.as_str())).collect(),
    };
    let mut worst: Option<CopyMayExist> = None;
    for ruleset in rulesets {
        let Some((terms, found)) = registers.terms(ruleset, destination, id) else {
            let missing = ruleset.unwrap_or("no ruleset");
            return unknown(format!("these terms are in no register that is known ({missing} is not in the ledger)"));
        };
        let is_other = |seen: &Option<String>, said: &str| seen.as_ref().is_some_and(|seen| seen != said);
        if used.iter().any(|(plan, endpoint)| is_other(plan, &terms.plan) || is_other(endpoint, &terms.endpoint)) {
            return unknown(
                "usage names another plan or endpoint than these terms, so nothing of them is proven".into(),
            );
        }
        let attributes = terms.in_force(last_at);
        let retention = &attributes.retention;
        let named = [
            ("inputs and outputs", retention.standard_days),
            ("abuse monitoring", retention.abuse_monitoring_days),
            ("human review", retention.human_review_days),
        ];
        let unproven = named.iter().find(|(_, days)| days.is_none()).map(|(name, _)| *name);
        let longest = named.iter().filter_map(|(name, days)| days.map(|days| (days, *name))).max();
        let (until, because) = match (attributes.training_eligible, unproven, longest) {
            (true, ..) => (None, "it is not proven that inputs are not used for training".to_owned()),
            (_, Some(name), _) => (None, format!("no end is proven for {name}")),
            (_, None, Some((0, _))) => (Some(day(last_at)), "nothing is kept".to_owned()),
            (_, None, Some((days, name))) => {
                (end(last_at, days), format!("{days} days for {name}, from the last reservation or report"))
            }
            (_, None, None) => (None, "no end is proven".to_owned()),
        };
        let this = CopyMayExist { until_by_contract: until, because, terms_found_in: Some(found) };
        worst = match worst {
            Some(before) if before.until_by_contract.is_none() => Some(before),
            Some(before) if this.until_by_contract.is_some_and(|until| before.until_by_contract >= Some(until)) => {
                Some(before)
            }
            _ => Some(this),
        };
    }
    worst.unwrap_or_else(|| unknown("no end is proven".into()))
}

fn day(time: Timestamp) -> Date {
    Offset::UTC.to_datetime(time).date()
}

fn end(last_at: Timestamp, days: u32) -> Option<Date> {
    day(last_at).checked_add(i64::from(days).days()).ok()
}
