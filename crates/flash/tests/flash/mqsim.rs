//! Tests of the reference device of MQSim against MQSim's results.
//!
//! Fact: MQSim with its `ssdconfig.xml`, data cache off, ideal mapping table, 4 KiB random reads of a drive that is half full. No parameter
//! is tuned: times and counts are those of MQSim's configuration, command and address need the sum of its NV-DDR2 timings on the channel,
//! 290 ns, the link has its 4 lanes of 1 GB/s, and a chip gets a command only when none of its dies has one, as its `TSU_Base` issues them.

use crate::common::{KIB, assert_near, closed, drive};
use sansim_flash::CommandKind;
use sansim_kernel::RandomStream;

/// The queue depth, the I/Os per second, and the mean latency in us.
const KNOWN: [(u64, f64, f64); 4] =
    [(1, 11_200.0, 88.0), (4, 42_300.0, 94.0), (16, 133_000.0, 120.0), (64, 227_000.0, 282.0)];

fn read_at(depth: u64, more: &str) -> (f64, f64) {
    let mut drive = drive(&format!("buffer = \"none\"\n{more}"));
    let half = drive.capacity() / 2;
    assert_eq!(drive.precondition(half), Ok(()));
    let mut random = RandomStream::new(3, "places");
    let result = closed(&mut drive, depth, 40_000, |_| {
        // The pages of 8 KiB are read by halves.
        (CommandKind::Read, random.draw_below(half / (8 * KIB)) * 8 * KIB, 4 * KIB)
    });
    (result.per_second(), result.mean_us())
}

#[test]
fn random_reads_take_what_they_take_in_mqsim_at_every_depth() {
    for (depth, per_second, latency) in KNOWN {
        let (ours, our_latency) = read_at(depth, "");
        assert_near(ours, per_second, 0.03, &format!("depth {depth}, I/Os in a second"));
        assert_near(our_latency, latency, 0.03, &format!("depth {depth}, us"));
    }
}

#[test]
fn a_read_alone_takes_command_array_channel_and_link() {
    let (_, latency) = read_at(1, "");
    // The latency is 290 ns, 75 us, 4096 B at 333 MB/s, and 4096 B at 4 GB/s.
    assert_near(latency, 0.290 + 75.0 + 4_096.0 / 333.0 + 4_096.0 / 4_000.0, 1e-6, "us");
}

/// The comparison above is sensitive: with dies that work independently the drive would do more.
#[test]
fn dies_that_work_by_themselves_do_much_better_than_mqsim_at_depth_64_and_not_at_depth_1() {
    let interleaved = "interleaving = true";
    assert!(read_at(64, interleaved).0 > 1.3 * KNOWN[3].1);
    assert_near(read_at(1, interleaved).0, KNOWN[0].1, 0.03, "depth 1");
}
