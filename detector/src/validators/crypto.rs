//! Addresses and keys of cryptographic currencies.

use super::{Validator, rule};
use bech32::{Hrp, primitives::decode::CheckedHrpstring};
use bs58::Alphabet;
use sha2::{Digest, Sha256};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    rule("crypto.bitcoin", "Bitcoin Improvement Proposals 13, 173 and 350; Base58Check", bitcoin),
    rule("crypto.other", "Base58Check with each currency's versions; BIP 173", other),
    rule("secret.crypto_private_key", "Bitcoin wallet import format; BIP 32 (extended keys)", private_key),
];

/// Most characters of an address or key. Longer ones are refused before they are decoded, which takes quadratic time.
const LONGEST: usize = 128;

/// The payload of a Base58Check string in one of the alphabets: version, data, and four bytes of a double SHA-256.
fn base58check(text: &[u8], alphabet: &Alphabet) -> Option<Vec<u8>> {
    if text.len() > LONGEST {
        return None;
    }
    let mut decoded = bs58::decode(text).with_alphabet(alphabet).into_vec().ok()?;
    let check = decoded.split_off(decoded.len().checked_sub(4)?);
    (Sha256::digest(Sha256::digest(&decoded))[..4] == *check).then_some(decoded)
}

/// A Bitcoin address: Base58Check of twenty bytes with version 0 or 5, or a segregated witness address.
fn bitcoin(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    match base58check(text.as_bytes(), Alphabet::BITCOIN) {
        Some(payload) => payload.len() == 21 && matches!(payload[0], 0 | 5),
        None => {
            text.len() <= LONGEST && bech32::segwit::decode(text).is_ok_and(|(prefix, _, _)| prefix == bech32::hrp::BC)
        }
    }
}

/// An address of Litecoin, Dogecoin, Tron, Dash, Zcash (Base58Check), Ripple (with its own alphabet), Cardano or the
/// Cosmos family (Bech32).
fn other(text: &[u8]) -> bool {
    let base58 = base58check(text, Alphabet::BITCOIN).is_some_and(|payload| {
        payload.len() == 21 && matches!(payload[0], 0x30 | 0x32 | 0x1E | 0x16 | 0x41 | 0x4C | 0x10)
    });
    let ripple = || base58check(text, Alphabet::RIPPLE).is_some_and(|payload| payload.len() == 21 && payload[0] == 0);
    let bech32 = || {
        std::str::from_utf8(text).is_ok_and(|text| {
            let known = ["ltc", "addr", "stake", "cosmos", "osmo"].map(Hrp::parse);
            text.len() <= LONGEST
                && CheckedHrpstring::new::<bech32::Bech32>(text)
                    .map(|checked| checked.hrp())
                    .or_else(|_| CheckedHrpstring::new::<bech32::Bech32m>(text).map(|checked| checked.hrp()))
                    .is_ok_and(|hrp| known.iter().flatten().any(|known| *known == hrp))
        })
    };
    base58 || ripple() || bech32()
}

/// A private key: wallet import format (version 128, 32 bytes, at times a 1 after them) or an extended private key.
fn private_key(text: &[u8]) -> bool {
    base58check(text, Alphabet::BITCOIN).is_some_and(|payload| match payload.len() {
        33 => payload[0] == 0x80,
        34 => payload[0] == 0x80 && payload[33] == 1,
        78 => text.starts_with(b"xprv") || text.starts_with(b"yprv") || text.starts_with(b"zprv"),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specimens_of_the_proposals() {
        for (check, text, valid) in [
            (bitcoin as fn(&[u8]) -> bool, "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", true),
            (bitcoin, "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3", false),
            (bitcoin, "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", true),
            (bitcoin, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", true),
            (bitcoin, "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", true),
            (bitcoin, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", false),
            (bitcoin, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", true),
            (private_key, "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", true),
            (private_key, "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTK", false),
            (other, "rf1BiGeXwwQoi8Z2ueFYTEXSwuJYfV2Jpn", true),
            (other, "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", false),
        ] {
            assert_eq!(check(text.as_bytes()), valid, "{text}");
        }
    }
}
