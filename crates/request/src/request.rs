//! The content of a request.

use crate::data::DataId;
use std::ops::Range;

/// Bytes of a logical block.
pub const BLOCK_BYTES: u64 = 512;

/// Names a request as long as it is in the system. Numbers are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u32);

/// The operation on the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Data come to the one who asks.
    Read,
    /// Data go to the device.
    Write,
}

impl Operation {
    /// Whether data go to the device.
    pub fn is_write(self) -> bool {
        self == Self::Write
    }
}

/// The origin of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Number of the workload.
    pub workload: u32,
    /// Number of the stream of the workload.
    pub stream: u32,
    /// The number of the slot, among the requests that a closed stream has in flight at a time.
    pub slot: u32,
    /// Whether it is in the background, without a waiting asker: rebuilding, scrubbing, polling.
    pub background: bool,
    /// How urgent it is, from 0, the most urgent, to [`LEAST_PRIORITY`].
    pub priority: u8,
}

impl Origin {
    /// The origin of background requests that a component makes for itself.
    pub const BACKGROUND: Self =
        Self { workload: 0, stream: 0, slot: 0, background: true, priority: NORMAL_PRIORITY };
}

/// The least urgent priority. Source: Linux, ioprio_set(2), which has eight levels of the best-effort class.
pub const LEAST_PRIORITY: u8 = 7;

/// The priority of what says nothing of it. Source: the same.
pub const NORMAL_PRIORITY: u8 = 4;

/// The result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Good,
    /// Not done: the device cannot.
    Failed,
    /// Not done: this path does not lead to the device any more; another may. Only the component that chooses among paths ever sees it.
    Unreachable,
    /// Not done: the device cannot take it just now (BUSY of SCSI).
    Busy,
    /// Not done: the device has as many commands as it takes (TASK SET FULL of SCSI, which everybody calls QUEUE FULL).
    QueueFull,
    /// Not done: the device has something to say first (CHECK CONDITION of SCSI).
    CheckCondition,
    /// Not done: some of it cannot be read from the medium (MEDIUM ERROR of SCSI). Trying again does not help; what is written there
    /// can be read again.
    Unreadable,
    /// Not done: who asked for it may not talk to the device, or is not shown it. Trying again does not help.
    Refused,
    /// Not done: who asked for it did not want it any more.
    Aborted,
}

impl Status {
    /// Whether it may be done if it is asked for again, of the same device by the same way.
    pub fn may_be_tried_again(self) -> bool {
        matches!(self, Self::Busy | Self::QueueFull | Self::CheckCondition | Self::Aborted)
    }
}

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Number in order of issue, among all that a workload or a component asked for by itself; of children that of the
    /// request they were made for.
    pub number: u64,
    /// The request of which it is a part.
    pub parent: Option<RequestId>,
    /// The origin of the request.
    pub origin: Origin,
    /// Read or write.
    pub operation: Operation,
    /// Number of the device that is asked, among all of the system.
    pub device: u32,
    /// First logical block on the device.
    pub lba: u64,
    /// Bytes of data.
    pub bytes: u64,
    /// The identity of its data.
    pub data: DataId,
}

impl Request {
    /// A background request that a component makes for itself, for these bytes of a device, which begin with a block.
    pub fn in_background(number: u64, operation: Operation, device: u32, bytes: &Range<u64>) -> Self {
        let (origin, data) = (Origin::BACKGROUND, DataId(0));
        let (lba, bytes) = (bytes.start / BLOCK_BYTES, bytes.end - bytes.start);
        Self { number, parent: None, origin, operation, device, lba, bytes, data }
    }

    /// Whether data go to the device.
    pub fn is_write(&self) -> bool {
        self.operation.is_write()
    }

    /// Logical blocks that the data fill, the last one perhaps in part.
    pub fn blocks(&self) -> u64 {
        self.bytes.div_ceil(BLOCK_BYTES)
    }

    /// First byte on the device.
    pub fn first_byte(&self) -> u64 {
        self.lba * BLOCK_BYTES
    }

    /// The byte behind its last block.
    pub fn end_byte(&self) -> u64 {
        (self.lba + self.blocks()) * BLOCK_BYTES
    }
}
