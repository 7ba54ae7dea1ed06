//! Tests of garbage collection beside hosts: the waiting time of reads, the number of copied pages, and that no data are lost meanwhile.

use crate::common::{KIB, assert_near, drain, drive, overwritten, us};
use sansim_flash::{CommandKind, FlashCommand};
use sansim_kernel::{RandomStream, Span};

const READ: CommandKind = CommandKind::Read;
const WRITE: CommandKind = CommandKind::Write;

#[test]
fn a_read_waits_for_one_operation_of_a_collection_and_for_all_of_one_that_is_not_preemptible_or_urgent() {
    let longest_wait = |more: &str| {
        let keys = format!(
            "channels = 1\nchips = 1\ndies = 1\nplanes = 1\nblocks = 64\npages = 64\nover_provisioning = \"50 %\"\n\
             gc_start = \"25 %\"\ngc_reserve = \"10 %\"\nbuffer = \"none\"\nsuspend = \"nothing\"\n{more}"
        );
        let mut drive = drive(&keys);
        let capacity = drive.capacity();
        drive.precondition(capacity).unwrap();
        let mut random = RandomStream::new(3, "places");
        let pages = capacity / 8_192;
        (0..2 * pages).for_each(|_| {
            drive.apply_initial_write(WRITE, random.draw_below(pages) * 8_192, 8 * KIB).unwrap()
        });
        let (mut longest, mut now) = (Span::ZERO, drive.current_time());
        for _ in 0..4_000 {
            now += Span::from_us(random.draw_below(20_000));
            let kind = if random.chance(0.5) { READ } else { WRITE };
            let first_byte = random.draw_below(pages) * 8_192;
            drive.submit_command(now, FlashCommand { tag: 0, kind, first_byte, bytes: 8 * KIB }).unwrap();
            drive.advance_to(now, |done| {
                if done.kind == READ {
                    longest = longest.max(done.spent.collection);
                }
            });
        }
        us(longest)
    };
    // The longest wait is that for an erase, with its command; or for the remaining pages of a victim, which need 0.87 ms each.
    let between = longest_wait("gc_hard_limit = \"2 %\"");
    let wholes = ["gc_hard_limit = \"28 %\"", "preemptible_gc = false"].map(longest_wait);
    println!("behind garbage collection: {between} us and {wholes:?} us");
    assert!((1_000.0..=3_800.3).contains(&between), "{between}");
    assert!(wholes.iter().all(|whole| *whole > 10_000.0), "{wholes:?}");
}

/// Reads and writes to a full drive, with random arrivals, and their results: the mean and the longest read, the mean write in us, and the
/// write amplification.
fn mixed(more: &str, every_us: u64, reads: f64) -> [f64; 4] {
    let keys = format!(
        "channels = 2\nchips = 1\ndies = 2\nplanes = 2\nblocks = 256\npages = 32\ninterleaving = true\nover_provisioning = \"28 %\"\n\
         gc_start = \"4 %\"\ngc_reserve = \"2 %\"\nbuffer = \"none\"\n{more}"
    );
    let (mut drive, mut place, _) = overwritten(&keys);
    let mut random = RandomStream::new(11, "arrivals");
    let (mut now, before) = (drive.current_time(), drive.write_counts());
    let (mut read, mut write, mut longest) = ((0.0, 0), (0.0, 0), 0.0_f64);
    let mut told = |done: sansim_flash::CompletedCommand| {
        let took = us(done.done - done.submitted);
        let (sum, count) = if done.kind == READ { &mut read } else { &mut write };
        (*sum, *count) = (*sum + took, *count + 1);
        if done.kind == READ {
            longest = longest.max(took);
        }
    };
    for tag in 0..60_000 {
        now += Span::from_us(random.draw_below(2 * every_us));
        let kind = if random.chance(reads) { READ } else { WRITE };
        drive.advance_to(now, &mut told);
        drive.submit_command(now, FlashCommand { tag, kind, first_byte: place(), bytes: 8 * KIB }).unwrap();
    }
    let amplification = drive.write_counts().difference_since(before).write_amplification();
    assert_eq!(drive.mapping().first_inconsistency(), None);
    [read.0 / f64::from(read.1), longest, write.0 / f64::from(write.1), amplification]
}

/// The loads are light, medium, and one that keeps dies busy.
#[test]
fn letting_hosts_between_never_slows_reads_and_copies_no_more() {
    for (every_us, fraction) in [(1_500, 0.5), (700, 0.7), (450, 0.7)] {
        let between = mixed("", every_us, fraction);
        let whole = mixed("preemptible_gc = false", every_us, fraction);
        println!("every {every_us} us: preemptible {between:?}, whole {whole:?}");
        assert!(between[0] < 0.8 * whole[0] && between[1] < 0.5 * whole[1], "{between:?} {whole:?}");
        assert_near(between[3], whole[3], 0.02, "write amplification");
    }
}

/// The last writes of a host are where the mapping says, and all written data can be read, while collections are half done.
#[test]
fn whatever_is_read_in_mid_collection_is_read_from_where_the_mapping_says() {
    for more in ["", "preemptible_gc = false", "suspend = \"erase-and-program\"\nseparate_copies = true"] {
        let (mut drive, mut place, _) = overwritten(&format!(
            "channels = 1\nchips = 1\ndies = 2\nplanes = 2\nover_provisioning = \"28 %\"\ngc_start = \"10 %\"\nbuffer = \"none\"\n{more}"
        ));
        let mut random = RandomStream::new(5, "commands");
        let (mut now, mut asked, mut done) = (drive.current_time(), 0_u64, 0_u64);
        let begun = drive.counts();
        for tag in 0..10_000 {
            now += Span::from_us(random.draw_below(1_000));
            drive.advance_to(now, |_| done += 1);
            if tag % 64 == 0 {
                assert_eq!(drive.mapping().first_inconsistency(), None);
            }
            let kind = if random.chance(0.5) { READ } else { WRITE };
            drive
                .submit_command(now, FlashCommand { tag, kind, first_byte: place(), bytes: 8 * KIB })
                .unwrap();
            asked += 1;
        }
        done += drain(&mut drive).len() as u64;
        assert_eq!(
            (done, drive.counts().unwritten),
            (asked, begun.unwritten),
            "all pages were written: {more}"
        );
        assert_eq!(drive.mapping().first_inconsistency(), None);
    }
}
