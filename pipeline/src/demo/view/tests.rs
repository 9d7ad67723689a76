use super::*;
use crate::demo::figures::testing::figures;
use crate::observe::Snapshot;
use ratatui::{Terminal, backend::TestBackend};

/// What stands on a terminal of this size, line by line.
fn drawn(figures: &Figures, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, figures)).unwrap();
    let buffer = terminal.backend().buffer();
    let line = |row: &[ratatui::buffer::Cell]| row.iter().map(ratatui::buffer::Cell::symbol).collect();
    buffer.content.chunks(usize::from(width)).map(line).collect()
}

fn assert_shows(lines: &[String], parts: &[&str]) {
    for part in parts {
        assert!(lines.iter().any(|line| line.contains(part)), "{part:?} is not in\n{}", lines.join("\n"));
    }
}

#[test]
fn everything_stands_on_a_usual_terminal() {
    let lines = drawn(&figures(), 80, 24);
    assert_shows(
        &lines,
        &[
            " maysend demo  enforce",
            "0:23  q quits",
            NOTICE,
            "15,812 of 41,200 decided ━",
            "published       687 /s",
            "read            690 /s",
            "decided         684 /s",
            "p50           112 ms",
            "p99            1.3 s",
            "in flight    142 KiB",
            "blocked          67  0.42 %",
            "queue at 40 s each    0.5 h",
            "a day of 41,200       1.4 h",
            "payment.card    31",
            "nl.bsn          12",
            "no_transfer_mechanism",
            "summaries-eu-zdr",
            "14,200        47",
        ],
    );
    assert!(!lines.iter().any(|line| line.contains("contact.email")), "of tier 2");
    assert!(lines.iter().any(|line| line.contains('▇') || line.contains('█')), "the history of the rate");
}

#[test]
fn the_notice_stands_on_every_terminal_in_every_phase() {
    for phase in [Phase::Starting, Phase::Running, Phase::Waiting, Phase::Ending] {
        for (width, height) in [(80, 24), (120, 40), (70, 12), (200, 60)] {
            assert_shows(&drawn(&Figures { phase, ..figures() }, width, height), &[NOTICE]);
        }
    }
}

#[test]
fn before_anything_is_decided_nothing_is_made_up() {
    let figures =
        Figures { phase: Phase::Starting, seen: Snapshot::default(), history: Vec::new(), published: 0, ..figures() };
    let lines = drawn(&figures, 80, 24);
    assert_shows(&lines, &["0 of 41,200 decided", "0  0.00 %", "none so far", "p50                –", "Starting:"]);
}

#[test]
fn a_wait_and_an_error_are_said() {
    assert_shows(&drawn(&Figures { phase: Phase::Waiting, ..figures() }, 80, 24), &["Traffic waits for the gate"]);
    let mut broken = figures();
    broken.seen.last_error = Some("batch 7 was aborted: Local: Timed out".into());
    assert_shows(&drawn(&broken, 80, 24), &["batch 7 was aborted"]);
}

#[test]
fn no_size_is_too_small_to_draw() {
    for (width, height) in [(1, 1), (10, 3), (40, 8), (79, 23)] {
        drawn(&figures(), width, height);
    }
}
