//! The state of a block in the cache, as bits.

/// All of the block is in the cache.
pub(super) const WHOLE: u8 = 1;
/// The device does not have the data that were written to the block.
pub(super) const DIRTY: u8 = 2;
/// The block is in flight to the device.
pub(super) const DESTAGING: u8 = 4;
/// The block is in flight from the device.
pub(super) const FETCHING: u8 = 8;
/// The block was fetched ahead, and has not been read.
pub(super) const AHEAD: u8 = 16;
/// The write in flight to the device has not been acknowledged, and replaces no dirty data: a write through.
pub(super) const THROUGH: u8 = 32;

/// The partner does not have the last write to the block, and that write has been answered or will be without waiting for the partner.
pub(super) const AHEAD_OF_PARTNER: u8 = 64;
/// The partner has no part of the last write to the block: since the device had the block no data of it have been copied.
pub(super) const UNKNOWN_TO_PARTNER: u8 = 128;

/// Whether a state has any of these bits.
#[inline]
pub(super) fn has(state: u8, bits: u8) -> bool {
    state & bits != 0
}

/// Whether a block in this state cannot be evicted.
#[inline]
pub(super) fn is_held_back(state: u8) -> bool {
    has(state, DIRTY | DESTAGING | FETCHING)
}

/// Whether a block in this state counts against the limit of dirty blocks.
#[inline]
pub(super) fn is_unsafe(state: u8) -> bool {
    has(state, DIRTY | DESTAGING)
}

/// Whether a block in this state has acknowledged data that the device does not have.
#[inline]
pub(super) fn is_acknowledged(state: u8) -> bool {
    has(state, DIRTY) || has(state, DESTAGING) && !has(state, THROUGH)
}

/// Whether a block can be destaged: while it is being destaged it cannot until it has arrived, while a part is missing it cannot until the
/// part has been fetched, and while the partner lacks its present content it cannot until the partner has it.
#[inline]
pub(super) fn is_ready(state: u8) -> bool {
    state & (WHOLE | DIRTY | DESTAGING | AHEAD_OF_PARTNER) == WHOLE | DIRTY
}
