//! The payloads of an I/O's command: FCP_CMND with the CDB of its operation, and the list of a deallocation.
//!
//! Sources: FCP-4, FCP_CMND; SBC-4, READ, WRITE, SYNCHRONIZE CACHE and UNMAP.

use super::{HEAD_BYTES, length32, lun};
use sansim_request::{DEALLOCATION_LIST_BYTES, Operation, Request};

/// A flag of FCP_CMND: the command writes data.
const WRITE_DATA: u8 = 0x01;
/// A flag of FCP_CMND: the command reads data.
const READ_DATA: u8 = 0x02;
/// The operation code of SYNCHRONIZE CACHE (10). Source: SBC-4.
const SYNCHRONIZE_CACHE_10: u8 = 0x35;
/// The operation code of UNMAP. Source: SBC-4.
const UNMAP: u8 = 0x42;

/// The parameter list of UNMAP with one block descriptor. Source: SBC-4, UNMAP parameter list.
pub(super) fn unmap_list(bytes: &mut [u8; HEAD_BYTES], request: &Request) {
    // Neither length counts its own field: 22 bytes follow the first, 16 of them descriptors.
    bytes[0..2].copy_from_slice(&(DEALLOCATION_LIST_BYTES as u16 - 2).to_be_bytes());
    bytes[2..4].copy_from_slice(&(DEALLOCATION_LIST_BYTES as u16 - 8).to_be_bytes());
    bytes[8..16].copy_from_slice(&request.lba.to_be_bytes());
    bytes[16..20].copy_from_slice(&length32(request.block_count()).to_be_bytes());
}

/// Byte 1 of the CDB of a WRITE: the bit FUA. Source: SBC-4, WRITE (10) and WRITE (16).
fn force_unit_access(request: &Request) -> u8 {
    if request.forces_unit_access() { 0x08 } else { 0 }
}

/// Writes FCP_CMND with a simple task attribute and a READ or WRITE of 10 bytes where that suffices, else of
/// 16 bytes; SYNCHRONIZE CACHE of 10 bytes for all blocks; UNMAP; or TEST UNIT READY.
pub(super) fn command(bytes: &mut [u8; HEAD_BYTES], request: &Request, logical_unit: u32) {
    bytes[0..8].copy_from_slice(&lun(logical_unit));
    bytes[11] = match request.operation {
        Operation::Read => READ_DATA,
        Operation::Write | Operation::Deallocate => WRITE_DATA,
        Operation::Flush | Operation::CheckPath => 0,
    };
    let cdb = &mut bytes[12..28];
    match (u32::try_from(request.lba), u16::try_from(request.block_count())) {
        // No number of blocks means all that follow the first.
        // TEST UNIT READY has the operation code 0 and no fields (SPC-4).
        _ if request.operation == Operation::CheckPath => {}
        _ if request.operation == Operation::Flush => cdb[0] = SYNCHRONIZE_CACHE_10,
        _ if request.operation == Operation::Deallocate => {
            cdb[0] = UNMAP;
            cdb[7..9].copy_from_slice(&(DEALLOCATION_LIST_BYTES as u16).to_be_bytes());
        }
        (Ok(lba), Ok(blocks)) => {
            cdb[0] = if request.is_write() { 0x2A } else { 0x28 };
            cdb[1] = force_unit_access(request);
            cdb[2..6].copy_from_slice(&lba.to_be_bytes());
            cdb[7..9].copy_from_slice(&blocks.to_be_bytes());
        }
        _ => {
            cdb[0] = if request.is_write() { 0x8A } else { 0x88 };
            cdb[1] = force_unit_access(request);
            cdb[2..10].copy_from_slice(&request.lba.to_be_bytes());
            cdb[10..14].copy_from_slice(&length32(request.block_count()).to_be_bytes());
        }
    }
    bytes[28..32].copy_from_slice(&length32(request.data_bytes()).to_be_bytes());
}
