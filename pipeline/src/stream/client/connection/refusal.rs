//! Refused credentials: told apart from a broker that is away, and from a mistake of a broker that starts or stops.

use crate::config::{Sasl, Security};
use rdkafka::error::RDKafkaErrorCode;
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// A refusal by the same broker after this time is one that lasts. The client repeats an error that stays the same every
/// 30 seconds.
const LASTS: Duration = Duration::from_secs(8);

/// A refusal is forgotten after this time.
const FORGOTTEN: Duration = Duration::from_secs(120);

/// What was refused, by whom, and where to look. Holds no secret: a broker's words name mechanisms and users.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{wrong}: {reason}; {right}")]
pub struct Refusal {
    wrong: String,
    reason: String,
    right: &'static str,
}

/// What kind of refusal it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The brokers do not take the user and the password, or the token.
    Login,
    /// One of the two does not take the other's certificate.
    Tls,
    /// There is no token to show.
    Token,
}

impl Cause {
    /// What an error of the client says of a refusal; `None` if it is something else.
    pub(super) fn of(code: RDKafkaErrorCode, reason: &str) -> Option<Self> {
        // A broker that goes away while somebody logs in is away. A certificate that the broker does not take is seen
        // as an alert in place of its first answer.
        let tells = |what| reason.contains("SSL routines") && reason.contains(what);
        let is_certificate = tells("alert") || tells("certificate verify failed");
        match code {
            RDKafkaErrorCode::Authentication if reason.contains("OAUTHBEARER token") => Some(Self::Token),
            RDKafkaErrorCode::Authentication if reason.contains("transport failure") => None,
            RDKafkaErrorCode::Authentication | RDKafkaErrorCode::SaslAuthenticationFailed => Some(Self::Login),
            RDKafkaErrorCode::SSL => Some(Self::Tls),
            _ => is_certificate.then_some(Self::Tls),
        }
    }
}

impl Refusal {
    pub(super) fn new(cause: Cause, reason: &str, security: &Security) -> Self {
        let (wrong, right) = match (cause, &security.sasl) {
            (Cause::Tls, _) => (
                "the brokers and this program do not take each other's certificates".into(),
                "see `ca_file`, `certificate_file` and `key_file` under [kafka.security], and until when each certificate is valid",
            ),
            (Cause::Token, _) => ("there is no token to log in with".into(), "see `token_file` under [kafka.security]"),
            (Cause::Login, Some(Sasl::Password { mechanism, username })) => (
                format!("the brokers refuse the user `{username}` by {}", mechanism.as_str()),
                "see `username` and `mechanism` under [kafka.security], and MAYSEND_KAFKA_SASL_PASSWORD",
            ),
            (Cause::Login, Some(Sasl::Token { .. })) => (
                "the brokers refuse the token".into(),
                "see who issues the token that `token_file` under [kafka.security] names, and for whom",
            ),
            (Cause::Login, None) => (
                "the brokers refuse this client".into(),
                "it may be that they want another `protocol` under [kafka.security]",
            ),
        };
        Self { wrong, reason: reason.into(), right }
    }
}

/// Who an error is about: the client begins it with the broker's address.
pub(super) fn broker_in(reason: &str) -> &str {
    reason.split_once(": ").map_or("", |(broker, _)| broker)
}

/// Refusals so far, and whether they last.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    established: bool,
    first: BTreeMap<String, Instant>,
    recent: Option<(Instant, Refusal)>,
    lasting: Option<Refusal>,
}

impl Refusals {
    pub(super) fn established(&mut self) {
        self.established = true;
    }

    pub(super) fn saw(&mut self, broker: &str, refusal: Refusal, now: Instant) {
        let first = self.first.entry(broker.into()).or_insert(now);
        if now.duration_since(*first) > FORGOTTEN {
            *first = now;
        }
        if !self.established || now.duration_since(*first) >= LASTS {
            self.lasting.get_or_insert_with(|| refusal.clone());
        }
        self.recent = Some((now, refusal));
    }

    pub(super) fn lasting(&self) -> Option<Refusal> {
        self.lasting.clone()
    }

    pub(super) fn recent(&self, now: Instant) -> Option<Refusal> {
        let (at, refusal) = self.recent.as_ref()?;
        (now.duration_since(*at) <= FORGOTTEN).then(|| refusal.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(security: &Security) -> Refusal {
        Refusal::new(Cause::Login, "sasl_ssl://b:1/1: SASL authentication error: no", security)
    }

    #[test]
    fn at_the_start_one_refusal_is_enough() {
        let mut refusals = Refusals::default();
        assert_eq!(refusals.lasting(), None);
        refusals.saw("b", refusal(&Security::default()), Instant::now());
        assert!(refusals.lasting().is_some());
    }

    #[test]
    fn later_only_one_that_lasts_is() {
        let now = Instant::now();
        let after = |seconds| now + Duration::from_secs(seconds);
        let mut refusals = Refusals::default();
        refusals.established();
        let mut saw = |broker, at| {
            refusals.saw(broker, refusal(&Security::default()), at);
            (refusals.lasting().is_some(), refusals.recent(at).is_some())
        };
        assert_eq!(saw("a", now), (false, true));
        assert_eq!(saw("b", after(20)), (false, true), "another broker that restarts");
        assert_eq!(saw("a", after(200)), (false, true), "forgotten by then");
        assert_eq!(saw("a", after(202)), (false, true), "the same mistake");
        assert_eq!(saw("a", after(230)), (true, true), "it lasts");
        assert_eq!(refusals.recent(after(400)), None);
    }

    #[test]
    fn a_broker_that_is_away_refuses_nothing() {
        use RDKafkaErrorCode::{AllBrokersDown, Authentication, BrokerTransportFailure, SSL};
        let cases = [
            (Authentication, "b:1/1: SASL authentication error: Authentication failed", Some(Cause::Login)),
            (Authentication, "b:1/1: SASL authentication error: Local: Broker transport failure", None),
            (Authentication, "Failed to acquire SASL OAUTHBEARER token: it is empty", Some(Cause::Token)),
            (SSL, "b:1/1: SSL handshake failed: certificate verify failed", Some(Cause::Tls)),
            (
                BrokerTransportFailure,
                "b:1/1: Receive failed: error:0A000412:SSL routines::ssl/tls alert bad certificate",
                Some(Cause::Tls),
            ),
            (BrokerTransportFailure, "b:1/1: Connect failed: Connection refused", None),
            (AllBrokersDown, "1/1 brokers are down", None),
        ];
        for (code, reason, cause) in cases {
            assert_eq!(Cause::of(code, reason), cause, "{reason}");
        }
        assert_eq!(broker_in("b:1/1: Connect failed: refused"), "b:1/1");
    }

    #[test]
    fn it_says_where_to_look() {
        let sasl =
            Some(Sasl::Password { mechanism: crate::config::PasswordMechanism::ScramSha512, username: "gate".into() });
        let said = refusal(&Security { tls: None, sasl }).to_string();
        assert_eq!(
            said,
            "the brokers refuse the user `gate` by SCRAM-SHA-512: sasl_ssl://b:1/1: SASL authentication error: no; see `username` and `mechanism` under [kafka.security], and MAYSEND_KAFKA_SASL_PASSWORD"
        );
    }
}
