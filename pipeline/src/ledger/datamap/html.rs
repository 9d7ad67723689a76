//! The map as one HTML page, to be read, printed and filed: it loads nothing.

use super::{DataMap, Part, Row};
use std::fmt::Write as _;

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8888;--warn:#a3260b;--soft:#8881}
@media (prefers-color-scheme:dark){:root{--warn:#ff8f6b}}
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:90rem;padding:0 1.5rem}
h1{font-size:1.6rem;margin:0 0 .25rem}h2{font-size:1.2rem;margin:2rem 0 .25rem}p{margin:.25rem 0 .75rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;min-width:70rem}
th,td{border-bottom:1px solid var(--line);padding:.45rem .6rem;text-align:left;vertical-align:top;overflow-wrap:break-word}
th{background:var(--soft);font-weight:600;white-space:nowrap}td:first-child{font-weight:600;width:15rem;overflow-wrap:anywhere}
td p{margin:0 0 .2rem}code{font:.95em ui-monospace,monospace}.warn{color:var(--warn)}
.line{border:0;border-top:4px double currentColor;margin:2.5rem 0 0}
footer{margin:2rem 0;opacity:.75}
@media print{body{margin:0;max-width:none;font-size:9px}.scroll{overflow:visible}table{min-width:0}tr{break-inside:avoid}}";

impl DataMap {
    /// The map as a page.
    pub fn html(&self) -> String {
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width\">\n<title>Data map, {day}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <h1>Data map</h1>\n<p>As of {day}",
            day = self.as_of
        );
        if let Some(request) = &self.request_id {
            let _ = write!(out, ", for request {}", escaped(request));
        }
        out += ".</p>\n";
        for (i, Part { title, meaning, rows }) in self.parts().into_iter().enumerate() {
            let line = if i > 0 { "<hr class=\"line\">\n" } else { "" };
            let _ = write!(out, "{line}<section>\n<h2>{title}</h2>\n<p>{meaning}</p>\n");
            self.rows(&mut out, rows);
            out += "</section>\n";
        }
        let _ = write!(out, "<footer>Made by {}.</footer>\n</body>\n</html>\n", self.program);
        out
    }

    fn rows(&self, out: &mut String, rows: &[Row]) {
        let (columns, of_request) = (self.columns(), self.request_id.is_some());
        *out += "<div class=\"scroll\"><table>\n<thead><tr>";
        for column in columns {
            let _ = write!(out, "<th scope=\"col\">{column}</th>");
        }
        *out += "</tr></thead>\n<tbody>\n";
        for row in rows {
            let _ = write!(out, "<tr id=\"{}\">", escaped(&row.id.replace('`', "")));
            for (column, lines) in row.cells(of_request).iter().take(columns.len()).enumerate() {
                *out += "<td>";
                for (i, line) in lines.iter().enumerate() {
                    let class = if column == 0 && i > 0 { " class=\"warn\"" } else { "" };
                    let _ = write!(out, "<p{class}>{}</p>", escaped(line));
                }
                *out += "</td>";
            }
            *out += "</tr>\n";
        }
        *out += "</tbody>\n</table></div>\n";
    }
}

/// Text that is read as it stands; what is between backticks is code.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut is_code, ticks) = (false, text.matches('`').count());
    for c in text.chars() {
        match c {
            '`' if ticks.is_multiple_of(2) => {
                out += if is_code { "</code>" } else { "<code>" };
                is_code = !is_code;
            }
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
