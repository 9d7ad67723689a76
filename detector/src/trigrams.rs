//! Sets of three bytes, for asking quickly whether something may begin here.

/// A set of three bytes in a row, and of others that hash to the same: it may say yes wrongly, and never no.
pub(crate) struct Trigrams(Box<[u64; 1 << 10]>);

impl Trigrams {
    /// The set of these.
    pub(crate) fn of(trigrams: impl IntoIterator<Item = [u8; 3]>) -> Self {
        let mut set = Box::new([0; 1 << 10]);
        for trigram in trigrams {
            let hash = Self::hash(trigram);
            set[hash >> 6] |= 1 << (hash & 63);
        }
        Self(set)
    }

    /// Whether the set may hold these.
    #[inline]
    pub(crate) fn may_hold(&self, trigram: [u8; 3]) -> bool {
        let hash = Self::hash(trigram);
        self.0[hash >> 6] >> (hash & 63) & 1 == 1
    }

    /// 16 bits of a multiplicative hash (Knuth, The Art of Computer Programming, volume 3, section 6.4).
    #[inline]
    fn hash([a, b, c]: [u8; 3]) -> usize {
        (u32::from_le_bytes([a, b, c, 0]).wrapping_mul(0x9E37_79B1) >> 16) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_put_in_is_held(trigrams in prop::collection::vec(any::<[u8; 3]>(), 0..50)) {
            let set = Trigrams::of(trigrams.iter().copied());
            prop_assert!(trigrams.iter().all(|trigram| set.may_hold(*trigram)));
        }
    }

    #[test]
    fn most_others_are_not() {
        let set = Trigrams::of((0..=u8::MAX).map(|a| [a, b'x', b'y']));
        let held = (0..=u8::MAX).filter(|a| set.may_hold([*a, b'a', b'b'])).count();
        assert!(held < 16, "{held} of 256");
    }
}
