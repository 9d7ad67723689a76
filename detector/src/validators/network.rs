//! Addresses: IPv4, IPv6, of network cards, and e-mail.

use super::{Validator, rule};
use std::net::Ipv6Addr;

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    rule("network.ipv4", "RFC 1123, section 2.1", ipv4),
    rule("network.ipv4_public", "RFC 1123, section 2.1; RFC 6890", ipv4_public),
    rule("network.ipv4_private", "RFC 1918, section 3", |text| {
        matches!(ipv4_of(text), Some([192, 168, ..] | [172, 16..=31, ..]))
    }),
    rule("network.ipv6", "RFC 4291, section 2.2", ipv6),
    rule("network.url", "RFC 3986, section 3.2.2; RFC 1123, section 2.1", url),
    rule("network.mac", "IEEE 802", |text| {
        super::digits::characters::<12>(text).is_some_and(|digits| {
            digits.iter().all(u8::is_ascii_hexdigit) && digits != *b"FFFFFFFFFFFF" && digits != *b"000000000000"
        })
    }),
    rule("contact.email", "RFC 5321, section 4.5.3.1; RFC 6531", email),
];

/// The address that four decimal numbers from 0 to 255 write (RFC 1123, section 2.1). Leading zeros are refused: some
/// read them as octal, and dates and versions have them.
fn ipv4_of(text: &[u8]) -> Option<[u8; 4]> {
    let mut parts = [0u8; 4];
    let mut count = 0;
    for part in text.split(|byte| *byte == b'.') {
        let value = match part {
            [b'0'] => 0,
            [b'1'..=b'9', ..] if part.len() <= 3 => super::digits::number_of(part)?,
            _ => return None,
        };
        *parts.get_mut(count)? = u8::try_from(value).ok()?;
        count += 1;
    }
    (count == 4).then_some(parts)
}

/// An IPv4 address of any range.
pub(super) fn ipv4(text: &[u8]) -> bool {
    ipv4_of(text).is_some()
}

/// An IPv4 address outside the ranges for networks of one's own, loopback, link-local, shared, multicast and future
/// use (RFC 6890). The ranges for documentation pass: in prose they stand for addresses of people.
pub(super) fn ipv4_public(text: &[u8]) -> bool {
    ipv4_of(text).is_some_and(|parts| {
        !matches!(
            parts,
            [0 | 10 | 127 | 224.., ..] | [100, 64..=127, ..] | [169, 254, ..] | [172, 16..=31, ..] | [192, 168, ..]
        )
    })
}

/// An IPv6 address, at times with a zone. The unspecified one, two colons alone, is refused: names in programs have it.
pub(super) fn ipv6(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let address = text.split('%').next().unwrap_or(text);
    address.parse::<Ipv6Addr>().is_ok_and(|address| !address.is_unspecified())
}

/// Whether the host of a link is a name with a dot in it or an address. A name alone leads to a machine of one's own
/// network, or is an example; with a path behind it, it names something there.
fn url(text: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(text, b"://") else { return false };
    let rest = &text[at + 3..];
    let end = rest.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    path.len() > 1 || host.contains(&b'.') || host.contains(&b':')
}

/// Bytes that a local part may have (RFC 5321, section 4.5.3.1.1).
const LONGEST_LOCAL: usize = 64;

/// Bytes that a domain may have (section 4.5.3.1.2).
const LONGEST_DOMAIN: usize = 255;

/// An e-mail address: local part of 1 to 64 bytes, domain of at most 255 in labels of 1 to 63 (RFC 5321, sections
/// 4.5.3.1.1 and 4.5.3.1.2), at least two labels, no empty atom, and a last label of letters or an encoded one
/// (`xn--`). Bytes beyond ASCII count as letters (RFC 6531). Linear.
pub(super) fn email(text: &[u8]) -> bool {
    // No further than a local part may reach: a run of characters is checked once for each of its ends.
    let Some(at) = text.iter().take(LONGEST_LOCAL + 1).position(|byte| *byte == b'@') else { return false };
    let (local, domain) = (&text[..at], &text[at + 1..]);
    if local.is_empty() || domain.len() > LONGEST_DOMAIN {
        return false;
    }
    crate::work::count(text.len());
    let label = |label: &[u8]| {
        (1..=63).contains(&label.len())
            && !label.starts_with(b"-")
            && !label.ends_with(b"-")
            && label.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-' || *byte >= 0x80)
    };
    let top = |label: &[u8]| {
        label.len() >= 2
            && (label.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80)
                || label.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"xn--")))
    };
    local.split(|byte| *byte == b'.').all(|atom| !atom.is_empty())
        && !local.iter().any(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control())
        && domain.split(|byte| *byte == b'.').all(label)
        && domain.iter().rposition(|byte| *byte == b'.').is_some_and(|dot| top(&domain[dot + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ipv4_addresses() {
        for (text, any, public) in [
            ("203.0.113.45", true, true),
            ("8.8.8.8", true, true),
            ("192.168.1.1", true, false),
            ("10.0.0.1", true, false),
            ("172.31.0.1", true, false),
            ("172.32.0.1", true, true),
            ("127.0.0.1", true, false),
            ("255.255.255.255", true, false),
            ("256.1.1.1", false, false),
            ("1.2.3", false, false),
            ("1.2.3.4.5", false, false),
            ("01.2.3.4", false, false),
            ("1..2.3", false, false),
            ("", false, false),
        ] {
            assert_eq!((ipv4(text.as_bytes()), ipv4_public(text.as_bytes())), (any, public), "{text}");
        }
    }

    #[test]
    fn email_addresses() {
        let long = format!("{}@example.org", "a".repeat(64));
        let too_long = format!("a{long}");
        for (text, valid) in [
            ("anna.b@example.org.uk", true),
            ("j+tag@sub.example.com", true),
            ("o'brien@example.ie", true),
            ("info@bücher.example", true),
            ("x@xn--bcher-kva.xn--p1ai", true),
            (&*long, true),
            (&*too_long, false),
            ("anna@example", false),
            ("anna..b@example.org", false),
            (".anna@example.org", false),
            ("anna.@example.org", false),
            ("anna@example..org", false),
            ("anna@-example.org", false),
            ("anna@example.c0m", false),
            ("anna@example.c", false),
            ("anna@b@example.org", false),
            ("@example.org", false),
            ("anna", false),
        ] {
            assert_eq!(email(text.as_bytes()), valid, "{text}");
        }
    }
}
