//! A panic's message may hold text: nothing of it is printed. Runs a process of its own that panics.

use std::{env, process::Command, thread};

const CANARY: &str = "canary 4111 1111 1111 1111";
const TOLD: &str = "MAYSEND_TEST_PANICS_IN";

/// No test by itself: what the process of the other tests does.
#[test]
fn panics_where_it_is_told_to() {
    let Ok(place) = env::var(TOLD) else { return };
    maysend::privacy::guard().unwrap();
    let text = String::from(CANARY);
    match place.as_str() {
        "thread" => {
            let _ = thread::spawn(move || panic!("in a thread: {text}")).join();
        }
        "slice" => {
            let end = env::args().count() + 1_000;
            assert_ne!(&text[..end], "");
        }
        _ => panic!("{text}"),
    }
}

fn standard_error_of_a_panic(place: &str) -> String {
    let program = env::current_exe().unwrap();
    let test = ["--exact", "privacy::panics_where_it_is_told_to", "--nocapture", "--test-threads=1"];
    let output = Command::new(program).args(test).env(TOLD, place).env("RUST_BACKTRACE", "1").output().unwrap();
    let all = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(!all.concat().contains("canary") && !all.concat().contains("4111"), "{all:?}");
    all.into_iter().nth(1).unwrap()
}

#[test]
fn a_panic_prints_its_place_only() {
    for place in ["main", "thread", "slice"] {
        let said = standard_error_of_a_panic(place);
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 1, "{said}");
        assert!(lines[0].starts_with("maysend: internal error at ") && lines[0].contains("privacy.rs:"), "{said}");
    }
}
