//! The random source: xoshiro256\*\* seeded through SplitMix64, with integer arithmetic only.
//!
//! It lives here, and not in a dependency, because the bytes of a corpus are part of its identity: a new release of
//! a library may change how it maps random words onto a range, and every figure that was measured on a corpus would
//! then be about another one. It is not for secrets.
//!
//! Reference: D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators" (2018), and the public-domain
//! C code that goes with it.

/// A stream of random words that is the same on every machine.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

/// One step of SplitMix64: a bijection that spreads neighbouring values over the whole range.
const fn split_mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Rng {
    /// A stream named by the seed and a path of numbers under it.
    ///
    /// Each transcript and each customer has a stream of its own, so that one can be made without those before it,
    /// and so that a change in how one is written leaves all others as they were.
    pub fn new(seed: u64, path: &[u64]) -> Self {
        let mut mixed = split_mix(seed);
        for part in path {
            mixed = split_mix(mixed ^ split_mix(*part));
        }
        let mut state = [0; 4];
        for word in &mut state {
            *word = split_mix(mixed);
            mixed = mixed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        }
        Self { state }
    }

    /// The next 64 random bits.
    pub fn word(&mut self) -> u64 {
        let result = self.state[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = self.state[1] << 17;
        self.state[2] ^= self.state[0];
        self.state[3] ^= self.state[1];
        self.state[1] ^= self.state[2];
        self.state[0] ^= self.state[3];
        self.state[2] ^= shifted;
        self.state[3] = self.state[3].rotate_left(45);
        result
    }

    /// A uniform number in `0..bound`, without bias (Lemire's multiplication with rejection).
    ///
    /// A bound of 0 is treated as 1.
    pub fn below(&mut self, bound: u64) -> u64 {
        let bound = bound.max(1);
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.word()) * u128::from(bound);
            // The low half decides on rejection and the high half is the result.
            if product as u64 >= threshold {
                return (product >> 64) as u64;
            }
        }
    }

    /// A uniform number in `low..=high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True `of` times in `among`, on average.
    pub fn chance(&mut self, of: u64, among: u64) -> bool {
        self.below(among) < of
    }

    /// True in `percent` of a hundred cases, on average.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.chance(percent, 100)
    }

    /// One of the items, each as likely as the others.
    ///
    /// # Panics
    ///
    /// When there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }

    /// A position in a list of weights, as likely as its weight says.
    pub fn weighted(&mut self, weights: impl Iterator<Item = u64> + Clone) -> usize {
        let mut left = self.below(weights.clone().sum());
        for (index, weight) in weights.enumerate() {
            if left < weight {
                return index;
            }
            left -= weight;
        }
        0
    }

    /// A random decimal digit, 0 to 9.
    pub fn digit(&mut self) -> u8 {
        self.below(10) as u8
    }

    /// A string of random decimal digits.
    pub fn digits(&mut self, length: usize) -> String {
        (0..length).map(|_| char::from(b'0' + self.digit())).collect()
    }

    /// A string of characters from an ASCII alphabet.
    pub fn string(&mut self, alphabet: &[u8], length: usize) -> String {
        (0..length).map(|_| char::from(*self.pick(alphabet))).collect()
    }

    /// Puts the items in a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_mix_gives_the_published_words() {
        let increment = 0x9e37_79b9_7f4a_7c15_u64;
        let words: Vec<u64> =
            (0..3).map(|n| split_mix(1_234_567_u64.wrapping_add(increment.wrapping_mul(n)))).collect();
        assert_eq!(words, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn xoshiro_gives_the_published_words() {
        let mut rng = Rng { state: [1, 2, 3, 4] };
        let words: Vec<u64> = (0..4).map(|_| rng.word()).collect();
        assert_eq!(words, [11_520, 0, 1_509_978_240, 1_215_971_899_390_074_240]);
    }

    #[test]
    fn paths_are_told_apart() {
        let first = |path: &[u64]| Rng::new(7, path).word();
        assert_ne!(first(&[1, 2]), first(&[2, 1]));
        assert_ne!(first(&[1]), first(&[1, 0]));
        assert_eq!(first(&[1, 2]), first(&[1, 2]));
    }

    #[test]
    fn below_stays_below_and_reaches_both_ends() {
        let mut rng = Rng::new(1, &[]);
        let seen: Vec<u64> = (0..1_000).map(|_| rng.below(6)).collect();
        assert!((0..6).all(|n| seen.contains(&n)) && seen.iter().all(|n| *n < 6));
        assert_eq!(rng.below(1), 0);
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.between(5, 5), 5);
    }

    #[test]
    fn weights_of_zero_are_never_taken() {
        let mut rng = Rng::new(1, &[]);
        assert!((0..500).all(|_| rng.weighted([0, 3, 0, 1].into_iter()) % 2 == 1));
    }
}
