//! The state of a block in the cache, as bits.

/// All of it is here.
pub(super) const WHOLE: u8 = 1;
/// The device does not have what was written to it.
pub(super) const DIRTY: u8 = 2;
/// It is on its way to the device.
pub(super) const DESTAGING: u8 = 4;
/// It is on its way from the device.
pub(super) const FETCHING: u8 = 8;
/// It was fetched ahead, and has not been read.
pub(super) const AHEAD: u8 = 16;
/// The write in flight to the device has not been acknowledged, and replaces no dirty data: a write that goes through.
pub(super) const THROUGH: u8 = 32;

/// The partner does not have what was written to it last, and that has been answered or will be without waiting for it.
pub(super) const AHEAD_OF_PARTNER: u8 = 64;
/// The partner has no part of that write: since the device had the block nothing of it has been copied.
pub(super) const UNKNOWN_TO_PARTNER: u8 = 128;

/// Whether it has any of these bits.
#[inline]
pub(super) fn has(state: u8, bits: u8) -> bool {
    state & bits != 0
}

/// Whether it cannot go.
#[inline]
pub(super) fn is_held_back(state: u8) -> bool {
    has(state, DIRTY | DESTAGING | FETCHING)
}

/// Whether it takes room of what may be dirty.
#[inline]
pub(super) fn is_unsafe(state: u8) -> bool {
    has(state, DIRTY | DESTAGING)
}

/// Whether it holds something that was acknowledged and that the device does not have.
#[inline]
pub(super) fn is_acknowledged(state: u8) -> bool {
    has(state, DIRTY) || has(state, DESTAGING) && !has(state, THROUGH)
}

/// Whether it can be destaged: a block that is being destaged goes again only when it has arrived, one of which a part is
/// missing when that has been fetched, and one that the partner does not have as it is when it has.
#[inline]
pub(super) fn is_ready(state: u8) -> bool {
    state & (WHOLE | DIRTY | DESTAGING | AHEAD_OF_PARTNER) == WHOLE | DIRTY
}
