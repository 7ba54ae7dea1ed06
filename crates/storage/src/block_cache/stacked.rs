//! What a cache says of itself to stand in a group of devices before others.

use super::failures::THINGS;
use super::{BlockCacheParameters, DeviceCache};
use crate::stacked::Stacked;

impl Stacked for BlockCacheParameters {
    type Device = DeviceCache;

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        behind.to_vec()
    }

    fn fallible(&self) -> &'static [&'static str] {
        THINGS
    }
}
