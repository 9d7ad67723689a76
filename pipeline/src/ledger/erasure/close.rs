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

impl Erasing {
    /// Closes at the gate whichever keys are not closed for this request yet: as of when it was stated, or else as of when
    /// one that died had closed the first of them, or else now. Returns that time.
    pub(super) fn close(
        &self,
        who: &Person,
        request_id: &str,
        stated: Option<Timestamp>,
    ) -> Result<Timestamp, ErasureError> {
        let closed = self.closed(&who.tenant, request_id)?;
        let erased_at = stated.or_else(|| closed.values().min().copied()).unwrap_or_else(Timestamp::now);
        let producer = self.log.clients.kept().map_err(StreamError::from)?;
        for own in who.keys.iter().filter(|own| !closed.contains_key(*own)) {
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
        }
        Ok(erased_at)
    }

    /// The keys that are closed for a request, and as of when. Reads the topic whole.
    fn closed(&self, tenant: &str, request_id: &str) -> Result<BTreeMap<String, Timestamp>, StreamError> {
        let mut closed = BTreeMap::new();
        let timeout = self.config.stream.transaction_timeout;
        Reader::open(&self.log.clients, &self.log.topics.erasures, timeout)?.to_the_end(|record| {
            // What cannot be read stops the gate, and is no matter of this request.
            if let Ok(erasure) = read::<Erasure>(record.payload())
                && erasure.tenant == tenant
                && erasure.request_id.as_deref() == Some(request_id)
            {
                closed.insert(erasure.customer_key, erasure.erased_at);
            }
            Ok(())
        })?;
        Ok(closed)
    }
}
