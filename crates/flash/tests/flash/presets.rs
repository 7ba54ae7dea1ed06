//! Tests of the presets: that keys follow them, and that presets with a data sheet have the figures to which they were fitted. None of the
//! figures in this file is predicted.

use crate::common::{KIB, assert_near, closed, drain, drive, keys};
use sansim_flash::formulas::{fifo_write_amplification, page_limited_rate};
use sansim_flash::presets::{CellType, FlashDataSheet, FlashPreset};
use sansim_flash::{CommandKind, FlashCommand, FlashParameters};
use sansim_kernel::{RandomStream, Span, Time};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use sansim_schema::words::Word;

const READ: CommandKind = CommandKind::Read;
const WRITE: CommandKind = CommandKind::Write;

fn data_sheets() -> Vec<(&'static str, FlashDataSheet)> {
    FlashPreset::ALL.iter().filter_map(|(preset, word, _)| Some((*word, preset.data_sheet()?))).collect()
}

/// The preset with few blocks, so that the drive is built quickly.
fn small(word: &str, more: &str) -> String {
    format!("preset = \"{word}\"\nblocks = 16\npages = 64\nover_provisioning = \"40 %\"\n{more}")
}

#[test]
fn keys_follow_their_preset_and_every_default_can_be_read() {
    assert_eq!(FlashParameters::unreadable_defaults(&Facts::default()), Vec::<&str>::new());
    for (preset, word, _) in FlashPreset::ALL {
        let keys = keys(&format!("preset = \"{word}\""));
        assert_eq!(keys.contradiction(), None, "{word}");
        let figures = preset.figures();
        assert_eq!([keys.channels, keys.chips, keys.dies, keys.planes], figures.counts);
        assert_eq!(keys.read_time, Span::from_ns(figures.times.read_ns));
        if let Some(sheet) = preset.data_sheet() {
            assert_near(keys.capacity() as f64, sheet.capacity as f64, 0.005, word);
        }
    }
    let mqsim = keys("");
    assert_eq!(
        (mqsim.page, mqsim.blocks, mqsim.pages, mqsim.channel_rate),
        (8 * KIB, 2_048, 256, 333_000_000)
    );
    // The spare space is 7 % of the physical capacity.
    assert_near(mqsim.capacity() as f64, 0.93 * (512_u64 << 30) as f64, 1e-4, "bytes");
}

#[test]
fn times_follow_the_cell_where_it_is_not_that_of_the_preset() {
    let read = |text: &str| keys(text).read_time;
    assert_eq!(read("cell = \"mlc\""), Span::from_us(75), "MQSim's own");
    for (cell, word, _) in CellType::ALL {
        if *cell != CellType::Mlc {
            assert_eq!(read(&format!("cell = \"{word}\"")), Span::from_ns(cell.times().read_ns));
        }
    }
    let slower =
        [CellType::Slc, CellType::Mlc, CellType::Tlc, CellType::Qlc].map(|cell| cell.times().read_ns);
    assert!(slower.is_sorted());
}

#[test]
fn data_sheets_have_their_latencies() {
    for (word, sheet) in data_sheets() {
        for (kind, wanted) in [(READ, sheet.read_ns), (WRITE, sheet.write_ns)] {
            let mut drive = drive(&small(word, ""));
            drive.precondition(drive.capacity()).unwrap();
            drive
                .submit_command(Time::ZERO, FlashCommand { tag: 0, kind, first_byte: 0, bytes: 4 * KIB })
                .unwrap();
            let done = drain(&mut drive);
            let ns = (done[0].done - done[0].submitted).as_ns_f64();
            assert_near(ns, wanted as f64, 0.001, &format!("{word}, {kind:?}, ns"));
        }
    }
}

#[test]
fn data_sheets_have_their_rates() {
    for (word, sheet) in data_sheets() {
        let of = |kind, bytes, depth, count, in_order| {
            let mut drive = drive(&small(word, "buffer = \"4 MiB\""));
            let capacity = drive.capacity() / bytes * bytes;
            if kind == READ {
                drive.precondition(drive.capacity()).unwrap();
            }
            let mut random = RandomStream::new(3, "places");
            let result = closed(&mut drive, depth, count, |number| {
                let place = if in_order { number } else { random.draw_below(capacity / bytes) };
                (kind, place * bytes % capacity, bytes)
            });
            result.per_second()
        };
        let kib_128 = (128 * KIB) as f64;
        assert_near(
            of(READ, 4 * KIB, 256, 60_000, false),
            sheet.reads as f64,
            0.02,
            &format!("{word}, random reads"),
        );
        let read_rate = of(READ, 128 * KIB, 32, 5_000, true) * kib_128;
        assert_near(read_rate, sheet.read_rate as f64, 0.02, &format!("{word}, reads in order"));
        let capacity = keys(&small(word, "")).capacity();
        let filled = capacity / (128 * KIB) * 9 / 10;
        let write_rate = of(WRITE, 128 * KIB, 32, filled, true) * kib_128;
        // The last written data are still in the buffer.
        assert_near(write_rate, sheet.write_rate as f64, 0.03, &format!("{word}, writes in order"));
    }
}

/// The random writes follow the formulas with which they were fitted: the emptiest of ten random blocks of many pages is near the oldest
/// block.
#[test]
fn data_sheets_have_their_random_writes() {
    for (word, sheet) in data_sheets() {
        let keys = keys(&format!("preset = \"{word}\""));
        let kept = f64::from(keys.collection_start_blocks() + 1) / f64::from(keys.blocks);
        let spare = (1.0 + keys.over_provisioning.fraction()) * (1.0 - kept) - 1.0;
        let amplification = fifo_write_amplification(spare);
        let carried = keys.command_time.as_s_f64() + 4_096.0 / keys.channel_rate as f64;
        let copies = (amplification - 1.0) * (keys.read_time.as_s_f64() + carried);
        let erases = amplification * keys.erase_time.as_s_f64() / f64::from(keys.pages);
        let page = keys.program_time.as_s_f64() + carried + (copies + erases) / amplification;
        let planes = f64::from(keys.channels * keys.chips * keys.dies * keys.planes);
        let rate = page_limited_rate(planes, page, amplification);
        assert_near(rate, sheet.writes as f64, 0.05, &format!("{word}, random writes ({amplification:.2})"));
    }
}

/// The random writes in time, on blocks of a sixty-fourth of the size, of which the same share is kept free.
#[test]
#[ignore = "long"]
fn data_sheets_have_their_random_writes_in_time() {
    let mut far = Vec::new();
    for (word, sheet) in data_sheets() {
        let whole = keys(&format!("preset = \"{word}\""));
        let kept = f64::from(whole.collection_start_blocks() + 1) / f64::from(whole.blocks);
        let planes = u64::from(whole.channels * whole.chips * whole.dies * whole.planes);
        // One block is free and one is open, on average half full.
        let spare = (1.0 + whole.over_provisioning.fraction()) * (1.0 - kept) / (1.0 - 1.5 / 100.0) - 1.0;
        let text = format!(
            "preset = \"{word}\"\nblocks = 100\npages = 64\nerase_time = \"{} ns\"\ngc_start = \"0 %\"\nbuffer = \"{} KiB\"\nover_provisioning = \"{:.4} %\"",
            whole.erase_time.as_ns_f64() as u64 / 64,
            // The sizes are for a hundredth of the drive.
            planes * 64 * 4,
            spare * 100.0
        );
        let mut drive = drive(&text);
        let capacity = drive.capacity();
        drive.precondition(capacity).unwrap();
        let mut random = RandomStream::new(3, "places");
        let pages = capacity / (4 * KIB);
        let mut place = || random.draw_below(pages) * 4 * KIB;
        for _ in 0..3 * pages {
            drive.apply_initial_write(WRITE, place(), 4 * KIB).unwrap();
        }
        // The first writes fill the buffer.
        closed(&mut drive, 64, planes * 200, |_| (WRITE, place(), 4 * KIB));
        let before = drive.write_counts();
        let result = closed(&mut drive, 64, planes * 1_000, |_| (WRITE, place(), 4 * KIB));
        let amplification = drive.write_counts().difference_since(before).write_amplification();
        let error = result.per_second() / sheet.writes as f64 - 1.0;
        println!("{word}, random writes in time ({amplification:.2}): {:+.1} %", 100.0 * error);
        if error.abs() > 0.05 {
            far.push(word);
        }
    }
    assert_eq!(far, [""; 0], "their random writes are off by more than 5 %");
}
