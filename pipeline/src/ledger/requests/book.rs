//! All requests, from the events that are kept.

use super::{Calendar, EventRecord, Life, Misfit};
use crate::wire::kept::{self, KeptError};
use std::collections::BTreeMap;

/// Requests by tenant and id, each with its life.
#[derive(Clone, Debug, Default)]
pub struct Book(BTreeMap<(String, String), Life>);

/// Why events that are kept cannot be used. None of them is passed over: a request could be forgotten by that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BookError {
    /// One cannot be read.
    #[error("{place}: {error}")]
    Unreadable {
        /// Where it stands.
        place: String,
        /// Why.
        error: KeptError,
    },
    /// One does not fit those before, so it was not written by this program.
    #[error("{place}: {misfit}")]
    Misfit {
        /// Where it stands.
        place: String,
        /// Why.
        misfit: Misfit,
    },
}

impl Book {
    /// Reads events in order, each with where it stands. Linear in their number.
    ///
    /// # Errors
    /// One cannot be read, or does not fit those before.
    pub fn read<'e>(events: impl IntoIterator<Item = (&'e str, &'e [u8])>) -> Result<Self, BookError> {
        let mut book = Self::default();
        for (place, bytes) in events {
            let record: EventRecord =
                kept::read(Some(bytes)).map_err(|error| BookError::Unreadable { place: place.into(), error })?;
            let id = (record.tenant, record.request_id);
            let life = Life::followed(book.0.remove(&id), record.on, &record.event)
                .map_err(|misfit| BookError::Misfit { place: place.into(), misfit })?;
            book.0.insert(id, life);
        }
        Ok(book)
    }

    /// A request.
    pub fn get(&self, tenant: &str, request_id: &str) -> Option<&Life> {
        self.0.get(&(tenant.into(), request_id.into()))
    }

    /// All requests: tenant, id, life.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &Life)> {
        self.0.iter().map(|((tenant, id), life)| (tenant.as_str(), id.as_str(), life))
    }

    /// Takes in an event that is to be written down.
    ///
    /// # Errors
    /// It does not fit; nothing is changed.
    pub fn admit(&mut self, record: &EventRecord, calendar: &Calendar) -> Result<(), Misfit> {
        let id = (record.tenant.clone(), record.request_id.clone());
        let next = Life::next(self.0.get(&id).cloned(), record.on, &record.event, calendar)?;
        self.0.insert(id, next);
        Ok(())
    }
}
