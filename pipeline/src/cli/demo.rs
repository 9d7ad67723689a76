//! `maysend demo`: the whole pipeline with nothing installed.

use super::{Error, Say, run::stop_flag, terminal};
use crate::{
    demo::{
        Closing, DAY, Demo, DemoError, Figures, NOTICE, Options as DemoOptions, plain,
        view::{self, Palette},
    },
    ruleset::policy::Mode,
};
use clap::Args;
use ratatui::{
    DefaultTerminal,
    crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
};
use signal_hook::{consts::TERM_SIGNALS, flag};
use std::{
    io::{self, IsTerminal, Write as _},
    process::ExitCode,
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::{Duration, Instant},
};

/// Between two pictures of the live view.
const FRAME: Duration = Duration::from_millis(125);

/// Between two lines.
const LINE: Duration = Duration::from_secs(2);

/// Options of `demo`.
#[derive(Args)]
pub(super) struct Options {
    /// Transcripts a second; by default a day's in a minute.
    #[arg(long, value_name = "N", default_value_t = DAY.div_ceil(60) as u32, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rate: u32,
    /// Transcripts in all; by default a day's.
    #[arg(long, value_name = "N", default_value_t = DAY, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    documents: u64,
    /// Which traffic: another seed, another one.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Keep back what is blocked; the default.
    #[arg(long, conflicts_with = "shadow")]
    enforce: bool,
    /// Decide and record, and send all the same what goes to a registered destination.
    #[arg(long)]
    shadow: bool,
    /// Print lines in place of the live view; the default without a terminal.
    #[arg(long)]
    plain: bool,
}

/// How it was left.
enum Left {
    /// It has ended.
    Ended,
    /// By somebody who did not want to wait for its end.
    AtOnce,
}

/// Runs the command.
pub(super) fn run(options: &Options, say: Say) -> Result<ExitCode, Error> {
    let mode = if options.shadow { Mode::Shadow } else { Mode::Enforce };
    let demo = DemoOptions { rate: options.rate, documents: options.documents, seed: options.seed, mode };
    let (figures, closing) = match !options.plain && say > Say::Little && is_live() {
        true => {
            let mut demo = Demo::start(demo, asked_to_stop()?)?;
            let mut terminal = ratatui::try_init().map_err(Error::StandardOutput)?;
            let left = watch(&mut terminal, &mut demo);
            ratatui::restore();
            match left? {
                Left::Ended => demo.end()?,
                Left::AtOnce => std::process::exit(130),
            }
        }
        false => in_lines(Demo::start(demo, stop_flag()?)?, say)?,
    };
    print(&figures, &closing)?;
    Ok(ExitCode::SUCCESS)
}

/// Whether there is a terminal that can show pictures, and somebody at it.
fn is_live() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb
}

/// Shows it until it has ended.
fn watch(terminal: &mut DefaultTerminal, demo: &mut Demo) -> Result<Left, Error> {
    // The terminal's library leaves colours out too, and bold text with them.
    let has_colours = std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    let palette = if has_colours { Palette::COLOURED } else { Palette::PLAIN };
    let mut is_asked = false;
    loop {
        let figures = demo.figures();
        terminal.draw(|frame| view::draw(frame, &figures, palette)).map_err(Error::StandardOutput)?;
        if demo.has_ended() {
            return Ok(Left::Ended);
        }
        let drawn = Instant::now();
        while event::poll(FRAME.saturating_sub(drawn.elapsed())).map_err(Error::StandardOutput)? {
            let is_quit = match event::read().map_err(Error::StandardOutput)? {
                Event::Key(key) => is_quit(key),
                _ => false,
            };
            match (is_quit, is_asked) {
                (true, true) => return Ok(Left::AtOnce),
                (true, false) => {
                    is_asked = true;
                    demo.stop();
                }
                (false, _) => {}
            }
        }
    }
}

/// In raw mode the terminal makes no signal of Ctrl-C.
fn is_quit(key: KeyEvent) -> bool {
    let is_interrupt = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
    key.kind == KeyEventKind::Press && (is_interrupt || matches!(key.code, KeyCode::Char('q') | KeyCode::Esc))
}

/// Says from time to time how it stands, until it has ended.
fn in_lines(mut demo: Demo, say: Say) -> Result<(Figures, Closing), DemoError> {
    if say > Say::Little {
        terminal::note(NOTICE);
    }
    let mut said = Instant::now();
    while !demo.has_ended() {
        thread::sleep(FRAME);
        let figures = demo.figures();
        if say > Say::Little && said.elapsed() >= LINE {
            said = Instant::now();
            anstream::eprintln!("{}", plain::line(&figures));
        }
    }
    demo.end()
}

/// The summary is the command's result.
fn print(figures: &Figures, closing: &Closing) -> Result<(), Error> {
    let mut out = anstream::stdout().lock();
    out.write_all(plain::summary(figures, closing).as_bytes()).and_then(|()| out.flush()).map_err(Error::output)
}

/// Set by a signal that asks to stop. A second one does not end the process at once: the terminal must be restored.
fn asked_to_stop() -> Result<Arc<AtomicBool>, Error> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in TERM_SIGNALS {
        flag::register(*signal, stop.clone())
            .map_err(|error| Error::Usage(format!("signals cannot be watched: {error}")))?;
    }
    Ok(stop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q_escape_and_control_c_quit() {
        let key = |code, modifiers| is_quit(KeyEvent::new(code, modifiers));
        assert!(key(KeyCode::Char('q'), KeyModifiers::NONE) && key(KeyCode::Esc, KeyModifiers::NONE));
        assert!(key(KeyCode::Char('c'), KeyModifiers::CONTROL) && !key(KeyCode::Char('c'), KeyModifiers::NONE));
    }
}
