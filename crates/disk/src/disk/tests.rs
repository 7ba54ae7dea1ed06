//! Tests of one disk at work, command by command: buffer hits, read-ahead and write-behind.
//!
//! The disk has two surfaces, 100 sectors per track and a revolution of 10 ms, so a block passes in 100 us. Seeks of this disk last 1 to 10
//! ms.

use super::*;
use crate::command::BufferHit;
use proptest::prelude::*;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const KEYS: &str = "rpm = 6000\nsurfaces = 2\ncylinders = 1000\nzones = [[0, 100, 12, 15]]\nhead_switch = \"800 us\"\n\
    seek = { form = \"three-point\", single = \"1 ms\", average = \"5 ms\", full = \"10 ms\" }\nwrite_settle = \"300 us\"\n\
    read_overhead = \"200 us\"\nhit_overhead = \"50 us\"\nwrite_overhead = \"100 us\"\n\
    read_overhead_after_write = \"200 us\"\nhit_overhead_after_write = \"50 us\"\nwrite_overhead_after_read = \"100 us\"\n\
    write_hit_overhead = \"100 us\"\nwrite_hit_overhead_after_read = \"100 us\"\nblock_transfer = \"0 ns\"\nwrite_behind = false\n\
    segments = 2\nsegment_blocks = 50\nwrite_segments = 1\nread_over = false\n";

pub(super) fn disk(more: &str) -> Disk {
    let keys = more.lines().fold(KEYS.to_owned(), |keys, line| {
        // Each key may appear only once in a table, so a key of `line` replaces the default.
        let name = line.split(' ').next().unwrap_or("");
        let kept: Vec<&str> =
            keys.lines().filter(|old| name.is_empty() || !old.starts_with(&format!("{name} "))).collect();
        format!("{}\n{line}", kept.join("\n"))
    });
    let parameters =
        DiskParameters::from_toml(&keys, &Facts::default()).unwrap_or_else(|report| panic!("{report}"));
    let mut disk = Disk::new(&parameters, &mut RandomStream::new(1, "phase")).expect("a disk");
    disk.mechanics.rotation = disk.mechanics.rotation.with_phase(0);
    disk
}

pub(super) fn at(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

pub(super) fn us(time: Time) -> f64 {
    time.as_ns_f64() / 1e3
}

/// Submits a command that comes at an instant, in microseconds, and returns its outcome.
fn ask(disk: &mut Disk, write: bool, lbn: u64, blocks: u32, arrival: u64) -> ServedCommand {
    disk.submit_command(DiskCommand {
        id: 0,
        write,
        force_unit_access: false,
        lbn,
        blocks,
        arrival: at(arrival),
    })
    .expect("blocks that there are");
    disk.begin_command(disk.next_event()).expect("a command")
}

fn read(disk: &mut Disk, lbn: u64, blocks: u32, arrival: u64) -> ServedCommand {
    ask(disk, false, lbn, blocks, arrival)
}

fn write(disk: &mut Disk, lbn: u64, blocks: u32, arrival: u64) -> ServedCommand {
    ask(disk, true, lbn, blocks, arrival)
}

#[test]
fn the_processor_takes_what_it_takes_for_a_command_behind_the_one_before() {
    let mut disk = disk(
        "write_behind = true\nread_overhead_after_write = \"210 us\"\nhit_overhead_after_write = \"60 us\"\n\
         write_overhead_after_read = \"110 us\"\nwrite_hit_overhead = \"30 us\"\nwrite_hit_overhead_after_read = \"40 us\"",
    );
    let mut arrival = 0;
    let mut takes = |write: bool, lbn: u64| {
        arrival += 1_000_000;
        ask(&mut disk, write, lbn, 10, arrival);
        disk.overhead().as_ns_f64() / 1e3
    };
    assert_eq!(
        [takes(false, 0), takes(false, 10), takes(true, 500)],
        [200.0, 50.0, 110.0],
        "miss, hit, write"
    );
    assert_eq!([takes(false, 20), takes(true, 700), takes(true, 900)], [60.0, 110.0, 100.0]);
    assert_eq!(takes(false, 90_000), 210.0, "a miss behind a write");
}

#[test]
fn a_write_that_joins_written_data_takes_less() {
    let mut disk = disk("write_behind = true\nwrite_hit_overhead = \"30 us\"");
    write(&mut disk, 500, 10, 0);
    // The written data are not on the medium yet.
    write(&mut disk, 510, 10, 50);
    assert_eq!(disk.overhead(), Span::from_us(30));
}

#[test]
fn where_only_appending_writes_go_behind_the_others_go_to_the_medium() {
    let mut disk = disk("write_behind = \"appending\"");
    let hits = [(500, 0), (510, 100_000), (520, 200_000), (900, 300_000), (910, 400_000)]
        .map(|(lbn, arrival)| write(&mut disk, lbn, 10, arrival).hit);
    assert_eq!(
        hits,
        [BufferHit::Miss, BufferHit::Buffered, BufferHit::Buffered, BufferHit::Miss, BufferHit::Buffered]
    );
    read(&mut disk, 100, 10, 500_000);
    assert_eq!(write(&mut disk, 110, 10, 600_000).hit, BufferHit::Miss, "it goes on where a read ended");
}

#[test]
fn a_read_from_elsewhere_seeks_waits_and_transfers() {
    let mut disk = disk("");
    // Block 230 is sector 30 of cylinder 1, which begins 27 sectors behind cylinder 0.
    let served = read(&mut disk, 230, 10, 0);
    let times =
        [served.start, served.seek_end, served.transfer_begin, served.transfer_end, served.done].map(us);
    assert_eq!((served.hit, times), (BufferHit::Miss, [200.0, 1_200.0, 5_700.0, 6_700.0, 6_700.0]));
    assert_eq!(
        (us(disk.data_ready_time(&served, 1)), us(disk.data_ready_time(&served, 10))),
        (5_800.0, 6_700.0)
    );
}

#[test]
fn the_overhead_goes_on_while_a_command_waits() {
    let mut disk = disk("");
    let first = read(&mut disk, 0, 8, 0);
    // The read came early enough for the drive's processor to be done with it before the medium was free.
    disk.submit_command(DiskCommand {
        id: 1,
        write: false,
        force_unit_access: false,
        lbn: 500,
        blocks: 8,
        arrival: first.done - Span::from_us(300),
    })
    .expect("blocks");
    assert_eq!(disk.begin_command(first.done - Span(1)), None, "one at a time");
    let second = disk.begin_command(disk.next_event()).expect("a command");
    assert_eq!((second.begin, second.start), (first.done, first.done));
}

#[test]
fn what_was_read_ahead_is_a_full_hit_until_the_segment_is_full() {
    let mut disk = disk("");
    let first = read(&mut disk, 0, 8, 0);
    assert_eq!(us(first.done), 10_800.0, "sector 0 has just passed");
    // Reading 42 blocks more fills the segment, 4.2 ms later.
    let hit = read(&mut disk, 8, 8, 40_000);
    assert_eq!((hit.hit, us(hit.start), us(hit.done)), (BufferHit::Full, 40_050.0, 40_050.0));
    // The hit makes room for 8 blocks, for which the medium waits until they come round; until then the other blocks are not in the buffer.
    let partial = read(&mut disk, 48, 8, 40_400);
    assert_eq!(partial.hit, BufferHit::Almost);
    assert_eq!((partial.data.cached, us(partial.transfer_end)), (2, 45_600.0));
    // With room behind the requested blocks, more blocks have been read ahead.
    let mut over = super::tests::disk("read_over = true");
    read(&mut over, 0, 8, 0);
    assert_eq!(read(&mut over, 50, 8, 40_000).hit, BufferHit::Full);
    assert_eq!(read(&mut over, 0, 4, 80_000).hit, BufferHit::Miss, "their place was taken");
}

#[test]
fn a_read_where_the_medium_reads_waits_for_its_blocks_alone() {
    let mut disk = disk("");
    let first = read(&mut disk, 0, 8, 0);
    let second = read(&mut disk, 8, 8, 10_800);
    assert_eq!(
        (second.hit, us(second.start), us(second.transfer_end)),
        (BufferHit::Almost, 10_850.0, 11_600.0)
    );
    assert_eq!(
        (us(disk.data_ready_time(&second, 1)), us(disk.data_ready_time(&second, 8))),
        (10_900.0, 11_600.0)
    );
    assert!(second.begin >= first.transfer_end);
    // After the end of the track, the next track is read ahead.
    let third = read(&mut disk, 16, 100, 11_700);
    assert_eq!((third.hit, us(third.transfer_end)), (BufferHit::Almost, 10_000.0 + 11_600.0 + 1_200.0));
}

#[test]
fn a_read_ahead_is_given_up_by_a_command_that_sends_the_arm_elsewhere() {
    let mut disk = disk("");
    read(&mut disk, 0, 8, 0);
    // The arm leaves 800 us after the last block, when 8 more blocks have been read.
    let away = read(&mut disk, 100_000, 8, 11_400);
    assert_eq!(us(away.start), 11_600.0);
    let back = read(&mut disk, 8, 20, 60_000);
    assert_eq!((back.hit, back.data.cached), (BufferHit::Partial, 8));
    assert!(back.transfer_begin > back.start && us(disk.data_ready_time(&back, 8)) == 60_200.0);
    // Later blocks of a read-ahead go into the same segment, until it is full.
    assert_eq!(read(&mut disk, 8, 50, 900_000).hit, BufferHit::Full);
    assert_eq!(read(&mut disk, 7, 1, 910_000).hit, BufferHit::Miss);
}

#[test]
fn read_ahead_stops_where_it_is_told() {
    for (keys, behind, beyond) in [
        ("read_ahead = \"none\"", None, 8),
        ("read_ahead = \"track\"", Some(99), 100),
        ("read_ahead = \"cylinder\"", Some(199), 200),
        ("read_ahead = \"segment\"", Some(249), 250),
    ] {
        let mut disk = disk(&format!("segment_blocks = 250\n{keys}"));
        read(&mut disk, 0, 8, 0);
        if let Some(last) = behind {
            assert_eq!(read(&mut disk, last, 1, 500_000).hit, BufferHit::Full, "{keys}");
        }
        let mut fresh = super::tests::disk(&format!("segment_blocks = 250\n{keys}"));
        read(&mut fresh, 0, 8, 0);
        assert_eq!(read(&mut fresh, beyond, 1, 500_000).hit, BufferHit::Miss, "{keys}");
    }
}

#[test]
fn a_third_stream_takes_the_segment_used_longest_ago() {
    let mut disk = disk("");
    let mut now = 0;
    let mut hits = |lbns: &[u64]| {
        lbns.iter()
            .map(|&lbn| (now += 100_000, read(&mut disk, lbn, 4, now).hit).1)
            .collect::<Vec<BufferHit>>()
    };
    assert_eq!(
        hits(&[1_000, 2_000, 1_004, 2_004]),
        [BufferHit::Miss, BufferHit::Miss, BufferHit::Full, BufferHit::Full]
    );
    assert_eq!(hits(&[3_000, 2_008, 1_008]), [BufferHit::Miss, BufferHit::Full, BufferHit::Miss]);
}

#[test]
fn a_write_is_done_when_it_is_on_the_medium() {
    let mut disk = disk("");
    let served = write(&mut disk, 230, 10, 0);
    let times = [served.start, served.seek_end, served.transfer_begin, served.done].map(us);
    assert_eq!((served.hit, times), (BufferHit::Miss, [100.0, 1_400.0, 5_700.0, 6_700.0]));
    assert_eq!(disk.unwritten_ranges().count(), 0);
}

#[test]
fn a_write_behind_is_done_when_its_data_are_in_and_goes_to_the_medium_when_nothing_waits() {
    let mut disk = disk("write_behind = true\nblock_transfer = \"10 us\"");
    let served = write(&mut disk, 230, 10, 0);
    assert_eq!((served.hit, us(served.start), us(served.done)), (BufferHit::Buffered, 100.0, 200.0));
    assert_eq!(disk.unwritten_ranges().collect::<Vec<_>>(), [(230, 240)]);
    // The arm left at 200 us, settled at 1,500, and the last block passed at 6,700.
    let other = read(&mut disk, 0, 1, 3_000);
    assert_eq!((us(other.begin), us(other.start)), (3_000.0, 6_700.0), "the arm is busy");
    assert_eq!(disk.unwritten_ranges().count(), 0);
    assert_eq!(read(&mut disk, 232, 4, 90_000).hit, BufferHit::Full, "the data are still in the buffer");
}

#[test]
fn a_write_without_room_waits_until_others_are_on_the_medium() {
    let mut disk = disk("write_behind = true");
    let command =
        |id, lbn| DiskCommand { id, write: true, force_unit_access: false, lbn, blocks: 10, arrival: at(0) };
    for (id, lbn) in [(0, 230), (1, 240), (2, 5_000)] {
        disk.submit_command(command(id, lbn)).expect("blocks");
    }
    let mut next = || disk.begin_command(disk.next_event()).expect("a command");
    let (first, joins, waits) = (next(), next(), next());
    assert_eq!((us(first.done), us(joins.done)), (100.0, 100.0));
    assert_eq!(joins.room, joins.begin, "it goes on behind the first");
    // 20 blocks from sector 57 on have to be written before the read.
    assert_eq!((us(waits.room), waits.done), (7_700.0, waits.room));
    assert_eq!(disk.unwritten_ranges().collect::<Vec<_>>(), [(5_000, 5_010)]);
    let end = disk.flush(at(20_000));
    assert!(end > at(20_000) && disk.unwritten_ranges().count() == 0);
}

#[test]
fn a_write_larger_than_a_segment_goes_through() {
    let mut disk = disk("write_behind = true");
    assert_eq!(write(&mut disk, 0, 51, 0).hit, BufferHit::Miss);
    let mut none = super::tests::disk("write_behind = true\nwrite_segments = 0");
    assert_eq!(write(&mut none, 0, 5, 0).hit, BufferHit::Miss);
}

#[test]
fn data_that_are_only_in_the_buffer_are_read_from_there_or_written_first() {
    let mut disk = disk("write_behind = true");
    write(&mut disk, 230, 10, 0);
    let command = |id, lbn, blocks| DiskCommand {
        id,
        write: false,
        force_unit_access: false,
        lbn,
        blocks,
        arrival: at(50),
    };
    disk.submit_command(command(1, 232, 8)).expect("blocks");
    disk.submit_command(command(2, 232, 20)).expect("blocks");
    let inside = disk.begin_command(disk.next_event()).expect("a command");
    assert_eq!((inside.hit, disk.unwritten_ranges().count()), (BufferHit::Full, 1));
    let across = disk.begin_command(disk.next_event()).expect("a command");
    assert_eq!((across.hit, us(across.start), across.data.cached), (BufferHit::Partial, 6_700.0, 8));
}

#[test]
fn blocks_go_to_the_host_one_by_one_while_others_are_read() {
    // The host is slower than the medium: the first block has to be in the buffer, then the host sets the pace.
    let mut slow = disk("block_transfer = \"150 us\"");
    let served = read(&mut slow, 230, 10, 0);
    assert_eq!((us(served.transfer_end), us(served.done)), (6_700.0, 5_800.0 + 1_500.0));
    // The host is faster than the medium: the last block has to be in the buffer.
    let mut fast = disk("block_transfer = \"20 us\"");
    assert_eq!(us(read(&mut fast, 230, 10, 0).done), 6_720.0);
}

#[test]
fn with_preseek_the_arm_leaves_while_data_are_on_their_way() {
    for (preseek, begins) in [(false, 7_300.0), (true, 6_700.0)] {
        let mut disk = disk(&format!("block_transfer = \"150 us\"\npreseek = {preseek}"));
        read(&mut disk, 230, 10, 0);
        let next = read(&mut disk, 5_000, 1, 1_000);
        assert_eq!(us(next.start), begins);
    }
}

#[test]
fn what_is_not_on_the_disk_is_refused_in_words() {
    let mut disk = disk("");
    assert_eq!(disk.capacity(), 200_000);
    for (lbn, blocks) in [(199_999, 2), (200_000, 1), (u64::MAX, 1), (0, 0)] {
        let command =
            DiskCommand { id: 0, write: false, force_unit_access: false, lbn, blocks, arrival: Time::ZERO };
        let refused = disk.submit_command(command).expect_err("no such blocks").to_string();
        assert!(refused.contains("are not on a disk of 200000 blocks"), "{refused}");
    }
    assert_eq!((disk.waiting_command_count(), disk.next_event()), (0, Time::NEVER));
}

#[test]
fn a_warm_buffer_is_that_of_a_disk_that_has_worked() {
    let mut disk = disk("");
    disk.apply_warm_up_access(false, 1_000, 8);
    disk.apply_warm_up_access(true, 2_000, 8);
    assert_eq!(read(&mut disk, 1_040, 8, 0).hit, BufferHit::Full);
    assert_eq!(read(&mut disk, 2_000, 8, 10_000).hit, BufferHit::Full);
    assert_eq!(read(&mut disk, 2_008, 8, 20_000).hit, BufferHit::Miss);
}

#[test]
fn a_command_that_still_waits_can_be_withdrawn() {
    let mut disk = disk("");
    for id in 0..3 {
        disk.submit_command(DiskCommand {
            id,
            write: false,
            force_unit_access: false,
            lbn: id * 1_000,
            blocks: 8,
            arrival: at(0),
        })
        .expect("blocks");
    }
    assert!(disk.withdraw_command(1) && !disk.withdraw_command(1));
    let served: Vec<u64> =
        std::iter::from_fn(|| disk.begin_command(disk.next_event())).map(|one| one.command.id).collect();
    assert_eq!(served, [0, 2]);
}

#[test]
fn without_power_the_buffer_is_lost_and_the_medium_keeps_what_was_written() {
    let mut disk = disk("write_behind = true");
    write(&mut disk, 230, 10, 0);
    let mut soon = disk.clone();
    soon.catch_up(at(100));
    assert_eq!(soon.unwritten_ranges().count(), 1, "the arm leaves when the data are in");
    disk.catch_up(at(101));
    assert_eq!(disk.unwritten_ranges().count(), 0);
    disk.power_off(at(50_000));
    assert_eq!(read(&mut disk, 230, 4, 60_000).hit, BufferHit::Miss);
}

#[test]
fn data_go_to_the_medium_when_they_have_come() {
    let mut disk = disk("write_behind = true\npreseek = true\nblock_transfer = \"1 ms\"");
    write(&mut disk, 230, 10, 0);
    // The second write can begin before the ten blocks are in, and finds no room.
    let second = write(&mut disk, 5_000, 1, 0);
    assert_eq!(us(second.begin), 100.0);
    // The arm leaves at 10,100, settles at 11,400, and the last block passes at 16,700.
    assert_eq!(us(second.room), 16_700.0);
}

/// Random commands, each as: whether it writes, first block, number of blocks, and microseconds since the previous command.
fn commands() -> impl Strategy<Value = Vec<(bool, u64, u32, u64)>> {
    let lbn = prop_oneof![3 => 0_u64..600, 1 => 0_u64..199_900];
    prop::collection::vec((any::<bool>(), lbn, 1_u32..90, 0_u64..30_000), 1..60)
}

proptest! {
    #[test]
    fn times_come_in_order_and_the_medium_does_one_thing_at_a_time(
        commands in commands(), behind: bool, zero_latency: bool, over: bool, block in 0_u64..200, preseek: bool,
        ahead in prop::sample::select(vec!["none", "segment", "track", "cylinder"]),
        order in prop::sample::select(vec!["fcfs", "sstf", "look", "c-look", "v-scan", "sptf"]),
        segments in 0_u32..4, write_segments in 0_u32..3,
    ) {
        let mut disk = disk(&format!("write_behind = {behind}\nzero_latency = {zero_latency}\nread_over = {over}\npreseek = {preseek}\n\
            read_ahead = \"{ahead}\"\nsegments = {segments}\nwrite_segments = {write_segments}\nblock_transfer = \"{block} us\"\n\
            queue = {{ order = \"{order}\" }}"));
        let (mut arrival, count) = (Time::ZERO, commands.len());
        let trace = commands.into_iter().enumerate().map(|(id, (write, lbn, blocks, gap))| {
            arrival += Span::from_us(gap);
            DiskCommand { id: id as u64, write, force_unit_access: false, lbn, blocks, arrival }
        });
        let (mut ids, mut medium, mut wrong) = (Vec::new(), Time::ZERO, Vec::new());
        crate::alone::serve_commands(&mut disk, trace, |disk, served| {
            ids.push(served.command.id);
            let times = [served.command.arrival, served.begin, served.room, served.start, served.seek_end, served.transfer_begin, served.transfer_end];
            let transfer = disk.block_transfer * u64::from(served.command.blocks);
            let mut right = times.is_sorted() && served.done >= served.transfer_end && served.done >= served.start + transfer;
            if matches!(served.hit, BufferHit::Miss | BufferHit::Partial) {
                right &= served.start >= medium;
            }
            medium = medium.max(served.transfer_end);
            if !served.command.write {
                let there: Vec<Time> = (1..=served.command.blocks).map(|count| disk.data_ready_time(served, count)).collect();
                right &= there.is_sorted() && there[0] >= served.start && there.last() == Some(&served.transfer_end.max(served.start));
            }
            // A dirty block is in the buffer only once.
            let dirty: Vec<(u64, u64)> = disk.unwritten_ranges().collect();
            right &= dirty.iter().enumerate().all(|(place, one)| dirty[..place].iter().all(|other| one.1 <= other.0 || other.1 <= one.0));
            right &= dirty.len() <= write_segments as usize;
            if !right { wrong.push(*served); }
        }).expect("blocks that there are");
        prop_assert!(wrong.is_empty(), "{:?}", wrong);
        ids.sort_unstable();
        prop_assert_eq!(ids, (0..count as u64).collect::<Vec<u64>>());
    }

    #[test]
    fn a_read_never_sees_what_was_on_the_medium_before_a_write(commands in commands(), segments in 1_u32..4, write_segments in 0_u32..3) {
        let mut disk = disk(&format!("write_behind = true\nsegments = {segments}\nwrite_segments = {write_segments}"));
        let mut now = 0;
        for (writes, lbn, blocks, gap) in commands {
            now += gap;
            ask(&mut disk, writes, lbn, blocks, now);
            // A clean segment never has a block whose newest data are in a dirty segment.
            disk.read_on(disk.free);
            for place in 0..segments as usize {
                let one = *disk.buffer.segment(place);
                prop_assert!(one.end - one.first <= 50, "{one:?}");
                if one.dirty.is_none() && one.first < one.end {
                    prop_assert_eq!(disk.buffer.dirty_segment_among(one.first, one.end), None);
                }
            }
        }
    }
}
