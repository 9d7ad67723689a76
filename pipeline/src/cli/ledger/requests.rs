//! `maysend ledger requests`, `request` and `letter`.

use super::{Error, Say, book, calendar, chain, day, handoffs::shown, log, parse_day, print, public_keys};
use crate::{
    cli::terminal,
    ledger::{
        erasure::Known,
        log::New,
        requests::{Calendar, Event, EventRecord, Handoff, HandoffState, Life, Right, Standing, letter},
    },
    wire::kept::Schema,
};
use clap::{Args, Subcommand, ValueEnum};
use jiff::{Timestamp, ToSpan as _, civil::Date};
use serde_json::json;
use std::{path::PathBuf, process::ExitCode};

/// Where requests are kept, and by which days they are counted.
#[derive(Args)]
struct Kept {
    /// The configuration file.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Holidays and how long others may take, in TOML; see docs/erasure.md.
    #[arg(long, value_name = "FILE")]
    calendar: Option<PathBuf>,
}

/// Options of `ledger requests`.
#[derive(Args)]
pub(super) struct ListOptions {
    #[command(flatten)]
    kept: Kept,
    /// Also those that are over.
    #[arg(long)]
    all: bool,
    /// The day that they are listed for [default: today].
    #[arg(long, value_name = "DATE", value_parser = parse_day)]
    as_of: Option<Date>,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

/// Options of `ledger request`.
#[derive(Args)]
pub(super) struct EventOptions {
    #[command(flatten)]
    kept: Kept,
    #[command(flatten)]
    request: Named,
    /// The day on which it happened.
    #[arg(long, value_name = "DATE", value_parser = parse_day)]
    on: Date,
    #[command(subcommand)]
    event: What,
}

/// Which request.
#[derive(Args)]
struct Named {
    /// The tenant.
    #[arg(long)]
    tenant: String,
    /// The request, as its keeper names it. It is written into records that stay: no name of a person.
    #[arg(long, value_name = "ID")]
    request: String,
}

#[derive(Subcommand)]
enum What {
    /// It came in.
    Received {
        /// What is asked for.
        #[arg(long, value_enum, default_value = "erasure")]
        right: RightName,
    },
    /// Whoever asks was asked who they are: the clock stands still.
    IdentityAsked,
    /// It was shown: the clock goes on.
    IdentityConfirmed,
    /// Whoever asks was told, within the first month, that it takes two months more.
    Extended {
        /// Why.
        #[arg(long)]
        reason: String,
    },
    /// All was done.
    Completed,
    /// Some of it was done.
    Partial {
        /// Why not all.
        #[arg(long)]
        ground: String,
    },
    /// It was refused.
    Refused {
        /// Why.
        #[arg(long)]
        ground: String,
    },
    /// A system of the data map was seen to.
    SystemDone {
        /// Its id in the data map, such as `system:warehouse`.
        #[arg(long, value_name = "ID")]
        system: String,
        /// What was found or answered.
        #[arg(long)]
        result: String,
    },
    /// A system of the data map is not seen to any more: something was found in it.
    SystemOpen {
        /// Its id in the data map, such as `system:warehouse`.
        #[arg(long, value_name = "ID")]
        system: String,
        /// What was found.
        #[arg(long)]
        result: String,
    },
    /// A provider that owes a cleanup was asked.
    HandoffAsked {
        /// The provider.
        #[arg(long)]
        provider: String,
        /// How, such as `portal` or `letter`.
        #[arg(long)]
        channel: String,
        /// What the provider or the channel calls it.
        #[arg(long)]
        reference: String,
        /// The provider's own ids of requests that were named.
        #[arg(long = "provider-request-id", value_name = "ID")]
        provider_request_ids: Vec<String>,
    },
    /// A provider answered.
    HandoffAnswered {
        /// The provider.
        #[arg(long)]
        provider: String,
        /// Who answered.
        #[arg(long)]
        by: String,
        /// What was not deleted; once for each.
        #[arg(long = "exclusion", value_name = "WHAT")]
        exclusions: Vec<String>,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum RightName {
    Erasure,
    Access,
}

impl What {
    fn event(&self) -> Event {
        match self {
            Self::Received { right: RightName::Erasure } => Event::Received { right: Right::Erasure },
            Self::Received { right: RightName::Access } => Event::Received { right: Right::Access },
            Self::IdentityAsked => Event::IdentityAsked,
            Self::IdentityConfirmed => Event::IdentityConfirmed,
            Self::Extended { reason } => Event::Extended { reason: reason.clone() },
            Self::Completed => Event::Completed,
            Self::Partial { ground } => Event::Partial { ground: ground.clone() },
            Self::Refused { ground } => Event::Refused { ground: ground.clone() },
            Self::SystemDone { system, result } => Event::SystemDone { system: system.clone(), result: result.clone() },
            Self::SystemOpen { system, result } => Event::SystemOpen { system: system.clone(), result: result.clone() },
            Self::HandoffAsked { provider, channel, reference, provider_request_ids } => Event::HandoffAsked {
                provider: provider.clone(),
                channel: channel.clone(),
                reference: reference.clone(),
                provider_request_ids: provider_request_ids.clone(),
            },
            Self::HandoffAnswered { provider, by, exclusions } => {
                Event::HandoffAnswered { provider: provider.clone(), by: by.clone(), exclusions: exclusions.clone() }
            }
        }
    }
}

/// Writes an event down, if it fits.
pub(super) fn write(options: &EventOptions, say: Say) -> Result<ExitCode, Error> {
    let calendar = calendar(options.kept.calendar.as_deref())?;
    let log = log(&options.kept.config)?;
    let writer = log.writer()?;
    let mut book = book(&log)?;
    let record = EventRecord {
        schema: Schema,
        tenant: options.request.tenant.clone(),
        request_id: options.request.request.clone(),
        recorded_at: Timestamp::now(),
        on: options.on,
        event: options.event.event(),
    };
    book.admit(&record, &calendar).map_err(|misfit| Error::Usage(misfit.to_string()))?;
    let value = serde_json::to_vec(&record).expect("strings and dates");
    writer.write(&[New::of_officer(&log.topics.requests, value)])?;
    let life = book.get(&record.tenant, &record.request_id);
    if let (Some(life), true) = (life, say > Say::Little) {
        terminal::note(&standing(life, day(None), &calendar));
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists requests, those that are due first standing first. Exit code 1 if any is overdue.
pub(super) fn list(options: &ListOptions) -> Result<ExitCode, Error> {
    let (calendar, on) = (calendar(options.kept.calendar.as_deref())?, day(options.as_of));
    let book = book(&log(&options.kept.config)?)?;
    let is_open = |life: &Life| life.ended.is_none() || life.handoffs.values().any(|h| h.due(&calendar).is_some());
    let mut all: Vec<_> = book.iter().filter(|(.., life)| options.all || is_open(life)).collect();
    let next = |life: &Life| {
        let own = life.ended.is_none().then(|| life.due(on, &calendar));
        own.into_iter().chain(life.handoffs.values().filter_map(|handoff| handoff.due(&calendar))).min()
    };
    all.sort_by_key(|(.., life)| next(life).unwrap_or(Date::MAX));
    let mut overdue = false;
    let mut out = String::new();
    for (tenant, id, life) in all {
        let late = matches!(life.standing(on, &calendar), Standing::Overdue(_));
        overdue |= late || life.handoffs.values().any(|handoff| handoff.is_overdue(on, &calendar));
        if options.json {
            out += &as_json(tenant, id, life, on, &calendar).to_string();
            out.push('\n');
        } else {
            out += &format!("{}\n", shown(&format!("{tenant} {id}: {}", standing(life, on, &calendar))));
            for (provider, handoff) in &life.handoffs {
                out += &format!("  {}\n", shown(&format!("{provider}: {}", handoff_standing(handoff, on, &calendar))));
            }
        }
    }
    print(&out)?;
    Ok(if overdue { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn standing(life: &Life, on: Date, calendar: &Calendar) -> String {
    let days = life.days_left(on, calendar).unwrap_or(0);
    let received = life.received;
    let extended = if life.extended.is_some() { ", extended" } else { "" };
    match life.standing(on, calendar) {
        Standing::Due(due) => format!("received {received}{extended}, due on {due}, in {days} days"),
        Standing::Overdue(due) => format!("received {received}{extended}, OVERDUE: it was due on {due}"),
        Standing::IdentityPending(since) => {
            format!(
                "received {received}{extended}, waits since {since} for an identity to be shown; the clock stands still"
            )
        }
        Standing::Ended { on, in_time } => {
            let how = life.ended.as_ref().map(|(_, ending)| ending.to_string()).unwrap_or_default();
            format!("received {received}{extended}, ended on {on}{}: {how}", if in_time { "" } else { ", LATE" })
        }
    }
}

fn handoff_standing(handoff: &Handoff, on: Date, calendar: &Calendar) -> String {
    let late = if handoff.is_overdue(on, calendar) { "OVERDUE: " } else { "" };
    let due = handoff.due(calendar).map(|due| due.to_string()).unwrap_or_default();
    match handoff.state() {
        HandoffState::Owed => format!("{late}owed since {}, to be asked by {due}", handoff.owed_since),
        HandoffState::Asked => match handoff.asked.last() {
            Some((day, channel, reference)) => {
                format!("{late}asked on {day} by {channel} ({reference}), to answer by {due}")
            }
            None => format!("{late}asked"),
        },
        HandoffState::Answered => match &handoff.answered {
            Some((day, by, exclusions)) if exclusions.is_empty() => format!("answered on {day} by {by}"),
            Some((day, by, exclusions)) => {
                format!("answered on {day} by {by}; not deleted: {}", exclusions.join(", "))
            }
            None => "answered".into(),
        },
    }
}

fn as_json(tenant: &str, id: &str, life: &Life, on: Date, calendar: &Calendar) -> serde_json::Value {
    let state = match life.standing(on, calendar) {
        Standing::Due(_) => "due",
        Standing::Overdue(_) => "overdue",
        Standing::IdentityPending(_) => "identity_pending",
        Standing::Ended { .. } => "ended",
    };
    let handoffs: Vec<_> = life
        .handoffs
        .iter()
        .map(|(provider, handoff)| {
            json!({
                "provider": provider,
                "state": match handoff.state() {
                    HandoffState::Owed => "owed",
                    HandoffState::Asked => "asked",
                    HandoffState::Answered => "answered",
                },
                "owed_since": handoff.owed_since,
                "asked": handoff.asked.iter().map(|(on, channel, reference)| {
                    json!({"on": on, "channel": channel, "reference": reference})
                }).collect::<Vec<_>>(),
                "provider_request_ids": handoff.provider_request_ids,
                "answered": handoff.answered.as_ref().map(|(on, by, exclusions)| {
                    json!({"on": on, "by": by, "exclusions": exclusions})
                }),
                "due": handoff.due(calendar),
                "overdue": handoff.is_overdue(on, calendar),
                "records": handoff.records,
            })
        })
        .collect();
    json!({
        "tenant": tenant, "request_id": id, "right": life.right, "received": life.received, "state": state,
        "due": life.ended.is_none().then(|| life.due(on, calendar)),
        "extended": life.extended.as_ref().map(|(on, reason)| json!({"on": on, "reason": reason})),
        "ended": life.ended.as_ref().map(|(on, ending)| json!({"on": on, "how": ending.to_string()})),
        "handoffs": handoffs,
    })
}

/// Options of `ledger letter`.
#[derive(Args)]
pub(super) struct LetterOptions {
    #[command(flatten)]
    kept: Kept,
    #[command(flatten)]
    request: Named,
    /// The provider.
    #[arg(long)]
    provider: String,
    /// A public key that records may be signed with.
    #[arg(long, value_name = "FILE", required = true)]
    public_key: Vec<PathBuf>,
    /// The day of the letter [default: today].
    #[arg(long, value_name = "DATE", value_parser = parse_day)]
    on: Option<Date>,
}

/// Prints a letter by what the signed records of the request say.
pub(super) fn print_letter(options: &LetterOptions) -> Result<ExitCode, Error> {
    let calendar = calendar(options.kept.calendar.as_deref())?;
    let chain = chain(&log(&options.kept.config)?, &public_keys(&options.public_key)?)?;
    let Named { tenant, request } = &options.request;
    let mut owed = Known::of(&chain, tenant, request).map(|known| known.owed).unwrap_or_default();
    owed.retain(|owed| owed.provider == options.provider);
    if owed.is_empty() {
        return Err(Error::Usage(format!(
            "no signed record of request {request} says that {} owes a cleanup; see `maysend ledger requests --all`",
            options.provider
        )));
    }
    let on = day(options.on);
    let answer_by = on.saturating_add(i32::from(calendar.answer_within_days).days());
    print(&letter(&options.provider, request, &owed, on, answer_by))?;
    Ok(ExitCode::SUCCESS)
}
