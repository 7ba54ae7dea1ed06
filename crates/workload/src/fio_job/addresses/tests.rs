use proptest::prelude::*;

use super::*;
use crate::fio_job;

fn jobs(text: &str) -> Vec<FioJob> {
    fio_job::read("job.fio", text, &mut |_| Err("none".to_owned())).expect("a sound file").jobs
}

fn transfers(keys: &str) -> Vec<FioTransfer> {
    let job = jobs(&format!("[job]\n{}\n", keys.replace(' ', "\n"))).remove(0);
    CloneAddresses::new(&job, 0, 1 << 30, 1, "job").expect("room").take(100_000).collect()
}

fn offsets(keys: &str) -> Vec<u64> {
    transfers(keys).iter().map(|io| io.offset / 1024).collect()
}

/// The places that fio 3.33 wrote for the same keys, in KiB.
#[test]
fn jobs_in_a_row_make_the_places_of_fio() {
    assert_eq!(offsets("rw=read size=16k"), [0, 4, 8, 12]);
    assert_eq!(offsets("rw=read size=32k offset=16k"), [16, 20, 24, 28, 32, 36, 40, 44]);
    assert_eq!(offsets("rw=read:4k size=32k"), [0, 8, 16, 24, 0, 8, 16, 24]);
    assert_eq!(offsets("rw=read:4k size=64k offset=64k"), [64, 72, 80, 88, 96, 104, 112, 120]);
    assert_eq!(offsets("rw=read:-8k size=32k"), [0, 24, 20, 16, 12, 8, 4, 0]);
    assert_eq!(offsets("rw=read:-8k size=32k offset=32k"), [32, 56, 52, 48, 44, 40, 36, 32]);
    assert_eq!(offsets("rw=read size=32k io_size=44k"), [0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8]);
    assert_eq!(offsets("rw=write size=32k number_ios=2 loops=2"), [0, 4, 8, 12]);
    let three = [0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24];
    assert_eq!(offsets("rw=read size=32k number_ios=5 loops=3"), three);
    let strided = "rw=read size=128k zonemode=strided zonesize=16k zonerange=32k zoneskip=8k";
    assert_eq!(offsets(strided), [0, 4, 8, 12, 40, 44, 48, 52, 80, 84, 88, 92, 120, 124]);
}

#[test]
fn a_job_by_time_goes_on_in_another_order() {
    let ios = offsets("rw=randread size=128k time_based runtime=1 number_ios=3");
    assert_eq!(ios.len(), 100_000);
    assert_ne!(ios[..32], ios[32..64]);
    for pass in ios.chunks_exact(32) {
        let mut blocks = pass.to_vec();
        blocks.sort_unstable();
        assert!(blocks.into_iter().eq((0..32).map(|block| block * 4)));
    }
}

#[test]
fn a_random_job_visits_every_block_once_and_its_passes_repeat() {
    let twice = offsets("rw=randread size=256k loops=2");
    let (first, second) = twice.split_at(64);
    assert_eq!(first, second);
    let mut sorted = first.to_vec();
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq((0..64).map(|block| block * 4)));
    let other = offsets("rw=randread size=256k loops=2 randrepeat=0");
    assert_ne!(other[..64], other[64..]);
}

#[test]
fn blocks_of_a_mix_of_sizes_are_visited_once_and_cut_at_visited_ones() {
    let mut ios = transfers("rw=randwrite size=1m bssplit=4k/50:16k/30:64k/20");
    ios.sort_unstable_by_key(|io| io.offset);
    let ends = ios.iter().scan(0, |end, io| {
        let gap = (io.offset, *end);
        *end = io.offset + io.bytes;
        Some(gap)
    });
    assert!(ends.clone().count() > 16);
    assert!(ends.into_iter().all(|(offset, end)| offset == end));
    assert_eq!(ios.iter().map(|io| io.bytes).sum::<u64>(), 1 << 20);
}

#[test]
fn a_trim_is_followed_by_the_write_of_the_same_blocks() {
    for keys in ["rw=randtrimwrite size=64k", "rw=trimwrite size=64k bssplit=4k/50:8k/50"] {
        let ios = transfers(keys);
        assert!(ios.len() >= 16, "{keys}");
        for pair in ios.chunks(2) {
            assert_eq!((pair[0].direction, pair[1].direction), (IoDirection::Trim, IoDirection::Write));
            assert_eq!((pair[0].offset, pair[0].bytes), (pair[1].offset, pair[1].bytes));
        }
    }
}

#[test]
fn a_place_is_drawn_for_every_nth_io() {
    let ios = offsets("rw=randread:4 size=1m norandommap");
    // Each drawn place is followed by three sequential ones as in fio 3.33: its log begins with 60, 64, 68, 72, 756, 760, ...
    let behind =
        |four: &[u64]| four.iter().zip(four[0]..).all(|(offset, at)| *offset == four[0] + 4 * (at - four[0]));
    let inside = ios.chunks(4).filter(|four| four[0] <= 1024 - 16);
    assert!(inside.clone().count() > 50 && inside.clone().all(behind));
    assert!(ios[0] != 0 && ios[4] != ios[3] + 4, "drawn: {:?}", &ios[..8]);
    let same = offsets("rw=randread:4 rw_sequencer=identical size=1m norandommap");
    assert!(same.chunks(4).all(|four| four.iter().all(|offset| *offset == four[0])));
}

#[test]
fn a_job_without_room_says_why() {
    let job = |keys: &str| jobs(&format!("[job]\n{}\n", keys.replace(' ', "\n"))).remove(0);
    let reason = |keys: &str, device| {
        CloneAddresses::new(&job(keys), 0, device, 1, "job").map(|_| ()).expect_err("no room")
    };
    assert_eq!(reason("offset=2m", 1 << 20), NoIosReason::Behind);
    assert_eq!(reason("bs=2m", 1 << 20), NoIosReason::TooSmall);
    assert_eq!(reason("rw=randread random_distribution=zoned_abs:50/1m:50/1m", 1 << 20), NoIosReason::Zones);
    assert_eq!(reason("rw=randwrite bssplit=512/50:1k/50", 1 << 50), NoIosReason::TooManyBlocks);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(1_000)) })]
    #[test]
    fn every_transfer_lies_in_its_region(
        kind in prop::sample::select(vec!["read", "randwrite", "rw", "randrw", "randread:3", "write:12k", "read:-12k", "randtrimwrite", "trimwrite"]),
        size in 1_u64..400, offset in 0_u64..100, device in 1_u64..500,
        sizes in prop::sample::select(vec!["bs=4k", "bs=3k", "bssplit=1k/30:7k/60:16k/10", "bsrange=2k-16k", "bs=1k,8k"]),
        law in prop::sample::select(vec!["", "random_distribution=zipf:0.9", "random_distribution=pareto:0.3:0.5",
            "random_distribution=normal:30", "random_distribution=zoned:90/1:10/99", "norandommap", "percentage_random=50", "blockalign=5k"]),
        zones in prop::sample::select(vec!["", "zonesize=20k", "zonesize=64k\nzonerange=32k\nzoneskip=5k"]),
        end in prop::sample::select(vec!["", "loops=3", "time_based\nruntime=1", "io_size=900k", "number_ios=7"]),
        seed in any::<u64>(),
    ) {
        let law = if kind.starts_with("rand") { law } else { "" };
        let text = format!("[job]\nrw={kind}\n{sizes}\nsize={size}k\noffset={offset}k\n{law}\n{zones}\n{end}\n");
        let Ok(file) = fio_job::read("job.fio", &text, &mut |_| Err(String::new())) else { return Ok(()) };
        let Ok(addresses) = CloneAddresses::new(&file.jobs[0], 0, device * 1024, seed, "job") else { return Ok(()) };
        let (begin, length) = addresses.region();
        prop_assert!(begin + length <= device * 1024);
        for io in addresses.take(2_000) {
            prop_assert!(io.bytes > 0 && io.offset >= begin && io.offset + io.bytes <= begin + length, "{:?}", io);
        }
    }
}
