use super::*;
use sansim_fc::frame::ExchangeId;
use sansim_fc::wire::put_frame;

const IDS: Identifiers = Identifiers { originator: 0x1234, responder: 0x5678, sequence: 0 };

fn exchange(write: bool, bytes: u64, burst: u64) -> Exchange {
    let [initiator, target] = [0x01, 0xE8].map(|value| AlPa::new(value).expect("valid"));
    Exchange { lba: 4096, ..Exchange::new(initiator, target, write, bytes, burst) }
}

/// A frame as the adapters send it.
fn frame(exchange: &Exchange, kind: FrameKind, offset: u32, payload_bytes: u16) -> Frame {
    let from_initiator = kind == FrameKind::Command || kind == FrameKind::Data && exchange.write;
    let (source, destination) = if from_initiator {
        (exchange.initiator, exchange.target)
    } else {
        (exchange.target, exchange.initiator)
    };
    let end = u64::from(offset) + u64::from(payload_bytes);
    let data = kind == FrameKind::Data;
    Frame {
        exchange: ExchangeId(0),
        kind,
        source,
        destination,
        payload_bytes,
        sequence_count: if data { (u64::from(offset) % exchange.burst_bytes / 2048) as u16 } else { 0 },
        offset,
        last_of_sequence: !data || end.is_multiple_of(exchange.burst_bytes) || end == exchange.bytes,
        last_of_data: data && end == exchange.bytes,
    }
}

fn bytes(exchange: &Exchange, frame: &Frame) -> Vec<u8> {
    let mut out = Vec::new();
    let (start, end) = delimiters(frame, exchange);
    let head = head(frame, exchange);
    put_frame(&mut out, start, &header(frame, exchange, IDS), head.bytes(), payload_bytes(frame), end);
    out
}

/// F_CTL, SEQ_ID and SEQ_CNT of every frame of an I/O.
fn all_frames(exchange: &Exchange) -> Vec<(u32, u8, u16)> {
    let mut frames = vec![frame(exchange, FrameKind::Command, 0, 32)];
    let mut offset = 0;
    while offset < exchange.bytes {
        if exchange.write {
            frames.push(frame(exchange, FrameKind::TransferReady, offset as u32, 12));
        }
        let end = (offset + exchange.burst_bytes).min(exchange.bytes);
        while offset < end {
            let payload = 2048.min(end - offset);
            frames.push(frame(exchange, FrameKind::Data, offset as u32, payload as u16));
            offset += payload;
        }
    }
    frames.push(frame(exchange, FrameKind::Response, 0, 24));
    let fields = |frame: &Frame| {
        let header = header(frame, exchange, IDS);
        (header.control, header.sequence, header.sequence_count)
    };
    frames.iter().map(fields).collect()
}

#[test]
fn a_read_of_one_block_is_the_known_bytes() {
    let exchange = exchange(false, 512, 512);
    let command = bytes(&exchange, &frame(&exchange, FrameKind::Command, 0, 32));
    assert_eq!(
        command[4..60],
        [
            &[0x06, 0, 0, 0xE8, 0, 0, 0, 0x01, 8, 0x29, 0, 0, 0, 0, 0, 0, 0x12, 0x34, 0xFF, 0xFF][..],
            &[0; 15],
            &[0x02, 0x28, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0],
        ]
        .concat()
    );
    let status = bytes(&exchange, &frame(&exchange, FrameKind::Response, 0, 24));
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
    let one = exchange(false, 5120, 5120);
    assert_eq!(
        all_frames(&one),
        [(0x29_0000, 0, 0), (0x80_0008, 2, 0), (0x80_0008, 2, 1), (0x88_0008, 2, 2), (0x99_0000, 3, 0),]
    );
    let two = exchange(false, 6144, 4096);
    assert_eq!(
        all_frames(&two)[1..],
        [(0x80_0008, 2, 0), (0x88_0008, 2, 1), (0x88_0008, 4, 0), (0x99_0000, 5, 0)]
    );
}

#[test]
fn f_ctl_and_sequences_of_a_write_are_those_of_the_standard() {
    let exchange = exchange(true, 6144, 4096);
    assert_eq!(
        all_frames(&exchange),
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
    let second = head(&frame(&exchange, FrameKind::TransferReady, 4096, 12), &exchange);
    assert_eq!(second.bytes(), [0, 0, 0x10, 0, 0, 0, 0x08, 0, 0, 0, 0, 0]);
}

#[test]
fn a_sequence_begins_with_sofi_and_ends_with_eoft() {
    let exchange = exchange(true, 4096, 4096);
    let delimit = |kind, offset, size| delimiters(&frame(&exchange, kind, offset, size), &exchange);
    assert_eq!(delimit(FrameKind::Command, 0, 32), (Start::Initiate, End::Terminate));
    // Its offset is that of a burst, but it is a sequence of its own.
    assert_eq!(delimit(FrameKind::TransferReady, 2048, 12), (Start::Initiate, End::Terminate));
    assert_eq!(delimit(FrameKind::Data, 0, 2048), (Start::Initiate, End::Normal));
    assert_eq!(delimit(FrameKind::Data, 2048, 2048), (Start::Normal, End::Terminate));
}

#[test]
fn commands_of_16_bytes_are_used_where_10_do_not_reach() {
    let cdb = |write, lba, blocks: u64| {
        let exchange = Exchange { lba, ..exchange(write, blocks * 512, blocks * 512) };
        head(&frame(&exchange, FrameKind::Command, 0, 32), &exchange).bytes()[12..28].to_vec()
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

#[test]
fn a_transfer_that_is_not_whole_blocks_leaves_a_residual() {
    let exchange = exchange(false, 1000, 1000);
    let command = head(&frame(&exchange, FrameKind::Command, 0, 32), &exchange);
    assert_eq!(command.bytes()[19..21], [0, 2], "blocks");
    assert_eq!(command.bytes()[28..32], [0, 0, 0x03, 0xE8], "FCP_DL");
    let status = head(&frame(&exchange, FrameKind::Response, 0, 24), &exchange);
    assert_eq!(status.bytes()[10..16], [0x04, 0, 0, 0, 0, 24]);
}

#[test]
fn a_unit_is_as_long_as_simulated_but_never_shorter_than_the_standard() {
    let exchange = exchange(true, 512, 512);
    for (kind, simulated, written) in [
        (FrameKind::Command, 28, 32),
        (FrameKind::Command, 48, 48),
        (FrameKind::TransferReady, 1, 12),
        (FrameKind::Response, 2112, 2112),
        (FrameKind::Data, 3, 3),
    ] {
        let frame = frame(&exchange, kind, 0, simulated);
        assert_eq!(payload_bytes(&frame), written);
        assert_eq!(bytes(&exchange, &frame).len(), 36 + written.next_multiple_of(4));
    }
}

#[test]
fn sequences_are_counted_from_the_one_of_the_command() {
    let exchange = exchange(true, 6144, 4096);
    let ids = Identifiers { sequence: 254, ..IDS };
    let seq_id = |kind, offset| header(&frame(&exchange, kind, offset, 12), &exchange, ids).sequence;
    assert_eq!(seq_id(FrameKind::Command, 0), 254);
    assert_eq!(seq_id(FrameKind::TransferReady, 0), 255);
    assert_eq!(seq_id(FrameKind::Data, 4096), 2);
    assert_eq!(seq_id(FrameKind::Response, 0), 3);
    assert_eq!(sequences(&exchange), 6);
}
