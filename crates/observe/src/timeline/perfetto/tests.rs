//! The bytes of packets are compared with the documented field numbers.

use super::*;

/// The bytes that `write` adds to a trace that has begun.
fn added(name: &str, write: impl Fn(&mut Encoder)) -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("sansim-perfetto-{}-{name}", std::process::id()));
    let bytes = |write: &dyn Fn(&mut Encoder)| {
        let mut encoder = Encoder::create(&path, None).expect("create");
        write(&mut encoder);
        let written = encoder.into_file().finish(true).expect("finish");
        let bytes = std::fs::read(&path).expect("read");
        assert_eq!(written.bytes, bytes.len() as u64);
        bytes
    };
    let (without, with) = (bytes(&|_| {}), bytes(&write));
    std::fs::remove_file(&path).expect("clean up");
    assert!(with.starts_with(&without));
    with[without.len()..].to_vec()
}

#[test]
fn a_slice_is_the_documented_bytes() {
    let bytes = added("slice", |encoder| {
        let event = TrackEvent {
            category: TrackCategory::Frame,
            name: InternedText(3),
            flow: Some(0x0102),
            arguments: &[
                (ArgumentKey::Bytes, ArgumentValue::Number(2048)),
                (ArgumentKey::To, ArgumentValue::Text(InternedText(9))),
            ],
        };
        // The time is 300 ns and a bit.
        encoder.begin(Time(300 * TICKS_PER_NS + 560), Track(5), &event);
        encoder.end(Time(301 * TICKS_PER_NS), Track(5), &[(ArgumentKey::CutEnd, ArgumentValue::Yes)]);
    });
    #[rustfmt::skip]
    let expected = [
        0x0A, 41,
        0x40, 0xAC, 0x02, // timestamp 300
        0x5A, 32, // track_event
        0x48, 1, 0x58, 5, 0x18, 5, 0x50, 3, // begin, track 5, category 5, name 3
        0xF9, 0x02, 0x02, 0x01, 0, 0, 0, 0, 0, 0, // flow
        0x22, 5, 0x08, 3, 0x18, 0x80, 0x10, // bytes 2048
        0x22, 5, 0x08, 5, 0x88, 0x01, 9, // to text 9
        0x50, 1, 0x68, 2, // sequence 1, needs incremental state
        0x0A, 19,
        0x40, 0xAD, 0x02,
        0x5A, 10, 0x48, 2, 0x58, 5, 0x22, 4, 0x08, 13, 0x10, 1,
        0x50, 1, 0x68, 2,
    ];
    assert_eq!(bytes, expected);
}

#[test]
fn instants_and_counters_are_the_documented_bytes() {
    let bytes = added("instant", |encoder| {
        let event =
            TrackEvent { category: TrackCategory::Signal, name: InternedText(1), flow: None, arguments: &[] };
        encoder.write_instant(Time::ZERO, Track(1), &event);
        encoder.write_counter(Time(TICKS_PER_NS), Track(2), 7);
    });
    #[rustfmt::skip]
    let expected = [
        0x0A, 16, 0x40, 0, 0x5A, 8, 0x48, 3, 0x58, 1, 0x18, 6, 0x50, 1, 0x50, 1, 0x68, 2,
        0x0A, 15, 0x40, 1, 0x5A, 7, 0x48, 4, 0x58, 2, 0xF0, 0x01, 7, 0x50, 1, 0x68, 2,
    ];
    assert_eq!(bytes, expected);
}

#[test]
fn tracks_and_names_are_described_before_they_are_used() {
    let bytes = added("track", |encoder| {
        let group = encoder.track(None, 0, "a", TrackKind::Group);
        let counter = encoder.track(Some(group), 4, "b", TrackKind::Counter);
        assert_eq!((group, counter), (Track(1), Track(2)));
        assert_eq!(encoder.intern_name("c"), InternedText(1));
        assert_eq!(encoder.argument_text("d"), InternedText(1));
    });
    #[rustfmt::skip]
    let expected = [
        0x0A, 16, 0xE2, 0x03, 9, 0x08, 1, 0x12, 1, b'a', 0x58, 3, 0x60, 0, 0x50, 1, 0x68, 2,
        0x0A, 20, 0xE2, 0x03, 13, 0x08, 2, 0x12, 1, b'b', 0x28, 1, 0x42, 2, 0x18, 2, 0x60, 4, 0x50, 1, 0x68, 2,
        0x0A, 13, 0x62, 7, 0x12, 5, 0x08, 1, 0x12, 1, b'c', 0x50, 1, 0x68, 2,
        0x0A, 14, 0x62, 8, 0xEA, 0x01, 5, 0x08, 1, 0x12, 1, b'd', 0x50, 1, 0x68, 2,
    ];
    assert_eq!(bytes, expected);
}

#[test]
fn every_category_and_key_has_its_name() {
    assert_eq!(TrackCategory::NAMES[TrackCategory::Waiting as usize], "waiting");
    assert_eq!(TrackCategory::Waiting as usize + 1, TrackCategory::NAMES.len());
    assert_eq!(ArgumentKey::NAMES[ArgumentKey::CutEnd as usize], "cut_end");
    assert_eq!(ArgumentKey::CutEnd as usize + 1, ArgumentKey::NAMES.len());
}
