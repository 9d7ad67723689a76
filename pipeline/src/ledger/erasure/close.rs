//! Closes a customer at the gate.

use super::{Erasing, ErasureError};
use crate::{
    ledger::person::Person,
    stream::{StreamError, client::publish::publish, followed::reader::Reader},
    wire::{
        Erasure,
        kept::{Schema, read},
    },
};
use jiff::Timestamp;
use rdkafka::Message as _;
use std::collections::BTreeMap;

/// Which keys are closed for which request, and as of when: by tenant and request.
pub(super) type Closings = BTreeMap<(String, String), BTreeMap<String, Timestamp>>;

impl Erasing {
    /// Closes at the gate whichever keys are not closed for this request yet: as of when it was stated, or else as of when
    /// one that died had closed the first of them, or else now. Returns that time.
    pub(super) fn close(
        &mut self,
        who: &Person,
        request_id: &str,
        stated: Option<Timestamp>,
    ) -> Result<Timestamp, ErasureError> {
        if self.closings.is_none() {
            self.closings = Some(self.read_closings()?);
        }
        let of = (who.tenant.clone(), request_id.to_owned());
        let closed = self.closings.get_or_insert_default().entry(of).or_default();
        let erased_at = stated.or_else(|| closed.values().min().copied()).unwrap_or_else(Timestamp::now);
        let producer = self.log.clients.kept().map_err(StreamError::from)?;
        for own in &who.keys {
            if closed.contains_key(own) {
                continue;
            }
            let record = Erasure {
                schema: Schema,
                tenant: who.tenant.clone(),
                customer_key: own.clone(),
                erased_at,
                request_id: Some(request_id.into()),
            };
            let key = format!("{}/{own}", who.tenant);
            let timeout = self.config.stream.message_timeout;
            publish(&producer, &self.log.topics.erasures, &key, &record, timeout)?;
            closed.insert(own.clone(), erased_at);
        }
        Ok(erased_at)
    }

    /// Reads the topic whole.
    fn read_closings(&self) -> Result<Closings, StreamError> {
        let mut closings = Closings::new();
        let timeout = self.config.stream.transaction_timeout;
        Reader::open(&self.log.clients, &self.log.topics.erasures, timeout)?.to_the_end(|record| {
            // What cannot be read stops the gate, and is no matter of a request.
            if let Ok(Erasure { tenant, customer_key, erased_at, request_id: Some(request), .. }) =
                read(record.payload())
            {
                closings.entry((tenant, request)).or_default().insert(customer_key, erased_at);
            }
            Ok(())
        })?;
        Ok(closings)
    }
}
