//! A provider that counts the calls it gets, and answers them as a test wants.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

/// A call that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The reservation that it names.
    pub reservation_id: String,
    /// What was sent.
    pub body: String,
    /// The provider's own id of it.
    pub request_id: String,
}

/// What a call is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The work is done.
    Done,
    /// The provider is at fault.
    Fault,
    /// Nothing: the connection is closed.
    Nothing,
}

/// A provider that listens on this machine as long as the tests run.
pub struct Provider {
    endpoint: String,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Provider {
    /// One that answers as `answer` says, after it has counted the call. The first call has number 0.
    pub fn start(answer: impl Fn(usize, &Call) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let endpoint = format!("http://{}/v1/summaries", listener.local_addr().expect("an address"));
        let calls: Arc<Mutex<Vec<Call>>> = Arc::default();
        let (counted, answer) = (calls.clone(), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (counted, answer) = (counted.clone(), answer.clone());
                thread::spawn(move || serve(stream, &counted, &*answer));
            }
        });
        Self { endpoint, calls }
    }

    /// Where it is called.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn serve(stream: TcpStream, counted: &Mutex<Vec<Call>>, answer: &(dyn Fn(usize, &Call) -> Answer + Send + Sync)) {
    let Some((reservation_id, body)) = read(&stream) else { return };
    let (number, call) = {
        let mut calls = counted.lock().unwrap_or_else(PoisonError::into_inner);
        let call = Call { reservation_id, body, request_id: format!("req-{}", calls.len()) };
        calls.push(call.clone());
        (calls.len() - 1, call)
    };
    let status = match answer(number, &call) {
        Answer::Done => "200 OK",
        Answer::Fault => "503 Service Unavailable",
        Answer::Nothing => return,
    };
    // The caller may be gone by now.
    let _ = write!(
        &stream,
        "HTTP/1.1 {status}\r\nx-request-id: {}\r\nx-account-plan: business\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}",
        call.request_id
    );
}

/// The reservation's id and the body of a request; `None` if the caller went away in the middle.
fn read(stream: &TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(stream);
    let (mut reservation_id, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        match line.split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("x-client-request-id") => reservation_id = value.into(),
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse().ok()?,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((reservation_id, String::from_utf8(body).ok()?))
}
