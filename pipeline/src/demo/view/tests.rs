use super::*;
use crate::demo::figures::testing::figures;
use crate::observe::Snapshot;
use ratatui::{Terminal, backend::TestBackend};

/// What stands on a terminal of this size, line by line.
fn drawn(figures: &Figures, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, figures, Palette::COLOURED)).unwrap();
    let buffer = terminal.backend().buffer();
    let line = |row: &[ratatui::buffer::Cell]| row.iter().map(ratatui::buffer::Cell::symbol).collect();
    buffer.content.chunks(usize::from(width)).map(line).collect()
}

fn assert_shows(lines: &[String], parts: &[&str]) {
    for part in parts {
        assert!(lines.iter().any(|line| line.contains(part)), "{part:?} is not in\n{}", lines.join("\n"));
    }
}

/// What stands on 80 columns and 24 lines.
const USUAL: &str = " maysend demo  enforce                                            0:23  q quits
 Its broker is an in-memory mock: this proves nothing about delivery.

 15,812 of 41,200 decided ━━━━━━━━━━━━━━━━━━━━─────────────────────────────────

 Rate ───────────────  Publish to commit ───────  Blocked, and the queue ──────
 published     687 /s  p50                112 ms  blocked            67  0.42 %
 read          690 /s  p99                 1.3 s  queue at 40 s each      0.5 h
 decided       684 /s  in flight         142 KiB  a day of 41,200         1.4 h
 ▇█▆▆▇▇▇▇█▆▆▇▇▇▇█▆▆▇▇                             held                       20

 Tier 1 by entity ───  Held by cause ───────────  Destinations: sent, kept ────
 payment.card      31  no_transfer_mechanism  15  summaries-eu        14,200 47
 nl.bsn            12  destination_unknown     5  summaries-eu-zdr     1,545  0
 us.ssn            12                             summaries-us             0 20








 All personal data is invented.";

#[test]
fn everything_stands_on_a_usual_terminal() {
    let lines = drawn(&figures(), 80, 24);
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    assert_eq!(lines.join("\n"), USUAL);
}

#[test]
fn more_rows_than_there_is_room_for_are_counted_and_long_names_are_cut() {
    let mut figures = figures();
    for number in 0..20 {
        figures.seen.tally.entities.insert((1, format!("entity.of_a_long_name.{number:02}")), 1);
    }
    let lines = drawn(&figures, 80, 24);
    assert_shows(&lines, &["entity.of_a_long_… 1", "and 13 more"]);
    assert_shows(&drawn(&figures, 120, 40), &["entity.of_a_long_name.19", "payment.card"]);
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
    assert_shows(
        &lines,
        &["0 of 41,200 decided", "0  0.00 %", "none so far", "p50                     –", "Starting:"],
    );
}

#[test]
fn a_wait_and_an_error_are_said() {
    assert_shows(&drawn(&Figures { phase: Phase::Waiting, ..figures() }, 80, 24), &["Traffic waits for the gate"]);
    let mut broken = figures();
    broken.seen.last_error = Some("batch 7 was aborted: Local: Timed out".into());
    assert_shows(&drawn(&broken, 80, 24), &["batch 7 was aborted"]);
}

#[test]
fn without_colours_there_are_none() {
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    terminal.draw(|frame| draw(frame, &figures(), Palette::PLAIN)).unwrap();
    let cells = &terminal.backend().buffer().content;
    assert!(cells.iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
}

#[test]
fn no_size_is_too_small_to_draw() {
    for (width, height) in [(1, 1), (10, 3), (40, 8), (79, 23)] {
        drawn(&figures(), width, height);
    }
}
