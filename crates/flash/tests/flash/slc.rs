//! Tests of the SLC cache: its times and its folding by hand, and laws.

use crate::common::{KIB, closed, drain, drive, keys, us};
use sansim_flash::{CommandKind, FlashCommand, FlashDrive};
use sansim_kernel::{RandomStream, Span, Time};

const READ: CommandKind = CommandKind::Read;
const WRITE: CommandKind = CommandKind::Write;

/// A drive of one plane of cells of two bits with round times: 1 us for a command and 10 us for a page on the channel; a page is read in 50 us
/// and programmed in 500 us, in the SLC cache in 20 us and 100 us. A block of 16 pages has 8 of one bit.
const ROUND: &str = "cell = \"mlc\"\nchannels = 1\nchips = 1\ndies = 1\nplanes = 1\nblocks = 64\npages = 16\npage = \"4 KiB\"\ncommand_time = \"1 us\"\n\
    read_time = \"50 us\"\nprogram_time = \"500 us\"\nerase_time = \"2 ms\"\nchannel_rate = \"409.6 MB/s\"\nlink_rate = \"unlimited\"\n\
    over_provisioning = \"50 %\"\nbuffer = \"none\"\nslc_read_time = \"20 us\"\nslc_program_time = \"100 us\"\nslc_erase_time = \"1 ms\"\n";

/// The cache of one block of 32 KiB.
const ONE: &str = "slc_cache = \"32 KiB\"\n";

fn submit(drive: &mut FlashDrive, now: Time, kind: CommandKind, number: u64) {
    drive
        .submit_command(now, FlashCommand { tag: number, kind, first_byte: number * 4 * KIB, bytes: 4 * KIB })
        .unwrap();
}

/// Submits these commands at once, and returns when each is done in us, with the drive at its end.
fn done(drive: &mut FlashDrive, commands: impl Iterator<Item = (CommandKind, u64)>) -> Vec<f64> {
    let now = drive.current_time();
    commands.for_each(|(kind, number)| submit(drive, now, kind, number));
    drain(drive).into_iter().map(|one| us(one.done - one.submitted)).collect()
}

fn at_us(drive: &FlashDrive) -> f64 {
    us(drive.current_time() - Time::ZERO)
}

#[test]
fn writes_are_as_fast_as_the_cache_until_it_is_full_and_it_is_folded_afterwards() {
    let mut drive = drive(&format!("{ROUND}{ONE}"));
    let found = done(&mut drive, (0..10).map(|number| (WRITE, number)));
    // Eight pages of one bit, 111 us each; the others of two bits, 511 us each: no die is idle before.
    let mut expected: Vec<f64> = (1..=8).map(|count| 111.0 * f64::from(count)).collect();
    expected.extend([888.0 + 511.0, 888.0 + 2.0 * 511.0]);
    assert_eq!(found, expected);
    // Then each of the eight pages is read (1 + 20 + 10 us) and programmed (511 us), and the block erased.
    assert_eq!(at_us(&drive), 888.0 + 2.0 * 511.0 + 8.0 * (31.0 + 511.0) + 1_001.0);
    let counts = drive.write_counts();
    assert_eq!((counts.by_hosts, counts.to_slc, counts.folded, counts.erased), (10, 8, 8, 1));
    assert_eq!(counts.write_amplification(), 1.8);
    assert_eq!(drive.mapping().slc_bytes(), (0, 32 * KIB));
    assert!(drive.is_idle());
    assert_eq!(drive.mapping().first_inconsistency(), None);
    // There is room again.
    assert_eq!(done(&mut drive, [(WRITE, 20)].into_iter()), [111.0]);
    assert_eq!(drive.mapping().slc_bytes(), (4 * KIB, 32 * KIB), "a block that is not full stays");
}

#[test]
fn a_page_of_the_cache_is_read_in_its_time_until_it_is_folded() {
    let mut drive = drive(&format!("{ROUND}{ONE}slc_idle_time = \"1 s\""));
    assert_eq!(done(&mut drive, (0..7).map(|number| (WRITE, number))).len(), 7);
    assert_eq!(done(&mut drive, [(READ, 3)].into_iter()), [31.0]);
    done(&mut drive, [(WRITE, 7)].into_iter());
    assert_eq!(done(&mut drive, [(READ, 3)].into_iter()), [61.0], "the block was full and has been folded");
}

#[test]
fn a_drive_waits_for_its_idle_time_before_it_folds_and_a_command_interrupts_it() {
    let mut drive = drive(&format!("{ROUND}{ONE}slc_idle_time = \"10 ms\""));
    for number in 0..8 {
        submit(&mut drive, Time::ZERO, WRITE, number);
    }
    drive.advance_to(Time::ZERO + Span::from_us(5_000), |_| ());
    assert_eq!(drive.write_counts().folded, 0);
    // The last write is done at 888 us: the first page is moved from 10,888 us on.
    drive.advance_to(Time::ZERO + Span::from_us(10_888 + 31), |_| ());
    assert_eq!(drive.write_counts().folded, 1);
    // A read comes while the page is programmed, and waits for it. Then folding waits for another idle time.
    let now = drive.current_time();
    submit(&mut drive, now, READ, 5);
    let mut latency = 0.0;
    drive.advance_to(Time::ZERO + Span::from_us(20_000), |one| latency = us(one.done - one.submitted));
    assert_eq!((latency, drive.write_counts().folded), (511.0 + 31.0, 1));
    drain(&mut drive);
    let read_done = 10_888.0 + 31.0 + 511.0 + 31.0;
    assert_eq!(at_us(&drive), read_done + 10_000.0 + 7.0 * (31.0 + 511.0) + 1_001.0);
    assert_eq!(drive.write_counts().folded, 8);
}

#[test]
fn a_page_that_is_overwritten_or_trimmed_in_the_cache_is_not_folded() {
    let mut drive = drive(&format!("{ROUND}slc_cache = \"64 KiB\"\nslc_idle_time = \"1 ms\""));
    for number in [0, 1, 2, 3, 0, 1, 2, 3] {
        submit(&mut drive, Time::ZERO, WRITE, number);
    }
    drive.advance_to(Time::ZERO + Span::from_us(900), |_| ());
    let now = drive.current_time();
    submit(&mut drive, now, CommandKind::Trim, 3);
    drain(&mut drive);
    let counts = drive.write_counts();
    assert_eq!((counts.by_hosts, counts.to_slc, counts.folded), (8, 8, 3));
    assert_eq!(drive.mapping().physical_unit(3), None);
    assert_eq!(drive.mapping().first_inconsistency(), None);
}

/// A long write has the rate of the cache, then that of the other blocks; a pause as long as folding takes gives it the rate of the cache
/// again.
#[test]
fn a_long_write_falls_to_the_rate_of_other_blocks_when_the_cache_is_full() {
    let text = ROUND.replace("blocks = 64", "blocks = 512") + "slc_cache = \"1 MiB\"\n";
    let mut drive = drive(&text);
    let mut written = 0;
    let mut rate = |drive: &mut FlashDrive, count| {
        let from = written;
        written += count;
        closed(drive, 4, count, |number| (WRITE, (from + number) * 4 * KIB, 4 * KIB)).per_second()
    };
    let fast = rate(&mut drive, 250);
    assert!((fast * 111e-6 - 1.0).abs() < 0.05, "{fast}");
    let slow = rate(&mut drive, 500);
    assert!((slow * 511e-6 - 1.0).abs() < 0.05, "{slow}");
    assert_eq!(drive.mapping().slc_bytes(), (1_024 * KIB, 1_024 * KIB));
    drain(&mut drive);
    assert_eq!(drive.mapping().slc_bytes().0, 0);
    let again = rate(&mut drive, 250);
    assert!((again * 111e-6 - 1.0).abs() < 0.05, "{again}");
}

/// In the steady state of random writes garbage collection and folding share the free blocks, and none waits for ever.
#[test]
fn random_writes_go_on_when_cache_and_drive_are_full() {
    for (cell, size) in [("mlc", "32 KiB"), ("tlc", "256 KiB"), ("qlc", "1 MiB")] {
        let text = format!(
            "{ROUND}cell = \"{cell}\"\npages = 24\nslc_cache = \"{size}\"\nover_provisioning = \"30 %\""
        );
        let mut drive = drive(&text);
        let units = drive.capacity() / (4 * KIB);
        drive.precondition(drive.capacity()).unwrap();
        let mut random = RandomStream::new(5, "places");
        // Without pauses the cache stays as it is, full of what has been overwritten since.
        for _ in 0..40 {
            let write = |_| (WRITE, random.draw_below(units) * 4 * KIB, 4 * KIB);
            assert_eq!(closed(&mut drive, 8, units / 10, write).completions, units / 10);
            drain(&mut drive);
        }
        assert_eq!(drive.mapping().first_inconsistency(), None);
        let counts = drive.write_counts();
        assert!(counts.copied > 0 && counts.folded > 0, "{counts:?}");
        assert!(counts.folded <= counts.to_slc, "nothing is folded twice: {counts:?}");
    }
}

#[test]
fn a_warm_up_leaves_the_cache_as_full_as_hosts_that_write_as_fast_as_they_can() {
    for buffer in ["none", "64 KiB"] {
        let text = ROUND.replace("buffer = \"none\"", &format!("buffer = \"{buffer}\""))
            + "slc_cache = \"128 KiB\"\n";
        let mut drive = drive(&text);
        for number in 0..40 {
            drive.apply_warm_up_access(WRITE, number * 4 * KIB, 4 * KIB).unwrap();
        }
        drive.program_buffered_writes();
        assert_eq!(drive.mapping().slc_bytes(), (128 * KIB, 128 * KIB), "{buffer}");
        assert_eq!(drive.mapping().first_inconsistency(), None);
        // The first command sees it folded when it is done.
        done(&mut drive, [(READ, 0)].into_iter());
        assert_eq!((drive.mapping().slc_bytes().0, drive.write_counts().folded), (0, 32), "{buffer}");
    }
}

#[test]
fn a_cache_that_cannot_be_is_refused_and_says_why() {
    let refused = |text: &str| {
        keys(text)
            .contradiction()
            .map(|wrong| (wrong.key, wrong.message))
            .unwrap_or_else(|| panic!("{text} is taken"))
    };
    let slc = refused("cell = \"slc\"\nslc_cache = \"1 MiB\"");
    assert_eq!(slc, ("slc_cache", "all cells of the drive hold one bit".to_owned()));
    let few = refused("pages = 1\nblocks = 4096\nslc_cache = \"1 MiB\"");
    assert!(few.1.contains("too few pages for a mapping unit"), "{few:?}");
    let many = refused("slc_cache = \"16 TiB\"");
    assert!(many.1.contains("of the SLC cache, which are too many"), "{many:?}");
    assert_eq!(keys(&format!("{ROUND}{ONE}")).slc_blocks_per_plane(), 1);
}
