//! The live view of the demonstration, for a terminal of 80 columns and 24 lines or more.

use super::{
    NOTICE,
    figures::{Figures, Phase, REVIEW_SECONDS},
    traffic::DAY,
    words::{bytes, clock, count, hours, latency, percent, rate},
};
use ratatui::{
    Frame,
    layout::{Alignment, Constraint, Layout, Margin, Rect},
    style::{Color, Modifier, Style},
    symbols,
    text::{Line, Span},
    widgets::{Block, Borders, LineGauge, Paragraph, Sparkline},
};

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

/// How parts are set apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// What is less important.
    dim: Style,
    /// What moves.
    accent: Style,
    /// What must be noticed.
    noticed: Style,
}

impl Palette {
    /// Colours of the terminal's own palette.
    pub const COLOURED: Self = Self {
        dim: Style::new().fg(Color::DarkGray),
        accent: Style::new().fg(Color::Cyan),
        noticed: Style::new().fg(Color::Yellow),
    };

    /// No colour at all.
    pub const PLAIN: Self = Self {
        dim: Style::new().add_modifier(Modifier::DIM),
        accent: Style::new(),
        noticed: Style::new().add_modifier(Modifier::BOLD),
    };
}

/// Between two panels.
const GAP: u16 = 2;

/// Draws the figures.
pub fn draw(frame: &mut Frame<'_>, figures: &Figures, palette: Palette) {
    let area = frame.area().inner(Margin::new(1, 0));
    let [title, notice, _, progress, _, panels, lists, footer] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(6),
        Constraint::Min(3),
        Constraint::Length(1),
    ])
    .areas(area);
    draw_title(frame, title, figures, palette);
    frame.render_widget(Line::styled(NOTICE, palette.noticed), notice);
    draw_progress(frame, progress, figures, palette);
    // The widths of the longest usual rows on 80 columns; what a wider terminal has more is shared.
    let columns = Layout::horizontal([Constraint::Fill(20), Constraint::Fill(25), Constraint::Fill(29)]).spacing(GAP);
    let [rates, times, queue] = columns.areas(panels);
    draw_rates(frame, rates, figures, palette);
    draw_times(frame, times, figures, palette);
    draw_queue(frame, queue, figures, palette);
    let [tier1, held, destinations] = columns.areas(lists);
    draw_counts(frame, tier1, "Tier 1 by entity", &figures.tier1(), palette);
    draw_counts(frame, held, "Held by cause", &figures.held_by_cause(), palette);
    draw_destinations(frame, destinations, figures, palette);
    frame.render_widget(Line::styled(state(figures), palette.dim), footer);
}

fn draw_title(frame: &mut Frame<'_>, area: Rect, figures: &Figures, palette: Palette) {
    let title =
        vec![Span::styled("maysend demo", BOLD), Span::styled(format!("  {}", figures.mode.as_str()), palette.accent)];
    frame.render_widget(Line::from(title), area);
    let right = format!("{}  q quits", clock(figures.elapsed));
    // Styled by itself: a line's style would hold for the title too.
    frame.render_widget(Line::from(Span::styled(right, palette.dim)).alignment(Alignment::Right), area);
}

fn draw_progress(frame: &mut Frame<'_>, area: Rect, figures: &Figures, palette: Palette) {
    let (decided, documents) = (figures.decided(), figures.documents);
    let label = format!("{} of {} decided", count(decided), count(documents));
    let gauge = LineGauge::default()
        .label(label)
        .ratio((decided as f64 / documents.max(1) as f64).clamp(0.0, 1.0))
        .filled_symbol(symbols::line::THICK_HORIZONTAL)
        .unfilled_symbol(symbols::line::HORIZONTAL)
        .filled_style(palette.accent)
        .unfilled_style(palette.dim);
    frame.render_widget(gauge, area);
}

fn draw_rates(frame: &mut Frame<'_>, area: Rect, figures: &Figures, palette: Palette) {
    let inner = panel(frame, area, "Rate", palette);
    let [rows, bars] = Layout::vertical([Constraint::Length(3), Constraint::Length(1)]).areas(inner);
    let rates = figures.rates;
    let named = [("published", rates.published), ("read", rates.read), ("decided", rates.decided)];
    draw_pairs(frame, rows, &named.map(|(name, of)| (name.to_owned(), rate(of))));
    let shown = figures.history.len().saturating_sub(usize::from(bars.width));
    let history = figures.history.get(shown..).unwrap_or_default();
    frame.render_widget(Sparkline::default().data(history).style(palette.accent), bars);
}

fn draw_times(frame: &mut Frame<'_>, area: Rect, figures: &Figures, palette: Palette) {
    let inner = panel(frame, area, "Publish to commit", palette);
    let seen = &figures.seen;
    let time = |of: Option<_>| of.map_or_else(|| "–".into(), latency);
    let rows = [
        ("p50".to_owned(), time(seen.end_to_end.map(|times| times.p50))),
        ("p99".to_owned(), time(seen.end_to_end.map(|times| times.p99))),
        ("in flight".to_owned(), bytes(seen.in_flight_bytes)),
    ];
    draw_pairs(frame, inner, &rows);
}

fn draw_queue(frame: &mut Frame<'_>, area: Rect, figures: &Figures, palette: Palette) {
    let inner = panel(frame, area, "Blocked, and the queue", palette);
    let (blocked, decided) = (figures.blocked(), figures.decided());
    let rows = [
        ("blocked".to_owned(), format!("{}  {}", count(blocked), percent(blocked, decided))),
        (format!("queue at {REVIEW_SECONDS} s each"), hours(figures.queue_hours())),
        (format!("a day of {}", count(DAY)), hours(figures.queue_hours_a_day())),
        ("held".to_owned(), count(figures.held())),
    ];
    draw_pairs(frame, inner, &rows);
}

fn draw_counts(frame: &mut Frame<'_>, area: Rect, title: &str, counts: &[(&str, u64)], palette: Palette) {
    let inner = panel(frame, area, title, palette);
    let rows = counts.iter().map(|(name, number)| ((*name).to_owned(), count(*number))).collect();
    draw_rows(frame, inner, rows, palette);
}

fn draw_destinations(frame: &mut Frame<'_>, area: Rect, figures: &Figures, palette: Palette) {
    let inner = panel(frame, area, "Destinations: sent, kept", palette);
    let rows = figures.destinations();
    let width = rows.iter().map(|(_, outcomes)| count(outcomes.withheld).len()).max().unwrap_or(0);
    let rows = rows.into_iter().map(|(destination, outcomes)| {
        (destination.to_owned(), format!("{} {:>width$}", count(outcomes.sent), count(outcomes.withheld)))
    });
    draw_rows(frame, inner, rows.collect(), palette);
}

/// Names on the left, values on the right; the last line says how many rows have no room.
fn draw_rows(frame: &mut Frame<'_>, area: Rect, mut rows: Vec<(String, String)>, palette: Palette) {
    if rows.is_empty() {
        frame.render_widget(Line::styled("none so far", palette.dim), area);
        return;
    }
    let height = usize::from(area.height);
    if rows.len() > height {
        let left_out = rows.len() + 1 - height.max(1);
        rows.truncate(height.saturating_sub(1));
        rows.push((format!("and {left_out} more"), String::new()));
    }
    draw_pairs(frame, area, &rows);
}

/// What it is doing, or what went wrong last.
fn state(figures: &Figures) -> String {
    match (figures.phase, &figures.seen.last_error) {
        (Phase::Ending, _) => "Ending: what is in flight is committed.".into(),
        (_, Some(error)) => error.clone(),
        (Phase::Starting, _) => "Starting: the gate joins its group, which takes some seconds.".into(),
        (Phase::Waiting, _) => "Traffic waits for the gate: this machine does not keep up with the rate.".into(),
        (Phase::Running, _) => "All personal data is invented.".into(),
    }
}

/// An area under a title; returns it.
fn panel(frame: &mut Frame<'_>, area: Rect, title: &str, palette: Palette) -> Rect {
    let title = Span::styled(format!("{title} "), Style::reset().add_modifier(Modifier::BOLD));
    let block = Block::new().borders(Borders::TOP).border_style(palette.dim).title(title);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    inner
}

/// Names on the left, values on the right. A name that is too long ends in `…`.
fn draw_pairs(frame: &mut Frame<'_>, area: Rect, pairs: &[(String, String)]) {
    let width = usize::from(area.width);
    let line = |(name, value): &(String, String)| {
        let room = width.saturating_sub(value.chars().count() + usize::from(!value.is_empty()));
        let name = fitted(name, room);
        let gap = width.saturating_sub(name.chars().count() + value.chars().count());
        Line::from(vec![Span::raw(name), Span::raw(" ".repeat(gap)), Span::styled(value.clone(), BOLD)])
    };
    frame.render_widget(Paragraph::new(pairs.iter().map(line).collect::<Vec<_>>()), area);
}

/// At most so many characters of a name. Names of entities and destinations have no wide ones.
fn fitted(name: &str, room: usize) -> String {
    if name.chars().count() <= room {
        return name.to_owned();
    }
    name.chars().take(room.saturating_sub(1)).chain((room > 0).then_some('…')).collect()
}

#[cfg(test)]
mod tests;
