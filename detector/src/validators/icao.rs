//! Machine-readable zones of travel documents (ICAO Doc 9303, parts 3 to 7).

use super::{Validator, rule};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[rule("document.mrz", "ICAO Doc 9303, parts 3 to 7", document_mrz)];

/// What a character counts in a check digit: digits their value, letters 10 to 35, the filler nothing.
fn value(byte: u8) -> Option<u32> {
    match byte {
        b'0'..=b'9' => Some(u32::from(byte - b'0')),
        b'A'..=b'Z' => Some(u32::from(byte - b'A') + 10),
        b'<' => Some(0),
        _ => None,
    }
}

/// Whether `check` is the check digit of the parts one after another: weights 7, 3, 1 in turn, modulo 10.
fn passes(parts: &[&[u8]], check: u8) -> bool {
    let mut sum = 0;
    for (byte, weight) in parts.iter().copied().flatten().zip([7, 3, 1].into_iter().cycle()) {
        let Some(value) = value(*byte) else { return false };
        sum += value * weight;
    }
    check.is_ascii_digit() && u32::from(check - b'0') == sum % 10
}

/// An optional field may have the filler for its check digit when it is empty.
fn optional_passes(field: &[u8], check: u8) -> bool {
    passes(&[field], check) || check == b'<' && field.iter().all(|byte| *byte == b'<')
}

/// A zone of the formats TD1 (three lines of 30), TD2 and MRV-B (two of 36), TD3 and MRV-A (two of 44), or the second
/// line of a TD3 alone; every check digit must pass. About one random string of the shape in 10,000 does.
pub(super) fn document_mrz(text: &[u8]) -> bool {
    let mut lines: [&[u8]; 3] = [b""; 3];
    let mut count = 0;
    for line in text.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii).filter(|line| !line.is_empty())
    {
        let Some(slot) = lines.get_mut(count) else { return false };
        *slot = line;
        count += 1;
    }
    let [first, second, third] = lines;
    match (count, first.len()) {
        (1, 44) => td3(first, false),
        (2, 44) if second.len() == 44 => td3(second, first[0] == b'V'),
        (2, 36) if second.len() == 36 => td2(second, first[0] == b'V'),
        (3, 30) if second.len() == 30 && third.len() == 30 => td1(first, second),
        _ => false,
    }
}

/// The second line of the formats of two lines: document number, nationality, birth, sex, expiry.
fn common(line: &[u8]) -> bool {
    passes(&[&line[..9]], line[9]) && passes(&[&line[13..19]], line[19]) && passes(&[&line[21..27]], line[27])
}

fn td3(line: &[u8], visa: bool) -> bool {
    common(line)
        && (visa
            || optional_passes(&line[28..42], line[42])
                && passes(&[&line[..10], &line[13..20], &line[21..43]], line[43]))
}

fn td2(line: &[u8], visa: bool) -> bool {
    common(line) && (visa || passes(&[&line[..10], &line[13..20], &line[21..35]], line[35]))
}

fn td1(first: &[u8], second: &[u8]) -> bool {
    let number = match first[14] {
        // A number of more than nine characters goes on in the optional field, its check digit after it.
        b'<' => {
            let rest = &first[15..];
            let end = rest.iter().position(|byte| *byte == b'<').unwrap_or(rest.len());
            match rest[..end].split_last() {
                Some((check, rest)) => passes(&[&first[5..15], rest], *check) || passes(&[&first[5..14], rest], *check),
                None => false,
            }
        }
        check => passes(&[&first[5..14]], check),
    };
    number
        && passes(&[&second[..6]], second[6])
        && passes(&[&second[8..14]], second[14])
        && passes(&[&first[5..], &second[..7], &second[8..15], &second[18..29]], second[29])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TD1: &str = "I<UTOD231458907<<<<<<<<<<<<<<<\n7408122F1204159UTO<<<<<<<<<<<6\nERIKSSON<<ANNA<MARIA<<<<<<<<<<";
    const TD2: &str = "I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<\r\nD231458907UTO7408122F1204159<<<<<<<6";
    const TD3: &str = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10";
    const MRV_A: &str = "V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL8988901C4XXX4009078F96121096ZE184226B<<<<<<";
    const MRV_B: &str = "V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<\nL8988901C4XXX4009078F9612109<<<<<<<<";

    #[test]
    fn the_specimens_of_doc_9303_pass() {
        for text in [TD1, TD2, TD3, MRV_A, MRV_B] {
            assert!(document_mrz(text.as_bytes()), "{text}");
        }
        assert!(document_mrz(&TD3.as_bytes()[45..]), "the second line alone");
    }

    #[test]
    fn each_changed_digit_is_noticed() {
        for text in [TD1, TD2, TD3] {
            let lines = text.len() - text.lines().last().unwrap().len();
            let checked = if text == TD1 { 0..lines } else { lines..text.len() };
            for i in checked.filter(|i| text.as_bytes()[*i].is_ascii_digit()) {
                let mut changed = text.as_bytes().to_vec();
                changed[i] = if changed[i] == b'9' { b'0' } else { changed[i] + 1 };
                assert!(!document_mrz(&changed), "{}", String::from_utf8_lossy(&changed));
            }
        }
    }

    #[test]
    fn other_shapes_are_refused() {
        for text in ["", "\n\n", "P<UTO", "A\nB\nC\nD", &TD3[..44]] {
            assert!(!document_mrz(text.as_bytes()), "{text}");
        }
    }
}
