//! The number of a slot, by which lists and the index refer to it.

/// The number of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSlot(u32);

impl CacheSlot {
    /// The number that means: no slot.
    pub const NONE: CacheSlot = CacheSlot(u32::MAX);

    /// The most slots that there can be.
    pub const MOST: u32 = u32::MAX - 1;

    /// The slot at an index of an array.
    pub(crate) fn at(place: u32) -> Self {
        Self(place)
    }

    /// The index of the slot in an array.
    #[inline]
    pub fn slot_index(self) -> usize {
        self.0 as usize
    }

    /// The slot with this number; none for the number that means no slot.
    #[inline]
    pub(crate) fn some(self) -> Option<CacheSlot> {
        (self != Self::NONE).then_some(self)
    }
}
