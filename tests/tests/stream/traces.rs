//! Traces, as a collector receives them.

use maysend_tests::kafka::{Broker, Prefix, load, prefix::CANARY};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    sync::mpsc,
    thread,
};

/// Takes what is sent to it, and passes on path and body.
fn collector() -> (String, mpsc::Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (taken, requests) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream);
            let (mut first, mut length) = (String::new(), 0);
            reader.read_line(&mut first).unwrap();
            for line in reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
                if let Some((name, value)) = line.split_once(':')
                    && name.eq_ignore_ascii_case("content-length")
                {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\nConnection: close";
            write!(reader.get_mut(), "{head}\r\n\r\n").unwrap();
            let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
            // The test may have seen enough.
            let _ = taken.send((path, body));
        }
    });
    (address, requests)
}

#[test]
fn a_collector_receives_a_span_for_each_step_of_a_batch() {
    let (address, requests) = collector();
    let prefix = Prefix::new(&Broker::shared().bootstrap(), "traced").create();
    prefix.produce(load::records(20));
    let mut gate = prefix.start(0, prefix.program(0).env("OTEL_EXPORTER_OTLP_ENDPOINT", &address));
    prefix.wait_for(20, &mut [&mut gate]);
    // What is left is sent when the process ends.
    gate.stop().exits(0);
    let mut sent = Vec::new();
    while let Ok((path, body)) = requests.try_recv() {
        assert_eq!(path, "/v1/traces");
        sent.extend(body);
    }
    let has = |text: &str| sent.windows(text.len()).any(|window| window == text.as_bytes());
    for name in ["maysend", "batch", "poll", "scan", "reserve", "commit", "records"] {
        assert!(has(name), "no {name} in {} bytes", sent.len());
    }
    assert!(!has(CANARY) && !has("111222333"));
}
