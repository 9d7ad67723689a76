//! Values that are nobody's data: orders, parcels, prices, dates. They have digits, and their own words stand by them.

use std::fmt::Write as _;

use crate::calendar::Date;
use crate::language::{Language, Pack};
use crate::rng::Rng;

const UPPER: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const UPPER_OR_DIGIT: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// `ORD-2026-004211`, or ten digits as older shops number.
pub(crate) fn order(rng: &mut Rng, date: Date) -> String {
    if rng.percent(60) {
        format!("ORD-{}-{:06}", date.parts().0, rng.below(1_000_000))
    } else {
        format!("4{}", rng.digits(9))
    }
}

/// `INV-2026-00417`.
pub(crate) fn invoice(rng: &mut Rng, date: Date) -> String {
    format!("INV-{}-{:05}", date.parts().0, rng.below(100_000))
}

/// A parcel's number in the forms of PostNL, DHL and UPS.
pub(crate) fn tracking(rng: &mut Rng) -> String {
    match rng.below(3) {
        0 => format!("3S{}{}", rng.string(UPPER, 4), rng.digits(7)),
        1 => format!("JVGL{}", rng.digits(16)),
        _ => format!("1Z{}{}", rng.string(UPPER_OR_DIGIT, 6), rng.digits(10)),
    }
}

/// The platform's own ticket reference: `NL-dddd-dddd` with eight uniformly random digits.
pub(crate) fn ticket(rng: &mut Rng) -> String {
    format!("NL-{}-{}", rng.digits(4), rng.digits(4))
}

/// A random UUID (RFC 9562, version 4).
pub(crate) fn uuid(rng: &mut Rng) -> String {
    let (high, low) = (rng.word(), rng.word());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 50 | 0x8000,
        low & 0xffff_ffff_ffff
    )
}

/// A software version.
pub(crate) fn version(rng: &mut Rng) -> String {
    format!("{}.{}.{}", rng.between(1, 12), rng.below(30), rng.below(10))
}

/// An error code in one of the usual forms.
pub(crate) fn error(rng: &mut Rng) -> String {
    match rng.below(3) {
        0 => format!("E{}", rng.between(1_000, 9_999)),
        1 => format!("ERR_{}", rng.between(100, 599)),
        _ => format!("0x8007{:04X}", rng.below(0x10000)),
    }
}

/// A page of the help centre.
pub(crate) fn url(rng: &mut Rng, language: Language) -> String {
    let page = rng.pick(&["returns", "delivery", "setup", "reset", "invoices"]);
    format!("https://help.example.com/{}/{page}/{}", language.code(), rng.between(1_000, 99_999))
}

/// Thousands, in groups with a separator.
fn grouped(amount: u64, separator: &str) -> String {
    if amount < 1_000 { amount.to_string() } else { format!("{}{separator}{:03}", amount / 1_000, amount % 1_000) }
}

/// A price as the language writes it, under 2,000.
pub(crate) fn price(rng: &mut Rng, language: Language) -> String {
    let whole = if rng.percent(85) { rng.between(5, 399) } else { rng.between(400, 1_999) };
    amount(whole * 100 + *rng.pick(&[0, 49, 50, 90, 95, 99]), language)
}

/// An amount in cents as the language writes it.
pub(crate) fn amount(cents: u64, language: Language) -> String {
    let (whole, cents) = (cents / 100, cents % 100);
    match language {
        Language::Nl => format!("€ {},{cents:02}", grouped(whole, ".")),
        Language::En => format!("£{}.{cents:02}", grouped(whole, ",")),
        // The space that groups French digits must not break the line.
        Language::Fr => format!("{},{cents:02} €", grouped(whole, "\u{202f}")),
        Language::De | Language::Es | Language::It => format!("{},{cents:02} €", grouped(whole, ".")),
    }
}

/// A date as the language writes it, in words or in digits.
pub(crate) fn date(rng: &mut Rng, date: Date, language: Language, pack: &Pack) -> String {
    let (year, month, day) = date.parts();
    let name = pack.months[month as usize - 1];
    match (language, rng.below(3)) {
        (Language::De, 0 | 1) => format!("{day:02}.{month:02}.{year}"),
        (Language::De, _) => format!("{day}. {name} {year}"),
        (Language::Nl, 0) => format!("{day:02}-{month:02}-{year}"),
        (Language::En, 0) => date.to_string(),
        (Language::Fr | Language::Es | Language::It, 0) => format!("{day:02}/{month:02}/{year}"),
        (Language::Es, 1) => format!("{day} de {name} de {year}"),
        (_, 1) => format!("{day} {name} {year}"),
        (Language::Es, _) => format!("{day} de {name}"),
        (_, _) => format!("{day} {name}"),
    }
}

/// A time of day.
pub(crate) fn time(rng: &mut Rng, language: Language) -> String {
    let (hour, minute) = (rng.between(8, 20), rng.below(12) * 5);
    match language {
        Language::Fr => format!("{hour}h{minute:02}"),
        Language::Nl => format!("{hour}.{minute:02}"),
        _ => format!("{hour}:{minute:02}"),
    }
}

/// Opening hours, or a window of time, to stand after "from" or "between".
pub(crate) fn hours(rng: &mut Rng, language: Language) -> String {
    let (from, to, half) = (rng.between(7, 10), rng.between(16, 21), *rng.pick(&["00", "30"]));
    match language {
        Language::Nl => format!("{from}.00–{to}.{half} uur"),
        Language::En => format!("{from}:00–{to}:{half}"),
        Language::De => format!("{from}:00–{to}:{half} Uhr"),
        Language::Fr => format!("{from}h–{to}h{half}"),
        Language::Es => format!("{from}:00 a {to}:{half}"),
        Language::It => format!("{from}:00 alle {to}:{half}"),
    }
}

/// An order table: a head, up to three articles, and the sum of what they cost.
pub(crate) fn table(rng: &mut Rng, language: Language, pack: &Pack) -> String {
    let mut text = pack.table[0].to_owned();
    let mut total = 0;
    for _ in 0..rng.between(2, 3) {
        let (quantity, cents) = (rng.between(1, 4), rng.between(499, 24_999));
        total += quantity * cents;
        // Writing to a String cannot fail.
        let _ = write!(text, "\n{} | {quantity} | {}", rng.pick(&pack.products), amount(cents, language));
    }
    let _ = write!(text, "\n{} | | {}", pack.table[1], amount(total, language));
    text
}

/// The head of an export or a log and rows under it, dense with digits: orders, moments, prices, parcels.
///
/// Each column is named, as exports name them: bare numbers under no word at all would be nobody's to judge.
pub(crate) fn export(rng: &mut Rng, today: Date, language: Language) -> String {
    let kind = rng.below(4) as usize;
    let mut text = [
        "order_no | created_at | quantity | price",
        "time | status | url | duration | bytes",
        "order_no | invoice_no | tracking_no | price",
        "line | date | weight | epoch | price",
    ][kind]
        .to_owned();
    for _ in 0..rng.between(2, 5) {
        let day = today.plus(-(rng.between(1, 40) as i64));
        let moment = day.at(rng.below(86_400));
        let price = price(rng, language);
        let row = match kind {
            0 => format!("{} | {moment} | {} | {price}", order(rng, today), rng.between(1, 60)),
            1 => {
                let (status, url) = (rng.between(200, 504), url(rng, language));
                format!("{moment} | {status} | {url} | {}ms | {}", rng.below(9_000), rng.below(99_999))
            }
            2 => format!("{} | {} | {} | {price}", order(rng, today), invoice(rng, today), tracking(rng)),
            _ => {
                let epoch = day.days() as u64 * 86_400 + rng.below(86_400);
                let weight = (rng.below(2_000), rng.below(10_000));
                format!("{} | {day} | {}.{:04} | {epoch} | {price}", rng.between(1, 40), weight.0, weight.1)
            }
        };
        text.push('\n');
        text.push_str(&row);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_follow_the_language() {
        assert_eq!(amount(123_450, Language::Nl), "€ 1.234,50");
        assert_eq!(amount(123_450, Language::En), "£1,234.50");
        assert_eq!(amount(123_450, Language::Fr), "1\u{202f}234,50 €");
        assert_eq!(amount(905, Language::De), "9,05 €");
    }

    #[test]
    fn values_have_their_shapes() {
        let mut rng = Rng::new(1, &[]);
        let day = Date::new(2026, 3, 2).unwrap();
        for _ in 0..500 {
            let uuid = uuid(&mut rng);
            assert!(uuid.len() == 36 && uuid.as_bytes()[14] == b'4', "{uuid}");
            assert!(b"89ab".contains(&uuid.as_bytes()[19]), "{uuid}");
            assert_eq!(ticket(&mut rng).len(), 12);
            assert!(matches!(order(&mut rng, day).len(), 10 | 15));
            assert_eq!(invoice(&mut rng, day).len(), 14);
            assert!((3..=6).contains(&export(&mut rng, day, Language::Nl).lines().count()));
        }
    }
}
