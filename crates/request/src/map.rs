//! Data that a component keeps for requests, by their numbers.

use crate::request::RequestId;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map of values by request. The values of the map must not be iterated where the order matters.
pub type RequestMap<T> = HashMap<RequestId, T, BuildHasherDefault<NumberHasher>>;

/// A hash function that spreads small numbers by one multiplication (Knuth, "The Art of Computer Programming", volume 3, section 6.4).
#[derive(Clone, Copy, Debug, Default)]
pub struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(self.0 as u32 ^ u32::from(byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
