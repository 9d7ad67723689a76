//! Checks by a weighted sum modulo 11.

use super::{
    Additive, Validator,
    digits::{characters, characters_up_to, digits, digits_up_to, number, unprefixed, weighted},
    rule,
    sum::{MOD_11, MOD_11_0, Sum, TO_11, TO_11_0, TO_11_LAST, value},
};

/// The rules of this family.
pub(super) const RULES: &[Validator] = &[
    Validator {
        additive: Some(NL_BSN),
        ..rule("nl.bsn", "Besluit burgerservicenummer, article 3 (eleven test)", nl_bsn)
    },
    Validator { additive: Some(GB_NHS), ..rule("gb.nhs", "NHS Data Model and Dictionary, NHS NUMBER", gb_nhs) },
    rule("br.cpf", "Receita Federal, Cadastro de Pessoas Físicas, modulo 11", br_cpf),
    super::sum("ar.cuit", "AFIP, Resolución General 10/1997 (CUIT)", {
        Sum::new(&[5, 4, 3, 2, 7, 6, 5, 4, 3, 2], b"09987654321").and(|number| {
            matches!(&number[..2], b"20" | b"23" | b"24" | b"27" | b"30" | b"33" | b"34" | b"50" | b"51" | b"55")
        })
    }),
    super::sum("br.pis", "Caixa Econômica Federal, PIS/PASEP/NIT", {
        Sum::new(&[3, 2, 9, 8, 7, 6, 5, 4, 3, 2], TO_11_0)
    }),
    super::sum("ca.bc_phn", "BC Ministry of Health, Personal Health Number", {
        Sum::new(&[0, 2, 4, 8, 5, 10, 9, 7, 3], TO_11).and(|number| number[0] == b'9')
    }),
    super::sum("ch.uid", "Bundesgesetz über die Unternehmens-Identifikationsnummer; eCH-0097", {
        Sum::new(&[5, 4, 3, 2, 7, 6, 5, 4], TO_11).prefixed("CHE")
    }),
    super::sum("cl.rut", "Servicio de Impuestos Internos (RUT)", {
        Sum::new(&[3, 2, 7, 6, 5, 4, 3, 2], b"0K987654321").padded(8).prefixed("CL")
    }),
    super::sum("co.nit", "DIAN, Orden Administrativa 4/1989 (NIT)", {
        Sum::new(&[71, 67, 59, 53, 47, 43, 41, 37, 29, 23, 19, 17, 13, 7, 3], b"01987654321").padded(8)
    }),
    super::sum("dk.cvr", "CVR-loven; Erhvervsstyrelsen, modulus 11", {
        Sum::new(&[2, 7, 6, 5, 4, 3, 2], TO_11).prefixed("DK").and(|number| number[0] != b'0')
    }),
    super::sum("fi.alv", "Yritys- ja yhteisötietolaki (Y-tunnus)", {
        Sum::new(&[7, 9, 10, 5, 8, 4, 2], TO_11).prefixed("FI")
    }),
    super::sum("gb.utr", "HM Revenue & Customs, Unique Taxpayer Reference", {
        Sum::new(&[6, 7, 8, 9, 10, 5, 4, 3, 2], b"21987654321").at(0).prefixed("K")
    }),
    super::sum("gr.vat", "ΑΑΔΕ (ΑΦΜ)", Sum::new(&[256, 128, 64, 32, 16, 8, 4, 2], MOD_11_0).prefixed("EL")),
    super::sum("gt.nit", "Superintendencia de Administración Tributaria (NIT)", {
        Sum::new(&[12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2], b"0K987654321").padded(2)
    }),
    super::sum("hu.tin", "2017. évi CL. törvény (adóazonosító jel)", {
        Sum::new(&[1, 2, 3, 4, 5, 6, 7, 8, 9], MOD_11).and(|number| number[0] == b'8')
    }),
    super::sum(
        "jp.in_",
        "行政手続における特定の個人を識別するための番号の利用等に関する法律 (My Number)",
        { Sum::new(&[6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2], TO_11_0) },
    ),
    super::sum("mz.nuit", "Autoridade Tributária de Moçambique (NUIT)", {
        Sum::new(&[8, 9, 4, 5, 6, 7, 8, 9], b"01234567891")
    }),
    super::sum("no.orgnr", "Enhetsregisterloven; Brønnøysundregistrene", Sum::new(&[3, 2, 7, 6, 5, 4, 3, 2], TO_11)),
    super::sum("pe.ruc", "SUNAT (RUC)", {
        Sum::new(&[5, 4, 3, 2, 7, 6, 5, 4, 3, 2], TO_11_LAST)
            .and(|number| matches!(&number[..2], b"10" | b"15" | b"17" | b"20"))
    }),
    super::sum("pl.nip", "Ustawa o zasadach ewidencji i identyfikacji podatników (NIP)", {
        Sum::new(&[6, 5, 7, 2, 3, 4, 5, 6, 7], MOD_11).prefixed("PL")
    }),
    super::sum("pt.nif", "Autoridade Tributária e Aduaneira (NIF)", {
        Sum::new(&[9, 8, 7, 6, 5, 4, 3, 2], TO_11_0).prefixed("PT").and(|number| number[0] != b'0')
    }),
    super::sum("py.ruc", "Dirección Nacional de Ingresos Tributarios (RUC)", {
        Sum::new(&[9, 8, 7, 6, 5, 4, 3, 2], TO_11_0).padded(5)
    }),
    super::sum("ro.cui", "Codul fiscal (CUI)", {
        Sum::new(&[7, 5, 3, 2, 1, 7, 5, 3, 2], TO_11_0).padded(2).prefixed("RO").and(|number| number[0] != b'0')
    }),
    super::sum("si.ddv", "Zakon o davčnem postopku (davčna številka)", {
        Sum::new(&[8, 7, 6, 5, 4, 3, 2], b" 0987654321").prefixed("SI").and(|number| number[0] != b'0')
    }),
    super::sum(
        "th.pin",
        "พ.ร.บ. การทะเบียนราษฎร (เลขประจำตัวประชาชน)",
        {
            Sum::new(&[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2], TO_11_LAST)
                .and(|number| !matches!(number[0], b'0' | b'9'))
        },
    ),
    super::sum("ua.rntrc", "Положення про реєстрацію фізичних осіб (РНОКПП)", {
        Sum::new(&[-1, 5, 7, 9, 4, 6, 10, 5, 7], MOD_11_0)
    }),
    super::sum("uy.rut", "Dirección General Impositiva (RUT)", {
        Sum::new(&[4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2], TO_11).prefixed("UY").and(|number| {
            (b"01".as_slice()..=b"22").contains(&&number[..2]) && &number[2..8] != b"000000" && &number[8..11] == b"001"
        })
    }),
    rule("au.tfn", "Australian Taxation Office, tax file number", au_tfn),
    rule("bg.vat", "Закон за данък върху добавената стойност", bg_vat),
    rule("br.cnh", "Conselho Nacional de Trânsito, Registro Nacional de Habilitação", br_cnh),
    rule("br.cnpj", "Instrução Normativa RFB 2.229/2024 (CNPJ alfanumérico)", br_cnpj),
    rule("br.cns", "Ministério da Saúde, Cartão Nacional de Saúde", br_cns),
    rule("by.unp", "Налоговый кодекс Республики Беларусь (УНП)", by_unp),
    rule("cz.bankaccount", "ČNB, vyhláška č. 169/2011 Sb.", cz_bankaccount),
    rule("cz.dic", "Zákon č. 280/2009 Sb., daňový řád (DIČ)", cz_dic),
    rule("es.ccc", "Consejo Superior Bancario, código cuenta cliente", |text| {
        digits::<20>(text).is_some_and(|digits| es_ccc(&digits))
    }),
    rule("gh.tin", "Ghana Revenue Authority (TIN)", gh_tin),
    rule("hk.hkid", "Registration of Persons Regulations, Cap. 177A", hk_hkid),
    rule("no.kontonr", "Norsk Standard kontonummer, modulus 11", no_kontonr),
    rule("nz.ird", "Inland Revenue, Resident Withholding Tax specification (IRD number)", nz_ird),
    rule("nz.bankaccount", "Inland Revenue, bank account number validation", nz_bankaccount),
    rule("nz.nhi", "HISO 10046 Consumer Health Identity Standard", nz_nhi),
    rule("pe.cui", "RENIEC (DNI)", pe_cui),
    rule("pl.regon", "Główny Urząd Statystyczny (REGON)", pl_regon),
    rule("ru.inn", "Приказ ФНС ММВ-7-6/435@ (ИНН)", ru_inn),
    rule("sk.dph", "Zákon č. 222/2004 Z. z.", sk_dph),
    rule("tr.vkn", "Gelir İdaresi Başkanlığı (vergi kimlik numarası)", tr_vkn),
    rule("ve.rif", "SENIAT (RIF)", ve_rif),
    rule("vehicle.vin", "ISO 3779; 49 CFR 565.15 (check digit)", vehicle_vin),
    rule("vn.mst", "Thông tư 105/2020/TT-BTC (mã số thuế)", vn_mst),
    rule("nl.onderwijsnummer", "Regeling onderwijsnummer; eleven test with remainder 5", nl_onderwijsnummer),
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

/// Dutch education number: nine digits from 10, the sum of the eleven test 5 more than a multiple.
pub(super) fn nl_onderwijsnummer(text: &[u8]) -> bool {
    digits::<9>(text)
        .is_some_and(|digits| digits.starts_with(&[1, 0]) && weighted(&digits, &[9, 8, 7, 6, 5, 4, 3, 2, 10]) % 11 == 5)
}

/// Australian tax file number: nine digits, or eight of the older ones, whose weighted sum is a multiple of 11.
pub(super) fn au_tfn(text: &[u8]) -> bool {
    digits_up_to::<9>(text).is_some_and(|(digits, count)| {
        count >= 8 && weighted(&digits[..count], &[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11)
    })
}

/// Two sums: where the first leaves 10, the second decides. The last digit is the check.
pub(super) fn twice(digits: &[u8], first: &[u32], second: &[u32]) -> Option<u32> {
    let (_, rest) = digits.split_last()?;
    Some(match weighted(rest, first) % 11 {
        10 => weighted(rest, second) % 11,
        check => check,
    })
}

/// Bulgarian identification number for value added tax: nine digits of a company, or ten of a person or foreigner.
pub(super) fn bg_vat(text: &[u8]) -> bool {
    const OTHERS: Sum = Sum::new(&[4, 3, 2, 7, 6, 5, 4, 3, 2], TO_11);
    let Some((characters, count)) = unprefixed::<10>(text, b"BG") else { return false };
    let number = &characters[..count];
    let company = || {
        digits::<9>(number).is_some_and(|digits| {
            let check = twice(&digits, &[1, 2, 3, 4, 5, 6, 7, 8], &[3, 4, 5, 6, 7, 8, 9, 10]);
            check.is_some_and(|check| check % 10 == u32::from(digits[8]))
        })
    };
    let person = || super::by_name("bg.egn").is_some_and(|rule| rule.check.passes(number, &[]));
    let foreigner = || super::by_name("bg.pnf").is_some_and(|rule| rule.check.passes(number, &[]));
    company() || person() || foreigner() || OTHERS.holds(number)
}

/// Brazilian driving licence: nine digits and two check digits, the second lowered where the first was 10.
pub(super) fn br_cnh(text: &[u8]) -> bool {
    let Some(digits) = digits::<11>(text) else { return false };
    let first = weighted(&digits[..9], &[9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11;
    let second = weighted(&digits[..9], &[1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11;
    let (first, lowered) = if first == 10 { (0, 2) } else { (first, 0) };
    let second = if second == 10 { 0 } else { (second + 11 - lowered) % 11 % 10 };
    digits.iter().any(|digit| *digit != digits[0]) && u32::from(digits[9]) == first && u32::from(digits[10]) == second
}

/// Brazilian company number: twelve digits or, since July 2026, letters, and two check digits; a character counts its
/// place in ASCII after `0`.
pub(super) fn br_cnpj(text: &[u8]) -> bool {
    let Some(characters) = characters::<14>(text) else { return false };
    let values = characters.map(|character| character - b'0');
    let check = |sum: u32| (sum * 10 % 11 % 10) as u8;
    let first = check(weighted(&values[..12], &[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]));
    let second = check(weighted(&values[..13], &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]));
    characters.iter().any(|character| *character != b'0') && values[12] == first && values[13] == second
}

/// Brazilian health card: fifteen digits from 1, 2, 7, 8 or 9 whose sum by weights from 15 down is a multiple of 11.
pub(super) fn br_cns(text: &[u8]) -> bool {
    digits::<15>(text).is_some_and(|digits| {
        matches!(digits[0], 1 | 2 | 7 | 8 | 9)
            && weighted(&digits, &[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
    })
}

/// Belarusian payer's number: nine digits, or two letters and seven digits for persons.
pub(super) fn by_unp(text: &[u8]) -> bool {
    const LETTERS: &[u8] = b"ABCEHKMOPT";
    let Some(mut characters) = characters::<9>(text) else { return false };
    if !b"1234567ABCEHKM".contains(&characters[0]) {
        return false;
    }
    if characters[0].is_ascii_uppercase() {
        match LETTERS.iter().position(|letter| *letter == characters[1]) {
            Some(place) => characters[1] = b'0' + place as u8,
            None => return false,
        }
    }
    if !characters[1..].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let values = characters.map(|character| value(character).unwrap_or(0) as u8);
    weighted(&values[..8], &[29, 23, 19, 17, 13, 7, 5, 3]) % 11 == u32::from(values[8])
}

/// The bank codes that the Czech National Bank has given out.
#[rustfmt::skip]
const CZECH_BANKS: [u64; 47] = [
    100, 300, 600, 710, 800, 2010, 2060, 2070, 2100, 2200, 2220, 2250, 2260, 2600, 2700, 3030, 3060, 3500, 4300, 5500,
    5800, 6000, 6200, 6210, 6300, 6363, 6700, 6800, 7910, 7950, 7960, 7970, 7990, 8030, 8040, 8060, 8090, 8150, 8190,
    8198, 8220, 8250, 8255, 8265, 8500, 8610, 8660,
];

/// Czech account number: a prefix of up to six digits, up to ten, and the bank; both parts modulo 11.
pub(super) fn cz_bankaccount(text: &[u8]) -> bool {
    let mut parts = text.split(|byte| *byte == b'/');
    let (Some(account), Some(bank), None) = (parts.next(), parts.next(), parts.next()) else { return false };
    let (prefix, root) = match account.iter().position(|byte| *byte == b'-') {
        Some(at) => (&account[..at], &account[at + 1..]),
        None => (&account[..0], account),
    };
    let part = |text: &[u8], fewest: usize, most: usize| {
        digits_up_to::<10>(text).is_some_and(|(digits, count)| {
            let sum: u32 = digits[..count]
                .iter()
                .rev()
                .zip([1, 2, 4, 8, 5, 10, 9, 7, 3, 6])
                .map(|(digit, weight)| u32::from(*digit) * weight)
                .sum();
            (fewest..=most).contains(&count) && sum.is_multiple_of(11)
        })
    };
    part(prefix, 0, 6)
        && part(root, 2, 10)
        && digits::<4>(bank).is_some_and(|bank| CZECH_BANKS.binary_search(&number(&bank)).is_ok())
}

/// Czech tax number: eight digits of a company, nine from 6 for special cases, or a birth number.
pub(super) fn cz_dic(text: &[u8]) -> bool {
    const COMPANY: Sum = Sum::new(&[8, 7, 6, 5, 4, 3, 2], TO_11_LAST);
    let Some((characters, count)) = unprefixed::<10>(text, b"CZ") else { return false };
    let number = &characters[..count];
    let special = || {
        digits::<9>(number).is_some_and(|digits| {
            let sum = weighted(&digits[1..8], &[8, 7, 6, 5, 4, 3, 2]) % 11;
            digits[0] == 6 && (8 - (10 - sum as i32) % 11).rem_euclid(10) == i32::from(digits[8])
        })
    };
    match count {
        8 => number[0] != b'9' && COMPANY.holds(number),
        9 if special() => true,
        9 | 10 => super::births::europe::cz_rc(number),
        _ => false,
    }
}

/// The two check digits within a Spanish account number.
pub(super) fn es_ccc(digits: &[u8; 20]) -> bool {
    let check = |digits: &[u8], weights: &[u32]| match 11 - weighted(digits, weights) % 11 {
        11 => 0,
        10 => 1,
        check => check as u8,
    };
    digits[8] == check(&digits[..8], &[4, 8, 5, 10, 9, 7, 3, 6])
        && digits[9] == check(&digits[10..], &[1, 2, 4, 8, 5, 10, 9, 7, 3, 6])
}

/// Ghanaian taxpayer number: a letter for the kind, two zeros, seven digits and the check, X for 10.
pub(super) fn gh_tin(text: &[u8]) -> bool {
    let Some(characters) = characters::<11>(text) else { return false };
    let Some(digits) = digits::<9>(&characters[1..10]) else { return false };
    let check = b"0123456789X"[(weighted(&digits, &[1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11) as usize];
    b"PCGQV".contains(&characters[0]) && digits.starts_with(&[0, 0]) && characters[10] == check
}

/// Hong Kong identity card: one or two letters, six digits and a check digit or A; a missing letter counts 36.
pub(super) fn hk_hkid(text: &[u8]) -> bool {
    let Some((characters, count)) = characters_up_to::<9>(text) else { return false };
    let (own, check) = match count {
        8 | 9 => (&characters[..count - 1], characters[count - 1]),
        _ => return false,
    };
    let (letters, digits) = own.split_at(count - 7);
    let check = match check {
        b'0'..=b'9' => i32::from(check - b'0'),
        b'A' => 10,
        _ => return false,
    };
    let values = own.iter().filter_map(|character| value(*character)).map(|value| value as u8);
    let missing = if count == 8 { 36 * 9 } else { 0 };
    let sum: i32 =
        values.rev().zip(2..).map(|(value, weight)| i32::from(value) * weight).sum::<i32>() + missing + check;
    letters.iter().all(u8::is_ascii_uppercase) && digits.iter().all(u8::is_ascii_digit) && sum % 11 == 0
}

/// Norwegian account number: eleven digits modulo 11, or seven of the former postal giro by Luhn's check.
pub(super) fn no_kontonr(text: &[u8]) -> bool {
    const ACCOUNT: Sum = Sum::new(&[5, 4, 3, 2, 7, 6, 5, 4, 3, 2], TO_11);
    match digits_up_to::<11>(text) {
        Some((digits, 7)) => super::luhn::passes(&digits[..7]),
        Some((digits, 11)) if digits.starts_with(&[0; 4]) => super::luhn::passes(&digits[4..]),
        Some((_, 11)) => ACCOUNT.passes(text),
        _ => false,
    }
}

/// New Zealand tax number: eight or nine digits from 10 to 150 million.
pub(super) fn nz_ird(text: &[u8]) -> bool {
    let Some((characters, count @ 8..)) = unprefixed::<9>(text, b"NZ") else { return false };
    let Some((digits, _)) = digits_up_to::<9>(&characters[..count]) else { return false };
    let own = &digits[..count];
    let mut padded = [0; 9];
    padded[9 - count..].copy_from_slice(own);
    let missing = |weights: &[u32]| (11 - weighted(&padded[..8], weights) % 11) % 11;
    let check = match missing(&[3, 2, 7, 6, 5, 4, 3, 2]) {
        10 => missing(&[7, 4, 3, 2, 5, 2, 7, 6]),
        check => check,
    };
    (10_000_001..150_000_000).contains(&number(own)) && check == u32::from(padded[8])
}

/// New Zealand bank account: bank, branch, base and suffix, by the check of the bank.
pub(super) fn nz_bankaccount(text: &[u8]) -> bool {
    let mut digits = [0u8; 16];
    let parts: Vec<&[u8]> =
        text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).take(5).collect();
    let whole: Vec<u8>;
    let parts: Vec<&[u8]> = match parts.len() {
        4 => parts,
        _ => {
            whole = parts.concat();
            let Some((bank, rest)) = whole.split_at_checked(2) else { return false };
            let Some((branch, rest)) = rest.split_at_checked(4) else { return false };
            let Some((base, suffix)) = rest.split_at_checked(7) else { return false };
            vec![bank, branch, base, suffix]
        }
    };
    let mut end = 0;
    for (part, length) in parts.iter().zip([2, 4, 7, 3]) {
        end += length;
        if part.is_empty() || part.len() > length || !part.iter().all(u8::is_ascii_digit) {
            return false;
        }
        digits[end - part.len()..end].iter_mut().zip(*part).for_each(|(digit, byte)| *digit = byte - b'0');
    }
    let (bank, base) = (number(&digits[..2]), number(&digits[6..13]));
    let sum = |weights: [u32; 16], folded: u32| -> u32 {
        let term = |(digit, weight): (&u8, u32)| match u32::from(*digit) * weight {
            term if term > folded => term % folded,
            term => term,
        };
        digits.iter().zip(weights).map(term).sum()
    };
    match bank {
        8 => sum([0, 0, 0, 0, 0, 0, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0], 11) % 11 == 0,
        9 => sum([0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 4, 3, 2, 0, 0, 1], 9) % 11 == 0,
        25 | 33 => sum([0, 0, 0, 0, 0, 0, 1, 7, 3, 1, 7, 3, 1, 0, 0, 0], 10) % 10 == 0,
        26 | 28 | 29 => sum([0, 0, 0, 0, 0, 0, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1], 9) % 10 == 0,
        31 => true,
        1..=38 if base < 990_000 => sum([0, 0, 6, 3, 7, 9, 0, 10, 5, 8, 4, 2, 1, 0, 0, 0], 11) % 11 == 0,
        1..=38 => sum([0, 0, 0, 0, 0, 0, 0, 10, 5, 8, 4, 2, 1, 0, 0, 0], 11) % 11 == 0,
        _ => false,
    }
}

/// New Zealand health index number: three letters without I and O, then four digits by modulo 11, or since 2026 two
/// digits, a letter and a check letter by modulo 23.
pub(super) fn nz_nhi(text: &[u8]) -> bool {
    const LETTERS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZ";
    let Some(characters) = characters::<7>(text) else { return false };
    let letter = |character: u8| LETTERS.iter().position(|letter| *letter == character).map(|at| at as u32 + 1);
    let mut sum = 0;
    for (at, character) in characters[..6].iter().enumerate() {
        let is_letter = at < 3 || at == 5 && characters[6].is_ascii_uppercase();
        let value = match (is_letter, character) {
            (true, character) => letter(*character),
            (false, b'0'..=b'9') => Some(u32::from(character - b'0')),
            _ => None,
        };
        let Some(value) = value else { return false };
        sum += value * (7 - at as u32);
    }
    match characters[6] {
        check @ b'0'..=b'9' => sum % 11 != 0 && (11 - sum % 11) % 10 == u32::from(check - b'0'),
        check => letter(check) == Some(23 - sum % 23),
    }
}

/// Peruvian identity number: eight digits, and at times the check digit or letter of the card.
pub(super) fn pe_cui(text: &[u8]) -> bool {
    let Some((characters, count @ 8..)) = characters_up_to::<9>(text) else { return false };
    let Some(digits) = digits::<8>(&characters[..8]) else { return false };
    let remainder = (weighted(&digits, &[3, 2, 7, 6, 5, 4, 3, 2]) % 11) as usize;
    count == 8 || characters[8] == b"65432110987"[remainder] || characters[8] == b"KJIHGFEDCBA"[remainder]
}

/// Polish business register number: nine digits, or fourteen of a local unit that hold the nine.
pub(super) fn pl_regon(text: &[u8]) -> bool {
    const COMPANY: Sum = Sum::new(&[8, 9, 2, 3, 4, 5, 6, 7], MOD_11_0);
    const UNIT: Sum = Sum::new(&[2, 4, 8, 5, 0, 9, 7, 3, 6, 1, 2, 4, 8], MOD_11_0);
    let Some((characters, count)) = characters_up_to::<14>(text) else { return false };
    match count {
        9 => COMPANY.holds(&characters[..9]),
        14 => COMPANY.holds(&characters[..9]) && UNIT.holds(&characters),
        _ => false,
    }
}

/// Russian taxpayer number: ten digits of a company with one check digit, twelve of a person with two.
pub(super) fn ru_inn(text: &[u8]) -> bool {
    const COMPANY: Sum = Sum::new(&[2, 4, 10, 3, 5, 9, 4, 6, 8], MOD_11_0);
    const FIRST: Sum = Sum::new(&[7, 2, 4, 10, 3, 5, 9, 4, 6, 8], MOD_11_0);
    const SECOND: Sum = Sum::new(&[3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8], MOD_11_0);
    let Some((characters, count)) = characters_up_to::<12>(text) else { return false };
    match count {
        10 => COMPANY.holds(&characters[..10]),
        12 => FIRST.holds(&characters[..11]) && SECOND.holds(&characters),
        _ => false,
    }
}

/// Slovak number for value added tax: ten digits divisible by 11, not from 0, the third of a group in use.
pub(super) fn sk_dph(text: &[u8]) -> bool {
    let Some((characters, count)) = unprefixed::<10>(text, b"SK") else { return false };
    digits::<10>(&characters[..count]).is_some_and(|digits| {
        let company =
            digits[0] != 0 && matches!(digits[2], 2 | 3 | 4 | 7 | 8 | 9) && number(&digits).is_multiple_of(11);
        company || super::births::europe::cz_rc(&characters[..count])
    })
}

/// Turkish tax number: each digit plus its place, times a power of two, modulo 9.
pub(super) fn tr_vkn(text: &[u8]) -> bool {
    digits::<10>(text).is_some_and(|digits| {
        let term = |(place, digit): (u32, &u8)| match (u32::from(*digit) + place) % 10 {
            0 => 0,
            shifted => match shifted * (1 << place) % 9 {
                0 => 9,
                term => term,
            },
        };
        let sum: u32 = (1..).zip(digits[..9].iter().rev()).map(term).sum();
        (10 - sum % 10) % 10 == u32::from(digits[9])
    })
}

/// Venezuelan taxpayer number: a letter for the kind of person, eight digits and the check.
pub(super) fn ve_rif(text: &[u8]) -> bool {
    let Some(characters) = characters::<10>(text) else { return false };
    let kind = match characters[0] {
        b'V' => 4,
        b'E' => 8,
        b'J' => 12,
        b'P' => 16,
        b'G' => 20,
        _ => return false,
    };
    digits::<9>(&characters[1..]).is_some_and(|digits| {
        let sum = kind + weighted(&digits[..8], &[3, 2, 7, 6, 5, 4, 3, 2]);
        TO_11_0[(sum % 11) as usize] == digits[8] + b'0'
    })
}

/// Vehicle identification number with the check digit that North America and China require: seventeen characters
/// without I, O and Q, the ninth the check. Europe's have none there.
pub(super) fn vehicle_vin(text: &[u8]) -> bool {
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    let Some(characters) = characters::<17>(text) else { return false };
    let mut values = [0; 17];
    for (slot, character) in values.iter_mut().zip(characters) {
        *slot = match character {
            b'0'..=b'9' => character - b'0',
            b'A'..=b'H' => character - b'A' + 1,
            b'J'..=b'N' => character - b'J' + 1,
            b'P' => 7,
            b'R' => 9,
            b'S'..=b'Z' => character - b'S' + 2,
            _ => return false,
        };
    }
    characters[8] == b"0123456789X"[(weighted(&values, &WEIGHTS) % 11) as usize]
}

/// Vietnamese tax number: ten digits, or thirteen of a branch.
pub(super) fn vn_mst(text: &[u8]) -> bool {
    const NUMBER: Sum = Sum::new(&[31, 29, 23, 19, 17, 13, 7, 5, 3], b" 9876543210");
    let Some((characters, count)) = characters_up_to::<13>(text) else { return false };
    let number = &characters[..count];
    matches!(count, 10 | 13)
        && NUMBER.holds(&number[..10])
        && &number[2..9] != b"0000000"
        && number.get(10..) != Some(b"000")
        && number.iter().all(u8::is_ascii_digit)
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
