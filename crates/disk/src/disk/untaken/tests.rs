//! Tests with a host that is late, on the disk of `disk/tests.rs`: a block passes in 100 us, a revolution lasts 10 ms, a segment has 50
//! blocks.

use super::super::tests::{at, disk, us};
use super::*;
use crate::command::BufferHit;
use proptest::prelude::*;
use sansim_kernel::Total;
use std::collections::VecDeque;

const REVOLUTION: Span = Span::from_ms(10);

/// A host that consumes blocks one by one, each in the time `block`, in the order in which commands were begun.
struct Host {
    block: Span,
    free: Time,
    reads: VecDeque<Read>,
}

/// A read of which the host has not consumed all blocks.
struct Read {
    /// The outcomes of the read, with the newest last.
    said: Vec<ServedCommand>,
    /// The number of blocks that the host has.
    count: u32,
}

/// The final outcome of a command, and the time when the host had the last of its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    served: ServedCommand,
    had: Time,
}

impl Read {
    /// The time at which the next block is in the buffer. For blocks that came before a stop, the outcome before the stop is valid.
    fn there(&self, disk: &Disk) -> Time {
        let newest = self.said.iter().rev().find(|served| self.count + 1 > served.data.cached);
        disk.data_ready_time(newest.unwrap_or(&self.said[0]), self.count + 1)
    }
}

impl Host {
    fn new(block: Span) -> Self {
        Self { block, free: Time::ZERO, reads: VecDeque::new() }
    }

    /// The time at which the host has the next block.
    fn next(&self, disk: &Disk) -> Time {
        let there = self.reads.front().map_or(Time::NEVER, |read| read.there(disk));
        if there == Time::NEVER { there } else { self.free.max(there) + self.block }
    }
}

/// Runs commands on a disk that is notified of data consumed by its host; if `closed`, a command comes when the one before
/// has been served and its data consumed. `each` looks at the disk after every event.
fn serve(
    disk: &mut Disk,
    commands: &[DiskCommand],
    host: Span,
    closed: bool,
    mut each: impl FnMut(&Disk, Time),
) -> Vec<Seen> {
    disk.expect_consumption_notices();
    let (mut host, mut seen): (Host, Vec<Seen>) = (Host::new(host), Vec::new());
    let (mut coming, mut now) = (commands.iter().copied().collect::<VecDeque<DiskCommand>>(), Time::ZERO);
    loop {
        let idle = disk.waiting_command_count() == 0 && seen.iter().all(|one| one.had < Time::NEVER);
        let arrives = match coming.front() {
            Some(next) if !closed => next.arrival,
            Some(_) if idle => now,
            _ => Time::NEVER,
        };
        let (takes, stops, begins) = (host.next(disk), disk.medium_stop_time(), disk.next_event());
        assert!(takes >= now, "time goes on");
        now = takes.min(stops).min(begins.max(now)).min(arrives);
        if now == Time::NEVER {
            break;
        }
        let changed = if takes <= now {
            host.free = now;
            let Some(read) = host.reads.front_mut() else { break };
            read.count += 1;
            let (DiskCommand { id, blocks, .. }, count) = (read.said[0].command, read.count);
            if count == blocks {
                host.reads.pop_front();
                seen.iter_mut().filter(|one| one.served.command.id == id).for_each(|one| one.had = now);
            }
            disk.data_consumed(id, count.into(), now)
        } else if stops <= now {
            disk.stop_medium(now)
        } else if arrives <= now {
            let arrival = if closed { now } else { arrives };
            let command = coming.pop_front().map(|command| DiskCommand { arrival, ..command });
            disk.submit_command(command.expect("one that comes")).expect("blocks that there are");
            None
        } else {
            if let Some(served) = disk.begin_command(now) {
                let had = if served.command.write { served.done } else { Time::NEVER };
                seen.push(Seen { served, had });
                if !served.command.write {
                    host.reads.push_back(Read { said: vec![served], count: 0 });
                }
            }
            None
        };
        if let Some(served) = changed {
            seen.iter_mut()
                .filter(|one| one.served.command == served.command)
                .for_each(|one| one.served = served);
            let of_it = host.reads.iter_mut().filter(|read| read.said[0].command == served.command);
            of_it.for_each(|read| read.said.push(served));
        }
        each(disk, now);
    }
    seen
}

fn read(id: u64, lbn: u64, blocks: u32, arrival: u64) -> DiskCommand {
    DiskCommand { id, write: false, force_unit_access: false, lbn, blocks, arrival: at(arrival) }
}

/// A disk that is notified of consumption, with a read of 80 blocks from block 230 on in progress: the first block passes from 5,700 us on,
/// and the 51st from 10,700 us on.
fn under_way() -> (Disk, ServedCommand) {
    let mut disk = disk("");
    disk.expect_consumption_notices();
    disk.submit_command(read(1, 230, 80, 0)).expect("blocks");
    let served = disk.begin_command(at(0)).expect("a command");
    assert_eq!((us(served.transfer_begin), us(served.transfer_end)), (5_700.0, 14_900.0));
    (disk, served)
}

#[test]
fn the_medium_stands_when_its_segment_is_full_and_goes_on_when_the_next_block_comes_round() {
    let (mut disk, _) = under_way();
    assert_eq!(disk.medium_stop_time(), at(10_700) + Span(1));
    let stands = disk.stop_medium(disk.medium_stop_time()).expect("it has to stop");
    assert_eq!((stands.transfer_end, stands.done, stands.data.cached), (Time::NEVER, Time::NEVER, 50));
    assert_eq!(
        (disk.data_ready_time(&stands, 51), disk.medium_stop_time(), disk.next_event()),
        (Time::NEVER, Time::NEVER, Time::NEVER)
    );
    // Block 50 comes round at 20,700 us; 20 blocks are left of its track, and the next track begins 1.2 ms behind it.
    let on = disk.data_consumed(1, 50, at(20_000)).expect("it goes on");
    let times = [
        disk.data_ready_time(&on, 51),
        disk.data_ready_time(&on, 70),
        disk.data_ready_time(&on, 71),
        on.transfer_end,
        on.done,
    ];
    assert_eq!(times.map(us), [20_800.0, 22_700.0, 24_000.0, 24_900.0, 24_900.0]);
    assert_eq!(disk.medium_stop_time(), Time::NEVER, "there is room for all of it");
    // The medium was busy from 200 us on, except while it was stopped.
    let worked = disk.positioning_time(at(30_000)) + disk.transfer_time(at(30_000));
    assert_eq!(worked, Total::from(Span::from_us(24_900 - 200 - (20_000 - 10_700)) + Span(1)));
}

#[test]
fn data_that_are_taken_at_the_very_moment_make_room_in_time() {
    let (mut disk, served) = under_way();
    assert_eq!(disk.data_consumed(1, 1, at(10_700)), None);
    assert_eq!(disk.medium_stop_time(), at(10_800) + Span(1));
    assert_eq!(disk.data_consumed(1, 50, at(10_800)), None);
    assert_eq!((disk.medium_stop_time(), disk.next_event()), (Time::NEVER, Time::NEVER));
    assert_eq!(disk.data_ready_time(&served, 80), at(14_900));
}

#[test]
fn a_host_that_takes_little_lets_it_stop_once_in_each_revolution() {
    let (mut disk, _) = under_way();
    disk.stop_medium(disk.medium_stop_time()).expect("it stops");
    disk.data_consumed(1, 10, at(20_000)).expect("it goes on");
    assert_eq!(disk.medium_stop_time(), at(21_700) + Span(1));
    assert_eq!(disk.stop_medium(disk.medium_stop_time()).map(|stands| stands.data.cached), Some(60));
    let missed = disk.data_consumed(1, 60, at(21_700) + Span(1)).expect("it goes on");
    assert_eq!(disk.data_ready_time(&missed, 61), at(31_800), "a tick too late is a revolution");
}

#[test]
fn a_read_that_is_given_up_lets_the_medium_go_on() {
    let (mut disk, _) = under_way();
    disk.stop_medium(disk.medium_stop_time()).expect("it stops");
    disk.submit_command(read(2, 5_000, 1, 15_000)).expect("blocks");
    let on = disk.data_consumed(1, u64::MAX, at(20_000)).expect("it goes on");
    let next = disk.begin_command(disk.next_event()).expect("the other one");
    assert_eq!((next.command.id, next.start), (2, on.transfer_end));
}

#[test]
fn while_the_medium_stands_nothing_is_written_behind() {
    let mut disk = disk("write_behind = true");
    disk.expect_consumption_notices();
    // The data of the write come into the buffer, and a read is served first.
    for command in [DiskCommand { write: true, ..read(2, 5_000, 4, 0) }, read(1, 230, 80, 100)] {
        disk.submit_command(command).expect("blocks");
        disk.begin_command(disk.next_event()).expect("a command");
    }
    disk.stop_medium(disk.medium_stop_time()).expect("it stops");
    assert_eq!((disk.unwritten_ranges().count(), disk.next_background_work()), (1, Time::NEVER));
    disk.data_consumed(1, 80, at(50_000)).expect("it goes on");
    assert!(disk.next_background_work() > at(50_000) && disk.next_background_work() < Time::NEVER);
}

#[test]
fn without_power_a_medium_that_stands_stands_no_more() {
    let (mut disk, _) = under_way();
    disk.stop_medium(disk.medium_stop_time()).expect("it stops");
    disk.power_off(at(20_000));
    disk.submit_command(read(1, 230, 60, 20_000)).expect("blocks");
    let served = disk.begin_command(disk.next_event()).expect("a command");
    assert_eq!((served.hit, us(served.transfer_begin)), (BufferHit::Miss, 25_700.0));
}

#[test]
fn a_read_waits_for_a_segment_that_the_host_has_emptied() {
    let mut disk = disk("");
    disk.expect_consumption_notices();
    let begin = |disk: &mut Disk, command: DiskCommand| {
        disk.submit_command(command).expect("blocks");
        disk.begin_command(disk.next_event().min(at(10_000_000)))
    };
    let first = begin(&mut disk, read(1, 1_000, 20, 0)).expect("a command");
    begin(&mut disk, read(2, 2_000, 20, 100_000)).expect("a command");
    assert_eq!(begin(&mut disk, read(3, 3_000, 20, 200_000)), None, "both segments are full");
    assert_eq!(disk.next_event(), Time::NEVER);
    // Meanwhile the disk serves commands that need no segment, if they come first.
    disk.withdraw_command(3);
    assert_eq!(begin(&mut disk, read(4, 1_000, 10, 210_000)).map(|one| one.hit), Some(BufferHit::Full));
    disk.submit_command(read(3, 3_000, 20, 220_000)).expect("blocks");
    assert_eq!(disk.begin_command(at(220_000)), None);
    // The second read is consumed completely; the first read is still waited for.
    disk.data_consumed(1, u64::MAX, at(230_000));
    assert_eq!(disk.begin_command(at(230_000)), None);
    disk.data_consumed(2, 20, at(240_000));
    let third = disk.begin_command(disk.next_event().max(at(240_000))).expect("there is a segment");
    assert_eq!((third.hit, third.begin), (BufferHit::Miss, at(240_000)));
    assert_eq!(
        disk.buffer.segment_with_block(first.command.lbn).map(|place| disk.buffer.segment(place).first),
        Some(1_000)
    );
}

#[test]
fn what_is_read_ahead_stops_for_the_host_too() {
    let mut disk = disk("read_over = true");
    disk.expect_consumption_notices();
    disk.submit_command(read(1, 230, 20, 0)).expect("blocks");
    let served = disk.begin_command(at(0)).expect("a command");
    assert_eq!(us(served.transfer_end), 7_700.0);
    // 30 blocks more are read until 10,700 us; then the segment has room only over the requested blocks.
    disk.data_consumed(1, 20, at(12_000));
    let mut late = disk.clone();
    // Block 50 comes round at 20,700 us. Sector 99 is the 70th block of the read.
    late.read_on(at(22_000));
    assert_eq!(late.buffer.segment(0).end, 230 + 50 + 13);
}

/// Sequential commands, each of which begins where the previous one ended.
fn stream(sizes: &[u32]) -> Vec<DiskCommand> {
    let mut lbn = 230;
    let each = sizes.iter().enumerate().map(|(id, &blocks)| {
        lbn += u64::from(blocks);
        read(id as u64, lbn - u64::from(blocks), blocks, 0)
    });
    each.collect()
}

fn commands(most: u32) -> impl Strategy<Value = Vec<DiskCommand>> {
    let lbn = prop_oneof![3 => 0_u64..600, 1 => 0_u64..199_700];
    let command = (prop::bool::weighted(0.3), lbn, 1..=most, 0_u64..30_000);
    prop::collection::vec(command, 1..40).prop_map(|all| {
        let mut arrival = Time::ZERO;
        let each = all.into_iter().enumerate().map(|(id, (write, lbn, blocks, gap))| {
            arrival += Span::from_us(gap);
            DiskCommand { id: id as u64, write, force_unit_access: false, lbn, blocks, arrival }
        });
        each.collect()
    })
}

/// Keys that change the behaviour of the buffer.
fn keys() -> impl Strategy<Value = String> {
    let ahead = prop::sample::select(vec!["none", "segment", "track", "cylinder"]);
    (any::<[bool; 4]>(), ahead, 1_u32..4, 0_u32..3).prop_map(|(flags, ahead, segments, dirty)| {
        let [behind, over, preseek, zero_latency] = flags;
        format!("write_behind = {behind}\nread_over = {over}\npreseek = {preseek}\nzero_latency = {zero_latency}\n\
            read_ahead = \"{ahead}\"\nsegments = {segments}\nwrite_segments = {dirty}")
    })
}

proptest! {
    /// A track that is begun in its middle can only be consumed at the end, so its blocks have to fit into a segment.
    #[test]
    fn a_host_that_takes_data_in_time_changes_nothing(keys in keys(), small in commands(50), large in commands(250)) {
        let commands = if keys.contains("zero_latency = true") { small } else { large };
        // Only the times are compared: the boundaries of runs are irrelevant.
        let times = |disk: &Disk, served: &ServedCommand| {
            let ServedCommand { command, hit, begin, room, start, seek_end, transfer_begin, transfer_end, done, data: _ } = *served;
            let there: Vec<Time> = (1..=command.blocks).map(|count| disk.data_ready_time(served, count)).collect();
            (command, hit, [begin, room, start, seek_end, transfer_begin, transfer_end, done], there)
        };
        let mut alone = Vec::new();
        let mut by_itself = disk(&keys);
        crate::alone::serve_commands(&mut by_itself, commands.iter().copied(), |disk, served| alone.push(times(disk, served))).expect("blocks");
        let mut told = disk(&keys);
        let seen = serve(&mut told, &commands, Span::ZERO, false, |_, _| ());
        let seen: Vec<_> = seen.iter().map(|one| times(&told, &one.served)).collect();
        prop_assert_eq!(seen, alone);
    }

    #[test]
    fn every_read_is_done_and_nothing_is_read_over_what_the_host_has_not_taken(keys in keys(), commands in commands(250), block in 0_u64..400) {
        let mut over = Vec::new();
        let seen = serve(&mut disk(&keys), &commands, Span::from_us(block), false, |disk, now| {
            let (mut disk, reading) = (disk.clone(), disk.reading);
            disk.read_on(now);
            // The blocks that the medium has read, including the block that was passing when older blocks were requested; the buffer does
            // not count the blocks of a read in progress.
            for one in disk.untaken.iter().flatten() {
                let segment = disk.buffer.segment(one.segment);
                let upto = match reading.filter(|reading| reading.segment == one.segment) {
                    Some(Reading { served, .. }) => {
                        let DiskCommand { lbn, blocks, .. } = served.command;
                        lbn + (0..=blocks).rev().find(|&count| count <= served.data.cached || disk.data_ready_time(&served, count) <= now).map_or(0, u64::from)
                    }
                    None => segment.end,
                };
                if upto > one.from + 51 { over.push((now, *one, upto)); }
            }
        });
        prop_assert!(over.is_empty(), "{:?}", over);
        prop_assert_eq!(seen.len(), commands.len());
        for one in &seen {
            prop_assert!(one.had < Time::NEVER && one.served.done < Time::NEVER && one.had >= one.served.transfer_end, "{:?}", one);
        }
    }

    /// A stopped medium continues a revolution later at the same block, and a larger buffer stops the medium at another block: a command
    /// may just miss a block that it gets with a smaller buffer. A larger buffer costs no more than that revolution.
    #[test]
    fn a_larger_buffer_costs_one_stream_less_than_a_revolution(
        sizes in prop::collection::vec(1_u32..300, 1..8), block in 0_u64..400, small in 1_u64..200, more in 0_u64..200, over: bool, ahead: bool,
    ) {
        let end = |segment: u64| {
            let ahead = if ahead { "segment" } else { "none" };
            let mut disk = disk(&format!("segments = 1\nsegment_blocks = {segment}\nread_over = {over}\nread_ahead = \"{ahead}\""));
            serve(&mut disk, &stream(&sizes), Span::from_us(block), true, |_, _| ()).last().map(|one| one.had)
        };
        let (large, least) = (end(small + more).expect("a command"), end(small).expect("a command"));
        prop_assert!(large < least + REVOLUTION, "{:?} > {:?}", large, least);
    }
}
