//! `maysend detect`: findings in text or JSONL.

mod input;
mod jsonl;
mod lines;
mod offsets;

use super::{Error, RulesetOptions};
use crate::ruleset::{Ruleset, day_of, policy::Tier};
use clap::{Args, ValueEnum};
use maysend_detector::{Detection, EntityId, Options as DetectOptions, Turn, countries};
use offsets::Unit;
use std::{path::PathBuf, process::ExitCode, sync::Arc};

/// Options of `detect`.
#[derive(Args)]
pub(super) struct Options {
    /// Files or folders; `-` or none is standard input.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How to print: `text` reads plain text, `jsonl` reads one `{"id": …, "text": …}` a line.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// With `--format jsonl`, read plain text: each line is a text, its number its id.
    #[arg(long)]
    plain: bool,
    /// With `--format jsonl`, what `start` and `end` count.
    #[arg(long, value_enum, default_value_t = Unit::Bytes, value_name = "UNIT")]
    offsets: Unit,
    /// Print the text that was found; otherwise it is masked.
    #[arg(long)]
    show_text: bool,
    /// Show findings of at least this confidence, 0 to 1 [default: what the policy would redact].
    #[arg(long, value_name = "N", value_parser = parse_confidence)]
    min_confidence: Option<u8>,
    /// Country packs to raise, as ISO 3166-1 codes: NL,DE.
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = parse_country)]
    packs: Vec<String>,
    /// Say why each candidate was found or not: its evidence, its check, what hid or outweighed it.
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    ruleset: RulesetOptions,
}

/// How findings are printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// `file:line:column: entity tier confidence text`
    Text,
    /// One JSON object for each input line.
    Jsonl,
}

fn parse_confidence(text: &str) -> Result<u8, String> {
    let wrong = || "write a number from 0 to 1, such as 0.5".to_owned();
    let fraction: f64 = text.parse().map_err(|_| wrong())?;
    if !(0.0..=1.0).contains(&fraction) {
        return Err(wrong());
    }
    Ok((fraction * 100.0).round() as u8)
}

fn parse_country(code: &str) -> Result<String, String> {
    if countries::is_country(code) { Ok(code.into()) } else { Err(countries::advice(code)) }
}

/// Runs the command.
pub(super) fn run(options: &Options) -> Result<ExitCode, Error> {
    if options.plain && options.format == Format::Text {
        return Err(Error::Usage(
            "`--plain` goes with `--format jsonl`; `--format text` reads plain text anyway".into(),
        ));
    }
    if options.offsets != Unit::Bytes && options.format == Format::Text {
        return Err(Error::Usage(
            "`--offsets` goes with `--format jsonl`; `--format text` gives lines and columns".into(),
        ));
    }
    let ruleset = options.ruleset.load()?;
    let day = day_of(options.ruleset.as_of());
    let search = Search { ruleset, options, on: (day.year(), day.month(), day.day()) };
    match options.format {
        Format::Text => lines::run(&search)?,
        Format::Jsonl => jsonl::run(&search)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A ruleset and how to search with it.
struct Search<'o> {
    ruleset: Arc<Ruleset>,
    options: &'o Options,
    on: (i16, i8, i8),
}

impl Search<'_> {
    /// Detects, and keeps the findings that are to be shown.
    fn detect(&self, turns: &[Turn<'_>]) -> Detection {
        let options = DetectOptions { packs: &self.options.packs, on: Some(self.on), explain: self.options.explain };
        let mut detection = self.ruleset.detector.detect(turns, &options);
        detection.findings.retain(|finding| match self.options.min_confidence {
            Some(least) => finding.confidence() >= least,
            None => finding.points >= self.ruleset.rules.policy.rule(finding.entity.as_str()).redact_at,
        });
        detection
    }

    fn tier(&self, entity: &EntityId) -> Tier {
        self.ruleset.rules.policy.rule(entity.as_str()).tier
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_is_read_in_hundredths() {
        assert_eq!(parse_confidence("0.5"), Ok(50));
        assert_eq!(parse_confidence("1"), Ok(100));
        assert!(parse_confidence("50").is_err());
        assert!(parse_confidence("NaN").is_err());
    }
}
