//! Puts a conversation together: who speaks when, what is said in which turn, and how long it gets.

use crate::calendar::Date;
use crate::language::Template;
use crate::people::Person;
use crate::rates;
use crate::rng::Rng;
use crate::scribe::{Scribe, Value};
use crate::things;
use crate::tier1::{Manner, Secret};
use crate::wire::{Fields, Labelled, Speaker, Transcript};

/// The tenant of every transcript. There is one, so that what a gate blocks for its tenants' terms does not depend on
/// the corpus.
pub const TENANT: &str = "acme";

/// The region that every record claims for its tenant.
pub const TENANT_REGION: &str = "EU";

/// Where every transcript is to be sent.
pub const DESTINATION: &str = "summaries-eu";

/// What a corpus is like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Support traffic with the rates of [`crate::rates`].
    #[default]
    Normal,
    /// Personal data of many kinds in every transcript.
    Dense,
    /// Tables of order numbers, prices and times; the rates are the normal ones.
    Digits,
}

/// The range that a conversation's length is drawn from, in bytes of text.
const LENGTH: (u64, u64) = (1_200, 1_800);

/// What a customer says of themselves in a turn, beside the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aside {
    Email,
    Address,
    Phone,
    Iban,
    Name,
    Reference,
    Secret,
    /// The agent's question for the secret, at the end of a turn.
    Ask,
}

/// Sentences in a random order, each once before any comes again.
struct Pool {
    templates: &'static [Template],
    order: Vec<usize>,
    next: usize,
}

impl Pool {
    fn new(rng: &mut Rng, templates: &'static [Template]) -> Self {
        let mut order: Vec<usize> = (0..templates.len()).collect();
        rng.shuffle(&mut order);
        Self { templates, order, next: 0 }
    }

    fn draw(&mut self) -> &'static Template {
        let template = &self.templates[self.order[self.next % self.order.len()]];
        self.next += 1;
        template
    }
}

/// Makes a transcript.
pub(crate) fn compose(seed: u64, day: Date, second: u64, id: String, mut rng: Rng, style: Style) -> Labelled {
    let person = Person::draw(seed, &mut rng);
    let anonymous = rng.percent(rates::ANONYMOUS_PERCENT);
    let secret = rates::holds_tier1(&mut rng);
    let reference = rates::mentions_reference(&mut rng);
    let fields = if anonymous { Fields::default() } else { fields(&person, &mut rng) };
    let mut scribe = Scribe::new(rng, &person, day, second);
    let secret = secret.then(|| Secret::draw(&mut scribe));
    converse(&mut scribe, style, &fields, secret.as_ref(), reference);
    Labelled {
        transcript: Transcript {
            schema: 1,
            id,
            tenant: TENANT,
            tenant_region: TENANT_REGION,
            customer_key: (!anonymous).then(|| person.key.clone()),
            destination: DESTINATION,
            fields,
            turns: scribe.turns,
        },
        labels: scribe.labels,
    }
}

fn fields(person: &Person, rng: &mut Rng) -> Fields {
    Fields {
        account_email: rng.percent(97).then(|| person.email.clone()),
        billing_address: rng.percent(80).then(|| person.address.clone()),
        customer_name: rng.percent(92).then(|| person.name()),
    }
}

/// The turn in which the platform renders its header lines and greets.
fn header(scribe: &mut Scribe<'_>, fields: &Fields) {
    let lines = [
        ("Account email: ", &fields.account_email, "contact.email"),
        ("Customer name: ", &fields.customer_name, "person.name"),
        ("Billing address: ", &fields.billing_address, "location.address"),
    ];
    for (name, field, entity) in lines {
        if let Some(text) = field {
            scribe.plain(name);
            scribe.value(Value { text, entity, tier1: false }, true);
            scribe.plain("\n");
        }
    }
    if scribe.rng.percent(rates::HEADER_TICKET_PERCENT) {
        let ticket = scribe.ticket.clone();
        scribe.plain(&format!("Ticket: {ticket}\n"));
    }
    if scribe.turn_length() > 0 {
        scribe.plain("\n");
    }
    scribe.any(&scribe.pack.greeting);
    scribe.end_turn(Speaker::Bot);
}

/// Decides in which turns asides stand. `customers` and `agents` are the turns that each speaks in.
fn asides(
    rng: &mut Rng,
    fields: &Fields,
    customers: &[usize],
    agents: &[usize],
    secret: Option<&Secret>,
    reference: bool,
) -> Vec<(usize, Aside)> {
    let mut all = Vec::new();
    let own = [
        (rates::EMAIL_PER_MILLE, fields.account_email.is_some(), Aside::Email),
        (rates::ADDRESS_PER_MILLE, fields.billing_address.is_some(), Aside::Address),
        (rates::PHONE_PER_MILLE, true, Aside::Phone),
        (rates::IBAN_PER_MILLE, true, Aside::Iban),
    ];
    for (rate, available, aside) in own {
        if rng.chance(rate, 1_000) && available {
            all.push((*rng.pick(customers), aside));
        }
    }
    if rng.chance(rates::NAME_PER_MILLE, 1_000) && fields.customer_name.is_some() {
        all.push((agents[0], Aside::Name));
    }
    if reference {
        for _ in 0..=rng.weighted([60, 30, 10].into_iter()) {
            let side = if rng.percent(50) { customers } else { agents };
            all.push((*rng.pick(side), Aside::Reference));
        }
    }
    if let Some(secret) = secret {
        let asked: Vec<usize> =
            customers.iter().copied().filter(|turn| agents.contains(&turn.wrapping_sub(1))).collect();
        let turn = *rng.pick(if secret.manner == Manner::Answer { &asked } else { customers });
        if secret.manner == Manner::Answer {
            all.push((turn - 1, Aside::Ask));
        }
        all.push((turn, Aside::Secret));
    }
    all
}

fn say(scribe: &mut Scribe<'_>, aside: Aside, speaker: Speaker, secret: Option<&Secret>) {
    let pack = scribe.pack;
    match (aside, secret) {
        (Aside::Email, _) => scribe.any(&pack.email),
        (Aside::Address, _) => scribe.any(&pack.address),
        (Aside::Phone, _) => scribe.any(&pack.phone),
        (Aside::Iban, _) => scribe.any(&pack.iban),
        (Aside::Name, _) => scribe.any(&pack.name),
        (Aside::Reference, _) if speaker == Speaker::Customer => scribe.any(&pack.reference_customer),
        (Aside::Reference, _) => scribe.any(&pack.reference_agent),
        (Aside::Secret, Some(secret)) => secret.show(scribe),
        (Aside::Ask, Some(secret)) => secret.ask(scribe),
        (Aside::Secret | Aside::Ask, None) => {}
    }
}

fn converse(scribe: &mut Scribe<'_>, style: Style, fields: &Fields, secret: Option<&Secret>, reference: bool) {
    let goal = scribe.rng.between(LENGTH.0, LENGTH.1) as usize;
    let last = scribe.rng.between(4, 14) as usize;
    let first = usize::from(scribe.rng.percent(rates::HEADER_PERCENT));
    if first == 1 {
        header(scribe, fields);
    }
    // After the bot the customer begins, and they take turns.
    let customers: Vec<usize> = (first..last).step_by(2).collect();
    let agents: Vec<usize> = (first + 1..last).step_by(2).collect();
    let asides = asides(&mut scribe.rng, fields, &customers, &agents, secret, reference);
    let mut details = Pool::new(&mut scribe.rng, &scribe.pack.detail);
    let mut answers = Pool::new(&mut scribe.rng, &scribe.pack.agent);

    for turn in first..last {
        let speaker = if (turn - first).is_multiple_of(2) { Speaker::Customer } else { Speaker::Agent };
        let here = || asides.iter().filter(move |(at, _)| *at == turn).map(|(_, aside)| *aside);
        let answered =
            secret.is_some_and(|secret| secret.manner == Manner::Answer) && here().any(|aside| aside == Aside::Secret);
        let (ending, pool) = match speaker {
            Speaker::Customer => (&scribe.pack.closing_customer, &mut details),
            _ => (&scribe.pack.closing_agent, &mut answers),
        };
        let is_end = turn + 2 >= last;

        if answered {
            // Between a question and its answer nothing may stand.
            say(scribe, Aside::Secret, speaker, secret);
        }
        if turn == first {
            scribe.any(&scribe.pack.opening);
        }
        if here().any(|aside| aside == Aside::Name) {
            say(scribe, Aside::Name, speaker, secret);
        }
        let others = || {
            here().filter(|aside| !(matches!(aside, Aside::Ask | Aside::Name) || answered && *aside == Aside::Secret))
        };
        let asides_first = scribe.rng.percent(50);
        if asides_first {
            others().for_each(|aside| say(scribe, aside, speaker, secret));
        }
        // A bare answer is often all that is said.
        if !(answered && scribe.rng.percent(40)) {
            fill(scribe, style, pool, speaker, goal, last - turn);
        }
        if !asides_first {
            others().for_each(|aside| say(scribe, aside, speaker, secret));
        }
        if here().any(|aside| aside == Aside::Ask) {
            say(scribe, Aside::Ask, speaker, secret);
        } else if is_end && !answered {
            scribe.any(ending);
        }
        scribe.end_turn(speaker);
    }
}

/// Adds sentences to a turn until it has its share of what is left to write.
fn fill(scribe: &mut Scribe<'_>, style: Style, pool: &mut Pool, speaker: Speaker, goal: usize, turns_left: usize) {
    let share = goal.saturating_sub(scribe.length() - scribe.turn_length()) / turns_left;
    loop {
        match style {
            Style::Normal => scribe.sentence(pool.draw(), None, None),
            Style::Dense if speaker == Speaker::Customer => personal_sentence(scribe),
            Style::Digits if scribe.rng.percent(60) => rows(scribe),
            Style::Dense | Style::Digits => scribe.sentence(pool.draw(), None, None),
        }
        // The next sentence is as likely to overshoot as to fall short: half of a usual one is allowed for.
        if scribe.turn_length() + 40 >= share {
            return;
        }
    }
}

/// A sentence with personal data of any kind.
fn personal_sentence(scribe: &mut Scribe<'_>) {
    let pack = scribe.pack;
    match scribe.rng.below(8) {
        0 => scribe.any(&pack.email),
        1 => scribe.any(&pack.address),
        2 => scribe.any(&pack.phone),
        3 => scribe.any(&pack.iban),
        _ => {
            let secret = Secret::draw_named(scribe);
            secret.show(scribe);
        }
    }
}

/// A table as people paste it from an export or a log.
fn rows(scribe: &mut Scribe<'_>) {
    let export = things::export(&mut scribe.rng, scribe.day, scribe.person.language);
    if scribe.turn_length() > 0 {
        scribe.plain("\n");
    }
    scribe.plain(&export);
}
