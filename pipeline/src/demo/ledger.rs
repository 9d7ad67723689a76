//! The ledger of the demonstration: what it says of one customer at the end, and the data map.

use super::DemoError;
use crate::{
    config::Config,
    ledger::{
        LedgerError,
        datamap::{DataMap, Sources, StoreKind, Systems, TopicSettings},
        follow::follow,
        handoffs::{Handoffs, handoffs},
        person::Person,
        store::{Address, Store},
    },
    ruleset::Ruleset,
    stream::topics::Topics,
};
use jiff::Timestamp;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};
use tempfile::TempDir;

/// What the ledger says at the end.
#[derive(Debug)]
pub struct Closing {
    /// Who owes a cleanup for one customer: of those with a key the one of whom most was reserved and blocked. None where
    /// nothing was decided of anybody. The mock keeps 5 MiB of a partition, so a ledger that lags behind cannot go on.
    pub handoffs: Result<Option<Handoffs>, LedgerError>,
    /// Every system that touches a transcript.
    pub map: DataMap,
}

/// A ledger that follows the demonstration, in a file that goes with it.
pub(super) struct Following {
    config: Arc<Config>,
    ruleset: Arc<Ruleset>,
    address: Address,
    stop: Arc<AtomicBool>,
    follower: JoinHandle<Result<(), LedgerError>>,
    _folder: TempDir,
}

impl Following {
    pub(super) fn start(config: Arc<Config>, ruleset: Arc<Ruleset>) -> Result<Self, DemoError> {
        let folder = tempfile::tempdir().map_err(DemoError::Folder)?;
        let address = Address::Sqlite(folder.path().join("ledger.db"));
        let stop = Arc::new(AtomicBool::new(false));
        let follower = {
            let (config, address, stop) = (config.clone(), address.clone(), stop.clone());
            thread::spawn(move || {
                let mut store = Store::open_or_create(&address)?;
                follow(&config, &mut store, false, &stop).map(drop)
            })
        };
        Ok(Self { config, ruleset, address, stop, follower, _folder: folder })
    }

    /// Takes in what is left, and asks. The stream has ended.
    pub(super) fn close(self) -> Result<Closing, DemoError> {
        self.stop.store(true, Ordering::SeqCst);
        let followed = self.follower.join().map_err(|_| DemoError::Panicked)?;
        let handoffs = followed.and_then(|()| {
            let mut store = Store::open_or_create(&self.address)?;
            follow(&self.config, &mut store, true, &AtomicBool::new(false))?;
            let person = customer(&mut store)?;
            person.map(|person| handoffs(&mut store, &person, None, None)).transpose()
        });
        let topics = TopicSettings::as_created(Topics::new(&self.config.kafka.topic_prefix));
        let sources = Sources {
            topics: &topics,
            store: Some(StoreKind::Sqlite),
            destinations: &self.ruleset.rules.destinations,
            systems: &Systems::default(),
            request: None,
        };
        Ok(Closing { handoffs, map: DataMap::new(sources, Timestamp::now()) })
    }
}

const MOST: &str = "SELECT tenant, customer_key FROM (
        SELECT tenant, customer_key, reserved_requests AS reserved, 0 AS blocked FROM reservations
        UNION ALL
        SELECT tenant, customer_key, 0, 1 FROM decisions
    ) AS work
    WHERE customer_key IS NOT NULL GROUP BY tenant, customer_key
    ORDER BY min(sum(reserved), 1) + min(sum(blocked), 1) DESC, sum(reserved) DESC, tenant, customer_key LIMIT 1";

/// Somebody of whom there is something to say; the same each time.
fn customer(store: &mut Store) -> Result<Option<Person>, LedgerError> {
    let found = store.read(|transaction| transaction.query(MOST, &[]))?;
    let Some(row) = found.first() else { return Ok(None) };
    let keys = [row.text(1)?.to_owned()].into();
    Ok(Some(Person { tenant: row.text(0)?.into(), keys, ..Person::default() }))
}
