//! `[http]`: where metrics and health are served.

use super::section::Section;
use std::{net::SocketAddr, time::Duration};

/// What stands for no address.
const OFF: &str = "off";

/// `[http]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Http {
    /// The address; port 0 is any that is free. `None`: nothing is served.
    pub listen: Option<SocketAddr>,
    /// While records wait, the process is not ready if nothing was committed for so long.
    pub stalled_after: Duration,
}

pub(super) fn read(mut section: Section<'_>) -> Http {
    let text = section.string(
        "listen",
        "127.0.0.1:9464",
        "Where /metrics, /healthz and /readyz are served: an address and a port, 0 for any that is free; or off.",
    );
    let listen = text.parse().ok();
    if listen.is_none() && text != OFF {
        let wrong = format!("`{}` is no address", text.escape_debug());
        section.mistake("listen", wrong, "an address and a port such as 127.0.0.1:9464, or off");
    }
    let stalled_after = section.milliseconds(
        "stalled_after_ms",
        60_000,
        "While records wait, the process is not ready if nothing was committed for so long.",
    );
    section.finish();
    Http { listen, stalled_after }
}
