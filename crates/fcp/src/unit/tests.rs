mod association;
mod operations;

use super::*;
use sansim_fc::wire::put_frame;
use sansim_pdu::{Address, CommandSet, Sense, task_management};
use sansim_request::{DataId, NORMAL_PRIORITY, Operation, RequestOrigin};

const IDS: Identifiers = Identifiers { originator: 0x1234, responder: 0x5678, sequence: 0 };

/// A request, and the bytes of its bursts.
struct Io {
    request: Request,
    burst_bytes: u64,
}

fn io(write: bool, bytes: u64, burst_bytes: u64) -> Io {
    let request = Request {
        number: 0,
        parent: None,
        origin: RequestOrigin {
            workload: 0,
            stream: 0,
            slot: 0,
            background: false,
            priority: NORMAL_PRIORITY,
        },
        operation: if write { Operation::Write } else { Operation::Read },
        device: 0,
        lba: 4096,
        bytes,
        cache_control: sansim_request::CacheControl::NONE,
        data: DataId(0),
    };
    Io { request, burst_bytes }
}

/// A frame as the adapters send it.
fn frame(io: &Io, kind: PduKind, offset: u32, payload_bytes: u32) -> Frame {
    let Io { request, burst_bytes } = io;
    let write = request.is_write();
    let [initiator, target] = [0x01, 0xE8].map(Address::new);
    let start = u64::from(offset);
    let end = start + u64::from(payload_bytes);
    let data = kind == PduKind::Data;
    let first_of_burst = first_sequence_number((start / burst_bytes) as u16);
    let sequence = match kind {
        PduKind::Command => 0,
        PduKind::TransferReady => first_of_burst,
        PduKind::Data => first_of_burst + 1,
        PduKind::Response => first_sequence_number(request.bytes.div_ceil(*burst_bytes) as u16),
        _ => 3,
    };
    let frame = Frame::from(Pdu {
        offset,
        burst_bytes: 0,
        payload_bytes,
        unit: sequence,
        part: if data { (start % burst_bytes / 2048) as u16 } else { 0 },
        kind,
        write,
        last_of_unit: !data || end.is_multiple_of(*burst_bytes) || end == request.bytes,
        last_of_data: data && end == request.bytes,
        ..Pdu::example()
    });
    let (source, destination) =
        if frame.is_from_originator() { (initiator, target) } else { (target, initiator) };
    let asks_for = match kind {
        PduKind::TransferReady => *burst_bytes.min(&(request.bytes - start)),
        PduKind::Command if !write => request.bytes,
        _ => 0,
    };
    Frame::from(Pdu { source, destination, burst_bytes: asks_for as u32, ..*frame })
}

fn bytes(io: &Io, frame: &Frame) -> Vec<u8> {
    let mut out = Vec::new();
    let (start, end) = frame_delimiters(frame);
    let head = payload_head(frame, &io.request, 0, IDS);
    put_frame(&mut out, start, &frame_header(frame, IDS), head.leading_bytes(), payload_bytes(frame), end);
    out
}

/// The fields F_CTL, SEQ_ID and SEQ_CNT of every frame of an I/O.
fn all_frames(io: &Io) -> Vec<(u32, u8, u16)> {
    let mut frames = vec![frame(io, PduKind::Command, 0, 32)];
    let mut offset = 0;
    while offset < io.request.bytes {
        if io.request.is_write() {
            frames.push(frame(io, PduKind::TransferReady, offset as u32, 12));
        }
        let end = (offset + io.burst_bytes).min(io.request.bytes);
        while offset < end {
            let payload = 2048.min(end - offset);
            frames.push(frame(io, PduKind::Data, offset as u32, payload as u32));
            offset += payload;
        }
    }
    frames.push(frame(io, PduKind::Response, 0, 24));
    let fields = |frame: &Frame| {
        let header = frame_header(frame, IDS);
        (header.control, header.sequence, header.sequence_count)
    };
    frames.iter().map(fields).collect()
}

#[test]
fn a_read_of_one_block_is_the_known_bytes() {
    let io = io(false, 512, 512);
    let command = bytes(&io, &frame(&io, PduKind::Command, 0, 32));
    assert_eq!(
        command[4..60],
        [
            &[0x06, 0, 0, 0xE8, 0, 0, 0, 0x01, 8, 0x29, 0, 0, 0, 0, 0, 0, 0x12, 0x34, 0xFF, 0xFF][..],
            &[0; 15],
            &[0x02, 0x28, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0],
        ]
        .concat()
    );
    let status = bytes(&io, &frame(&io, PduKind::Response, 0, 24));
    assert_eq!(
        status[..32],
        [
            &[0xBC, 0xB5, 0x56, 0x56, 0x07, 0, 0, 0x01, 0, 0, 0, 0xE8, 8, 0x99, 0, 0, 3, 0, 0, 0][..],
            &[0x12, 0x34, 0x56, 0x78, 0, 0, 0, 0, 0, 0, 0, 0],
        ]
        .concat()
    );
    assert!(status[28..52].iter().all(|&byte| byte == 0), "status GOOD");
}

#[test]
fn f_ctl_and_sequences_of_a_read_are_those_of_the_standard() {
    let one = io(false, 5120, 5120);
    assert_eq!(
        all_frames(&one),
        [(0x29_0000, 0, 0), (0x80_0008, 2, 0), (0x80_0008, 2, 1), (0x88_0008, 2, 2), (0x99_0000, 3, 0),]
    );
    let two = io(false, 6144, 4096);
    assert_eq!(
        all_frames(&two)[1..],
        [(0x80_0008, 2, 0), (0x88_0008, 2, 1), (0x88_0008, 4, 0), (0x99_0000, 5, 0)]
    );
}

#[test]
fn f_ctl_and_sequences_of_a_write_are_those_of_the_standard() {
    let io = io(true, 6144, 4096);
    assert_eq!(
        all_frames(&io),
        [
            (0x29_0000, 0, 0),
            (0x89_0000, 1, 0),
            (0x00_0008, 2, 0),
            (0x09_0008, 2, 1),
            (0x89_0000, 3, 0),
            (0x09_0008, 4, 0),
            (0x99_0000, 5, 0),
        ]
    );
    let second = payload_head(&frame(&io, PduKind::TransferReady, 4096, 12), &io.request, 0, IDS);
    assert_eq!(second.leading_bytes(), [0, 0, 0x10, 0, 0, 0, 0x08, 0, 0, 0, 0, 0]);
}

#[test]
fn a_sequence_begins_with_sofi_and_ends_with_eoft() {
    let io = io(true, 4096, 4096);
    let delimit = |kind, offset, size| frame_delimiters(&frame(&io, kind, offset, size));
    assert_eq!(delimit(PduKind::Command, 0, 32), (StartDelimiter::Initiate, EndDelimiter::Terminate));
    // The offset of FCP_XFER_RDY is the offset of a burst, but FCP_XFER_RDY is a sequence of its own.
    assert_eq!(
        delimit(PduKind::TransferReady, 2048, 12),
        (StartDelimiter::Initiate, EndDelimiter::Terminate)
    );
    assert_eq!(delimit(PduKind::Data, 0, 2048), (StartDelimiter::Initiate, EndDelimiter::Normal));
    assert_eq!(delimit(PduKind::Data, 2048, 2048), (StartDelimiter::Normal, EndDelimiter::Terminate));
}

#[test]
fn commands_of_16_bytes_are_used_where_10_do_not_reach() {
    let cdb = |write, lba, blocks: u64| {
        let mut io = io(write, blocks * 512, blocks * 512);
        io.request.lba = lba;
        payload_head(&frame(&io, PduKind::Command, 0, 32), &io.request, 0, IDS).leading_bytes()[12..28]
            .to_vec()
    };
    let last = u64::from(u32::MAX);
    assert_eq!(cdb(true, last, 0xFFFF)[..10], [0x2A, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0xFF, 0xFF, 0]);
    assert_eq!(
        cdb(false, last + 1, 2),
        [0x88, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0],
        "address beyond 32 bits"
    );
    assert_eq!(
        cdb(true, 7, 0x1_0000),
        [0x8A, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 1, 0, 0, 0, 0],
        "length beyond 16 bits"
    );
}

/// The numbers are from the tables of SAM-5: method 00b, 01b, 11b with a length of 01b and of 10b.
#[test]
fn a_command_names_its_logical_unit_by_the_first_method_that_reaches_it() {
    let io = io(true, 512, 512);
    let command = frame(&io, PduKind::Command, 0, 32);
    for (unit, lun) in [
        (0, [0, 0, 0, 0, 0, 0, 0, 0]),
        (1, [0, 1, 0, 0, 0, 0, 0, 0]),
        (255, [0, 0xFF, 0, 0, 0, 0, 0, 0]),
        (256, [0x41, 0, 0, 0, 0, 0, 0, 0]),
        (16_383, [0x7F, 0xFF, 0, 0, 0, 0, 0, 0]),
        (16_384, [0xD2, 0, 0x40, 0, 0, 0, 0, 0]),
        (0xFF_FFFF, [0xD2, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]),
        (0x100_0000, [0xE2, 0, 1, 0, 0, 0, 0, 0]),
        (u32::MAX, [0xE2, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0]),
    ] {
        let head = payload_head(&command, &io.request, unit, IDS);
        assert_eq!(head.leading_bytes()[..8], lun, "logical unit {unit}");
        // The remaining bytes of the command do not depend on the logical unit.
        assert_eq!(
            head.leading_bytes()[8..],
            super::payload_head(&command, &io.request, 0, IDS).leading_bytes()[8..]
        );
    }
    for kind in [PduKind::TransferReady, PduKind::Data, PduKind::Response] {
        let frame = frame(&io, kind, 0, 12);
        assert_eq!(
            payload_head(&frame, &io.request, 7, IDS),
            payload_head(&frame, &io.request, 0, IDS),
            "{kind:?}"
        );
    }
}

#[test]
fn a_transfer_that_is_not_whole_blocks_leaves_a_residual() {
    let io = io(false, 1000, 1000);
    let command = payload_head(&frame(&io, PduKind::Command, 0, 32), &io.request, 0, IDS);
    assert_eq!(command.leading_bytes()[19..21], [0, 2], "blocks");
    assert_eq!(command.leading_bytes()[28..32], [0, 0, 0x03, 0xE8], "FCP_DL");
    let status = payload_head(&frame(&io, PduKind::Response, 0, 24), &io.request, 0, IDS);
    assert_eq!(status.leading_bytes()[10..16], [0x04, 0, 0, 0, 0, 24]);
}

#[test]
fn a_unit_is_as_long_as_simulated_but_never_shorter_than_the_standard() {
    let io = io(true, 512, 512);
    for (kind, simulated, written) in [
        (PduKind::Command, 28, 32),
        (PduKind::Command, 48, 48),
        (PduKind::TransferReady, 1, 12),
        (PduKind::Response, 2112, 2112),
        (PduKind::Data, 3, 3),
    ] {
        let frame = frame(&io, kind, 0, simulated);
        assert_eq!(payload_bytes(&frame), written);
        assert_eq!(bytes(&io, &frame).len(), 36 + written.next_multiple_of(4));
    }
}

#[test]
fn sequences_are_counted_from_the_one_of_the_command() {
    let io = io(true, 6144, 4096);
    let ids = Identifiers { sequence: 254, ..IDS };
    let seq_id = |kind, offset| frame_header(&frame(&io, kind, offset, 12), ids).sequence;
    assert_eq!(seq_id(PduKind::Command, 0), 254);
    assert_eq!(seq_id(PduKind::TransferReady, 0), 255);
    assert_eq!(seq_id(PduKind::Data, 4096), 2);
    assert_eq!(seq_id(PduKind::Response, 0), 3);
}

#[test]
fn an_abort_and_its_answers_are_the_bytes_of_the_standard() {
    let io = io(false, 512, 512);
    let said = |kind, payload| bytes(&io, &frame(&io, kind, 0, payload));
    let abort = said(PduKind::Abort, 0);
    assert_eq!(abort.len(), 36);
    // R_CTL, TYPE and F_CTL of ABTS: it is the last frame of its sequence, and transfers the initiative.
    assert_eq!((abort[4], abort[12], &abort[13..16]), (0x81, 0x00, [0x09, 0, 0].as_slice()));
    let [ox_id, rx_id] = [IDS.originator, IDS.responder].map(u16::to_be_bytes);
    assert_eq!((&abort[20..22], &abort[22..24]), (ox_id.as_slice(), rx_id.as_slice()));
    let accept = said(PduKind::AbortAccept, 12);
    assert_eq!((accept[4], accept[12], &accept[13..16]), (0x84, 0x00, [0x99, 0, 0].as_slice()));
    assert_eq!(accept[28..40], [[0; 4].as_slice(), &ox_id, &rx_id, &[0, 0, 0xFF, 0xFF]].concat());
    let reject = said(PduKind::AbortReject, 4);
    assert_eq!((reject[4], reject[12], reject.len()), (0x85, 0x00, 40));
    assert_eq!(reject[28..32], [0, 0x09, 0x03, 0], "cannot be done: OX_ID and RX_ID are of no exchange");
}

#[test]
fn the_status_byte_says_what_became_of_a_command() {
    let io = io(false, 512, 512);
    for (status, byte) in [
        (Status::Good, 0x00),
        (Status::CheckCondition, 0x02),
        (Status::Busy, 0x08),
        (Status::QueueFull, 0x28),
        (Status::Aborted, 0x40),
    ] {
        let response =
            Frame::from(Pdu { status: status_byte(status), ..*frame(&io, PduKind::Response, 0, 24) });
        assert_eq!(payload_head(&response, &io.request, 0, IDS).leading_bytes()[11], byte);
        assert_eq!(status_of(&response), status);
    }
}

#[test]
fn in_class_2_a_frame_asks_for_its_ack_and_the_ack_to_the_last_one_ends_the_sequence() {
    let io = io(false, 4_096, 4_096);
    let class_2 = |offset| Frame { class_2: true, ..frame(&io, PduKind::Data, offset, 2_048) };
    let [first, last] = [class_2(0), class_2(2_048)];
    assert_eq!(frame_delimiters(&first), (StartDelimiter::InitiateClass2, EndDelimiter::Normal));
    assert_eq!(frame_delimiters(&last), (StartDelimiter::NormalClass2, EndDelimiter::Normal));
    assert_eq!(frame_header(&last, IDS).control, 0x88_1008);
    let [to_first, to_last] =
        [&first, &last].map(|frame| frame.link_control_answer(LinkControl::Acknowledge));
    assert_eq!(frame_delimiters(&to_first), (StartDelimiter::NormalClass2, EndDelimiter::Normal));
    assert_eq!(frame_delimiters(&to_last), (StartDelimiter::NormalClass2, EndDelimiter::Terminate));
    let (ack, data) = (frame_header(&to_last, IDS), frame_header(&last, IDS));
    assert_eq!((ack.routing, ack.kind, ack.control, ack.parameter), (0xC0, 0, 0x48_0000, 1));
    assert_eq!((ack.sequence, ack.sequence_count), (data.sequence, data.sequence_count));
    assert_eq!((ack.source, ack.destination), (data.destination, data.source));
    assert_eq!(bytes(&io, &to_last).len(), 36);
    let [busy, reject] = [LinkControl::FabricBusy, LinkControl::FabricReject]
        .map(|kind| frame_header(&last.link_control_answer(kind), IDS));
    assert_eq!((busy.routing, busy.kind), (0xC5, 0x10));
    assert_eq!((reject.routing, reject.parameter), (0xC3, 0x0103_0000));
}

#[test]
fn an_ip_datagram_has_the_known_headers() {
    let [source, destination] = [0x01_0300, 0x01_0400].map(Address::new);
    let ip = Frame::from(Pdu { source, destination, payload_bytes: 1_524, unit: 7, ..Pdu::IP });
    let io = io(false, 512, 512);
    let out = bytes(&io, &ip);
    assert_eq!(out.len(), 1_560);
    assert_eq!((out[4], out[12], out[17]), (0x04, 0x05, 0x20));
    assert_eq!(out[44..52], [0xAA, 0xAA, 3, 0, 0, 0, 8, 0]);
    let ipv4 = &out[52..72];
    assert_eq!((ipv4[0], &ipv4[2..6], ipv4[9]), (0x45, &[0x05, 0xDC, 0, 7][..], 253));
    let sum: u32 = ipv4.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
    assert_eq!((sum & 0xFFFF) + (sum >> 16), 0xFFFF, "the check sum makes it all ones");
}

#[test]
fn units_of_recovery_are_the_bytes_of_linux() {
    let io = io(false, 4096, 4096);
    let unit = |kind, status, payload_bytes, offset, burst_bytes| {
        let frame = frame(&io, kind, offset, payload_bytes);
        Frame::from(Pdu { status, burst_bytes, unit: 0, ..*frame })
    };
    let rec = link_service::READ_EXCHANGE_CONCISE;
    let asks = bytes(&io, &unit(PduKind::ServiceRequest, rec, 12, 0, 0));
    // R_CTL, TYPE and F_CTL; the command, S_ID, OX_ID and RX_ID of the exchange; its words with delimiters and CRC are 12.
    assert_eq!((asks[4], asks[12], &asks[13..16], asks.len()), (0x22, 0x01, &[0x29, 0, 0][..], 12 * 4));
    assert_eq!(asks[28..40], [0x13, 0, 0, 0, 0, 0, 0, 0x01, 0x12, 0x34, 0x56, 0x78]);
    let answer = bytes(&io, &unit(PduKind::ServiceAccept, rec, 24, 2048, 0xA000_0000));
    assert_eq!(
        (answer[4], answer[12], &answer[13..16], answer.len()),
        (0x23, 0x01, &[0x99, 0, 0][..], 15 * 4)
    );
    let said = [2, 0, 0, 0, 0x12, 0x34, 0x56, 0x78, 0, 0, 0, 0x01, 0, 0, 0, 0xE8, 0, 0, 8, 0, 0xA0, 0, 0, 0];
    assert_eq!(answer[28..52], said);
    let srr = link_service::SEQUENCE_RETRANSMISSION;
    let again = bytes(&io, &unit(PduKind::ServiceRequest, srr, 16, 2048, 0x01));
    assert_eq!((again[4], again[12], again.len()), (0x32, 0x08, 13 * 4));
    assert_eq!(again[28..44], [0x14, 0, 0, 0, 0x12, 0x34, 0x56, 0x78, 0, 0, 8, 0, 0x01, 0, 0, 0]);
    let granted = bytes(&io, &unit(PduKind::ServiceAccept, srr, 4, 0, 0));
    assert_eq!((granted[4], granted[12], granted.len(), granted[28]), (0x33, 0x08, 10 * 4, 0x02));
    let refused = bytes(&io, &unit(PduKind::ServiceReject, rec, 8, 0, 0));
    assert_eq!(
        (refused[4], refused.len(), &refused[28..36]),
        (0x23, 11 * 4, &[1, 0, 0, 0, 0, 9, 0x17, 0][..])
    );
    let confirms = bytes(&io, &unit(PduKind::Confirm, 0, 0, 0, 0));
    assert_eq!((confirms[4], confirms[12], &confirms[13..16]), (0x03, 0x08, &[0x19, 0, 0][..]));
    // FCP_RSP that waits for FCP_CONF does not end the exchange.
    let response = bytes(&io, &unit(PduKind::Response, 0, 24, 0, 1));
    assert_eq!((&response[13..16], response[28 + 10]), (&[0x89, 0, 0][..], 0x10));
}

#[test]
fn units_of_logins_are_the_bytes_of_linux() {
    let io = io(false, 4096, 4096);
    let unit = |kind, status, payload_bytes, burst_bytes| {
        let frame = frame(&io, kind, 0, payload_bytes);
        bytes(&io, &Frame::from(Pdu { status, burst_bytes, unit: 0, ..*frame }))
    };
    let plogi = unit(PduKind::ServiceRequest, link_service::PORT_LOGIN, 116, 0);
    // R_CTL, TYPE and F_CTL of an extended link service; no RX_ID would be known; 29 words with delimiters, header and CRC are 38.
    assert_eq!((plogi[4], plogi[12], &plogi[13..16], plogi.len()), (0x22, 0x01, &[0x29, 0, 0][..], 38 * 4));
    let said = &plogi[28..144];
    assert_eq!(said[0..4], [0x03, 0, 0, 0]);
    // Versions, buffers, features, the largest data field of 2112 bytes, concurrent sequences, relative offset, E_D_TOV of 2000 ms.
    assert_eq!(said[4..20], [0x20, 0x20, 0, 1, 0x80, 0, 0x08, 0x40, 0, 0xFF, 0, 0x1F, 0, 0, 0x07, 0xD0]);
    // The names of port and node, of the address 000001.
    assert_eq!((said[20], &said[25..28], &said[33..36]), (0x10, &[0, 0, 1][..], &[0, 0, 1][..]));
    // Class 3 alone is valid.
    assert_eq!((said[36], said[52], &said[68..70], said[84]), (0, 0, &[0x88, 0][..], 0));
    let accepted = unit(PduKind::ServiceAccept, link_service::PORT_LOGIN, 116, 0);
    assert_eq!((accepted[4], accepted[28], accepted.len()), (0x23, 0x02, 38 * 4));
    assert_eq!(accepted[32..48], said[4..20]);
    // ADISC has the hard address, both names and the address; 28 bytes, 16 words on the line.
    let adisc = unit(PduKind::ServiceRequest, link_service::ADDRESS_DISCOVERY, 28, 0);
    assert_eq!((adisc[4], adisc[12], adisc.len()), (0x22, 0x01, 16 * 4));
    let name = [0x10, 0, 0, 0, 0, 0, 0, 1];
    assert_eq!(adisc[28..36], [0x52, 0, 0, 0, 0, 0, 0, 1]);
    assert_eq!((&adisc[36..44], &adisc[44..52], &adisc[52..56]), (&name[..], &name[..], &[0, 0, 0, 1][..]));
    let accepted = unit(PduKind::ServiceAccept, link_service::ADDRESS_DISCOVERY, 28, 0);
    assert_eq!((accepted[4], accepted[28], accepted.len()), (0x23, 0x02, 16 * 4));
    // LOGO has the address and the name of its sender; LS_ACC to it has neither.
    let logo = unit(PduKind::ServiceRequest, link_service::PORT_LOGOUT, 16, 0);
    assert_eq!(
        (logo[4], logo.len(), &logo[28..44]),
        (0x22, 13 * 4, &[&[0x05, 0, 0, 0, 0, 0, 0, 1][..], &name].concat()[..])
    );
    let accepted = unit(PduKind::ServiceAccept, link_service::PORT_LOGOUT, 4, 0);
    assert_eq!((accepted[4], &accepted[28..32], accepted.len()), (0x23, &[0x02, 0, 0, 0][..], 10 * 4));
    // PRLI has the code of TARGET RESET, and is no task management.
    let prli = unit(PduKind::ServiceRequest, link_service::PROCESS_LOGIN, 20, 0x122);
    assert_eq!((prli[4], prli[12], prli.len()), (0x22, 0x01, 14 * 4));
    assert_eq!(prli[28..48], [0x20, 16, 0, 20, 0x08, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x22]);
    let accepted = unit(PduKind::ServiceAccept, link_service::PROCESS_LOGIN, 20, 0x122);
    assert_eq!(accepted[28..48], [0x02, 16, 0, 20, 0x08, 0, 0x21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x12]);
}

#[test]
fn sense_data_say_why_a_command_failed() {
    let io = io(false, 4096, 4096);
    let said = |sense, sense_data: u32| {
        let response = frame(&io, PduKind::Response, 0, 24 + sense_data);
        bytes(&io, &Frame::from(Pdu { status: 0x02, sense, ..*response }))
    };
    let reset = said(Sense::UnitAttention, 18);
    // 42 bytes and two fill bytes are 20 words with delimiters, header and CRC.
    assert_eq!((reset.len(), reset[28 + 10], &reset[44..48]), (20 * 4, 0x02, &[0, 0, 0, 18][..]));
    assert_eq!(reset[52..70], [0x70, 0, 6, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x29, 0, 0, 0, 0, 0]);
    let codes = |bytes: Vec<u8>| [bytes[54], bytes[64], bytes[65]];
    assert_eq!(codes(said(Sense::MediumError, 18)), [0x03, 0x11, 0x00]);
    assert_eq!(codes(said(Sense::HardwareError, 32)), [0x04, 0x44, 0x00]);
    assert_eq!(codes(said(Sense::NotAccessible, 18)), [0x02, 0x04, 0x0C]);
    assert_eq!(codes(said(Sense::NotReady, 18)), [0x02, 0x04, 0x01]);
    assert_eq!(codes(said(Sense::AbortedCommand, 18)), [0x0B, 0x4B, 0x00]);
    assert_eq!(said(Sense::UnitAttention, 0)[28 + 10], 0, "no sense data");
}

#[test]
fn units_of_task_management_are_a_command_without_a_command_block_and_a_response_with_information() {
    let io = io(false, 4096, 4096);
    let unit = |kind, payload_bytes, unit| {
        let status = task_management::LOGICAL_UNIT_RESET;
        bytes(&io, &Frame::from(Pdu { status, unit, burst_bytes: 0, ..*frame(&io, kind, 0, payload_bytes) }))
    };
    let asks = unit(PduKind::ServiceRequest, 32, 0);
    // R_CTL, TYPE and F_CTL of FCP_CMND; no RX_ID; the flag, neither CDB nor FCP_DL; its words with delimiters and CRC are 17.
    assert_eq!((asks[4], asks[12], &asks[13..16], asks.len()), (0x06, 0x08, &[0x29, 0, 0][..], 17 * 4));
    assert_eq!((&asks[22..24], asks[38]), (&[0xFF, 0xFF][..], 0x10));
    assert_eq!(asks[39..60], [0; 21]);
    let answer = unit(PduKind::ServiceAccept, 32, 1);
    assert_eq!(
        (answer[4], answer[12], &answer[13..16], answer.len()),
        (0x07, 0x08, &[0x99, 0, 0][..], 17 * 4)
    );
    // RSP_LEN_VALID, FCP_RSP_LEN and RSP_CODE, function complete.
    assert_eq!(
        (answer[38], answer[39], &answer[48..52], &answer[52..60]),
        (0x01, 0, &[0, 0, 0, 8][..], &[0; 8][..])
    );
    // The 28 bytes of Wang's FCP_CMND are written with the length of the standard.
    assert_eq!(unit(PduKind::ServiceRequest, 28, 0).len(), 17 * 4);
}
