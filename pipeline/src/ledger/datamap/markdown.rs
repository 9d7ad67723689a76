//! The map as Markdown.

use super::{DataMap, Part, Row};
use std::fmt::Write as _;

impl DataMap {
    /// The map as Markdown: two tables, with the line between them said in words.
    pub fn markdown(&self) -> String {
        let mut out = format!("# Data map, {}\n", self.as_of);
        if let Some(request) = &self.request_id {
            let _ = write!(out, "\nFor request {}.\n", escaped(request));
        }
        for (i, Part { title, meaning, rows }) in self.parts().into_iter().enumerate() {
            let line = if i > 0 { "\n---\n" } else { "" };
            let _ = write!(out, "{line}\n## {title}\n\n{meaning}\n\n");
            self.table(&mut out, rows);
        }
        let _ = write!(out, "\nMade by {}.\n", self.program);
        out
    }

    fn table(&self, out: &mut String, rows: &[Row]) {
        let (columns, of_request) = (self.columns(), self.request_id.is_some());
        let _ = writeln!(out, "| {} |\n|{}", columns.join(" | "), "---|".repeat(columns.len()));
        for row in rows {
            let cells = row.cells(of_request);
            let cells = cells.iter().take(columns.len()).enumerate().map(|(column, lines)| {
                let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
                match (column, &row.warning) {
                    (0, Some(_)) => format!("**{}**", lines.join("**<br>**")),
                    _ => lines.join("<br>"),
                }
            });
            let _ = writeln!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "));
        }
    }
}

/// Text that stays in its cell and is read as it stands.
pub(in super::super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '|' | '*' | '_' | '[' | ']' | '#' => out.extend(['\\', c]),
            '<' => out += "&lt;",
            '&' => out += "&amp;",
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
