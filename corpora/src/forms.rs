//! How people write numbers: plain, or grouped in the ways that are usual for each.

use crate::rng::Rng;

/// The ways to write an entity, with weights. A `#` stands for the next character, anything else for itself; an
/// empty mask leaves the number as it is.
fn masks(entity: &str) -> &'static [(u64, &'static str)] {
    match entity {
        "nl.bsn" => &[(45, ""), (20, "####.##.###"), (15, "### ### ###"), (10, "#### ## ###"), (10, "###.###.###")],
        "de.idnr" => &[(55, ""), (45, "## ### ### ###")],
        "fr.nir" => &[(40, ""), (50, "# ## ## ## ### ### ##"), (10, "############# ##")],
        "es.dni" => &[(70, ""), (20, "########-#"), (10, "##.###.###-#")],
        "be.nn" => &[(30, ""), (60, "##.##.##-###.##"), (10, "######-###.##")],
        "gb.nino" => &[(50, ""), (50, "## ## ## ## #")],
        "gb.nhs" => &[(35, ""), (55, "### ### ####"), (10, "###-###-####")],
        "us.ssn" => &[(25, ""), (65, "###-##-####"), (10, "### ## ####")],
        "ca.sin" => &[(35, ""), (40, "### ### ###"), (25, "###-###-###")],
        "br.cpf" => &[(30, ""), (70, "###.###.###-##")],
        "in.aadhaar" => &[(35, ""), (65, "#### #### ####")],
        "payment.card" => &[(30, ""), (55, "#### #### #### ####"), (15, "####-####-####-####")],
        "iban" => &[(45, ""), (55, "#### #### #### #### #### #### #### ####")],
        _ => &[(1, "")],
    }
}

/// Fills a mask; it may be longer than the number.
fn fill(mask: &str, number: &str) -> String {
    let mut letters = number.chars();
    let mut written = String::with_capacity(mask.len());
    let mut separator = None;
    for place in mask.chars() {
        if place != '#' {
            separator = Some(place);
            continue;
        }
        let Some(letter) = letters.next() else { break };
        written.extend(separator.take());
        written.push(letter);
    }
    written.extend(letters);
    written
}

/// A number as somebody writes it, and whether it is grouped.
pub(crate) fn write(rng: &mut Rng, entity: &str, number: &str) -> (String, bool) {
    let masks = masks(entity);
    let mask = masks[rng.weighted(masks.iter().map(|(weight, _)| *weight))].1;
    if mask.is_empty() {
        return (number.to_owned(), false);
    }
    // American Express numbers have fifteen digits, in groups of their own.
    let mask = if entity == "payment.card" && number.len() == 15 { "#### ###### #####" } else { mask };
    (fill(mask, number), true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::{RULES, is_valid};

    #[test]
    fn masks_group() {
        assert_eq!(fill("####.##.###", "111222333"), "1112.22.333");
        assert_eq!(fill("#### #### #### ####", "NL91ABNA04"), "NL91 ABNA 04");
        assert_eq!(fill("##", "1234"), "1234");
    }

    #[test]
    fn every_form_reads_back() {
        for rule in &RULES {
            let mut rng = Rng::new(2, &[]);
            for _ in 0..200 {
                let number = (rule.make)(&mut rng);
                let (written, _) = write(&mut rng, rule.entity, &number);
                assert_eq!(is_valid(rule.entity, &written), Some(true), "{} {written}", rule.entity);
            }
        }
    }
}
