//! Tables in text: the header of a column names what stands under it.
//!
//! A table is two lines or more that have the same sign, as often, between their cells: comma, semicolon, tab or bar.
//! Its first line is its header, and holds no digits.

use crate::view::ByteView;
use std::ops::Range;

/// What may stand between cells.
const SIGNS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Columns that are read, at most.
const COLUMNS: usize = 64;

/// Bytes of a row before a cell, at most.
const ROW: usize = 1024;

/// Bytes of a header's cell, at most. A sentence is no header.
const CELL: usize = 40;

/// The header over a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The whole line.
    pub line: Range<usize>,
    /// The cell over this column.
    pub own: Range<usize>,
}

/// The tables of a view.
#[derive(Debug, Default)]
pub struct Tables(Vec<Table>);

#[derive(Debug)]
struct Table {
    /// From the second row to the end.
    rows: Range<usize>,
    sign: u8,
    /// The cells of the header.
    header: Vec<Range<usize>>,
}

impl Tables {
    /// Finds the tables. Linear in the view.
    pub fn find(view: &ByteView) -> Self {
        let mut tables = Self::default();
        for segment in view.segments().filter(|segment| memchr::memchr(b'\n', &view.bytes()[segment.clone()]).is_some())
        {
            tables.add_of(view.bytes(), segment);
        }
        tables
    }

    /// Adds those of a segment.
    fn add_of(&mut self, bytes: &[u8], segment: Range<usize>) {
        let mut above: Option<(Range<usize>, [usize; 4])> = None;
        let mut start = segment.start;
        for line in bytes[segment.clone()].split(|byte| *byte == b'\n') {
            let range = start..start + line.len();
            start = range.end + 1;
            let counts = counts(line);
            let adjoining = |table: &&mut Table| table.rows.end + 1 == range.start && range.start > segment.start;
            if let Some(table) = self.0.last_mut().filter(adjoining) {
                let sign = SIGNS.iter().position(|sign| *sign == table.sign);
                if sign.is_some_and(|at| counts[at] + 1 == table.header.len()) {
                    table.rows.end = range.end;
                    continue;
                }
            }
            if let Some((header, above)) = above.take()
                && let Some(at) = (0..SIGNS.len()).rev().find(|at| above[*at] > 0 && above[*at] == counts[*at])
                && let Some(header) = cells(bytes, header, SIGNS[at])
            {
                self.0.push(Table { rows: range, sign: SIGNS[at], header });
                continue;
            }
            above = Some((range, counts));
        }
    }

    /// The header over what starts here. Bounded, beside a logarithm.
    pub fn header_of(&self, view: &ByteView, start: usize) -> Option<Header> {
        let table = self.0.get(self.0.partition_point(|table| table.rows.end <= start))?;
        if table.rows.start > start {
            return None;
        }
        let low = table.rows.start.max(start.saturating_sub(ROW));
        let before = &view.bytes()[low..start];
        let row = match before.iter().rposition(|byte| *byte == b'\n') {
            Some(at) => &before[at + 1..],
            None if low == table.rows.start => before,
            None => return None,
        };
        let own = table.header.get(memchr::memchr_iter(table.sign, row).count())?.clone();
        Some(Header { line: table.header.first()?.start..table.rows.start, own })
    }

    /// The rows under the header that this position stands in. Logarithmic.
    pub fn under(&self, position: usize) -> Option<Range<usize>> {
        let table = self.0.get(self.0.partition_point(|table| table.rows.start <= position))?;
        (table.header.first()?.start <= position).then(|| table.rows.clone())
    }
}

/// How often each sign stands in a line. One look-up a byte adds to all four.
fn counts(line: &[u8]) -> [usize; 4] {
    /// For each byte one in the part of its sign.
    const ONE: [u32; 256] = {
        let mut one = [0; 256];
        let mut sign = 0;
        while sign < SIGNS.len() {
            one[SIGNS[sign] as usize] = 1 << (8 * sign);
            sign += 1;
        }
        one
    };
    let mut counts = [0; 4];
    for part in line.chunks(255) {
        let sum: u32 = part.iter().map(|byte| ONE[usize::from(*byte)]).sum();
        counts.iter_mut().zip(sum.to_le_bytes()).for_each(|(count, more)| *count += usize::from(more));
    }
    counts
}

/// The cells of a header; `None` if it cannot be one.
fn cells(bytes: &[u8], line: Range<usize>, sign: u8) -> Option<Vec<Range<usize>>> {
    if bytes[line.clone()].iter().any(u8::is_ascii_digit) {
        return None;
    }
    let mut start = line.start;
    let mut cells = Vec::new();
    for cell in bytes[line].split(|byte| *byte == sign) {
        if cell.len() > CELL || cells.len() == COLUMNS {
            return None;
        }
        cells.push(start..start + cell.len());
        start += cell.len() + 1;
    }
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Role, Turn};

    fn header<'t>(text: &'t str, value: &str) -> Option<&'t str> {
        let mut view = ByteView::default();
        view.fill(&[Turn { role: Role::Customer, text }]);
        Tables::find(&view).header_of(&view, text.find(value).unwrap()).map(|header| &text[header.own])
    }

    #[test]
    fn a_cell_stands_under_its_header() {
        let csv = "here:\nname,bsn,mail\nJan,111222333,jan@x.nl\nPiet,222333444,p@x.nl\n\nbye";
        for (value, cell) in [("111", "bsn"), ("222333", "bsn"), ("p@x", "mail"), ("Piet", "name")] {
            assert_eq!(header(csv, value), Some(cell), "{value}");
        }
        assert_eq!(header(csv, "bye"), None);
        assert_eq!(header("| name | bsn |\n|---|---|\n| Jan | 111222333 |", "1112"), Some(" bsn "));
        assert_eq!(header("a\tb\n1\t2", "2"), Some("b"));
        assert_eq!(header("a;b,c\n1;2,3", "3"), Some("b,c"));
    }

    #[test]
    fn rows_stand_under_each_part_of_their_header() {
        let text = "here\na,b\n1,2\n3,4\nbye\nc;d\n5;6";
        let mut view = ByteView::default();
        view.fill(&[Turn { role: Role::Customer, text }]);
        let tables = Tables::find(&view);
        let under = |part: &str| tables.under(text.find(part).unwrap()).map(|rows| &text[rows]);
        assert_eq!(
            ["a", ",", "b\n", ";d"].map(under),
            [Some("1,2\n3,4"), Some("1,2\n3,4"), Some("1,2\n3,4"), Some("5;6")]
        );
        assert_eq!(["here", "1", "bye", "5"].map(under), [None; 4]);
    }

    #[test]
    fn prose_is_no_table() {
        assert_eq!(header("a,b\n1", "1"), None);
        assert_eq!(header("a,1\nb,2", "2"), None);
        assert_eq!(header("I have a card and it does not work at all, sorry\nit is, 4111", "4111"), None);
    }
}
