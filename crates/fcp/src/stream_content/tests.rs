//! The content of streams by hand, byte by byte.

use super::*;
use crate::adapter::{AdapterParameters, UnitSizes};
use sansim_component::UnitTransport;
use sansim_component::bench::{sample_read, sample_write};
use sansim_pdu::{ExchangeId, StreamPart};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

/// A session of a protocol, with more keys of its adapters.
fn session(protocol: &str, more: &str) -> StreamSession {
    let keys = format!("protocol = \"{protocol}\"\n{more}\n");
    let parameters = AdapterParameters::from_toml(&keys, &Facts::default());
    let parameters = parameters.unwrap_or_else(|report| panic!("{report}"));
    let format = parameters.stream_format(UnitTransport::Stream);
    assert!(format.is_some());
    assert_ne!(parameters.unit_sizes(UnitTransport::Stream, UnitSizes::default()), UnitSizes::default());
    StreamSession::new(format)
}

/// A unit of the request with number 7.
fn unit(kind: PduKind, write: bool, payload_bytes: u32) -> Pdu {
    let unit = Pdu { kind, write, payload_bytes, tag: RequestTag(7), last_of_data: false, ..Pdu::example() };
    Pdu { originator: ExchangeId(1), unit: if kind == PduKind::Data { 2 } else { 1 }, ..unit }
}

/// A part of data by its number, with 2048 bytes.
fn part(write: bool, number: u16, last: bool, headers: u64) -> Pdu {
    Pdu {
        part: number,
        offset: u32::from(number) * 2048,
        last_of_unit: last,
        last_of_data: last,
        stream_part: StreamPart::new(headers, false),
        ..unit(PduKind::Data, write, 2048)
    }
}

/// The bytes of a direction from its begin to a place.
fn bytes(session: &StreamSession, direction: usize, end: u64) -> Vec<u8> {
    let mut bytes = vec![0; end as usize];
    session.copy(direction, 0..end, |place, run| bytes[place..place + run.len()].copy_from_slice(run));
    bytes
}

#[test]
fn a_read_of_nvme_tcp_is_the_known_bytes() {
    let mut session = session("nvme", "");
    let request = Request { lba: 0x1234, ..sample_read(0x1234, 4096) };
    session.hand_over(0, (0, 72), &unit(PduKind::Command, false, 72), &request, 3);
    let command = bytes(&session, 0, 72);
    // CapsuleCmd, no flags, 72 bytes of header, no data, 72 in all.
    assert_eq!(command[..8], [4, 0, 72, 0, 72, 0, 0, 0]);
    // Read, described by a list; command 0; namespace 4.
    assert_eq!(command[8..16], [2, 0x40, 0, 0, 4, 0, 0, 0]);
    assert_eq!(command[40..48], [0, 0x10, 0, 0, 0, 0, 0, 0x5A]);
    assert_eq!(command[48..58], [0x34, 0x12, 0, 0, 0, 0, 0, 0, 7, 0]);
    session.hand_over(1, (0, 2072), &part(false, 0, false, 24), &request, 3);
    assert_eq!(session.known_upto(1), 0, "the length of the data is not known yet");
    session.hand_over(1, (2072, 4120), &part(false, 1, true, 0), &request, 3);
    session.taken_upto(0, 72);
    session.hand_over(1, (4120, 4144), &unit(PduKind::Response, false, 24), &request, 3);
    assert_eq!(session.known_upto(1), 4144);
    let back = bytes(&session, 1, 4144);
    // C2HData, the last of the command; data from byte 24 on; 4120 in all, from place 0 of the data, 4096.
    assert_eq!(back[..8], [7, 4, 24, 24, 0x18, 0x10, 0, 0]);
    assert_eq!(back[8..24], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0]);
    assert!(back[24..4120].iter().all(|&byte| byte == 0));
    // CapsuleResp: the head of the queue is behind the command; queue 1, command 0, success.
    assert_eq!(back[4120..4128], [5, 0, 24, 0, 24, 0, 0, 0]);
    assert_eq!(back[4136..4144], [1, 0, 1, 0, 0, 0, 0, 0]);
}

#[test]
fn a_unit_that_is_cut_has_the_length_that_came() {
    let mut session = session("nvme", "");
    let request = sample_read(0, 8192);
    session.hand_over(0, (0, 72), &unit(PduKind::Command, false, 72), &request, 0);
    session.hand_over(1, (0, 2072), &part(false, 0, false, 24), &request, 0);
    session.hand_over(0, (72, 144), &unit(PduKind::Abort, false, 72), &request, 0);
    session.hand_over(1, (2072, 2096), &unit(PduKind::AbortAccept, false, 24), &request, 0);
    assert_eq!(session.known_upto(1), 2096);
    let back = bytes(&session, 1, 2096);
    assert_eq!(back[4..8], 2072_u32.to_le_bytes());
    assert_eq!(back[2072], 5);
    // Abort is command 1, about command 0 of queue 1.
    assert_eq!(bytes(&session, 0, 144)[80..84], [8, 0x40, 1, 0]);
    assert_eq!(bytes(&session, 0, 144)[120..124], [1, 0, 0, 0]);
}

#[test]
fn a_unit_that_is_cut_keeps_its_digest() {
    let mut session = session("nvme", "nvme.data_digest = true");
    let request = sample_read(0, 8192);
    session.hand_over(0, (0, 72), &unit(PduKind::Command, false, 72), &request, 0);
    session.hand_over(1, (0, 2072), &part(false, 0, false, 24), &request, 0);
    session.hand_over(1, (2072, 2096), &unit(PduKind::AbortAccept, false, 24), &request, 0);
    let back = bytes(&session, 1, 2096);
    assert_eq!(back[1..8], [0x02, 24, 24, 0x18, 0x08, 0, 0]);
    assert_eq!(back[16..20], 2044_u32.to_le_bytes());
    assert_eq!(back[2068..2073], [crc32c(&[], 2044).to_le_bytes().as_slice(), &[5]].concat());
}

#[test]
fn a_write_of_iscsi_is_the_known_bytes() {
    let mut session = session("iscsi", "iscsi.header_digest = true");
    let request = sample_write(5, 4096);
    let first = Pdu { unit: 0, burst_bytes: 4096, ..part(true, 0, false, 52) };
    let second = Pdu { unit: 0, burst_bytes: 4096, ..part(true, 1, true, 0) };
    session.hand_over(0, (0, 2100), &first, &request, 1);
    session.hand_over(0, (2100, 4148), &second, &request, 1);
    let command = bytes(&session, 0, 4148);
    // SCSI Command: final, write, simple; 4096 bytes of data; LUN 1; task 0; CmdSN 1, ExpStatSN 1; WRITE(10) of 8 blocks at 5.
    assert_eq!(command[..8], [0x01, 0xA1, 0, 0, 0, 0, 0x10, 0]);
    assert_eq!(command[8..32], [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
    assert_eq!(command[32..42], [0x2A, 0, 0, 0, 0, 5, 0, 0, 8, 0]);
    assert_eq!(command[48..52], crc32c(&command[..48], 0).to_le_bytes());
    session.taken_upto(0, 4148);
    session.hand_over(1, (0, 52), &unit(PduKind::Response, true, 52), &request, 1);
    let response = bytes(&session, 1, 52);
    assert_eq!(response[..4], [0x21, 0x80, 0, 0]);
    // StatSN 1, ExpCmdSN 2, MaxCmdSN 65.
    assert_eq!(response[24..36], [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 65]);
}

#[test]
fn what_is_forgotten_leaves_the_rest_in_its_place() {
    let mut session = session("nvme", "");
    let request = sample_read(0, 4096);
    for begin in [0, 72, 144] {
        session.hand_over(0, (begin, begin + 72), &unit(PduKind::Command, false, 72), &request, 0);
    }
    session.forget_before(0, 100);
    let mut found = Vec::new();
    session.copy(0, 100..216, |place, run| found.push((place, run.len())));
    assert_eq!(found, [(0, 44), (44, 72)]);
    assert_eq!(session.units(0, 0..216).count(), 2);
}
