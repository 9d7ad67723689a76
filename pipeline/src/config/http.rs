//! `[http]`: where metrics and health are served.

use super::milliseconds;
use maysend_detector::source::Table;
use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

/// `[http]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Http {
    /// The address; port 0 is any that is free. `None`: nothing is served.
    pub listen: Option<SocketAddr>,
    /// While records wait, the process is not ready if nothing was committed for so long.
    pub stalled_after: Duration,
}

impl Default for Http {
    fn default() -> Self {
        Self { listen: Some((Ipv4Addr::LOCALHOST, 9464).into()), stalled_after: Duration::from_secs(60) }
    }
}

pub(super) fn read(mut table: Table<'_>) -> Http {
    let mut http = Http::default();
    match table.opt_string("listen").as_deref() {
        None => {}
        Some("off") => http.listen = None,
        Some(text) => match text.parse() {
            Ok(listen) => http.listen = Some(listen),
            Err(_) => table.mistake(
                "listen",
                format!("`{}` is no address", text.escape_debug()),
                "an address and a port such as 127.0.0.1:9464, or off",
            ),
        },
    }
    milliseconds(&mut table, "stalled_after_ms", &mut http.stalled_after);
    table.finish();
    http
}
