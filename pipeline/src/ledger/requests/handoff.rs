//! The life of a handoff: owed, asked, answered.

use super::{Calendar, Event, Misfit};
use jiff::{ToSpan as _, civil::Date};

/// What a provider owes for one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handoff {
    /// Since when, by the newest record that says so.
    pub owed_since: Date,
    /// Numbers of the signed records that say so.
    pub records: Vec<u64>,
    /// When and how the provider was asked, in order: the day, the channel, the reference.
    pub asked: Vec<(Date, String, String)>,
    /// The provider's ids of requests that it was told.
    pub provider_request_ids: Vec<String>,
    /// When it last answered, who did, and what was not deleted.
    pub answered: Option<(Date, String, Vec<String>)>,
    state: HandoffState,
}

/// How a handoff stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandoffState {
    /// The provider is still to be asked.
    Owed,
    /// It was asked and has not answered.
    Asked,
    /// It has answered. That is its statement, and no proof.
    Answered,
}

impl Handoff {
    pub(super) fn new(on: Date, record: u64) -> Self {
        Self {
            owed_since: on,
            records: vec![record],
            asked: Vec::new(),
            provider_request_ids: Vec::new(),
            answered: None,
            state: HandoffState::Owed,
        }
    }

    /// How it stands.
    pub fn state(&self) -> HandoffState {
        self.state
    }

    /// The last day on which what comes next is in time; `None` once it is answered.
    pub fn due(&self, calendar: &Calendar) -> Option<Date> {
        let after = |day: Date, days: u16| day.saturating_add(i32::from(days).days());
        match self.state {
            HandoffState::Owed => Some(after(self.owed_since, calendar.ask_within_days)),
            HandoffState::Asked => self.asked.last().map(|(on, ..)| after(*on, calendar.answer_within_days)),
            HandoffState::Answered => None,
        }
    }

    /// Whether it is late on a day.
    pub fn is_overdue(&self, on: Date, calendar: &Calendar) -> bool {
        self.due(calendar).is_some_and(|due| on > due)
    }

    /// Takes in an event of this provider. What is owed anew has to be asked for anew.
    pub(super) fn take_in(&mut self, on: Date, event: &Event) -> Result<(), Misfit> {
        match event {
            Event::HandoffOwed { record, .. } if !self.records.contains(record) => {
                self.records.push(*record);
                (self.owed_since, self.state) = (on, HandoffState::Owed);
            }
            Event::HandoffAsked { channel, reference, provider_request_ids, .. } => {
                self.asked.push((on, channel.clone(), reference.clone()));
                let new = provider_request_ids.iter().filter(|id| !self.provider_request_ids.contains(id));
                let new: Vec<String> = new.cloned().collect();
                self.provider_request_ids.extend(new);
                self.state = HandoffState::Asked;
            }
            Event::HandoffAnswered { by, exclusions, .. } => {
                if self.state != HandoffState::Asked {
                    return Err(Misfit::NotAsked);
                }
                self.answered = Some((on, by.clone(), exclusions.clone()));
                self.state = HandoffState::Answered;
            }
            _ => {}
        }
        Ok(())
    }
}
