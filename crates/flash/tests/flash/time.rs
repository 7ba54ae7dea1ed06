//! Tests of the times of commands, and of changes that must never make commands slower.

use crate::common::{Closed, KIB, assert_near, closed, drain, drive, keys, overwritten, us};
use sansim_flash::formulas::page_limited_rate;
use sansim_flash::{CommandKind, CommandRefused, CommandTimeParts, FlashCommand, FlashDrive};
use sansim_kernel::{RandomStream, Span, Time};

const READ: CommandKind = CommandKind::Read;
const WRITE: CommandKind = CommandKind::Write;
const FLUSH: CommandKind = CommandKind::Flush;
const FORCED: CommandKind = CommandKind::ForcedWrite;

/// A drive of one chip with one die and one plane, with round times: 1 us for a command, 50 us for a page of 4 KiB that needs 10 us on the
/// channel, 500 us for its program, 2 ms for an erase.
const ROUND: &str = "channels = 1\nchips = 1\ndies = 1\nplanes = 1\nblocks = 64\npages = 16\npage = \"4 KiB\"\ncommand_time = \"1 us\"\n\
    read_time = \"50 us\"\nprogram_time = \"500 us\"\nerase_time = \"2 ms\"\nchannel_rate = \"409.6 MB/s\"\nlink_rate = \"unlimited\"\n\
    over_provisioning = \"50 %\"\n";

fn submit(drive: &mut FlashDrive, now: Time, kind: CommandKind, first_byte: u64, bytes: u64) {
    let tag = first_byte;
    drive.submit_command(now, FlashCommand { tag, kind, first_byte, bytes }).unwrap();
}

/// The latencies of commands that all come at the start of a drive that is full.
fn latencies(more: &str, commands: &[(CommandKind, u64, u64)]) -> Vec<(u64, f64, CommandTimeParts)> {
    let mut drive = drive(&format!("{ROUND}{more}"));
    let capacity = drive.capacity();
    drive.precondition(capacity).unwrap();
    for (kind, first_byte, bytes) in commands {
        submit(&mut drive, Time::ZERO, *kind, first_byte * KIB, bytes * KIB);
    }
    let told =
        |done: sansim_flash::CompletedCommand| (done.tag / KIB, us(done.done - done.submitted), done.spent);
    drain(&mut drive).into_iter().map(told).collect()
}

fn times(more: &str, commands: &[(CommandKind, u64, u64)]) -> Vec<(u64, f64)> {
    latencies(more, commands).into_iter().map(|(at, latency, _)| (at, latency)).collect()
}

#[test]
fn a_read_takes_command_array_and_the_bytes_that_are_asked_for() {
    assert_eq!(times("buffer = \"none\"", &[(READ, 0, 4)]), [(0, 61.0)]);
    assert_eq!(times("buffer = \"none\"", &[(READ, 0, 2)]), [(0, 56.0)]);
    // The two pages of one die are read one after the other.
    assert_eq!(times("buffer = \"none\"", &[(READ, 0, 8)]), [(0, 122.0)]);
    let more = "buffer = \"none\"\ncommand_overhead = \"5 us\"\ncommand_interval = \"20 us\"\nlink_rate = \"1.024 GB/s\"";
    assert_eq!(times(more, &[(READ, 0, 4)]), [(0, 70.0)], "and 4 us on the link");
    // The second command enters 20 us later and waits for the die.
    let both = latencies(more, &[(READ, 0, 4), (READ, 64, 4)]);
    let (_, latency, spent) = both[1];
    assert_eq!((latency, us(spent.controller), us(spent.queue), us(spent.link)), (131.0, 25.0, 41.0, 4.0));
}

#[test]
fn a_write_takes_channel_and_program_or_the_buffer() {
    assert_eq!(times("buffer = \"none\"", &[(WRITE, 0, 4)]), [(0, 511.0)]);
    assert_eq!(times("buffer = \"64 KiB\"\nbuffer_latency = \"3 us\"", &[(WRITE, 0, 4)]), [(0, 3.0)]);
    // The command writes half a page: the other half is read first.
    assert_eq!(times("buffer = \"none\"", &[(WRITE, 0, 2)]), [(0, 56.0 + 511.0)]);
}

#[test]
fn a_unit_of_several_pages_is_read_by_pages_and_written_whole() {
    let more = "buffer = \"none\"\nmapping_unit = \"16 KiB\"";
    assert_eq!(times(more, &[(READ, 4, 4)]), [(4, 61.0)]);
    // Three pages are read and four are programmed.
    assert_eq!(times(more, &[(WRITE, 4, 4)]), [(4, 3.0 * 61.0 + 4.0 * 511.0)]);
    assert_eq!(times(more, &[(WRITE, 0, 16)]), [(0, 4.0 * 511.0)]);
}

#[test]
fn reads_go_before_writes_that_wait_and_data_before_commands() {
    let done = times("buffer = \"none\"", &[(WRITE, 0, 4), (WRITE, 64, 4), (READ, 128, 4)]);
    assert_eq!(done, [(0, 511.0), (128, 572.0), (64, 1_083.0)]);
}

#[test]
fn dies_overlap_and_share_their_channel_and_chips_without_interleaving_do_not_overlap() {
    let more = "buffer = \"none\"\ndies = 2\ninterleaving = ";
    // The second command is on the channel 1 us later, and its data wait for the channel.
    let two = [(READ, 0, 4), (READ, 4, 4)];
    assert_eq!(times(&format!("{more}true"), &two), [(0, 61.0), (4, 71.0)]);
    assert_eq!(times(&format!("{more}false"), &two), [(0, 61.0), (4, 122.0)]);
    assert_eq!(times("buffer = \"none\"\nchannels = 2", &two), [(0, 61.0), (4, 61.0)]);
}

#[test]
fn planes_work_one_at_a_time_or_by_one_command_or_by_themselves() {
    // The first command is in work when the others come.
    let (reads, writes) =
        ([(READ, 0, 4), (READ, 8, 4), (READ, 12, 4)], [(WRITE, 0, 4), (WRITE, 8, 4), (WRITE, 12, 4)]);
    let more = |how| format!("buffer = \"none\"\nplanes = 2\nplane_operations = \"{how}\"");
    assert_eq!(times(&more("single"), &reads), [(0, 61.0), (8, 122.0), (12, 183.0)]);
    // The multi-plane command consists of two commands, one array time, and then the data of both.
    assert_eq!(times(&more("multi-plane"), &reads), [(0, 61.0), (8, 61.0 + 62.0), (12, 61.0 + 72.0)]);
    assert_eq!(
        times(&more("multi-plane"), &writes),
        [(0, 511.0), (8, 1_022.0), (12, 1_533.0)],
        "their pages differ"
    );
    let independent = times(&more("independent"), &reads);
    assert_eq!(independent, [(0, 61.0), (12, 71.0), (8, 71.0 + 61.0)]);
}

#[test]
fn multi_plane_programs_go_together_where_their_pages_are_the_same() {
    let more = "buffer = \"none\"\nplanes = 2\nplane_operations = \"multi-plane\"";
    // One read is done alone, then both planes program the same page.
    let done = times(more, &[(READ, 0, 4), (WRITE, 0, 4), (WRITE, 4, 4)]);
    assert_eq!(done, [(0, 61.0), (0, 61.0 + 522.0), (4, 61.0 + 522.0)]);
}

#[test]
fn a_read_interrupts_an_erase_or_a_program_where_that_is_faster() {
    let mut reads = Vec::new();
    for suspend in ["nothing", "erase", "erase-and-program"] {
        let mut drive = drive(&format!(
            "{ROUND}buffer = \"none\"\nsuspend = \"{suspend}\"\nsuspend_program_time = \"100 us\""
        ));
        let capacity = drive.capacity();
        drive.precondition(capacity).unwrap();
        let at = |us| Time::ZERO + Span::from_us(us);
        submit(&mut drive, at(0), WRITE, 0, 4 * KIB);
        drive.advance_to(at(111), |_| {});
        submit(&mut drive, at(111), READ, 64 * KIB, 4 * KIB);
        let done = drain(&mut drive);
        let latency =
            |kind| us(done.iter().find(|one| one.kind == kind).map(|one| one.done - one.submitted).unwrap());
        reads.push((latency(READ), latency(WRITE), drive.counts().interruptions));
    }
    // The read waits for the remaining 400 us of the program; or 100 us until the program is interrupted, which continues when the read is
    // done.
    assert_eq!(reads, [(461.0, 511.0, 0), (461.0, 511.0, 0), (161.0, 111.0 + 161.0 + 400.0, 1)]);
}

#[test]
fn the_more_is_interrupted_the_sooner_reads_are_done_beside_writes() {
    let mean_read = |suspend: &str| {
        let keys = format!(
            "channels = 2\nchips = 1\ndies = 2\nplanes = 2\nplane_operations = \"independent\"\nover_provisioning = \"50 %\"\n\
             gc_start = \"10 %\"\nsuspend = \"{suspend}\""
        );
        let (mut drive, mut place, _) = overwritten(&keys);
        let (mut latency, mut count) = (0.0, 0);
        let mut now = drive.current_time();
        for tag in 0..6_000 {
            now += Span::from_us(1_000);
            let kind = if tag % 2 == 0 { READ } else { WRITE };
            drive
                .submit_command(now, FlashCommand { tag, kind, first_byte: place(), bytes: 8 * KIB })
                .unwrap();
            drive.advance_to(now, |done| {
                if done.kind == READ {
                    latency += us(done.done - done.submitted);
                    count += 1;
                }
            });
        }
        (latency / f64::from(count), drive.counts().interruptions)
    };
    let [nothing, erase, both] = ["nothing", "erase", "erase-and-program"].map(mean_read);
    println!("{nothing:?} {erase:?} {both:?}");
    assert!(nothing.0 > 1.02 * erase.0 && erase.0 > 1.1 * both.0);
    assert!(nothing.1 == 0 && erase.1 > 0 && both.1 > erase.1);
}

#[test]
fn a_read_of_consecutive_pages_is_as_fast_as_what_changes_first_works_apart() {
    let latency = |order: &str| {
        let keys = format!(
            "buffer = \"none\"\nchannels = 4\nchips = 4\ndies = 4\nplanes = 4\ninterleaving = true\nplane_operations = \"single\"\npage_order = \"{order}\""
        );
        times(&keys, &[(READ, 0, 16)])[0].1
    };
    // The pages are on four channels; on one channel with four chips or dies; or on four planes of one die.
    assert_eq!(latency("CWDP"), 61.0);
    assert_eq!((latency("WCDP"), latency("DPCW")), (91.0, 91.0));
    assert_eq!(latency("PCWD"), 4.0 * 61.0);
}

#[test]
fn a_read_finds_what_is_in_the_buffer_and_writes_to_it_merge() {
    let mut drive = drive(&format!("{ROUND}buffer = \"64 KiB\"\nbuffer_latency = \"3 us\""));
    for _ in 0..3 {
        submit(&mut drive, Time::ZERO, WRITE, 4 * KIB, 4 * KIB);
        submit(&mut drive, Time::ZERO, WRITE, 8 * KIB, 4 * KIB);
    }
    submit(&mut drive, Time::ZERO, READ, 8 * KIB, 4 * KIB);
    let done = drain(&mut drive);
    assert!(done.iter().all(|one| one.done == Time::ZERO + Span::from_us(3)), "{done:?}");
    // The program of the first unit has begun when the second write to it comes; of the other units no program has begun.
    let counts = drive.counts();
    assert_eq!((counts.merged, counts.programs, counts.buffer_hits, counts.reads), (3, 3, 1, 0));
}

#[test]
fn the_buffer_acknowledges_at_its_latency_up_to_the_dirty_limit_and_then_as_fast_as_dies_program() {
    let more = "buffer = \"64 KiB\"\ndirty_limit = \"50 %\"\nbuffer_latency = \"3 us\"";
    let writes: Vec<_> = (0..12).map(|at| (WRITE, at * 4, 4)).collect();
    let done = times(more, &writes);
    assert!(done[..8].iter().all(|(_, latency)| *latency == 3.0), "{done:?}");
    let later: Vec<f64> = done[8..].iter().map(|(_, latency)| *latency).collect();
    assert_eq!(later, [514.0, 1_025.0, 1_536.0, 2_047.0]);
}

#[test]
fn a_flush_waits_for_the_writes_that_were_acknowledged_before_it_and_for_no_others() {
    let volatile = "buffer = \"64 KiB\"\nbuffer_latency = \"3 us\"\npower_loss_protection = false";
    let two = [(WRITE, 0, 4), (WRITE, 4, 4), (FLUSH, 100, 0)];
    // Two programs follow each other on one die. Each takes 511 us, so the second ends at 1,022 us.
    assert_eq!(times(volatile, &two), [(0, 3.0), (4, 3.0), (100, 1_022.0)]);
    let later = [(WRITE, 0, 4), (FLUSH, 100, 0), (WRITE, 4, 4), (FLUSH, 104, 0)];
    assert_eq!(times(volatile, &later), [(0, 3.0), (4, 3.0), (100, 511.0), (104, 1_022.0)]);
    // Nothing is left to program: at the beginning, behind a buffer that outlives a loss of power, and without a buffer.
    assert_eq!(times(volatile, &[(FLUSH, 100, 0)]), [(100, 0.0)]);
    let protected = volatile.replace("false", "true");
    assert_eq!(times(&protected, &two)[0], (100, 0.0));
    assert_eq!(times("buffer = \"none\"", &two)[0], (100, 0.0));
}

#[test]
fn a_write_with_forced_unit_access_waits_until_it_is_programmed_itself_and_for_no_other() {
    let volatile = "buffer = \"64 KiB\"\nbuffer_latency = \"3 us\"\npower_loss_protection = false";
    // Two programs follow each other on one die. Each takes 511 us.
    assert_eq!(times(volatile, &[(FORCED, 0, 4), (WRITE, 4, 4)]), [(4, 3.0), (0, 511.0)]);
    assert_eq!(times(volatile, &[(WRITE, 0, 4), (FORCED, 4, 4)]), [(0, 3.0), (4, 1_022.0)]);
    // A command of two pages is done with the second.
    assert_eq!(times(volatile, &[(FORCED, 0, 8)]), [(0, 1_022.0)]);
    // It is merged with a write whose program has not begun, and is programmed with it.
    assert_eq!(
        times(volatile, &[(WRITE, 4, 4), (WRITE, 0, 4), (FORCED, 0, 4), (FORCED, 0, 4)]),
        [(4, 3.0), (0, 3.0), (0, 1_022.0), (0, 1_022.0)]
    );
    // It waits for room first: the buffer of one page has room when the first write is programmed.
    let small = volatile.replace("64 KiB", "4 KiB");
    assert_eq!(times(&small, &[(WRITE, 0, 4), (FORCED, 4, 4)]), [(0, 3.0), (4, 1_022.0)]);
    // It takes no less than the buffer does.
    let slow = volatile.replace("3 us", "600 us");
    assert_eq!(times(&slow, &[(FORCED, 0, 4)]), [(0, 600.0)]);
    // A buffer that outlives a loss of power, and no buffer, make no difference between writes.
    let protected = volatile.replace("false", "true");
    assert_eq!(times(&protected, &[(FORCED, 0, 4)]), [(0, 3.0)]);
    assert_eq!(times("buffer = \"none\"", &[(FORCED, 0, 4)]), [(0, 511.0)]);
}

#[test]
fn a_trim_longer_than_other_commands_may_be_is_one_command() {
    let mut drive = drive(&format!("{ROUND}blocks = 65536\npages = 32\nover_provisioning = \"28 %\""));
    let capacity = drive.capacity();
    assert!(capacity > 4 << 30);
    drive.precondition(capacity).unwrap();
    assert_eq!(
        drive
            .submit_command(Time::ZERO, FlashCommand { tag: 0, kind: WRITE, first_byte: 0, bytes: capacity }),
        Err(CommandRefused::TooLong)
    );
    submit(&mut drive, Time::ZERO, CommandKind::Trim, 0, capacity);
    assert_eq!(drain(&mut drive).len(), 1);
    assert_eq!(drive.mapping().physical_unit(0), None);
}

#[test]
fn what_was_never_written_is_read_without_the_flash() {
    let mut drive = drive(&format!("{ROUND}command_overhead = \"5 us\""));
    submit(&mut drive, Time::ZERO, READ, 0, 64 * KIB);
    let done = drain(&mut drive);
    assert_eq!(
        (us(done[0].done - done[0].submitted), drive.counts().unwritten, drive.counts().reads),
        (5.0, 16, 0)
    );
}

#[test]
fn a_mapping_cache_that_is_too_small_costs_a_read_and_one_that_is_large_enough_costs_nothing() {
    let latency = |cache: &str| {
        let mut drive =
            drive(&format!("{ROUND}blocks = 1024\nbuffer = \"none\"\nmapping_cache = \"{cache}\""));
        let capacity = drive.capacity();
        drive.precondition(capacity).unwrap();
        for place in 0..capacity / (4 * KIB) {
            drive.apply_initial_write(READ, place * 4 * KIB, 4 * KIB).unwrap();
        }
        let mut random = RandomStream::new(1, "places");
        closed(&mut drive, 1, 1_000, |_| (READ, random.draw_below(capacity / 4_096) * 4_096, 4 * KIB))
            .mean_us()
    };
    // The mapping has 10,922 entries on 11 pages.
    assert_eq!((latency("ideal"), latency("44 KiB")), (61.0, 61.0));
    let none = latency("4 KiB");
    assert_near(none, 61.0 + 61.0 * 10.0 / 11.0, 0.03, "a page of eleven is there");
    assert!(latency("24 KiB") < none && latency("24 KiB") > 61.0);
}

fn random_reads(more: &str, depth: u64) -> Closed {
    let mut drive = drive(&format!("blocks = 64\ngc_start = \"0 %\"\nbuffer = \"none\"\n{more}"));
    let capacity = drive.capacity();
    drive.precondition(capacity).unwrap();
    let mut random = RandomStream::new(3, "places");
    closed(&mut drive, depth, 20_000, |_| (READ, random.draw_below(capacity / 8_192) * 8_192, 8 * KIB))
}

#[test]
fn more_channels_chips_dies_or_planes_never_make_random_reads_slower() {
    for (key, most) in [("channels", 16), ("chips", 16), ("dies", 8)] {
        for depth in [1, 8, 64] {
            let of =
                |count: u64| random_reads(&format!("interleaving = true\n{key} = {count}"), depth).mean_us();
            let all: Vec<f64> =
                (0..).map(|power| 1 << power).take_while(|count| *count <= most).map(of).collect();
            assert!(all.is_sorted_by(|fewer, more| *more <= fewer * 1.000_001), "{key}, {depth}: {all:?}");
            assert!(depth == 1 || all[0] > 1.02 * all[all.len() - 1], "{key}, {depth}: {all:?}");
        }
    }
    let of = |how| random_reads(&format!("interleaving = true\nplane_operations = \"{how}\""), 64).mean_us();
    assert!(of("single") >= of("multi-plane") && of("multi-plane") > of("independent"));
}

#[test]
fn random_reads_at_depth_go_as_fast_as_dies_chips_or_channels_can() {
    // There are far more commands than all dies can work on: each of 64 dies always has one to do. 8 KiB need 24.6 us on a channel of 8
    // dies, so the channel is the limit.
    let single = "interleaving = true\nplane_operations = \"single\"\n";
    let (command, carried) = (290e-9, 8_192.0 / 333e6);
    let deep = random_reads(&format!("{single}commands_first = true"), 4_000);
    assert_near(deep.per_second(), 8.0 / (carried + command), 0.02, "channels");
    // With data first, dies wait for their commands until no data are left: eight commands, a read, the data of eight.
    let convoys = random_reads(&format!("{single}commands_first = false"), 4_000);
    assert_near(convoys.per_second(), 64.0 / (8.0 * (carried + command) + 75e-6), 0.03, "data first");
    let slow = random_reads(&format!("{single}commands_first = true\nread_time = \"2 ms\""), 4_000);
    assert_near(slow.per_second(), 64.0 / (2e-3 + carried + command), 0.03, "dies");
}

/// Random writes to a full, overwritten drive: their results, the drive, and the write amplification meanwhile.
fn random_writes(more: &str, depth: u64, count: u64) -> (Closed, FlashDrive, f64) {
    let (mut drive, mut place, _) = overwritten(more);
    let before = drive.write_counts();
    let result = closed(&mut drive, depth, count, |_| (WRITE, place(), 8 * KIB));
    let amplification = drive.write_counts().difference_since(before).write_amplification();
    (result, drive, amplification)
}

#[test]
fn time_does_not_change_how_much_is_copied() {
    for more in ["buffer = \"none\"", "buffer = \"256 KiB\"", "buffer = \"none\"\nvictim = \"fifo\""] {
        let keys = format!(
            "channels = 2\nchips = 1\ndies = 2\nplanes = 2\nblocks = 256\npages = 32\nover_provisioning = \"28 %\"\n{more}"
        );
        let (_, _, without) = overwritten(&keys);
        let (_, _, with) = random_writes(&keys, 64, 60_000);
        assert_near(with, without, 0.03, &format!("write amplification in time beside that without, {more}"));
    }
}

#[test]
fn a_larger_buffer_never_acknowledges_later() {
    let of = |buffer: &str| {
        let keys = format!("channels = 2\nchips = 2\nover_provisioning = \"28 %\"\nbuffer = \"{buffer}\"");
        random_writes(&keys, 32, 20_000).0.mean_us()
    };
    let all: Vec<f64> = ["64 KiB", "256 KiB", "1 MiB", "4 MiB", "64 MiB"].into_iter().map(of).collect();
    println!("{all:?}");
    assert!(all.is_sorted_by(|smaller, larger| larger <= smaller), "{all:?}");
}

/// The limit is the time of all operations that a page of a host needs: its programs, the reads of copied pages, its share of erases.
#[test]
fn sustained_random_writes_are_limited_by_pages() {
    let geometry = "channels = 2\nchips = 1\ndies = 2\nplanes = 2\nplane_operations = \"independent\"\nbuffer = \"none\"";
    for spare in [15, 28, 50] {
        let (result, drive, amplification) =
            random_writes(&format!("{geometry}\nover_provisioning = \"{spare} %\""), 4_000, 40_000);
        let transfer = 8_192.0 / 333e6 + 290e-9;
        let program = 750e-6 + transfer;
        let copies = (amplification - 1.0) * (75e-6 + transfer);
        let erases = amplification / 64.0 * 3.8e-3;
        let page = program + (copies + erases) / amplification;
        let whole = page_limited_rate(8.0, page, amplification);
        let coarse = page_limited_rate(8.0, program, amplification);
        println!("{spare} %: {amplification:.2} times, {:.0}, page-limited {coarse:.0}", result.per_second());
        let (busy, dies) = drive.dies_busy_time(drive.current_time());
        assert_near(
            busy.as_s_f64() / dies as f64,
            drive.current_time().as_s_f64(),
            0.01,
            "all dies have work, s",
        );
        assert_near(result.per_second(), whole, 0.02, &format!("{spare} %, with copies and erases"));
        assert!(result.per_second() < coarse, "what reads and erases take is left out of it");
        assert_eq!(drive.mapping().first_inconsistency(), None);
    }
    // With reads and erases that need no time the page-limited formula is exact.
    let free = format!(
        "{geometry}\nread_time = \"0 ns\"\nerase_time = \"0 ns\"\nover_provisioning = \"28 %\"\nchannel_rate = \"100 GB/s\""
    );
    let (result, _, amplification) = random_writes(&free, 4_000, 40_000);
    let page = 750e-6 + 290e-9 + 8_192.0 / 100e9;
    let form = page_limited_rate(8.0, page, amplification);
    assert_near(result.per_second(), form, 0.03, "page-limited");
}

#[test]
fn where_the_time_went_adds_up_to_the_tick_whatever_is_done() {
    let keys = "channels = 2\nchips = 2\nblocks = 24\npages = 16\nover_provisioning = \"40 %\"\nbuffer = \"256 KiB\"\ncommand_overhead = \"3 us\"\n\
        command_interval = \"700 ns\"\nsuspend = \"erase-and-program\"\nmapping_cache = \"8 KiB\"\nmapping_unit = \"16 KiB\"";
    let mut drive = drive(keys);
    let capacity = drive.capacity();
    drive.precondition(capacity / 2).unwrap();
    let mut random = RandomStream::new(3, "commands");
    let (mut now, mut seen, mut all) = (Time::ZERO, CommandTimeParts::default(), 0);
    let mut last = Time::ZERO;
    for tag in 0..20_000 {
        let kind = [READ, WRITE, WRITE, READ, CommandKind::Trim][random.draw_below(5) as usize];
        let first_byte = random.draw_below(capacity / 512 - 128) * 512;
        drive
            .submit_command(
                now,
                FlashCommand { tag, kind, first_byte, bytes: (1 + random.draw_below(128)) * 512 },
            )
            .unwrap();
        now += Span::from_us(random.draw_below(1_500));
        drive.advance_to(now, |done| {
            assert_eq!(done.spent.total_time(), done.done - done.submitted, "{done:?}");
            assert!(done.done >= last, "completions come in their order");
            last = done.done;
            let part = done.spent;
            seen = CommandTimeParts {
                controller: seen.controller + part.controller,
                link: seen.link + part.link,
                mapping: seen.mapping + part.mapping,
                buffer: seen.buffer + part.buffer,
                collection: seen.collection + part.collection,
                queue: seen.queue + part.queue,
                array: seen.array + part.array,
                channel: seen.channel + part.channel,
                transfer: seen.transfer + part.transfer,
            };
            all += 1;
        });
    }
    all += drain(&mut drive).len();
    assert_eq!(all, 20_000);
    let CommandTimeParts { controller, link, mapping, buffer, collection, queue, array, channel, transfer } =
        seen;
    let parts = [controller, link, mapping, buffer, collection, queue, array, channel, transfer];
    assert!(parts.iter().all(|part| !part.is_zero()), "{seen:?}");
    let (busy, dies) = drive.dies_busy_time(drive.current_time());
    assert!(busy.as_s_f64() > 0.0 && busy.as_s_f64() <= drive.current_time().as_s_f64() * dies as f64);
    let (busy, channels) = drive.channels_busy_time(drive.current_time());
    assert!(busy.as_s_f64() > 0.0 && busy.as_s_f64() <= drive.current_time().as_s_f64() * channels as f64);
}

#[test]
fn what_cannot_be_is_refused_with_what_to_do() {
    let mut drive = drive(ROUND);
    let capacity = drive.capacity();
    let mut ask = |first_byte, bytes| {
        drive.submit_command(Time::ZERO, FlashCommand { tag: 0, kind: READ, first_byte, bytes })
    };
    assert_eq!(ask(0, 0), Err(CommandRefused::Empty));
    assert_eq!(ask(0, (4 << 30) + 1), Err(CommandRefused::TooLong));
    assert_eq!(ask(capacity, 1), Err(CommandRefused::BeyondEnd(capacity)));
    assert_eq!(ask(u64::MAX, 2), Err(CommandRefused::BeyondEnd(capacity)));
    assert_eq!(ask(capacity - 1, 1), Ok(()));
    assert_eq!(drive.apply_initial_write(WRITE, 0, 1), Err(CommandRefused::Busy));
    drain(&mut drive);
    assert_eq!(drive.apply_initial_write(WRITE, 0, 1), Ok(()));
    assert_eq!(drive.precondition(capacity), Err(CommandRefused::NotFresh));
    for (more, key) in [
        ("over_provisioning = \"0.1 %\"", "over_provisioning"),
        ("gc_start = \"40 %\"", "over_provisioning"),
        ("channels = 4096\nchips = 4096", "blocks"),
        ("mapping_unit = \"6 KiB\"", "mapping_unit"),
        ("mapping_unit = \"12 KiB\"", "mapping_unit"),
    ] {
        let text = format!("{ROUND}{more}");
        let wrong = FlashDrive::new(&keys(&text), RandomStream::new(1, "victims")).map(|_| ()).unwrap_err();
        assert_eq!(wrong.key, key, "{wrong}");
        println!("{wrong}");
    }
}
