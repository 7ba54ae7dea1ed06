//! The identity of the data that a request writes.

/// The identity of the data of a request: for a write the number of the I/O that brought the data, for a read none yet. Copies of data
/// carry the identity of their original, so a test can find which data a device holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DataId(pub u64);

/// The content of the data of a message for a component: of a call on the path to the component, of the answer on the path back. Both ends
/// find the content of a message by the number of the request; the receiver reads it only when the data have arrived.
pub type MessageWords = [u64; 8];
