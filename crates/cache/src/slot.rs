//! The number of a slot, by which lists and the index name it.

/// The number of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSlot(u32);

impl CacheSlot {
    /// No slot.
    pub const NONE: CacheSlot = CacheSlot(u32::MAX);

    /// Most slots that there can be.
    pub const MOST: u32 = u32::MAX - 1;

    /// The slot of a place in an array.
    pub(crate) fn at(place: u32) -> Self {
        Self(place)
    }

    /// As the place in an array.
    #[inline]
    pub fn place(self) -> usize {
        self.0 as usize
    }

    /// None if it is no slot.
    #[inline]
    pub(crate) fn some(self) -> Option<CacheSlot> {
        (self != Self::NONE).then_some(self)
    }
}
