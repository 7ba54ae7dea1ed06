//! Which data a request writes.

/// The identity of the data of a request: of a write the number of the I/O that brought them, of a read nothing yet. Copies
/// carry the identity of what they are copies of, so it can be told what a device holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DataId(pub u64);

/// What the data of a message say where a component reads them: a call on its way there, the answer on its way back. It is known at both ends by the
/// number of the request; who reads it looks only when the data have come to him.
pub type Words = [u64; 8];
