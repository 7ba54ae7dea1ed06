//! Tests of requests to an array whose members all work.

use super::*;
use sansim_component::bench::{BenchRequestPlace, instant_at_us, sample_read, sample_write};
use sansim_kernel::Span;

/// A RAID 5 of four members with stripe units of 4 KiB, so that the parity of stripe 0 is on member 3.
const RAID_5: &str = "stripe_unit = \"4 KiB\"\nxor_bandwidth = \"12.288 MB/s\"\n[layout]\nlevel = \"5\"";

/// A write whose data have come, and the requests of the array to its members.
fn begin_write(
    bench: &mut ComponentBench<DiskArray>,
    lba: u64,
    bytes: u64,
) -> (RequestId, Vec<(u16, RequestId)>) {
    let (id, did) = bench.ask(instant_at_us(0), ASKED, sample_write(lba, bytes));
    assert_eq!(did.sent, [(ASKED, Message::WriteCredit(id, bytes))], "its data come first");
    let did = bench.receive(instant_at_us(2), ASKED, Message::WriteDataUpTo(id, bytes));
    (id, did.sent_requests())
}

fn ports(asked: &[(u16, RequestId)]) -> Vec<u16> {
    asked.iter().map(|&(port, _)| port).collect()
}

#[test]
fn a_small_write_reads_calculates_and_writes_and_its_ledger_says_so() {
    let mut bench = array(RAID_5, 4, 1 << 20);
    let (id, reads) = begin_write(&mut bench, 0, 4096);
    assert_eq!(ports(&reads).len(), 2, "as many for either way: what is left is read");
    done(&mut bench, instant_at_us(100), reads[0], GOOD);
    let did = done(&mut bench, instant_at_us(150), reads[1], GOOD);
    assert!(did.sent_requests().is_empty(), "parity is calculated first");
    // Calculating 3 * 4 KiB at 12.288 MB/s lasts a millisecond.
    let did = bench.handle_due_timer(instant_at_us(1_150));
    let writes = did.sent_requests();
    assert_eq!(ports(&writes), [1, 4], "data and parity");
    done(&mut bench, instant_at_us(1_200), writes[0], GOOD);
    let did = done(&mut bench, instant_at_us(1_250), writes[1], GOOD);
    assert_eq!(did.sent_answers(), [(id, GOOD)]);
    finish(&mut bench, instant_at_us(1_250), id);
    let beyond = |port: u16, us: u64| (BenchRequestPlace::Beyond(port, 0), Span::from_us(us));
    let last_read = reads[1].0;
    let calculation = (BenchRequestPlace::Here(segment::CALCULATION), Span::from_ms(1));
    let data = (BenchRequestPlace::Here(segment::DATA), Span::from_us(2));
    assert_eq!(bench.dwells_of_request(id), [data, beyond(last_read, 148), calculation, beyond(4, 100)]);
    assert_eq!(bench.component.busy(instant_at_us(2_000), 0), Span::from_ms(1).into());
}

#[test]
fn one_write_at_a_time_works_on_a_stripe_and_another_one_passes_it() {
    let mut bench = array(RAID_5, 4, 1 << 20);
    let (first, reads) = begin_write(&mut bench, 0, 4096);
    let (second, _) = bench.ask(instant_at_us(2), ASKED, sample_write(8, 4096));
    let did = bench.receive(instant_at_us(2), ASKED, Message::WriteDataUpTo(second, 4096));
    assert!(did.sent_requests().is_empty());
    assert_eq!(bench.place_of_request(second), BenchRequestPlace::Here(segment::LOCK));
    let (third, _) = bench.ask(instant_at_us(2), ASKED, sample_write(24, 4096));
    let did = bench.receive(instant_at_us(2), ASKED, Message::WriteDataUpTo(third, 4096));
    assert_eq!(did.sent_requests().len(), 2, "another stripe");
    assert_eq!(bench.component.gauge(instant_at_us(2), gauge::LOCKED, 0), 2);
    // The first write is aborted while it reads: its stripe is free for the second.
    let did = bench.receive(instant_at_us(3), ASKED, Message::Abort(first));
    assert_eq!(did.sent, reads.iter().map(|&(port, part)| (port, Message::Abort(part))).collect::<Vec<_>>());
    done(&mut bench, instant_at_us(4), reads[0], Status::Aborted);
    let did = done(&mut bench, instant_at_us(4), reads[1], GOOD);
    assert_eq!(did.sent_answers(), [(first, Status::Aborted)]);
    assert_eq!(did.sent_requests().len(), 2, "the second has its turn");
}

#[test]
fn a_whole_stripe_needs_no_reads() {
    let keys = RAID_5.replace("xor_bandwidth = \"12.288 MB/s\"\n", "");
    let mut bench = array(&keys, 4, 1 << 20);
    let (id, writes) = begin_write(&mut bench, 0, 3 * 4096);
    assert_eq!(ports(&writes), [1, 2, 3, 4]);
    for &write in &writes[..3] {
        assert!(done(&mut bench, instant_at_us(9), write, GOOD).sent_answers().is_empty());
    }
    assert_eq!(done(&mut bench, instant_at_us(9), writes[3], GOOD).sent_answers(), [(id, GOOD)]);
    finish(&mut bench, instant_at_us(9), id);
    let counted = [meter::FULL_STRIPE, meter::READ_MODIFY_WRITE, meter::RECONSTRUCT_WRITE];
    assert_eq!(counted.map(|meter| bench.component.counts[meter]), [1, 0, 0]);
}

#[test]
fn requests_wait_for_memory_in_the_order_in_which_they_came() {
    let mut bench = array("memory = \"8 KiB\"\n[layout]\nlevel = \"0\"", 2, 1 << 20);
    let (first, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 6144));
    let part = did.sent_requests()[0];
    let (second, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 4096));
    assert!(did.sent_requests().is_empty());
    let (third, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512));
    assert!(did.sent_requests().is_empty(), "though it would fit");
    assert_eq!(
        [second, third].map(|id| bench.place_of_request(id)),
        [BenchRequestPlace::Here(segment::MEMORY); 2]
    );
    assert_eq!(done(&mut bench, instant_at_us(5), part, GOOD).sent_answers(), [(first, GOOD)]);
    assert_eq!(
        bench.close_request(instant_at_us(6), ASKED, first).sent_requests().len(),
        2,
        "when its data have been taken"
    );
}
