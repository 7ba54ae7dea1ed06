//! Flushes and deallocations as bytes, in SCSI and in NVMe.

use super::*;
use sansim_request::CacheControl;

/// Sources: SBC-4, SYNCHRONIZE CACHE (10) and UNMAP; FCP-4, FCP_CMND.
#[test]
fn a_flush_and_a_deallocation_are_the_known_bytes() {
    let of = |operation: Operation, bytes: u64| {
        let mut io = io(false, bytes, 512);
        io.request = Request { operation, lba: if bytes == 0 { 0 } else { 4096 }, ..io.request };
        io
    };
    let flush = of(Operation::Flush, 0);
    let head = payload_head(&frame(&flush, PduKind::Command, 0, 32), &flush.request, 0, IDS);
    // Neither RDDATA nor WRDATA, all blocks from the first on, and no data.
    assert_eq!(head.leading_bytes(), [&[0; 12][..], &[0x35], &[0; 19]].concat());
    let unmap = of(Operation::Deallocate, 1 << 30);
    let head = payload_head(&frame(&unmap, PduKind::Command, 0, 32), &unmap.request, 0, IDS);
    assert_eq!(
        head.leading_bytes(),
        [&[0; 11][..], &[0x01, 0x42, 0, 0, 0, 0, 0, 0, 0, 24], &[0; 10], &[24]].concat()
    );
    let list = payload_head(&frame(&unmap, PduKind::Data, 0, 24), &unmap.request, 0, IDS);
    assert_eq!(
        list.leading_bytes(),
        [0, 22, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0x20, 0, 0, 0, 0, 0, 0]
    );
    let status = payload_head(&frame(&unmap, PduKind::Response, 0, 24), &unmap.request, 0, IDS);
    assert!(status.leading_bytes().iter().all(|&byte| byte == 0), "GOOD, and no residual");
}

#[test]
fn nvme_flushes_without_data_and_deallocates_a_range() {
    let of = |operation, bytes: u64| {
        let mut io = io(false, bytes, 512);
        io.request = Request { operation, ..io.request };
        io
    };
    let unit = |io: &Io, kind, payload_bytes| {
        let unit = Pdu { command_set: CommandSet::Nvme, ..*frame(io, kind, 0, payload_bytes) };
        payload_head(&Frame::from(unit), &io.request, 0, IDS).leading_bytes().to_vec()
    };
    let flush = unit(&of(Operation::Flush, 0), PduKind::Command, 96);
    // FD 28, no direction, no length; the opcode, and the namespace alone.
    assert_eq!((&flush[0..2], flush[7], &flush[20..24]), (&[0xFD, 0x28][..], 0, &[0; 4][..]));
    assert_eq!((flush[24], &flush[28..32], &flush[64..88]), (0x00, &[1, 0, 0, 0][..], &[0; 24][..]));
    let trim = of(Operation::Deallocate, 1 << 20);
    let command = unit(&trim, PduKind::Command, 96);
    assert_eq!((command[7], &command[20..24], command[24]), (0x01, &[0, 0, 0, 24][..], 0x09));
    // One range, counted from 0, to be deallocated.
    assert_eq!(command[64..72], [0, 0, 0, 0, 0x04, 0, 0, 0]);
    let range = unit(&trim, PduKind::Data, 24);
    assert_eq!(range, [&[0, 0, 0, 0, 0, 0x08, 0, 0, 0, 0x10][..], &[0; 14]].concat());
}

/// Sources: SBC-4, WRITE (10) and WRITE (16), bit 3 of byte 1; NVMe, bit 30 of dword 12 of a write.
#[test]
fn forced_unit_access_is_a_bit_of_a_write_and_of_nothing_else() {
    let of = |operation, lba, forced| {
        let mut io = io(false, 4096, 512);
        let cache_control = CacheControl { force_unit_access: forced, preflush: true };
        io.request = Request { operation, lba, cache_control, ..io.request };
        io
    };
    let scsi = |operation, lba, forced| {
        let io = of(operation, lba, forced);
        payload_head(&frame(&io, PduKind::Command, 0, 32), &io.request, 0, IDS).leading_bytes()[12..14]
            .to_vec()
    };
    assert_eq!(scsi(Operation::Write, 0, true), [0x2A, 0x08]);
    assert_eq!(scsi(Operation::Write, 0, false), [0x2A, 0]);
    assert_eq!(scsi(Operation::Write, 1 << 32, true), [0x8A, 0x08]);
    assert_eq!(scsi(Operation::Read, 0, true), [0x28, 0]);
    assert_eq!(scsi(Operation::Flush, 0, true), [0x35, 0]);
    assert_eq!(scsi(Operation::Deallocate, 0, true), [0x42, 0]);
    let nvme = |operation, forced| {
        let io = of(operation, 0, forced);
        let unit = Pdu { command_set: CommandSet::Nvme, ..*frame(&io, PduKind::Command, 0, 96) };
        let head = payload_head(&Frame::from(unit), &io.request, 0, IDS);
        // Dwords are little-endian; the entry begins at byte 24.
        u32::from_le_bytes(head.leading_bytes()[72..76].try_into().unwrap())
    };
    assert_eq!(nvme(Operation::Write, true), 1 << 30 | 7);
    assert_eq!(nvme(Operation::Write, false), 7);
    assert_eq!([nvme(Operation::Read, true), nvme(Operation::Deallocate, true)], [7, 0]);
}
