//! Checks by a weighted sum modulo 11: those that are data, and three that more is built on.

pub(super) mod europe;
pub(super) mod world;

use super::{
    Additive, Validator,
    digits::{digits, digits_up_to, weighted},
    rule,
    sum::{MOD_11, MOD_11_0, Sum, TO_11, TO_11_0, TO_11_LAST},
};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    Validator {
        additive: Some(NL_BSN),
        ..rule("nl.bsn", "Besluit burgerservicenummer, article 3 (eleven test)", nl_bsn)
    },
    Validator { additive: Some(GB_NHS), ..rule("gb.nhs", "NHS Data Model and Dictionary, NHS NUMBER", gb_nhs) },
    rule("br.cpf", "Receita Federal, Cadastro de Pessoas Físicas, modulo 11", br_cpf),
    super::sum(
        "ar.cuit",
        "AFIP, Resolución General 10/1997 (CUIT)",
        Sum::new(&[5, 4, 3, 2, 7, 6, 5, 4, 3, 2], b"09987654321").and(|number| {
            matches!(&number[..2], b"20" | b"23" | b"24" | b"27" | b"30" | b"33" | b"34" | b"50" | b"51" | b"55")
        }),
    ),
    super::sum("br.pis", "Caixa Econômica Federal, PIS/PASEP/NIT", Sum::new(&[3, 2, 9, 8, 7, 6, 5, 4, 3, 2], TO_11_0)),
    super::sum(
        "ca.bc_phn",
        "BC Ministry of Health, Personal Health Number",
        Sum::new(&[0, 2, 4, 8, 5, 10, 9, 7, 3], TO_11).and(|number| number[0] == b'9'),
    ),
    super::sum(
        "ch.uid",
        "Bundesgesetz über die Unternehmens-Identifikationsnummer; eCH-0097",
        Sum::new(&[5, 4, 3, 2, 7, 6, 5, 4], TO_11).prefixed("CHE"),
    ),
    super::sum(
        "cl.rut",
        "Servicio de Impuestos Internos (RUT)",
        Sum::new(&[3, 2, 7, 6, 5, 4, 3, 2], b"0K987654321").padded(8).prefixed("CL"),
    ),
    super::sum(
        "co.nit",
        "DIAN, Orden Administrativa 4/1989 (NIT)",
        Sum::new(&[71, 67, 59, 53, 47, 43, 41, 37, 29, 23, 19, 17, 13, 7, 3], b"01987654321").padded(8),
    ),
    super::sum(
        "dk.cvr",
        "CVR-loven; Erhvervsstyrelsen, modulus 11",
        Sum::new(&[2, 7, 6, 5, 4, 3, 2], TO_11).prefixed("DK").and(|number| number[0] != b'0'),
    ),
    super::sum(
        "fi.alv",
        "Yritys- ja yhteisötietolaki (Y-tunnus)",
        Sum::new(&[7, 9, 10, 5, 8, 4, 2], TO_11).prefixed("FI"),
    ),
    super::sum(
        "gb.utr",
        "HM Revenue & Customs, Unique Taxpayer Reference",
        Sum::new(&[6, 7, 8, 9, 10, 5, 4, 3, 2], b"21987654321").at(0).prefixed("K"),
    ),
    super::sum("gr.vat", "ΑΑΔΕ (ΑΦΜ)", Sum::new(&[256, 128, 64, 32, 16, 8, 4, 2], MOD_11_0).prefixed("EL")),
    super::sum(
        "gt.nit",
        "Superintendencia de Administración Tributaria (NIT)",
        Sum::new(&[12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2], b"0K987654321").padded(2),
    ),
    super::sum(
        "hu.tin",
        "2017. évi CL. törvény (adóazonosító jel)",
        Sum::new(&[1, 2, 3, 4, 5, 6, 7, 8, 9], MOD_11).and(|number| number[0] == b'8'),
    ),
    super::sum(
        "jp.in_",
        "行政手続における特定の個人を識別するための番号の利用等に関する法律 (My Number)",
        Sum::new(&[6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2], TO_11_0),
    ),
    super::sum(
        "mz.nuit",
        "Autoridade Tributária de Moçambique (NUIT)",
        Sum::new(&[8, 9, 4, 5, 6, 7, 8, 9], b"01234567891"),
    ),
    super::sum("no.orgnr", "Enhetsregisterloven; Brønnøysundregistrene", Sum::new(&[3, 2, 7, 6, 5, 4, 3, 2], TO_11)),
    super::sum(
        "pe.ruc",
        "SUNAT (RUC)",
        Sum::new(&[5, 4, 3, 2, 7, 6, 5, 4, 3, 2], TO_11_LAST)
            .and(|number| matches!(&number[..2], b"10" | b"15" | b"17" | b"20")),
    ),
    super::sum(
        "pl.nip",
        "Ustawa o zasadach ewidencji i identyfikacji podatników (NIP)",
        Sum::new(&[6, 5, 7, 2, 3, 4, 5, 6, 7], MOD_11).prefixed("PL"),
    ),
    super::sum(
        "pt.nif",
        "Autoridade Tributária e Aduaneira (NIF)",
        Sum::new(&[9, 8, 7, 6, 5, 4, 3, 2], TO_11_0).prefixed("PT").and(|number| number[0] != b'0'),
    ),
    super::sum(
        "py.ruc",
        "Dirección Nacional de Ingresos Tributarios (RUC)",
        Sum::new(&[9, 8, 7, 6, 5, 4, 3, 2], TO_11_0).padded(5),
    ),
    super::sum(
        "ro.cui",
        "Codul fiscal (CUI)",
        Sum::new(&[7, 5, 3, 2, 1, 7, 5, 3, 2], TO_11_0).padded(2).prefixed("RO").and(|number| number[0] != b'0'),
    ),
    super::sum(
        "si.ddv",
        "Zakon o davčnem postopku (davčna številka)",
        Sum::new(&[8, 7, 6, 5, 4, 3, 2], b" 0987654321").prefixed("SI").and(|number| number[0] != b'0'),
    ),
    super::sum(
        "th.pin",
        "พ.ร.บ. การทะเบียนราษฎร (เลขประจำตัวประชาชน)",
        Sum::new(&[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2], TO_11_LAST).and(|number| !matches!(number[0], b'0' | b'9')),
    ),
    super::sum(
        "th.pin_province",
        "กรมการปกครอง (province codes); ISO 3166-2:TH",
        Sum::new(&[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2], TO_11_LAST).and(|number| {
            let province = super::digits::number_of(&number[1..3]);
            !matches!(number[0], b'0' | b'9')
                && matches!(province, Some(10..=27 | 30..=49 | 50..=58 | 60..=67 | 70..=77 | 80..=86 | 90..=96))
        }),
    ),
    super::sum(
        "ua.rntrc",
        "Положення про реєстрацію фізичних осіб (РНОКПП)",
        Sum::new(&[-1, 5, 7, 9, 4, 6, 10, 5, 7], MOD_11_0),
    ),
    super::sum(
        "uy.rut",
        "Dirección General Impositiva (RUT)",
        Sum::new(&[4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2], TO_11).prefixed("UY").and(|number| {
            (b"01".as_slice()..=b"22").contains(&&number[..2]) && &number[2..8] != b"000000" && &number[8..11] == b"001"
        }),
    ),
];

/// Dutch citizen service number, by the eleven test: 9·d1 + 8·d2 + … + 2·d8 − d9 is a multiple of 11. Eight digits
/// are read as nine with a leading zero, which spreadsheets drop. One random string in eleven passes.
pub(super) fn nl_bsn(text: &[u8]) -> bool {
    let Some((digits, count)) = digits_up_to::<9>(text) else { return false };
    let digits = &digits[..count];
    let sum: u32 = digits.iter().rev().enumerate().map(|(i, digit)| bsn_term(i, *digit)).sum();
    matches!(count, 8 | 9) && sum.is_multiple_of(11) && digits.iter().any(|digit| *digit != 0)
}

/// The last digit counts −1, which is 10 modulo 11; the others their place from the right.
fn bsn_term(position: usize, digit: u8) -> u32 {
    let weight = if position == 0 { 10 } else { position as u32 % 11 + 1 };
    weight * u32::from(digit) % 11
}

/// The eleven test as a sum.
pub(super) const NL_BSN: Additive = Additive { modulus: 11, residue: 0, term: bsn_term, nonzero: true };

/// NHS number: ten digits, 10·d1 + 9·d2 + … + 1·d10 a multiple of 11. One random string in eleven passes.
pub(super) fn gb_nhs(text: &[u8]) -> bool {
    digits::<10>(text).is_some_and(|digits| {
        let sum: u32 = digits.iter().rev().enumerate().map(|(i, digit)| nhs_term(i, *digit)).sum();
        sum.is_multiple_of(11) && digits != [0; 10]
    })
}

fn nhs_term(position: usize, digit: u8) -> u32 {
    (position as u32 % 11 + 1) * u32::from(digit) % 11
}

/// The NHS number's check as a sum.
pub(super) const GB_NHS: Additive = Additive { modulus: 11, residue: 0, term: nhs_term, nonzero: true };

/// Brazilian CPF: two check digits modulo 11, the second over the first too. Repetitions of one digit pass the sums
/// and are never issued. One random string in a hundred passes.
pub(super) fn br_cpf(text: &[u8]) -> bool {
    let Some(digits) = digits::<11>(text) else { return false };
    let check = |sum: u32| (sum * 10 % 11 % 10) as u8;
    digits.iter().any(|digit| *digit != digits[0])
        && digits[9] == check(weighted(&digits[..9], &[10, 9, 8, 7, 6, 5, 4, 3, 2]))
        && digits[10] == check(weighted(&digits[..10], &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2]))
}

/// Two sums: where the first leaves 10, the second decides. The last digit is the check.
pub(super) fn twice(digits: &[u8], first: &[u32], second: &[u32]) -> Option<u32> {
    let (_, rest) = digits.split_last()?;
    Some(match weighted(rest, first) % 11 {
        10 => weighted(rest, second) % 11,
        check => check,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eleven_tests() {
        for (check, text, valid) in [
            (nl_bsn as fn(&[u8]) -> bool, "111222333", true),
            (nl_bsn, "1234.56.782", true),
            (nl_bsn, "111222334", false),
            (nl_bsn, "012345672", true),
            (nl_bsn, "12345672", true),
            (nl_bsn, "1234-5672", true),
            (nl_bsn, "000000000", false),
            (nl_bsn, "0000000000", false),
            (gb_nhs, "943 476 5919", true),
            (gb_nhs, "943 476 5918", false),
            (gb_nhs, "0000000000", false),
            (br_cpf, "111.444.777-35", true),
            (br_cpf, "529.982.247-25", true),
            (br_cpf, "529.982.247-26", false),
            (br_cpf, "529.982.247-15", false),
            (br_cpf, "222.222.222-22", false),
        ] {
            assert_eq!(check(text.as_bytes()), valid, "{text}");
        }
    }
}
