//! Drives with and without a cache, input by input.

use super::*;
use sansim_describe::context::Context;
use sansim_describe::table::Tabular;

fn drive(concurrency: u32) -> Drive {
    let keys = "access_time = \"2 ms\"\ntransfer_rate = \"50 MiB/s\"\nwrite_transfer = \"after-data\"";
    let parameters = DriveParameters::from_toml(keys, &Context::default()).expect("keys of a drive");
    Drive::new(&DriveParameters { concurrency, ..parameters }, RandomStream::new(1, "drive"))
}

fn command(tag: u32, write: bool, bytes: u64, piece: u64) -> Command {
    Command { tag, write, bytes, from: 0, to: bytes, piece, received: Time::ZERO }
}

/// A drive that reads and writes 1 byte per us, with a segment of 100 kB.
fn cached() -> Drive {
    let parameters =
        DriveParameters { transfer_rate: 1_000_000, cache: Some(100_000), ..*drive(1).parameters() };
    Drive::new(&parameters, RandomStream::new(1, "drive"))
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

#[test]
fn a_cached_drive_sends_what_it_read_ahead_at_once() {
    let mut drive = cached();
    let mut out = Vec::new();
    drive.command(Time::ZERO, command(1, false, 40_000, 20_000), &mut out);
    assert_eq!(out, [DriveEffect::Stage(1, DriveStage::Access), DriveEffect::Due(1, ms(2))]);
    out.clear();
    drive.due(ms(2), 1, &mut out);
    assert_eq!(out, [DriveEffect::Stage(1, DriveStage::Transfer), DriveEffect::Due(1, ms(22))]);
    out.clear();
    drive.due(ms(22), 1, &mut out);
    assert_eq!(out, [DriveEffect::DataReady(1, 20_000), DriveEffect::Due(1, ms(42))]);
    out.clear();
    drive.due(ms(42), 1, &mut out);
    assert_eq!(out, [DriveEffect::DataReady(1, 40_000)]);
    drive.finished(ms(43), 1, &mut out);
    out.clear();
    // The medium goes on until 100 kB are in the segment and stands still from then on.
    let next = Command { from: 40_000, to: 180_000, ..command(2, false, 140_000, 20_000) };
    drive.command(ms(500), next, &mut out);
    let first = [20_000, 40_000, 60_000].map(|end| DriveEffect::DataReady(2, end));
    assert_eq!(out, [&first[..], &[DriveEffect::Due(2, ms(520))]].concat());
    out.clear();
    drive.due(ms(520), 2, &mut out);
    drive.due(ms(540), 2, &mut out);
    assert_eq!(drive.busy(ms(540)), Span::from_ms(2 + 100 + 40).into());
    out.clear();
    drive.due(ms(560), 2, &mut out);
    assert!(!out.iter().any(|effect| matches!(effect, DriveEffect::Due(..))), "the segment is full: {out:?}");
    out.clear();
    drive.sent_up_to(ms(600), 60_000, &mut out);
    assert_eq!(out.last(), Some(&DriveEffect::Due(2, ms(620))), "there is room for more");
}

#[test]
fn a_cached_drive_takes_a_write_at_once_and_the_next_when_there_is_room() {
    let mut drive = cached();
    let mut out = Vec::new();
    drive.command(Time::ZERO, command(1, true, 90_000, 100_000), &mut out);
    assert_eq!(out, [DriveEffect::BufferReady(1)], "its data can come while the medium is being positioned");
    drive.piece_stored(ms(1), 1, &mut out);
    assert_eq!(out.last(), Some(&DriveEffect::Written(1)));
    drive.finished(ms(1), 1, &mut out);
    out.clear();
    let next = Command { from: 90_000, to: 180_000, ..command(2, true, 90_000, 100_000) };
    drive.command(ms(2), next, &mut out);
    assert_eq!(out, [DriveEffect::Stage(2, DriveStage::MediumTaken), DriveEffect::Due(2, ms(82))]);
    out.clear();
    drive.due(ms(82), 2, &mut out);
    assert_eq!(out, [DriveEffect::BufferReady(2)]);
    drive.piece_stored(ms(83), 2, &mut out);
    drive.finished(ms(83), 2, &mut out);
    out.clear();
    drive.command(ms(84), command(3, false, 1000, 1000), &mut out);
    let earlier = [DriveEffect::Stage(3, DriveStage::MediumTaken), DriveEffect::Due(3, ms(182))];
    assert_eq!(out, earlier, "what was written is on the medium first");
    out.clear();
    drive.due(ms(182), 3, &mut out);
    assert_eq!(out, [DriveEffect::Stage(3, DriveStage::Access), DriveEffect::Due(3, ms(184))]);
    assert_eq!(drive.positioning(ms(183)), Span::from_ms(2 + 1).into());
    assert_eq!(drive.transferring(ms(183)), Span::from_ms(180).into());
}

#[test]
fn a_read_takes_its_access_from_receipt_and_then_the_media_transfer() {
    let mut drive = drive(1);
    let mut out = Vec::new();
    let later = Time::ZERO + Span::from_us(67);
    drive.command(later, command(7, false, 32 << 10, 32 << 10), &mut out);
    let accessed = Time::ZERO + Span::from_ms(2);
    assert_eq!(out, [DriveEffect::Stage(7, DriveStage::Access), DriveEffect::Due(7, accessed)]);
    out.clear();
    drive.due(accessed, 7, &mut out);
    let read = accessed + Span::from_us(625);
    assert_eq!(out, [DriveEffect::Stage(7, DriveStage::Transfer), DriveEffect::Due(7, read)]);
    out.clear();
    drive.due(read, 7, &mut out);
    assert_eq!(out, [DriveEffect::DataReady(7, 32 << 10)]);
}

#[test]
fn a_write_asks_for_each_burst_and_is_written_when_all_are_in() {
    let mut drive = drive(1);
    let mut out = Vec::new();
    drive.command(Time::ZERO, command(1, true, 96 << 10, 64 << 10), &mut out);
    out.clear();
    let accessed = Time::ZERO + Span::from_ms(2);
    drive.due(accessed, 1, &mut out);
    assert_eq!(out, [DriveEffect::BufferReady(1)]);
    out.clear();
    drive.piece_stored(accessed, 1, &mut out);
    assert_eq!(out, [DriveEffect::BufferReady(1)]);
    out.clear();
    drive.piece_stored(accessed, 1, &mut out);
    let written = accessed + Span::from_us(1875);
    assert_eq!(out, [DriveEffect::Stage(1, DriveStage::Transfer), DriveEffect::Due(1, written)]);
    out.clear();
    drive.due(written, 1, &mut out);
    assert_eq!(out, [DriveEffect::Written(1)]);
}

#[test]
fn no_more_commands_are_in_work_than_the_limit() {
    let mut drive = drive(2);
    let mut out = Vec::new();
    for tag in 0..3 {
        drive.command(Time::ZERO, command(tag, false, 512, 512), &mut out);
    }
    assert_eq!(out.last(), Some(&DriveEffect::Stage(2, DriveStage::Queue)));
    out.clear();
    let now = Time::ZERO + Span::from_ms(3);
    drive.finished(now, 0, &mut out);
    assert_eq!(
        out[1],
        DriveEffect::Due(2, now + Span::from_ms(2)),
        "its access begins when it is taken into work"
    );
    assert_eq!(drive.commands(), 2);
}
