//! Which data a request writes.

/// The identity of the data of a request: of a write the number of the I/O that brought them, of a read nothing yet. Copies
/// carry the identity of what they are copies of, so it can be told what a device holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DataId(pub u64);
