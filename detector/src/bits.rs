//! Bytes as bits: what is asked of a byte is asked of 64 at once.

use crate::view::BREAK;

/// Bytes of a block: a bit for each.
pub(crate) const BLOCK: usize = 64;

/// Blocks of these bytes, each with its place. The last is filled up with breaks.
pub(crate) fn blocks(bytes: &[u8]) -> impl Iterator<Item = (usize, [u8; BLOCK])> + '_ {
    (0..bytes.len()).step_by(BLOCK).map(|at| (at, first_block(&bytes[at..])))
}

/// The first block of these bytes, filled up with breaks.
#[inline(always)]
pub(crate) fn first_block(bytes: &[u8]) -> [u8; BLOCK] {
    bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut block = [BREAK; BLOCK];
        block[..bytes.len()].copy_from_slice(bytes);
        block
    })
}

/// Which bytes of a block hold so, the first as the lowest bit. What is asked must not branch: then the compiler asks it of
/// 16 bytes and more in one instruction.
#[inline(always)]
pub(crate) fn bits(block: &[u8; BLOCK], holds: impl Fn(u8) -> bool) -> u64 {
    gathered(&block.map(|byte| if holds(byte) { u8::MAX } else { 0 }))
}

/// The highest bit of each byte.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[expect(unsafe_code, reason = "loads of 16 bytes")]
pub(crate) fn gathered(held: &[u8; BLOCK]) -> u64 {
    use std::arch::x86_64::{_mm_loadu_si128, _mm_movemask_epi8};
    let sixteens = held.as_chunks::<16>().0.iter().rev();
    sixteens.fold(0, |bits, sixteen| {
        // SAFETY: every processor of x86-64 has SSE2; the bytes are as many as are read, and may stand anywhere.
        let own = unsafe { _mm_movemask_epi8(_mm_loadu_si128(sixteen.as_ptr().cast())) };
        bits << 16 | u64::from(own.cast_unsigned())
    })
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use gathered_portably as gathered;

/// The same for any processor. The highest bit of each of eight bytes is multiplied to its place among the highest eight,
/// and no two meet.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(crate) fn gathered_portably(held: &[u8; BLOCK]) -> u64 {
    let eights = held.as_chunks::<8>().0.iter().rev();
    eights.fold(0, |bits, eight| {
        let lowest = u64::from_le_bytes(*eight) >> 7 & 0x0101_0101_0101_0101;
        bits << 8 | lowest.wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

/// The places of the bits that are set, from the lowest.
pub(crate) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(at)
    })
}

/// The same from the highest.
pub(crate) fn ones_down(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = bits.checked_ilog2()?;
        bits ^= 1 << at;
        Some(at as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_gathered_alike(held in any::<[[u8; 32]; 2]>()) {
            let held = std::array::from_fn(|at| held[at / 32][at % 32]);
            prop_assert_eq!(gathered(&held), gathered_portably(&held));
        }

        #[test]
        fn each_byte_has_its_bit(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let is_odd = |byte: u8| byte & 1 == 1;
            let found: Vec<usize> = blocks(&bytes)
                .flat_map(|(at, block)| ones(bits(&block, is_odd)).map(move |bit| at + bit))
                .filter(|at| *at < bytes.len())
                .collect();
            let expected: Vec<usize> = (0..bytes.len()).filter(|at| is_odd(bytes[*at])).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
