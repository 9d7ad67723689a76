//! Says what validators say: reads lines of a validator's name and a number with a tab between, and prints for each
//! `1` where it passes, `0` where it does not and `-` where there is no such validator.

use maysend_detector::validators;
use std::io::{self, BufRead, BufWriter, Write};

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (name, number) = line.split_once('\t').unwrap_or((&line, ""));
        let verdict = match validators::by_name(name).map(|rule| rule.check.passes(number.as_bytes(), &[])) {
            Some(true) => '1',
            Some(false) => '0',
            None => '-',
        };
        writeln!(out, "{verdict}")?;
    }
    out.flush()
}
