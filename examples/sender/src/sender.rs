//! The way of one cleared transcript: claim, call, report.
//!
//! ```text
//! read ─▶ still allowed? ─▶ claim the reservation ─▶ call ─▶ report usage and move on, in one transaction
//!              │ no                   ▲                │ failed, or the end is unknown
//!              └─▶ report `refused`   └── reserve again ◀── report `failed` or `abandoned`
//! ```

use crate::{
    Options,
    erased::{Erased, ErasedError},
    records::{Claim, Cleared, PUBLISHED_HEADER, Seen, Subject, usage},
};
use jiff::Timestamp;
use rdkafka::{
    ClientConfig, ClientContext, Message, Offset, TopicPartitionList,
    consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext, Rebalance},
    error::{KafkaError, KafkaResult, RDKafkaErrorCode},
    message::{BorrowedMessage, Headers},
    producer::{BaseProducer, BaseRecord, DeliveryResult, Producer, ProducerContext},
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};
use ureq::{
    Agent,
    tls::{RootCerts, TlsConfig, TlsProvider},
};

const TIMEOUT: Duration = Duration::from_secs(20);

/// Longest pause before a call is made again.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Why the sender stopped. Holds no text of a transcript.
#[derive(Debug, thiserror::Error)]
pub enum SenderError {
    /// Kafka does not go along.
    #[error("{0}")]
    Kafka(#[from] KafkaError),
    /// It is not known what was erased.
    #[error("{0}")]
    Erased(#[from] ErasedError),
    /// A record is not what the contract says.
    #[error(
        "partition {0} offset {1} of cleared is no cleared transcript; nothing is sent after it until that is put right"
    )]
    NotCleared(i32, i64),
    /// A record does not say where it may go: in shadow mode one of another shape is as the platform published it.
    #[error(
        "partition {0} offset {1} of cleared names no destination; in shadow mode a record of another shape has only its reservation's id, so look that up, or enforce"
    )]
    NoDestination(i32, i64),
    /// A record has no conversation where it should be.
    #[error(
        "partition {0} offset {1} of cleared has no conversation where --conversation says; nothing is sent after it"
    )]
    NoConversation(i32, i64),
    /// The metadata of the group's offset was written by somebody else.
    #[error(
        "the group's offset for partition {0} has metadata that this program did not write; another program uses the group"
    )]
    ForeignGroup(i32),
    /// A record could not be written.
    #[error("a record could not be written to {0}: {1}")]
    NotWritten(String, KafkaError),
}

/// Whether partitions came or went since this was last asked.
#[derive(Default)]
struct Rebalanced(AtomicBool);

impl ClientContext for Rebalanced {}

impl ConsumerContext for Rebalanced {
    fn pre_rebalance(&self, _: &BaseConsumer<Self>, _: &Rebalance<'_>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// What became of the record that was written last.
#[derive(Default)]
struct Delivery(Mutex<Option<KafkaResult<()>>>);

impl ClientContext for Delivery {}

impl ProducerContext for Delivery {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        let result = result.as_ref().map(|_| ()).map_err(|(error, _)| error.clone());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }
}

impl Delivery {
    fn take(&self) -> Option<KafkaResult<()>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

type Writer = BaseProducer<Delivery>;

/// Takes one cleared transcript after another.
pub struct Sender {
    options: Options,
    consumer: BaseConsumer<Rebalanced>,
    reports: Writer,
    reservations: Writer,
    erased: Erased,
    agent: Agent,
    /// What was claimed before this process began, by partition: looked up when its first record comes.
    claims: BTreeMap<i32, Option<(i64, Claim)>>,
}

impl Sender {
    /// Joins the group of its destination, and fences a process of the same ordinal.
    pub fn new(options: Options) -> Result<Self, SenderError> {
        let group = options.group();
        let consumer: BaseConsumer<Rebalanced> = options
            .client()
            .set("group.id", &group)
            // Eager: a process gives everything back before others get it, so a claim is never made for what another has.
            .set("partition.assignment.strategy", "range")
            .set("enable.auto.commit", "false")
            .set("auto.offset.reset", "earliest")
            .set("isolation.level", "read_committed")
            .set("queued.max.messages.kbytes", "16384")
            .create_with_context(Rebalanced::default())?;
        let producer = |client: &mut ClientConfig| -> KafkaResult<Writer> {
            client.set("enable.idempotence", "true").set("acks", "all").set("message.timeout.ms", "15000");
            client.create_with_context(Delivery::default())
        };
        let reservations = producer(&mut options.client())?;
        let id = format!("{group}-{}", options.ordinal);
        let reports = producer(options.client().set("transactional.id", id))?;
        reports.init_transactions(TIMEOUT)?;
        let tls = TlsConfig::builder().provider(TlsProvider::NativeTls).root_certs(RootCerts::PlatformVerifier).build();
        let agent = Agent::config_builder()
            .tls_config(tls)
            .timeout_global(Some(Duration::from_secs(options.call_timeout_seconds)))
            .http_status_as_error(false)
            // The library may send a transcript neither twice, as over a kept connection that has gone stale, nor
            // elsewhere.
            .max_idle_connections(0)
            .max_redirects(0)
            .build()
            .into();
        let erased = Erased::new(&options)?;
        consumer.subscribe(&[&options.topic("cleared")])?;
        Ok(Self { options, consumer, reports, reservations, erased, agent, claims: BTreeMap::new() })
    }

    /// Handles the next record, if one comes soon.
    pub fn next(&mut self) -> Result<(), SenderError> {
        let Some(record) = self.consumer.poll(Duration::from_millis(200)) else { return Ok(()) };
        let record = Record::of(&record?);
        if self.consumer.context().0.swap(false, Ordering::SeqCst) {
            // Others may have claimed something since.
            self.claims.clear();
        }
        // A tombstone: what it erases was passed before, or is passed over by looking ahead.
        let Some(value) = record.value.as_deref() else { return self.move_on(&record) };
        let header = |name: &str| record.headers.get(name).cloned();
        let cleared = Cleared::read(value, header).ok_or(SenderError::NotCleared(record.partition, record.offset))?;
        let destination =
            cleared.text("destination").ok_or(SenderError::NoDestination(record.partition, record.offset))?;
        if destination != self.options.destination {
            return self.move_on(&record);
        }
        let claim = self.earlier_claim(&record, &cleared)?;
        self.send(&record, &cleared, claim.map_or(1, |claim| claim.call + 1))
    }

    /// Makes calls, from the given one on, until one is answered or there have been enough.
    fn send(&mut self, record: &Record, cleared: &Cleared, first_call: u32) -> Result<(), SenderError> {
        let prompt = cleared
            .prompt(&self.options.conversation)
            .ok_or(SenderError::NoConversation(record.partition, record.offset))?;
        for call in first_call..=self.options.max_calls {
            let id = match call {
                1 => cleared.reservation_id.clone(),
                again => format!("{}.{again}", cleared.reservation_id),
            };
            let subject = cleared.subject(id, &self.options.provider);
            if self.is_erased(record, cleared)? {
                // Only its first reservation is open here: those of later calls have been reported.
                return match call {
                    1 => self.report(record, &subject, 0, "refused", &Seen::default(), None),
                    _ => self.move_on(record),
                };
            }
            if call > 1 {
                let Some(reservation) = cleared.reserve_again(&subject) else { break };
                self.reserve(&subject, &reservation)?;
            }
            let mut claim = Claim { first: cleared.reservation_id.clone(), call, is_over: false, subject };
            self.claim(record, &claim)?;
            let (answered, seen) = self.call(&prompt, &claim.subject);
            if answered {
                return self.report(record, &claim.subject, 1, "completed", &seen, None);
            }
            claim.is_over = true;
            self.report(record, &claim.subject, 1, "failed", &seen, Some(&claim))?;
            thread::sleep(LONGEST_PAUSE.min(Duration::from_millis(100) * 2_u32.saturating_pow(call)));
        }
        self.move_on(record)
    }

    fn is_erased(&mut self, record: &Record, cleared: &Cleared) -> Result<bool, SenderError> {
        let customer = cleared.text("tenant").zip(cleared.text("customer_key"));
        Ok(self.erased.forbids((record.partition, record.offset, &record.key), customer, record.published)?)
    }

    /// What was claimed for this record by whoever had its partition before. If nobody knows how that call ended, it is
    /// reported as abandoned first, whether or not the record it was made for is still there.
    fn earlier_claim(&mut self, record: &Record, cleared: &Cleared) -> Result<Option<Claim>, SenderError> {
        let looked_up = self.claims.get(&record.partition).cloned();
        let found = match looked_up {
            Some(found) => found,
            None => {
                let found = self.committed_claim(record.partition)?;
                if let Some((offset, claim)) = &found
                    && !claim.is_over
                {
                    let over = Claim { is_over: true, ..claim.clone() };
                    let at = Record { offset: *offset, ..record.clone() };
                    let seen = Seen { endpoint: Some(self.options.endpoint.clone()), ..Seen::default() };
                    self.report(&at, &claim.subject, 1, "abandoned", &seen, Some(&over))?;
                }
                self.claims.insert(record.partition, found.clone());
                found
            }
        };
        Ok(found.map(|(_, claim)| claim).filter(|claim| claim.first == cleared.reservation_id))
    }

    fn committed_claim(&self, partition: i32) -> Result<Option<(i64, Claim)>, SenderError> {
        let mut list = TopicPartitionList::new();
        list.add_partition(&self.options.topic("cleared"), partition);
        let committed = self.consumer.committed_offsets(list, TIMEOUT)?;
        let elements = committed.elements();
        let Some(element) = elements.first() else { return Ok(None) };
        element.error()?;
        match (element.offset(), element.metadata()) {
            (Offset::Offset(offset), metadata) if !metadata.is_empty() => {
                let claim = serde_json::from_str(metadata).map_err(|_| SenderError::ForeignGroup(partition))?;
                Ok(Some((offset, claim)))
            }
            _ => Ok(None),
        }
    }

    /// Says, for who comes after a crash, that the call may have been made. The group's coordinator takes it only from the
    /// process that has the partition.
    fn claim(&self, record: &Record, claim: &Claim) -> Result<(), SenderError> {
        let at = self.position(record.partition, record.offset, Some(claim))?;
        Ok(self.consumer.commit(&at, CommitMode::Sync)?)
    }

    /// Reserves one more request.
    fn reserve(&self, subject: &Subject, reservation: &Value) -> Result<(), SenderError> {
        self.write(&self.reservations, "reservations", &subject.reservation_id, reservation)
    }

    /// Calls the provider once. Whether it answered, and what was seen.
    fn call(&self, prompt: &Value, subject: &Subject) -> (bool, Seen) {
        let endpoint = Some(self.options.endpoint.clone());
        let answer = self
            .agent
            .post(&self.options.endpoint)
            // By this the provider can find the request, should it ever be asked to.
            .header("x-client-request-id", &subject.reservation_id)
            .send_json(prompt);
        match answer {
            Ok(answer) => {
                let header = |name| Some(answer.headers().get(name)?.to_str().ok()?.to_owned());
                let seen = Seen { request_id: header("x-request-id"), plan: header("x-account-plan"), endpoint };
                // What the answer says is for whoever wanted the summary; this example has no use for it.
                (answer.status().is_success(), seen)
            }
            // A timeout or a broken connection: it may have arrived.
            Err(_) => (false, Seen { endpoint, ..Seen::default() }),
        }
    }

    /// Reports what became of a reservation and, in the same transaction, moves on; or stays with what is claimed.
    fn report(
        &mut self,
        record: &Record,
        subject: &Subject,
        requests_used: u32,
        outcome: &str,
        seen: &Seen,
        stay: Option<&Claim>,
    ) -> Result<(), SenderError> {
        self.reports.begin_transaction()?;
        let usage = usage(subject, requests_used, outcome, seen);
        self.write(&self.reports, "usage", &subject.reservation_id, &usage)?;
        let offset = if stay.is_some() { record.offset } else { record.offset + 1 };
        let position = self.position(record.partition, offset, stay)?;
        let group = self.consumer.group_metadata().ok_or(KafkaError::Canceled)?;
        self.reports.send_offsets_to_transaction(&position, &group, TIMEOUT)?;
        self.reports.commit_transaction(TIMEOUT)?;
        Ok(())
    }

    /// Goes on to the next record without a report.
    fn move_on(&mut self, record: &Record) -> Result<(), SenderError> {
        let next = self.position(record.partition, record.offset + 1, None)?;
        Ok(self.consumer.commit(&next, CommitMode::Sync)?)
    }

    fn position(&self, partition: i32, offset: i64, claim: Option<&Claim>) -> Result<TopicPartitionList, SenderError> {
        let mut list = TopicPartitionList::new();
        let mut element = list.add_partition(&self.options.topic("cleared"), partition);
        element.set_offset(Offset::Offset(offset))?;
        if let Some(claim) = claim {
            element.set_metadata(serde_json::to_string(claim).map_err(|_| KafkaError::Canceled)?);
        }
        Ok(list)
    }

    /// Writes a record, and waits until it is acknowledged.
    fn write(&self, producer: &Writer, topic: &str, key: &str, value: &Value) -> Result<(), SenderError> {
        let (topic, value) = (self.options.topic(topic), value.to_string());
        let not_written = |error| SenderError::NotWritten(topic.clone(), error);
        producer.send(BaseRecord::to(&topic).key(key).payload(&value)).map_err(|(error, _)| not_written(error))?;
        producer.flush(TIMEOUT).map_err(not_written)?;
        match producer.context().take() {
            Some(delivered) => delivered.map_err(not_written),
            None => Err(not_written(KafkaError::Flush(RDKafkaErrorCode::OperationTimedOut))),
        }
    }
}

/// A record as it was read.
#[derive(Clone)]
struct Record {
    partition: i32,
    offset: i64,
    key: Vec<u8>,
    value: Option<Vec<u8>>,
    headers: BTreeMap<String, String>,
    /// When its transcript was published: before it was cleared, so before its own time.
    published: Timestamp,
}

impl Record {
    fn of(message: &BorrowedMessage<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let headers = message.headers().into_iter().flat_map(|headers| headers.iter());
        let headers: BTreeMap<String, String> =
            headers.map(|header| (header.key.to_owned(), text(header.value.unwrap_or_default()))).collect();
        let published = headers.get(PUBLISHED_HEADER).and_then(|at| at.parse().ok());
        Self {
            partition: message.partition(),
            offset: message.offset(),
            key: message.key().unwrap_or_default().to_vec(),
            value: message.payload().map(<[u8]>::to_vec),
            headers,
            // Without a time it counts as old.
            published: published.unwrap_or(Timestamp::UNIX_EPOCH),
        }
    }
}
