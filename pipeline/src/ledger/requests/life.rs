//! What the events of one request come to.

use super::{Calendar, Event, Handoff, Right};
use jiff::{Unit, civil::Date};
use std::{collections::BTreeMap, fmt};

/// A request and its handoffs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Life {
    /// The day on which it came in.
    pub received: Date,
    /// What is asked for.
    pub right: Right,
    /// The day of the notice of extension, and its reason.
    pub extended: Option<(Date, String)>,
    /// How it ended, and when.
    pub ended: Option<(Date, Ending)>,
    /// Systems of the data map that were seen to: the day, and what was found.
    pub done: BTreeMap<String, (Date, String)>,
    /// What each provider owes.
    pub handoffs: BTreeMap<String, Handoff>,
    /// Since when the clock stands still.
    still_since: Option<Date>,
    /// Days for which it stood still before.
    still_days: i32,
    last: Date,
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All was done.
    Completed,
    /// Some of it was done; why not all.
    Partial(String),
    /// It was refused; why.
    Refused(String),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completed => f.write_str("completed"),
            Self::Partial(ground) => write!(f, "partial: {ground}"),
            Self::Refused(ground) => write!(f, "refused: {ground}"),
        }
    }
}

/// How a request stands on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is to be answered by this day.
    Due(Date),
    /// It was to be answered by this day.
    Overdue(Date),
    /// The clock stands still since this day: whoever asks is to show who they are.
    IdentityPending(Date),
    /// It is over, in time or not.
    Ended {
        /// When it ended.
        on: Date,
        /// Whether that was in time.
        in_time: bool,
    },
}

/// Why an event does not fit what came before. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The first event is another.
    #[error("nothing was received under this request; the first event of a request is that it was received")]
    NotReceived,
    /// It was received before.
    #[error("this request was received on {0} already; another request has another id")]
    Received(Date),
    /// The request is over.
    #[error("this request ended on {0}; what comes later is another request")]
    Ended(Date),
    /// Something later is written down.
    #[error("{on} is before {last}, the day of the last event; events are written down in their order")]
    Earlier {
        /// The day of the event.
        on: Date,
        /// The last day.
        last: Date,
    },
    /// The clock stands still already.
    #[error("the identity was asked for on {0} already, and is not confirmed yet")]
    Still(Date),
    /// The clock does not stand still.
    #[error("no identity is asked for")]
    NotStill,
    /// It is late already.
    #[error("it was due on {0}: the clock of a request that is late cannot be stopped")]
    Late(Date),
    /// It was extended before.
    #[error("it was extended on {0} already, and cannot be a second time (GDPR Art. 12(3))")]
    Extended(Date),
    /// The notice came too late.
    #[error("the notice of an extension must be given within the first month, by {0} (GDPR Art. 12(3))")]
    NoticeTooLate(Date),
    /// A text that must say something is empty.
    #[error("`{0}` is empty; it must say something")]
    Empty(&'static str),
    /// The provider owes nothing here.
    #[error("the provider owes nothing under this request; `maysend ledger handoffs` says who does")]
    NotOwed,
    /// The provider was not asked.
    #[error("the provider was not asked; write down when and how it was, first")]
    NotAsked,
}

impl Life {
    /// What events that were written down come to, each with its day, in order. `None` if there are none.
    ///
    /// No calendar is asked: what fitted when it was written down stays, also when another calendar holds by now.
    ///
    /// # Errors
    /// One does not fit those before.
    pub fn of<'e>(events: impl IntoIterator<Item = (Date, &'e Event)>) -> Result<Option<Self>, Misfit> {
        let mut life = None;
        for (on, event) in events {
            life = Some(Self::followed(life, on, event)?);
        }
        Ok(life)
    }

    /// What one more event makes of it, if it may be written down.
    ///
    /// # Errors
    /// It does not fit.
    pub fn next(life: Option<Self>, on: Date, event: &Event, calendar: &Calendar) -> Result<Self, Misfit> {
        let due = life.as_ref().map(|life| life.due(on, calendar));
        let next = Self::followed(life, on, event)?;
        match (event, due) {
            (Event::IdentityAsked, Some(due)) if on > due => Err(Misfit::Late(due)),
            (Event::Extended { .. }, Some(due)) if on > due => Err(Misfit::NoticeTooLate(due)),
            _ => Ok(next),
        }
    }

    pub(super) fn followed(life: Option<Self>, on: Date, event: &Event) -> Result<Self, Misfit> {
        if let Some((name, _)) = event.texts().into_iter().find(|(_, text)| text.trim().is_empty()) {
            return Err(Misfit::Empty(name));
        }
        match (life, event) {
            (None, Event::Received { right }) => Ok(Self {
                received: on,
                right: *right,
                extended: None,
                ended: None,
                done: BTreeMap::new(),
                handoffs: BTreeMap::new(),
                still_since: None,
                still_days: 0,
                last: on,
            }),
            (None, _) => Err(Misfit::NotReceived),
            (Some(mut life), event) => {
                if on < life.last {
                    return Err(Misfit::Earlier { on, last: life.last });
                }
                life.take_in(on, event)?;
                life.last = on;
                Ok(life)
            }
        }
    }

    fn take_in(&mut self, on: Date, event: &Event) -> Result<(), Misfit> {
        // Providers answer, and copies expire, after a customer was answered.
        let goes_on =
            event.provider().is_some() || matches!(event, Event::SystemDone { .. } | Event::SystemOpen { .. });
        if let (Some((ended, _)), false) = (&self.ended, goes_on) {
            return Err(Misfit::Ended(*ended));
        }
        match event {
            Event::Received { .. } => return Err(Misfit::Received(self.received)),
            Event::IdentityAsked => {
                if let Some(since) = self.still_since {
                    return Err(Misfit::Still(since));
                }
                self.still_since = Some(on);
            }
            Event::IdentityConfirmed => {
                self.still_days = self.still_days(on);
                self.still_since.take().ok_or(Misfit::NotStill)?;
            }
            Event::Extended { reason } => {
                if let Some((before, _)) = self.extended {
                    return Err(Misfit::Extended(before));
                }
                self.extended = Some((on, reason.clone()));
            }
            Event::Completed => self.ended = Some((on, Ending::Completed)),
            Event::Partial { ground } => self.ended = Some((on, Ending::Partial(ground.clone()))),
            Event::Refused { ground } => self.ended = Some((on, Ending::Refused(ground.clone()))),
            Event::SystemDone { system, result } => drop(self.done.insert(system.clone(), (on, result.clone()))),
            Event::SystemOpen { system, .. } => drop(self.done.remove(system)),
            Event::HandoffOwed { provider, record } if !self.handoffs.contains_key(provider) => {
                self.handoffs.insert(provider.clone(), Handoff::new(on, *record));
            }
            Event::HandoffOwed { provider, .. }
            | Event::HandoffAsked { provider, .. }
            | Event::HandoffAnswered { provider, .. } => {
                self.handoffs.get_mut(provider).ok_or(Misfit::NotOwed)?.take_in(on, event)?;
            }
        }
        Ok(())
    }

    /// Days for which the clock has stood still up to a day.
    fn still_days(&self, on: Date) -> i32 {
        let now = self.still_since.map_or(0, |since| since.until((Unit::Day, on)).map_or(0, |span| span.get_days()));
        self.still_days.saturating_add(now)
    }

    /// The last day to answer, as it is on a day: one that the clock stands still on moves it by one.
    pub fn due(&self, on: Date, calendar: &Calendar) -> Date {
        calendar.end(self.received, if self.extended.is_some() { 3 } else { 1 }, self.still_days(on))
    }

    /// How it stands on a day.
    pub fn standing(&self, on: Date, calendar: &Calendar) -> Standing {
        if let Some((ended, _)) = self.ended {
            return Standing::Ended { on: ended, in_time: ended <= self.due(ended, calendar) };
        }
        if let Some(since) = self.still_since {
            return Standing::IdentityPending(since);
        }
        let due = self.due(on, calendar);
        if on > due { Standing::Overdue(due) } else { Standing::Due(due) }
    }

    /// The day of the last event.
    pub fn last(&self) -> Date {
        self.last
    }

    /// Days that are left on a day; negative where it is late, `None` where no clock runs.
    pub fn days_left(&self, on: Date, calendar: &Calendar) -> Option<i32> {
        match self.standing(on, calendar) {
            Standing::Due(due) | Standing::Overdue(due) => on.until((Unit::Day, due)).ok().map(|span| span.get_days()),
            _ => None,
        }
    }
}
