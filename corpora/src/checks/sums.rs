//! Numbers whose check digits are weighted sums of decimal digits.
//!
//! | entity | standard |
//! |---|---|
//! | `nl.bsn` | Burgerservicenummer, "11-proef": Wet algemene bepalingen burgerservicenummer; RvIG, Logisch ontwerp BSN |
//! | `gb.nhs` | NHS Data Dictionary, "NHS NUMBER", modulus 11 |
//! | `pl.pesel` | Rozporządzenie in the matter of the PESEL register, weights 1, 3, 7, 9 modulo 10 |
//! | `br.cpf` | Receita Federal, Cadastro de Pessoas Físicas, two digits modulo 11 |

use super::{all_digits, decimal};
use crate::calendar::{birth, exists};
use crate::rng::Rng;

/// The sum of digits times weights; the shorter of the two ends it.
fn weighted(number: &str, weights: &[u32]) -> u32 {
    number.bytes().zip(weights).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum()
}

/// A BSN of nine digits, not beginning with zero.
pub(super) fn make_bsn(rng: &mut Rng) -> String {
    loop {
        let mut number = format!("{}{}", rng.between(1, 9), rng.digits(7));
        // The ninth digit has the weight −1, so it is the sum's remainder; where that is 10 there is no such number.
        let check = weighted(&number, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
        if check < 10 {
            number.push(decimal(check));
            return number;
        }
    }
}

/// Nine digits that pass the 11-test and are not all zero.
pub(super) fn bsn(number: &str) -> bool {
    all_digits(number, 9)
        && number.bytes().any(|digit| digit != b'0')
        && weighted(number, &[9, 8, 7, 6, 5, 4, 3, 2, 10]).is_multiple_of(11)
}

/// An NHS number from the ranges in use in England, Wales and the Isle of Man (400 to 499 and 600 to 708 million).
pub(super) fn make_nhs(rng: &mut Rng) -> String {
    loop {
        let head = if rng.percent(70) { rng.between(400, 499) } else { rng.between(600, 708) };
        let mut number = format!("{head}{}", rng.digits(6));
        let check = (11 - weighted(&number, &[10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11) % 11;
        if check < 10 {
            number.push(decimal(check));
            return number;
        }
    }
}

/// Ten digits, not beginning with zero, whose check digit is right.
pub(super) fn nhs(number: &str) -> bool {
    all_digits(number, 10)
        && !number.starts_with('0')
        && weighted(number, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
}

const PESEL: [u32; 10] = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3];

/// A PESEL of somebody born between 1945 and 2007; births since 2000 have 20 added to the month.
pub(super) fn make_pesel(rng: &mut Rng) -> String {
    let (year, month, day) = birth(rng, 1945, 2007);
    let month = if year >= 2000 { month + 20 } else { month };
    let mut number = format!("{:02}{month:02}{day:02}{}", year % 100, rng.digits(4));
    number.push(decimal((10 - weighted(&number, &PESEL) % 10) % 10));
    number
}

/// Eleven digits whose check digit is right and whose first six are a day of the calendar.
pub(super) fn pesel(number: &str) -> bool {
    if !all_digits(number, 11) {
        return false;
    }
    let part = |from: usize| number[from..from + 2].parse::<u32>().unwrap_or_default();
    let century = match part(2) / 20 {
        0 => 1900,
        1 => 2000,
        2 => 2100,
        3 => 2200,
        _ => 1800,
    };
    let right = (10 - weighted(number, &PESEL) % 10) % 10;
    number.ends_with(decimal(right)) && exists(century + i64::from(part(0)), part(2) % 20, part(4))
}

/// The next check digit of a CPF: the weights run down to 2, whatever the length.
fn cpf_digit(number: &str) -> char {
    let length = number.len() as u32;
    let sum: u32 = number.bytes().zip(0..).map(|(digit, at)| u32::from(digit - b'0') * (length + 1 - at)).sum();
    let rest = sum % 11;
    if rest < 2 { '0' } else { decimal(11 - rest) }
}

/// A CPF whose digits are not all the same.
pub(super) fn make_cpf(rng: &mut Rng) -> String {
    loop {
        let mut number = rng.digits(9);
        number.push(cpf_digit(&number));
        number.push(cpf_digit(&number));
        if cpf(&number) {
            return number;
        }
    }
}

/// Eleven digits, not all the same, whose last two are right.
pub(super) fn cpf(number: &str) -> bool {
    all_digits(number, 11)
        && number.bytes().any(|digit| digit != number.as_bytes()[0])
        && number[9..].chars().eq([cpf_digit(&number[..9]), cpf_digit(&number[..10])])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples() {
        assert!(bsn("111222333") && !bsn("111252333") && !bsn("000000000"));
        assert!(nhs("9434765870") && !nhs("9434765871") && !nhs("0000000000"));
        assert!(pesel("44051401359") && !pesel("44051401358") && !pesel("44951401359"));
        assert!(cpf("39053344705") && !cpf("23100299900") && !cpf("11111111111"));
    }
}
