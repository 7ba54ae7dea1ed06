//! What a cache says of itself to stand in a group of devices before others.

use super::failures::{HOME, LINK, OTHER, THINGS};
use super::{BlockCacheParameters, DeviceCache};
use crate::stacked::Stacked;
use sansim_component::Half;

impl Stacked for BlockCacheParameters {
    type Device = DeviceCache;

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        behind.to_vec()
    }

    fn falls_with(&self, home: Half, thing: usize) -> Option<usize> {
        match Half::BOTH.get(thing) {
            Some(&half) => Some(if half == home { HOME } else { OTHER }),
            None => Some(LINK),
        }
    }

    fn fallible(&self) -> &'static [&'static str] {
        THINGS
    }
}
