//! Grouping forms: how an identifier's characters are set in groups, such as `4-4-4-4`.

/// One canonical way to group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Groups of exactly these lengths: `3-2-4`.
    Exact(Vec<usize>),
    /// Groups of this length, the last of 1 to that many: `4*`.
    Repeated(usize),
}

/// How a candidate is grouped, seen against a pattern's forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouped {
    /// Written as one run, without separators.
    Plain,
    /// Separated as one of the forms says.
    Canonical,
    /// Separated otherwise.
    Odd,
}

impl Grouping {
    /// Reads a form. The error says what is wrong with it.
    pub fn parse(form: &str) -> Result<Self, String> {
        let length = |text: &str| match text.parse::<usize>() {
            Ok(length) if (1..=64).contains(&length) => Ok(length),
            _ => Err(format!("`{text}` is no length from 1 to 64")),
        };
        match form.strip_suffix('*') {
            Some(each) => length(each).map(Self::Repeated),
            None => form.split('-').map(length).collect::<Result<_, _>>().map(Self::Exact),
        }
    }

    fn fits(&self, lengths: &[usize]) -> bool {
        match self {
            Self::Exact(form) => form == lengths,
            Self::Repeated(each) => match lengths.split_last() {
                Some((last, full)) => full.iter().all(|length| length == each) && (1..=*each).contains(last),
                None => false,
            },
        }
    }
}

/// Sees how a candidate's letters and digits are grouped. Linear in its length.
pub fn grouped(candidate: &[u8], forms: &[Grouping]) -> Grouped {
    let groups = candidate.split(|byte| !byte.is_ascii_alphanumeric()).map(<[u8]>::len).filter(|length| *length > 0);
    if groups.clone().nth(1).is_none() {
        return Grouped::Plain;
    }
    let lengths: Vec<usize> = groups.collect();
    if forms.iter().any(|form| form.fits(&lengths)) { Grouped::Canonical } else { Grouped::Odd }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_seen_against_the_forms() {
        let forms = ["4-4-4-4", "4-6-5"].map(|form| Grouping::parse(form).unwrap());
        assert_eq!(grouped(b"4111 1111 1111 1111", &forms), Grouped::Canonical);
        assert_eq!(grouped(b"3782-822463-10005", &forms), Grouped::Canonical);
        assert_eq!(grouped(b"4111111111111111", &forms), Grouped::Plain);
        assert_eq!(grouped(b"41 11 11 11 11 11 11 11", &forms), Grouped::Odd);
        let fours = [Grouping::parse("4*").unwrap()];
        assert_eq!(grouped(b"GB82 WEST 1234 5698 7654 32", &fours), Grouped::Canonical);
        assert_eq!(grouped(b"GB82 WEST 12345698 7654 32", &fours), Grouped::Odd);
    }

    #[test]
    fn a_form_without_lengths_is_refused() {
        assert_eq!(Grouping::parse("4--4"), Err("`` is no length from 1 to 64".into()));
        assert!(Grouping::parse("x*").is_err());
        assert!(Grouping::parse("0").is_err());
    }
}
