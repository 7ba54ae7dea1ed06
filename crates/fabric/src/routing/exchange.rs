//! The same way for all frames of an exchange in one direction.

use super::{Chooses, Outputs};
use sansim_fc::frame::Frame;

/// See the module text.
pub struct Exchange<const UP_DOWN: bool>;

impl<const UP_DOWN: bool> Chooses for Exchange<UP_DOWN> {
    const UP_DOWN: bool = UP_DOWN;

    /// By a hash of S_ID, D_ID and OX_ID. What real switches use is in no public source; this one is the finaliser of MurmurHash3.
    fn choose(frame: &Frame, allowed: &[u16]) -> Outputs {
        let mut hash = frame.source.value() ^ frame.destination.value().rotate_left(12) ^ frame.originator.0;
        hash = (hash ^ hash >> 16).wrapping_mul(0x85EB_CA6B);
        hash = (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35);
        hash ^= hash >> 16;
        Outputs::one(allowed[hash as usize % allowed.len()])
    }
}
