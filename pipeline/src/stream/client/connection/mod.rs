//! What all clients of a process have in common towards the brokers: how they log in, what they are told, and what
//! they are refused.
//!
//! librdkafka goes on for ever after a refused password or certificate, as after a broker that is away. So what it
//! reports is kept here, where the thread that polls can see it: a broker that is away is waited for, a refusal is not.

mod denied;
mod refusal;
mod secret;
mod settings;
mod token;

pub use denied::{Denied, Resource};
pub use refusal::Refusal;
pub use secret::{Secret, SecretError};
pub use settings::{Login, LoginError};
pub use token::TokenError;

use super::says::{client_logs, client_reports};
use crate::{config::Security, stream::StreamError};
use rdkafka::{
    ClientContext, Statistics,
    client::OAuthToken,
    config::RDKafkaLogLevel,
    consumer::{BaseConsumer, ConsumerContext},
    error::{KafkaError, RDKafkaErrorCode},
};
use refusal::{Cause, Refusals};
use std::{
    collections::BTreeSet,
    error::Error,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// What the clients of one process share. Holds no secret.
#[derive(Clone, Debug)]
pub struct Connection {
    security: Arc<Security>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    refusals: Refusals,
    /// Topics that a transaction could not take up.
    denied: BTreeSet<String>,
    /// What the client said last about a broker that is away.
    away: Option<String>,
    /// When the token that was handed over last expires, in milliseconds since 1970.
    token_until_ms: i64,
}

impl Connection {
    /// With nothing said yet.
    pub fn new(security: Security) -> Self {
        Self { security: Arc::new(security), state: Arc::default() }
    }

    /// A broker has taken the credentials: from now on one refusal alone stops nothing, since a broker that starts or
    /// stops can turn somebody away by mistake. A refusal that lasts does.
    pub fn established(&self) {
        self.state().refusals.established();
    }

    /// A refusal that must stop the process.
    pub fn refused(&self) -> Option<Refusal> {
        self.state().refusals.lasting()
    }

    /// The same, and what access rules do not allow a transaction: it would be aborted and begun again for ever.
    pub fn hindrance(&self) -> Option<StreamError> {
        let state = self.state();
        let denied = || Denied(state.denied.iter().cloned().map(Resource::WriteTopic).collect());
        match state.refusals.lasting() {
            Some(refusal) => Some(refusal.into()),
            None => (!state.denied.is_empty()).then(|| denied().into()),
        }
    }

    /// A refusal that was seen within the last minutes: why something else failed.
    pub fn refused_lately(&self) -> Option<Refusal> {
        self.state().refusals.recent(Instant::now())
    }

    /// What the client said last about a broker that is away.
    pub fn away(&self) -> Option<String> {
        self.state().away.clone()
    }

    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        if let Some(topic) = denied::topic_in_log(facility, message) {
            self.state().denied.insert(topic.into());
        }
        client_logs(level, facility, message);
    }

    fn error(&self, error: &KafkaError, reason: &str) {
        let code = error.rdkafka_error_code();
        // The end of a partition is told in the same way, and is no error.
        if code == Some(RDKafkaErrorCode::PartitionEOF) {
            return;
        }
        if let Some(cause) = code.and_then(|code| Cause::of(code, reason)) {
            let refusal = Refusal::new(cause, reason, &self.security);
            self.state().refusals.saw(refusal::broker_in(reason), refusal, Instant::now());
        } else if code == Some(RDKafkaErrorCode::BrokerTransportFailure) {
            self.state().away = Some(reason.into());
        }
        client_reports(error, reason);
    }

    /// The token that the file has now. librdkafka asks for it at the start, at four fifths of its life, and ten seconds
    /// after a failure.
    fn token(&self) -> Result<OAuthToken, TokenError> {
        let found = token::read(&self.security);
        let mut state = self.state();
        match &found {
            Ok(token) => state.token_until_ms = token.lifetime_ms,
            // What was handed over before may have some life left.
            Err(_) if token::now_ms() < state.token_until_ms => {}
            Err(error) => {
                let refusal = Refusal::new(Cause::Token, &error.to_string(), &self.security);
                state.refusals.saw("", refusal, Instant::now());
            }
        }
        found
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The context of a client: the connection that all share, and what this one has of its own.
///
/// This is the one place that hands tokens over. The client asks for them from within a poll, so every client has to be
/// polled.
pub struct Context<T> {
    /// What all clients share.
    pub connection: Connection,
    /// What this one has of its own.
    pub own: T,
}

/// What a client has of its own, and what it does of its own when it is told something.
pub trait Own: Send + Sync {
    /// An error, as it was logged.
    fn error(&self, _message: &str) {}

    /// Statistics, if the client is to give any.
    fn statistics(&self, _statistics: &Statistics) {}
}

impl Own for () {}

impl<T: Own> ClientContext for Context<T> {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = true;

    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        self.connection.log(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        self.connection.error(&error, reason);
        self.own.error(&format!("{error}: {reason}"));
    }

    fn stats(&self, statistics: Statistics) {
        self.own.statistics(&statistics);
    }

    fn generate_oauth_token(&self, _config: Option<&str>) -> Result<OAuthToken, Box<dyn Error>> {
        Ok(self.connection.token()?)
    }
}

impl ConsumerContext for Context<()> {}

/// A consumer that is in no group's service: it asks, and is only polled when it does.
pub type Asking = BaseConsumer<Context<()>>;

/// The consumer, ready to ask. One that is not polled all the time has to be polled before, since that is when its token
/// is renewed; no record comes of it, as nothing is assigned.
pub fn ready(consumer: &Asking) -> &Asking {
    // What is waiting there: a request for a token, and what the client wants to say.
    for _ in 0..16 {
        let record = consumer.poll(Duration::ZERO).and_then(Result::ok);
        debug_assert!(record.is_none(), "a record would be lost");
    }
    consumer
}
