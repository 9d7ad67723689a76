//! The page of a process: metrics and health.

use super::{Deadline, Gate, PATIENCE};
use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    thread,
    time::Duration,
};

/// What stands in the log before the address.
const SAYS: &str = "metrics and health are on http://";

/// Where a process serves metrics and health.
#[derive(Clone, Copy, Debug)]
pub struct Page(SocketAddr);

impl Page {
    /// Of a process, as soon as it says where.
    #[track_caller]
    pub fn of(gate: &mut Gate) -> Self {
        let deadline = Deadline::patient();
        loop {
            let said = gate.says();
            if let Some((_, rest)) = said.split_once(SAYS)
                && let Some(end) = rest.find(['"', '\n'])
            {
                return Self(rest[..end].trim().parse().expect("an address"));
            }
            assert!(gate.is_running(), "it has ended; it says:\n{said}");
            assert!(!deadline.is_over(), "it did not say its address in {PATIENCE:?}:\n{said}");
            thread::yield_now();
        }
    }

    /// Gets a path: status and body.
    #[track_caller]
    pub fn get(self, path: &str) -> (u16, String) {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.0);
        let deadline = Deadline::patient();
        let answer = loop {
            match self.ask(&request) {
                // Whoever asks so often gets a port again whose last connection is still remembered.
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset && !deadline.is_over() => {}
                answer => break answer.expect("it answers"),
            }
        };
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, body.to_owned())
    }

    fn ask(self, request: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect_timeout(&self.0, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    /// Whether it is ready, and the codes of the reasons why not.
    #[track_caller]
    pub fn readiness(self) -> (bool, Vec<String>) {
        let (status, body) = self.get("/readyz");
        let body: serde_json::Value = serde_json::from_str(&body).expect("JSON");
        let reasons = body["reasons"].as_array().expect("reasons");
        let codes = reasons.iter().map(|reason| reason["code"].as_str().expect("a code").to_owned()).collect();
        assert_eq!(body["ready"], status == 200);
        assert!(status == 200 || status == 503, "{status}");
        (status == 200, codes)
    }

    /// Waits until it is ready.
    #[track_caller]
    pub fn wait_until_ready(self, gate: &mut Gate) {
        self.wait(gate, "it is ready", |page| page.readiness().0);
    }

    /// Waits until it is not ready for this reason.
    #[track_caller]
    pub fn wait_until_not_ready(self, gate: &mut Gate, code: &str) {
        self.wait(gate, code, |page| page.readiness().1.iter().any(|reason| reason == code));
    }

    /// Waits until something is so.
    #[track_caller]
    pub fn wait(self, gate: &mut Gate, what: &str, is_so: impl Fn(Self) -> bool) {
        let deadline = Deadline::patient();
        while !is_so(self) {
            assert!(gate.is_running(), "it has ended before {what}; it says:\n{}", gate.says());
            assert!(!deadline.is_over(), "not {what} in {PATIENCE:?}: {}", self.get("/readyz").1);
            // Each question is a connection: leave the machine to those who work.
            gate.wait_a_moment(Duration::from_millis(20));
        }
    }

    /// The metrics as of now.
    #[track_caller]
    pub fn metrics(self) -> Metrics {
        let (status, text) = self.get("/metrics");
        assert_eq!(status, 200);
        Metrics(text)
    }
}

/// Metrics in Prometheus's text form.
#[derive(Clone, Debug)]
pub struct Metrics(pub String);

impl Metrics {
    /// The sum of the samples of this name that have these labels: `{outcome="cleared"}` or nothing.
    pub fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let has = |written: &str| labels.iter().all(|(key, value)| written.contains(&format!("{key}=\"{value}\"")));
        self.0
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.rsplit_once(' '))
            .filter(|(series, _)| {
                let (own, written) = series.split_once('{').unwrap_or((series, ""));
                own == name && has(written)
            })
            .map(|(_, value)| value.parse::<f64>().expect("a number"))
            .sum()
    }
}
