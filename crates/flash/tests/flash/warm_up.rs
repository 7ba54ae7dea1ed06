//! Tests that a functional warm-up changes blocks and the map as the same writes do in time.

use crate::common::{KIB, assert_near, closed, drain, drive};
use sansim_flash::{CommandKind, FlashWrites};
use sansim_kernel::RandomStream;

const COUNT: u64 = 40_000;

/// The units written and blocks erased by writes of this many bytes to a quarter of a full drive: in time, at full speed, and without time.
fn written(buffer: &str, bytes: u64, sequential: bool) -> [FlashWrites; 2] {
    [true, false].map(|in_time| {
        let geometry = "channels = 2\nchips = 2\nblocks = 64\npages = 64\nover_provisioning = \"28 %\"";
        let mut drive = drive(&format!("{geometry}\nbuffer = \"{buffer}\""));
        let capacity = drive.capacity();
        drive.precondition(capacity).unwrap();
        let places = capacity / 4 / bytes;
        let mut random = RandomStream::new(1, "places");
        let mut next = |number: u64| {
            let place = if sequential { number % places } else { random.draw_below(places) };
            (CommandKind::Write, place * bytes, bytes)
        };
        if in_time {
            closed(&mut drive, 16, COUNT, next);
            drain(&mut drive);
        } else {
            for number in 0..COUNT {
                let (kind, first_byte, bytes) = next(number);
                drive.apply_warm_up_access(kind, first_byte, bytes).unwrap();
            }
            drive.program_buffered_writes();
        }
        assert_eq!(drive.mapping().first_inconsistency(), None);
        drive.write_counts()
    })
}

#[test]
fn small_writes_to_a_page_that_is_in_the_buffer_are_programmed_together_with_time_and_without() {
    for (bytes, sequential, programs) in [
        // Pages have 8 KiB.
        (512, true, 1.0 / 16.0),
        (4 * KIB, true, 0.5),
        (12 * KIB, true, 1.5),
        (8 * KIB, true, 1.0),
        (512, false, 1.0),
        (4 * KIB, false, 1.0),
    ] {
        let [in_time, without] = written("1 MiB", bytes, sequential);
        let what = format!("{bytes} B, sequential: {sequential}");
        assert_near(without.by_hosts as f64, programs * COUNT as f64, 0.02, &what);
        assert_near(without.by_hosts as f64, in_time.by_hosts as f64, 0.03, &what);
    }
}

#[test]
fn without_a_buffer_each_write_is_programmed_by_itself() {
    for (bytes, programs) in [(512, 1), (4 * KIB, 1), (12 * KIB, 2)] {
        let [_, without] = written("none", bytes, true);
        assert_eq!(without.by_hosts, COUNT * programs, "{bytes} B");
    }
}

#[test]
fn what_waits_in_the_buffer_without_time_is_in_the_flash_when_a_command_comes() {
    let mut drive = drive("blocks = 64\npages = 64\nover_provisioning = \"28 %\"\nbuffer = \"64 KiB\"");
    for place in 0..12 {
        drive.apply_warm_up_access(CommandKind::Write, place * 8 * KIB, 8 * KIB).unwrap();
    }
    assert_eq!(drive.write_counts().by_hosts, 4, "eight pages have room");
    drive.apply_warm_up_access(CommandKind::Write, 11 * 8 * KIB, 512).unwrap();
    assert_eq!(
        drive.write_counts().by_hosts,
        5,
        "it may need a page of its own, so room is made for it first"
    );
    drive
        .submit_command(
            drive.current_time(),
            sansim_flash::FlashCommand { tag: 0, kind: CommandKind::Read, first_byte: 0, bytes: 512 },
        )
        .unwrap();
    assert_eq!(drive.write_counts().by_hosts, 12);
    assert_eq!(drive.dirty_bytes(), 0);
}
