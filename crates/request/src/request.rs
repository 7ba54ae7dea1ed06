//! The content of a request.

use crate::data::DataId;
use std::ops::Range;

/// The number of bytes of a logical block.
pub const BLOCK_BYTES: u64 = 512;

/// The number of a request while it is in the system. The numbers of requests that have left the system are reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u32);

/// The bytes of the list that goes to the device with a deallocation of one range of blocks. Source: SBC-4, UNMAP parameter list: a header
/// of 8 bytes and 16 bytes for each block descriptor.
pub const DEALLOCATION_LIST_BYTES: u64 = 8 + 16;

/// The operation on the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Data move from the device to the initiator.
    Read,
    /// Data go to the device.
    Write,
    /// The device has all writes that it has answered on its medium before it answers (SYNCHRONIZE CACHE of SCSI, Flush of NVMe). No data
    /// move, and no blocks are addressed: the flush concerns the whole device.
    Flush,
    /// The device may forget the content of the blocks (UNMAP of SCSI, Deallocate of NVMe, often called trim or discard). Only the list of
    /// the blocks goes to the device.
    Deallocate,
    /// The adapter in front of the device says that it can be reached (TEST UNIT READY of SCSI, Keep Alive of NVMe). No data move, no device
    /// is asked, and no workload makes it: it checks a path.
    CheckPath,
}

impl Operation {
    /// The operations that workloads make.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Flush, Self::Deallocate];

    /// Whether data go to the device: those of a write, or the list of a deallocation.
    pub fn is_write(self) -> bool {
        matches!(self, Self::Write | Self::Deallocate)
    }

    /// Whether data come from the device.
    pub fn is_read(self) -> bool {
        self == Self::Read
    }

    /// The word for the operation in traces and pictures.
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Flush => "flush",
            Self::Deallocate => "deallocate",
            Self::CheckPath => "check path",
        }
    }
}

/// The cache control of a write: how far the caches of devices may hold it back. Source: Linux, Documentation/block/writeback_cache_control,
/// which names the same two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CacheControl {
    /// Whether the device is flushed before the write begins (REQ_PREFLUSH). The driver of the host sends the flush; devices see none of it.
    pub preflush: bool,
    /// Whether the write is answered only when its data are on the medium, or where they survive a loss of power (FUA of SBC-4 and of NVMe).
    pub force_unit_access: bool,
}

impl CacheControl {
    /// The cache control of requests that caches may hold back as they like.
    pub const NONE: Self = Self { preflush: false, force_unit_access: false };

    /// Whether the request has a cache control: then it is not merged with others.
    pub fn is_any(self) -> bool {
        self.preflush || self.force_unit_access
    }
}

/// The origin of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestOrigin {
    /// The number of the workload.
    pub workload: u32,
    /// The number of the stream of the workload.
    pub stream: u32,
    /// The number of the slot, among the requests that a closed stream has in flight at a time.
    pub slot: u32,
    /// Whether the request is in the background, such as rebuilding, scrubbing and polling, so that no initiator waits for it.
    pub background: bool,
    /// The priority of the request, from 0, the most urgent, to [`LEAST_PRIORITY`].
    pub priority: u8,
}

impl RequestOrigin {
    /// The origin of background requests that a component makes for itself.
    pub const BACKGROUND: Self =
        Self { workload: 0, stream: 0, slot: 0, background: true, priority: NORMAL_PRIORITY };
}

/// The least urgent priority. Source: Linux, ioprio_set(2), which has eight levels of the best-effort class.
pub const LEAST_PRIORITY: u8 = 7;

/// The priority of a request for which no priority is given. Source: Linux, ioprio_set(2), as for [`LEAST_PRIORITY`].
pub const NORMAL_PRIORITY: u8 = 4;

/// The result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The request was done.
    Good,
    /// The request was not done: the device is not able to do it.
    Failed,
    /// The request was not done: this path does not lead to the device any more, but another path may. Only the component that chooses
    /// among paths ever sees the status `Unreachable`.
    Unreachable,
    /// The request was not done: the device is too busy at present (BUSY of SCSI).
    Busy,
    /// The request was not done: the device has as many commands as it accepts (TASK SET FULL of SCSI, often called QUEUE FULL).
    QueueFull,
    /// The request was not done: the device has to report something first (CHECK CONDITION of SCSI).
    CheckCondition,
    /// The request was not done: the device is not ready, and may be later (NOT READY of SCSI).
    NotReady,
    /// The request was not done: the device has ended the command (ABORTED COMMAND of SCSI).
    AbortedCommand,
    /// The request was not done: a part of its data cannot be read from the medium (MEDIUM ERROR of SCSI). Repeating the read does not help
    /// after a medium error; once the blocks have been written again they can be read.
    Unreadable,
    /// The request was not done: the initiator is not permitted to access the device. Repeating a refused request does not help.
    Refused,
    /// The request was not done: the initiator aborted it.
    Aborted,
}

impl Status {
    /// Whether the request may succeed if it is repeated at the same device over the same path.
    pub fn may_be_retried(self) -> bool {
        matches!(
            self,
            Self::Busy
                | Self::QueueFull
                | Self::CheckCondition
                | Self::NotReady
                | Self::AbortedCommand
                | Self::Aborted
        )
    }
}

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The number of the request in order of issue, among all requests of a workload, or of a component that issues requests by itself; a
    /// child has the number of the request for which it was made.
    pub number: u64,
    /// The request of which it is a part.
    pub parent: Option<RequestId>,
    /// The origin of the request.
    pub origin: RequestOrigin,
    /// The operation on the blocks.
    pub operation: Operation,
    /// The number of the device that is addressed, among all devices of the system.
    pub device: u32,
    /// The first logical block on the device.
    pub lba: u64,
    /// The number of bytes of the blocks that are read, written or deallocated; none for a flush. [`Request::data_bytes`] says how many
    /// bytes move.
    pub bytes: u64,
    /// The cache control of a write.
    pub cache_control: CacheControl,
    /// The identity of its data.
    pub data: DataId,
}

impl Request {
    /// A background request that a component makes for itself, for these bytes of a device; the first byte begins a block.
    pub fn background_request(number: u64, operation: Operation, device: u32, bytes: &Range<u64>) -> Self {
        let (origin, data) = (RequestOrigin::BACKGROUND, DataId(0));
        let (lba, bytes) = (bytes.start / BLOCK_BYTES, bytes.end - bytes.start);
        let cache_control = CacheControl::NONE;
        Self { number, parent: None, origin, operation, device, lba, bytes, cache_control, data }
    }

    /// A check of a path to a device.
    pub fn path_check(number: u64, device: u32) -> Self {
        Self::background_request(number, Operation::CheckPath, device, &(0..0))
    }

    /// A flush of a device, as a part of `like`.
    pub fn flush_of(device: u32, like: Self) -> Self {
        let cache_control = CacheControl::NONE;
        Self { device, operation: Operation::Flush, lba: 0, bytes: 0, cache_control, ..like }
    }

    /// Whether data go to the device: those of a write, or the list of a deallocation.
    pub fn is_write(&self) -> bool {
        self.operation.is_write()
    }

    /// Whether data come from the device.
    pub fn is_read(&self) -> bool {
        self.operation.is_read()
    }

    /// Whether the request is a write that is answered only when its data are on the medium.
    #[inline]
    pub fn forces_unit_access(&self) -> bool {
        self.cache_control.force_unit_access && self.operation == Operation::Write
    }

    /// The number of bytes that move between the initiator and the device.
    #[inline]
    pub fn data_bytes(&self) -> u64 {
        match self.operation {
            Operation::Read | Operation::Write => self.bytes,
            Operation::Flush | Operation::CheckPath => 0,
            Operation::Deallocate => DEALLOCATION_LIST_BYTES,
        }
    }

    /// The number of logical blocks that the data fill, the last perhaps in part.
    pub fn block_count(&self) -> u64 {
        self.bytes.div_ceil(BLOCK_BYTES)
    }

    /// The first byte on the device.
    pub fn first_byte(&self) -> u64 {
        self.lba * BLOCK_BYTES
    }

    /// The first byte after the last block of the request.
    pub fn end_byte(&self) -> u64 {
        (self.lba + self.block_count()) * BLOCK_BYTES
    }
}
