//! Lines of records that are made as they are read, so that neither memory nor disk holds them.

use std::io::{BufRead, BufReader, Read};

/// So many reservations, one of each of the customers `ck_0`, `ck_1` and so on of `acme`.
pub fn reservations(rows: u64) -> impl BufRead + Send {
    BufReader::with_capacity(1 << 20, Lines { next: 0..rows, line: Vec::new(), read: 0 })
}

struct Lines {
    next: std::ops::Range<u64>,
    line: Vec<u8>,
    read: usize,
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.read == self.line.len() {
            let Some(n) = self.next.next() else { return Ok(0) };
            self.read = 0;
            self.line = format!(
                "{{\"schema\":1,\"attempt\":\"0-{n:016x}\",\"transcript_id\":\"t-{n}\",\"tenant\":\"acme\",\"customer_key\":\"ck_{n}\",\
                 \"destination\":\"summaries-eu\",\"mode\":\"enforce\",\"ruleset\":\"sha256:{:064x}\",\"program\":\"maysend 0.1.0\",\
                 \"terms\":\"2026-02-11 sha256:{:064x}\",\"source\":{{\"topic\":\"transcripts\",\"partition\":3,\"offset\":{n}}},\
                 \"reservation_id\":\"{:064x}\",\"provider\":\"example-models\",\"reserved_requests\":1,\
                 \"reserved_at\":\"2026-03-02T09:14:03.5Z\"}}\n",
                1, 2, n
            )
            .into_bytes();
        }
        let count = buffer.len().min(self.line.len() - self.read);
        buffer[..count].copy_from_slice(&self.line[self.read..][..count]);
        self.read += count;
        Ok(count)
    }
}
