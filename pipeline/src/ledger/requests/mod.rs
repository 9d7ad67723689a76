//! The life of a request, and of each handoff that it gives rise to: append-only events, and what they come to.
//!
//! Everything here is pure: the state is a function of the events, the calendar and a day. An event that does not fit what
//! came before is refused when it is written, and never afterwards.

mod book;
mod calendar;
mod event;
mod handoff;
mod letter;
mod life;

pub use book::{Book, BookError};
pub use calendar::{Calendar, months_after};
pub use event::{Event, EventRecord, Right};
pub use handoff::{Handoff, HandoffState};
pub use letter::letter;
pub use life::{Ending, Life, Misfit, Standing};

#[cfg(test)]
mod tests;
