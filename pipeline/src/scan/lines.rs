//! Lines of a file, none of which can take more memory than the largest record.

use sha2::{Digest, Sha256};
use std::io::{self, BufRead};

/// A line without its line feed.
#[derive(PartialEq, Eq)]
pub enum Line {
    /// The bytes of a record.
    Record(Vec<u8>),
    /// It has more bytes than a record may have. They are not kept.
    TooLong {
        /// Digest of all its bytes, `sha256:` and 64 hexadecimal digits.
        digest: String,
        /// How many there are.
        bytes: u64,
    },
}

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Record(bytes) => write!(f, "Record({} bytes)", bytes.len()),
            Self::TooLong { bytes, .. } => write!(f, "TooLong({bytes} bytes)"),
        }
    }
}

impl Line {
    /// Bytes that it holds in memory.
    pub fn held(&self) -> usize {
        match self {
            Self::Record(bytes) => bytes.len(),
            Self::TooLong { .. } => 0,
        }
    }

    /// Bytes that were read for it, its line feed included.
    pub fn read(&self) -> u64 {
        1 + match self {
            Self::Record(bytes) => bytes.len() as u64,
            Self::TooLong { bytes, .. } => *bytes,
        }
    }
}

/// Reads lines. A byte order mark before the first is passed over.
pub struct Lines<R> {
    reader: R,
    limit: usize,
    number: u64,
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl<R: BufRead> Lines<R> {
    /// The lines of a reader; those of more than `limit` bytes are not kept.
    pub fn new(reader: R, limit: usize) -> Self {
        Self { reader, limit, number: 0 }
    }

    /// The next line with its number, from 1; `None` at the end.
    #[allow(clippy::should_implement_trait, reason = "an iterator of results would go on after an error")]
    pub fn next(&mut self) -> io::Result<Option<(u64, Line)>> {
        let mut record = Vec::new();
        let mut rest: Option<(Sha256, u64)> = None;
        let mut any = false;
        loop {
            let buffer = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if buffer.is_empty() {
                break;
            }
            any = true;
            let end = memchr::memchr(b'\n', buffer);
            let part = &buffer[..end.unwrap_or(buffer.len())];
            match &mut rest {
                Some((hash, bytes)) => {
                    hash.update(part);
                    *bytes += part.len() as u64;
                }
                None if record.len() + part.len() > self.limit => {
                    let mut hash = Sha256::new();
                    hash.update(&record);
                    hash.update(part);
                    rest = Some((hash, (record.len() + part.len()) as u64));
                    record = Vec::new();
                }
                None => record.extend_from_slice(part),
            }
            let read = part.len() + usize::from(end.is_some());
            self.reader.consume(read);
            if end.is_some() {
                break;
            }
        }
        if !any {
            return Ok(None);
        }
        self.number += 1;
        if self.number == 1 && record.starts_with(BYTE_ORDER_MARK) {
            record.drain(..BYTE_ORDER_MARK.len());
        }
        let line = match rest {
            Some((hash, bytes)) => Line::TooLong { digest: format!("sha256:{}", crate::hex(&hash.finalize())), bytes },
            None => Line::Record(record),
        };
        Ok(Some((self.number, line)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn lines(text: &[u8], limit: usize, buffer: usize) -> Vec<(u64, Line)> {
        let mut lines = Lines::new(BufReader::with_capacity(buffer, text), limit);
        std::iter::from_fn(|| lines.next().unwrap()).collect()
    }

    fn record(text: &str) -> Line {
        Line::Record(text.into())
    }

    #[test]
    fn lines_are_numbered_with_or_without_a_last_line_feed() {
        for text in [&b"a\n\nb\n"[..], b"a\n\nb"] {
            assert_eq!(lines(text, 9, 2), [(1, record("a")), (2, record("")), (3, record("b"))]);
        }
        assert_eq!(lines(b"", 9, 2), []);
    }

    #[test]
    fn a_byte_order_mark_is_passed_over_before_the_first_line_only() {
        let text = b"\xEF\xBB\xBFa\n\xEF\xBB\xBFb";
        assert_eq!(lines(text, 9, 64), [(1, record("a")), (2, Line::Record(b"\xEF\xBB\xBFb".to_vec()))]);
    }

    #[test]
    fn a_long_line_is_counted_and_hashed_but_not_kept() {
        let digest = format!("sha256:{}", crate::hex(&Sha256::digest(b"abcdef")));
        for buffer in [1, 2, 4, 64] {
            let read = lines(b"abcdef\nabc\n", 3, buffer);
            assert_eq!(read, [(1, Line::TooLong { digest: digest.clone(), bytes: 6 }), (2, record("abc"))]);
        }
    }
}
