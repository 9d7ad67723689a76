//! Identifiers without a check digit, told by which characters stand where.

use super::{Validator, digits::characters_up_to, form};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    form("al.nipt", "Ligj nr. 9723/2007 (NIPT)", "[A-M]########@|AL[A-M]########@"),
    form("ar.dni", "Ley 17.671 (DNI)", "#######|########"),
    form("cr.cpf", "Tribunal Supremo de Elecciones (cédula física)", "#########|0#########"),
    form("de.stnr", "ELSTER, Aufbau der Steuernummern", "##########|###########|#############"),
    form("dz.nif", "Direction Générale des Impôts (NIF)", "###############|####################"),
    // The number runs from 0001.
    form(
        "in.pan",
        "Income-tax Rules 1962, rule 114",
        "@@@[ABCFGHJKLPT]@[1-9]###@|@@@[ABCFGHJKLPT]@0[1-9]##@|@@@[ABCFGHJKLPT]@00[1-9]#@|@@@[ABCFGHJKLPT]@000[1-9]@",
    ),
    form("ke.pin", "Kenya Revenue Authority, PIN", "[AP]#########@"),
    form(
        "nl.identiteitskaartnummer",
        "Paspoortuitvoeringsregeling; no letter O",
        "[A-NP-Z][A-NP-Z][0-9A-NP-Z][0-9A-NP-Z][0-9A-NP-Z][0-9A-NP-Z][0-9A-NP-Z][0-9A-NP-Z]#",
    ),
    form(
        "sg.nric_form",
        "Immigration and Checkpoints Authority (letters of each series)",
        "[ST]#######[A-JZ]|[FG]#######[KLMNPQRTUWX]|M#######[JKLNPQRTUWX]",
    ),
    form("us.atin", "Internal Revenue Service, Form W-7A", "9##93####"),
    form(
        "us.mbi",
        "CMS, Medicare Beneficiary Identifier format",
        "[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]#[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]#[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y]##",
    ),
    form("us.ptin", "Internal Revenue Service, Form W-12", "P########"),
];

/// The longest number that is read.
const LONGEST: usize = 32;

/// Whether the letters and digits of a match are of this form: `#` a digit, `@` a letter, `*` either, `[A-CX]` one of a
/// set, anything else itself. Forms stand one after another with `|` between. Linear in the match.
pub(super) fn is_of(text: &[u8], forms: &str) -> bool {
    let Some((characters, count)) = characters_up_to::<LONGEST>(text) else { return false };
    forms.split('|').any(|form| fits(&characters[..count], form.as_bytes()))
}

fn fits(characters: &[u8], form: &[u8]) -> bool {
    let mut rest = form;
    for character in characters {
        let [kind, after @ ..] = rest else { return false };
        let (fits, after) = match kind {
            b'#' => (character.is_ascii_digit(), after),
            b'@' => (character.is_ascii_uppercase(), after),
            b'*' => (character.is_ascii_alphanumeric(), after),
            b'[' => {
                let Some(end) = after.iter().position(|byte| *byte == b']') else { return false };
                (is_in(*character, &after[..end]), &after[end + 1..])
            }
            own => (character == own, after),
        };
        if !fits {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

/// Whether a set of characters and ranges holds one.
fn is_in(character: u8, mut set: &[u8]) -> bool {
    loop {
        match set {
            [low, b'-', high, rest @ ..] => {
                if (*low..=*high).contains(&character) {
                    return true;
                }
                set = rest;
            }
            [one, rest @ ..] => {
                if *one == character {
                    return true;
                }
                set = rest;
            }
            [] => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_place() {
        for (text, form, fits) in [
            ("ab-12", "@@##", true),
            ("ab-12", "@@###", false),
            ("ab-123", "@@##", false),
            ("x1", "[A-CX][0-2]", true),
            ("d1", "[A-CX][0-2]", false),
            ("c3", "[A-CX][0-2]", false),
            ("P7", "##|P#", true),
            ("q7", "**", true),
            ("", "", true),
            ("a", "[A", false),
        ] {
            assert_eq!(is_of(text.as_bytes(), form), fits, "{text} {form}");
        }
    }
}
