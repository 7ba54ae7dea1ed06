//! Entries of submission and completion queues as bytes, which the capsules of every transport carry.
//!
//! Source: Linux, `include/linux/nvme.h` (layouts, opcodes, status codes, descriptors of data). All numbers are little-endian.

use sansim_pdu::{Pdu, Sense};
use sansim_request::{BLOCK_BYTES, Operation, Request};

/// The bytes of a submission queue entry, and of a completion queue entry.
pub(super) const SUBMISSION_BYTES: usize = 64;
/// See [`SUBMISSION_BYTES`].
pub(super) const COMPLETION_BYTES: usize = 16;
/// The number of the first I/O queue.
pub(super) const QUEUE: u16 = 1;

/// The opcodes of the command set.
const WRITE_OPCODE: u8 = 0x01;
const READ_OPCODE: u8 = 0x02;
const FLUSH_OPCODE: u8 = 0x00;
const DATASET_MANAGEMENT_OPCODE: u8 = 0x09;
/// The opcodes of Abort and of Keep Alive, admin commands (the latter of NVMe over Fabrics).
const ABORT_OPCODE: u8 = 0x08;
const KEEP_ALIVE_OPCODE: u8 = 0x18;
/// The attribute of Dataset Management by which its ranges are deallocated.
const DEALLOCATES: u8 = 0x04;
/// FUA in the last byte of dword 12 of a write: bit 30 of the dword. Source: Linux, `NVME_RW_FUA`.
const FORCE_UNIT_ACCESS: u8 = 0x40;
/// A flag of a submission queue entry: the data are described by a scatter gather list.
const SCATTER_GATHER: u8 = 0x40;

/// The description of the data of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataDescriptor {
    /// The transport moves the data.
    Transport,
    /// The data are in the capsule, behind the entry.
    InCapsule,
    /// The data are in the memory of the host, which the target reads and writes by this key.
    Keyed(u32),
}

/// A number of bytes in the 32 bits that there are for it.
pub(super) fn length32(bytes: u64) -> u32 {
    bytes.try_into().unwrap_or(u32::MAX)
}

/// Writes the submission queue entry of a command.
pub(super) fn submission(
    entry: &mut [u8],
    request: &Request,
    namespace: u32,
    command_identifier: u16,
    descriptor: DataDescriptor,
) {
    entry[0] = match request.operation {
        Operation::Read => READ_OPCODE,
        Operation::Write => WRITE_OPCODE,
        Operation::Flush => FLUSH_OPCODE,
        Operation::Deallocate => DATASET_MANAGEMENT_OPCODE,
        Operation::CheckPath => KEEP_ALIVE_OPCODE,
    };
    entry[1] = SCATTER_GATHER;
    entry[2..4].copy_from_slice(&command_identifier.to_le_bytes());
    entry[4..8].copy_from_slice(&(namespace + 1).to_le_bytes());
    let length = length32(request.data_bytes()).to_le_bytes();
    match descriptor {
        DataDescriptor::Transport => {
            entry[32..36].copy_from_slice(&length);
            entry[39] = 0x5A;
        }
        DataDescriptor::InCapsule => {
            entry[32..36].copy_from_slice(&length);
            entry[39] = 0x01;
        }
        DataDescriptor::Keyed(key) => {
            entry[32..35].copy_from_slice(&length[..3]);
            entry[35..39].copy_from_slice(&key.to_le_bytes());
            entry[39] = 0x40;
        }
    }
    match request.operation {
        Operation::Read | Operation::Write => {}
        Operation::Flush | Operation::CheckPath => return,
        Operation::Deallocate => {
            // The number of ranges counts from 0: there is one.
            entry[44] = DEALLOCATES;
            return;
        }
    }
    entry[40..48].copy_from_slice(&request.lba.to_le_bytes());
    // The number of blocks counts from 0.
    let blocks = (request.bytes.div_ceil(BLOCK_BYTES)).saturating_sub(1);
    entry[48..50].copy_from_slice(&(blocks.min(u16::MAX.into()) as u16).to_le_bytes());
    if request.forces_unit_access() {
        entry[51] = FORCE_UNIT_ACCESS;
    }
}

/// Writes the submission queue entry of an Abort of another command.
pub(super) fn abort(entry: &mut [u8], command_identifier: u16, aborted: u16) {
    (entry[0], entry[1]) = (ABORT_OPCODE, SCATTER_GATHER);
    entry[2..4].copy_from_slice(&command_identifier.to_le_bytes());
    entry[40..42].copy_from_slice(&QUEUE.to_le_bytes());
    entry[42..44].copy_from_slice(&aborted.to_le_bytes());
}

/// Writes a completion queue entry with this status code and head of the submission queue.
pub(super) fn completion(entry: &mut [u8], code: u16, head: u16, command_identifier: u16) {
    entry[8..10].copy_from_slice(&head.to_le_bytes());
    entry[10..12].copy_from_slice(&QUEUE.to_le_bytes());
    entry[12..14].copy_from_slice(&command_identifier.to_le_bytes());
    // Bit 0 is the phase tag.
    entry[14..16].copy_from_slice(&(code << 1).to_le_bytes());
}

/// Writes the range of a deallocation: attributes, blocks, first block. Assumption: the list has the length of that of UNMAP, eight bytes more
/// than a range.
pub(super) fn deallocated_range(bytes: &mut [u8], request: &Request) {
    bytes[4..8].copy_from_slice(&length32(request.block_count()).to_le_bytes());
    bytes[8..16].copy_from_slice(&request.lba.to_le_bytes());
}

/// The status code and its type for the outcome of a command. NVMe has no BUSY and no QUEUE FULL; ours: such a command is interrupted, so that a
/// host repeats it.
pub(super) fn status_code(unit: &Pdu) -> u16 {
    match (unit.sense, unit.status) {
        // Asymmetric access inaccessible.
        (Sense::NotAccessible, _) => 0x302,
        // Unrecovered read error.
        (Sense::MediumError, _) => 0x281,
        // Internal error, which a host does not repeat (DNR).
        (Sense::HardwareError, _) => 0x4006,
        // Namespace not ready.
        (Sense::NotReady, _) => 0x082,
        // Data transfer error.
        (Sense::AbortedCommand, _) => 0x004,
        (Sense::None, 0x00) => 0x000,
        // Command interrupted.
        (Sense::None, 0x08 | 0x28) => 0x021,
        // Command abort requested.
        (Sense::None, 0x40) => 0x007,
        // Internal error.
        (Sense::None | Sense::UnitAttention, _) => 0x006,
    }
}
