//! Writes synthetic transcripts with labels, and checksum vectors, to files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use maysend_corpora::{Date, Day, Style, rates, vectors};

/// Generate synthetic support transcripts with labels, and checksum vectors.
///
/// Everything generated is invented test data. The same arguments give the same bytes on every machine.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write `transcripts-DATE.jsonl` and `labels-DATE.jsonl` for each day; line n of both is the same transcript.
    Generate {
        /// The folder to write to; it is made if it does not exist.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Which corpus: another seed, another one.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The first day.
        #[arg(long, value_name = "DATE", default_value = "2026-03-02")]
        start: Date,
        /// How many days.
        #[arg(long, default_value_t = 14, value_parser = clap::value_parser!(u64).range(1..=36_500))]
        days: u64,
        /// How many transcripts a day.
        #[arg(long, value_name = "N", default_value_t = rates::DAY)]
        per_day: u64,
        /// What the transcripts are like.
        #[arg(long, value_enum, default_value_t = StyleName::Normal)]
        style: StyleName,
    },
    /// Write checksum vectors: entity, number, and 1 where the number is valid or 0, with tabs between.
    Vectors {
        /// The file to write.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// How many lines.
        #[arg(long, value_name = "N", default_value_t = 16_000)]
        count: u64,
        /// Which vectors: another seed, others.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum StyleName {
    /// Support traffic; 0.35 % of the transcripts hold tier-1 data.
    Normal,
    /// Personal data of many kinds in every transcript.
    Dense,
    /// Tables of order numbers, prices and times.
    Digits,
}

impl From<StyleName> for Style {
    fn from(name: StyleName) -> Self {
        match name {
            StyleName::Normal => Self::Normal,
            StyleName::Dense => Self::Dense,
            StyleName::Digits => Self::Digits,
        }
    }
}

/// What could not be done, to which file.
struct Failure {
    doing: &'static str,
    path: PathBuf,
    error: io::Error,
}

fn at<'a>(doing: &'static str, path: &'a Path) -> impl Fn(io::Error) -> Failure + use<'a> {
    move |error| Failure { doing, path: path.to_owned(), error }
}

/// A file that has its name only once it is complete: half a corpus must not be taken for a whole one.
struct Output {
    file: BufWriter<File>,
    path: PathBuf,
    partial: PathBuf,
    bytes: u64,
}

impl Output {
    fn create(path: PathBuf) -> Result<Self, Failure> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let partial = path.with_file_name(name);
        let file = File::create(&partial).map_err(at("create", &partial))?;
        Ok(Self { file: BufWriter::with_capacity(1 << 20, file), path, partial, bytes: 0 })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(at("write", &self.partial))
    }

    fn finish(mut self) -> Result<u64, Failure> {
        self.file.flush().map_err(at("write", &self.partial))?;
        fs::rename(&self.partial, &self.path).map_err(at("rename a finished file to", &self.path))?;
        Ok(self.bytes)
    }
}

fn generate_day(out: &Path, seed: u64, date: Date, count: u64, style: Style) -> Result<(), Failure> {
    let mut transcripts = Output::create(out.join(format!("transcripts-{date}.jsonl")))?;
    let mut labels = Output::create(out.join(format!("labels-{date}.jsonl")))?;
    let mut tier1 = 0;
    let mut line = Vec::with_capacity(8_192);
    for made in Day::new(seed, date, count, style) {
        line.clear();
        made.write_json(&mut line);
        transcripts.write(&line)?;
        line.clear();
        made.write_labels(&mut line);
        labels.write(&line)?;
        tier1 += u64::from(made.holds_tier1());
    }
    labels.finish()?;
    let bytes = transcripts.finish()?;
    eprintln!("{date}: {count} transcripts, {bytes} bytes, {tier1} with tier-1 data");
    Ok(())
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Generate { out, seed, start, days, per_day, style } => {
            fs::create_dir_all(&out).map_err(at("make the folder", &out))?;
            for day in 0..days {
                generate_day(&out, seed, start.plus(day as i64), per_day, style.into())?;
            }
            Ok(())
        }
        Command::Vectors { out, count, seed } => {
            let mut file = Output::create(out)?;
            for vector in vectors(seed, count) {
                let line = format!("{}\t{}\t{}\n", vector.entity, vector.number, u8::from(vector.valid));
                file.write(line.as_bytes())?;
            }
            file.finish().map(|_| ())
        }
    }
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { doing, path, error }) => {
            eprintln!("maysend-corpora: cannot {doing} {}: {error}", path.display());
            ExitCode::from(2)
        }
    }
}
