//! Tests that, whatever hosts do and whenever, the mapping is one to one, and no data are lost.

use crate::common::{closed, drain, drive};
use proptest::prelude::*;
use sansim_flash::{CommandKind, FlashCommand, FlashDrive};
use sansim_kernel::{RandomStream, Span};
use std::collections::BTreeSet;

/// A small drive with every choice that matters to the mapping.
fn small(victim: usize, planes: usize, unit: usize, separate: bool, buffer: usize, more: &str) -> String {
    format!(
        "channels = 2\nchips = 1\ndies = 2\nplanes = 2\nblocks = 24\npages = 8\npage = \"4 KiB\"\nmapping_unit = \"{} KiB\"\n\
         over_provisioning = \"40 %\"\nvictim = \"{}\"\nplane_operations = \"{}\"\nseparate_copies = {separate}\nbuffer = \"{}\"\n{more}",
        [4, 8][unit],
        ["greedy", "fifo", "random-greedy"][victim],
        ["single", "multi-plane", "independent"][planes],
        ["none", "64 KiB", "1 MiB"][buffer],
    )
}

fn mapped(drive: &FlashDrive) -> BTreeSet<u32> {
    (0..drive.mapping().layout().logical_units())
        .filter(|unit| drive.mapping().physical_unit(*unit).is_some())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(256), ..ProptestConfig::default() })]

    /// The test has writes, trims and reads that overlap in time, pieces of units, garbage collection, and a mapping cache that is too
    /// small. A trim comes when no other command is in flight on its range, because hosts behave so.
    #[test]
    fn no_unit_is_lost_doubled_or_kept_beside_trims_and_garbage_collection(
        seed in any::<u64>(),
        (victim, planes, unit, separate, buffer) in (0..3_usize, 0..3_usize, 0..2_usize, any::<bool>(), 0..3_usize),
        (suspend, interleaving, cached, preconditioned) in (0..3_usize, any::<bool>(), any::<bool>(), 0..=100_u64),
        (slc, idle, protected) in (0..3_usize, 0..3_usize, any::<bool>()),
    ) {
        let more = format!(
            "suspend = \"{}\"\ninterleaving = {interleaving}\nmapping_cache = \"{}\"\nslc_cache = \"{}\"\nslc_idle_time = \"{} us\"\npower_loss_protection = {protected}",
            ["nothing", "erase", "erase-and-program"][suspend],
            if cached { "4 KiB" } else { "ideal" },
            ["none", "64 KiB", "1 MiB"][slc],
            [0, 100, 5_000][idle],
        );
        let mut drive = drive(&small(victim, planes, unit, separate, buffer, &more));
        let (capacity, unit_bytes) = (drive.capacity(), drive.mapping().layout().unit_bytes());
        let mut random = RandomStream::new(seed, "commands");
        prop_assert!(drive.precondition(capacity * preconditioned / 100).is_ok());
        let mut plain = mapped(&drive);
        let (mut tag, mut now, mut completed) = (0, drive.current_time(), 0);
        for _ in 0..60 {
            for _ in 0..random.draw_below(60) {
                let read = random.chance(0.3);
                let first_byte = random.draw_below(capacity / 512) * 512;
                let bytes = ((1 + random.draw_below(96)) * 512).min(capacity - first_byte);
                let write = if random.chance(0.2) { CommandKind::ForcedWrite } else { CommandKind::Write };
                let kind = if read { CommandKind::Read } else { write };
                drive.submit_command(now, FlashCommand { tag, kind, first_byte, bytes }).unwrap();
                if !read {
                    plain.extend((first_byte / unit_bytes) as u32..(first_byte + bytes).div_ceil(unit_bytes) as u32);
                }
                tag += 1;
                if random.chance(0.5) {
                    now += Span::from_us(random.draw_below(500));
                    drive.advance_to(now, |_| completed += 1);
                }
            }
            prop_assert_eq!(drive.mapping().first_inconsistency(), None);
            // A host that trims waits for its writes to be acknowledged; their data may still be in the buffer.
            while drive.command_count() > 0 {
                now = drive.next_event();
                drive.advance_to(now, |_| completed += 1);
            }
            let first_byte = random.draw_below(capacity / unit_bytes) * unit_bytes;
            let bytes = (random.draw_below(40) * unit_bytes + unit_bytes).min(capacity - first_byte);
            drive.submit_command(now, FlashCommand { tag, kind: CommandKind::Trim, first_byte, bytes }).unwrap();
            tag += 1;
            while drive.command_count() > 0 {
                now = drive.next_event();
                drive.advance_to(now, |_| completed += 1);
            }
            for unit in first_byte / unit_bytes..(first_byte + bytes) / unit_bytes {
                plain.remove(&(unit as u32));
            }
        }
        completed += drain(&mut drive).len() as u64;
        prop_assert_eq!(completed, tag, "every command completes once");
        prop_assert_eq!(drive.dirty_bytes(), 0);
        prop_assert_eq!(drive.mapping().first_inconsistency(), None);
        prop_assert_eq!(mapped(&drive), plain);
    }

    /// After a functional warm-up, which has no simulated time, a flash drive holds the written data and no other data.
    #[test]
    fn warming_up_leaves_what_was_written_and_nothing_else(
        seed in any::<u64>(), victim in 0..3_usize, separate in any::<bool>(), preconditioned in 0..=100_u64,
    ) {
        let mut drive = drive(&small(victim, 0, 0, separate, 0, ""));
        let capacity = drive.capacity();
        prop_assert!(drive.precondition(capacity * preconditioned / 100).is_ok());
        let mut plain = mapped(&drive);
        let mut random = RandomStream::new(seed, "units");
        let units = u64::from(drive.mapping().layout().logical_units());
        for _ in 0..3_000 {
            let unit = random.draw_below(units);
            if random.chance(0.1) {
                drive.apply_initial_write(CommandKind::Trim, unit * 4_096, 4_096).unwrap();
                plain.remove(&(unit as u32));
            } else {
                drive.apply_initial_write(CommandKind::Write, unit * 4_096, 4_096).unwrap();
                plain.insert(unit as u32);
            }
        }
        prop_assert_eq!(drive.mapping().first_inconsistency(), None);
        prop_assert_eq!(mapped(&drive), plain);
    }
}

#[test]
fn equal_seeds_give_equal_runs_and_others_do_not() {
    let run = |seed| {
        let mut drive = drive(&small(2, 1, 0, false, 1, "choices = 2"));
        let units = drive.capacity() / 4_096;
        let mut random = RandomStream::new(seed, "places");
        let result = closed(&mut drive, 8, 20_000, |_| {
            let kind = if random.chance(0.5) { CommandKind::Read } else { CommandKind::Write };
            (kind, random.draw_below(units) * 4_096, 4_096)
        });
        (result.took, result.latency, drive.write_counts(), drive.counts())
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn a_fresh_or_filled_drive_has_no_entries_and_a_written_unit_takes_eight_bytes() {
    let mut drive = drive("");
    let (base, none) = drive.mapping().memory_bytes();
    assert!(base < 64_000_000 && none == 0, "{base} {none}");
    let capacity = drive.capacity();
    assert!(capacity > 470 << 30 && drive.precondition(capacity * 9 / 10).is_ok());
    assert_eq!(drive.mapping().memory_bytes().1, 0);
    // The writes fill the groups of entries well: they go to a tenth of a sixteenth of the drive.
    let mut random = RandomStream::new(1, "places");
    for _ in 0..1_000_000 {
        drive
            .apply_initial_write(CommandKind::Write, random.draw_below(capacity / 16 / 8_192) * 8_192, 8_192)
            .unwrap();
    }
    let (_, added) = drive.mapping().memory_bytes();
    let each = added as f64 / drive.write_counts().by_hosts as f64;
    println!("{each} bytes for each unit written");
    assert!(each < 8.8, "{each}");
}
