//! Country codes, so that a slip such as `UK` for `GB` is a mistake and never a pack that silently finds nothing.

/// The officially assigned codes of ISO 3166-1 alpha-2, sorted.
#[rustfmt::skip]
static CODES: [&str; 249] = [
    "AD", "AE", "AF", "AG", "AI", "AL", "AM", "AO", "AQ", "AR", "AS", "AT", "AU", "AW", "AX", "AZ", "BA", "BB", "BD", "BE",
    "BF", "BG", "BH", "BI", "BJ", "BL", "BM", "BN", "BO", "BQ", "BR", "BS", "BT", "BV", "BW", "BY", "BZ", "CA", "CC", "CD",
    "CF", "CG", "CH", "CI", "CK", "CL", "CM", "CN", "CO", "CR", "CU", "CV", "CW", "CX", "CY", "CZ", "DE", "DJ", "DK", "DM",
    "DO", "DZ", "EC", "EE", "EG", "EH", "ER", "ES", "ET", "FI", "FJ", "FK", "FM", "FO", "FR", "GA", "GB", "GD", "GE", "GF",
    "GG", "GH", "GI", "GL", "GM", "GN", "GP", "GQ", "GR", "GS", "GT", "GU", "GW", "GY", "HK", "HM", "HN", "HR", "HT", "HU",
    "ID", "IE", "IL", "IM", "IN", "IO", "IQ", "IR", "IS", "IT", "JE", "JM", "JO", "JP", "KE", "KG", "KH", "KI", "KM", "KN",
    "KP", "KR", "KW", "KY", "KZ", "LA", "LB", "LC", "LI", "LK", "LR", "LS", "LT", "LU", "LV", "LY", "MA", "MC", "MD", "ME",
    "MF", "MG", "MH", "MK", "ML", "MM", "MN", "MO", "MP", "MQ", "MR", "MS", "MT", "MU", "MV", "MW", "MX", "MY", "MZ", "NA",
    "NC", "NE", "NF", "NG", "NI", "NL", "NO", "NP", "NR", "NU", "NZ", "OM", "PA", "PE", "PF", "PG", "PH", "PK", "PL", "PM",
    "PN", "PR", "PS", "PT", "PW", "PY", "QA", "RE", "RO", "RS", "RU", "RW", "SA", "SB", "SC", "SD", "SE", "SG", "SH", "SI",
    "SJ", "SK", "SL", "SM", "SN", "SO", "SR", "SS", "ST", "SV", "SX", "SY", "SZ", "TC", "TD", "TF", "TG", "TH", "TJ", "TK",
    "TL", "TM", "TN", "TO", "TR", "TT", "TV", "TW", "TZ", "UA", "UG", "UM", "US", "UY", "UZ", "VA", "VC", "VE", "VG", "VI",
    "VN", "VU", "WF", "WS", "YE", "YT", "ZA", "ZM", "ZW",
];

/// The code as a static string, if ISO 3166-1 assigns it.
pub fn country(code: &str) -> Option<&'static str> {
    CODES.binary_search(&code).ok().map(|at| CODES[at])
}

/// Whether ISO 3166-1 assigns this alpha-2 code. Upper case only.
pub fn is_country(code: &str) -> bool {
    country(code).is_some()
}

/// What is right in place of an unassigned code, for a mistake.
pub fn advice(code: &str) -> String {
    match code {
        "UK" => "ISO 3166-1 writes the United Kingdom `GB`".into(),
        "EL" => "ISO 3166-1 writes Greece `GR`".into(),
        _ if is_country(&code.to_ascii_uppercase()) => format!("write `{}`", code.to_ascii_uppercase()),
        _ => "an ISO 3166-1 alpha-2 code, such as `NL`".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_slips_are_explained() {
        assert!(CODES.is_sorted());
        assert!(is_country("GB"));
        assert!(!is_country("UK") && !is_country("FE") && !is_country("nl"));
        assert_eq!(advice("UK"), "ISO 3166-1 writes the United Kingdom `GB`");
        assert_eq!(advice("nl"), "write `NL`");
    }
}
