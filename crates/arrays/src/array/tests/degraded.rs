//! Tests of an array whose members fail, refuse requests, or have unreadable sectors.

use super::*;
use sansim_component::bench::{instant_at_us, sample_read, sample_write};

const RAID_5: &str =
    "stripe_unit = \"4 KiB\"\n[layout]\nlevel = \"5\"\n[rebuild]\nreplacement_check = \"never\"";

#[test]
fn a_read_that_a_member_fails_is_worked_out_from_the_others() {
    let mut bench = array(RAID_5, 4, 1 << 20);
    let (id, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 4096));
    let part = did.sent_requests()[0];
    let others = done(&mut bench, instant_at_us(5), part, FAILED).sent_requests();
    assert_eq!(others.len(), 3, "of all that is left");
    assert_eq!(bench.component.gauge(instant_at_us(5), gauge::MEMBERS, 0), 3);
    for &other in &others[..2] {
        done(&mut bench, instant_at_us(9), other, GOOD);
    }
    assert_eq!(done(&mut bench, instant_at_us(9), others[2], GOOD).sent_answers(), [(id, GOOD)]);
    finish(&mut bench, instant_at_us(9), id);
    // When another member fails the data are lost.
    let (id, did) = bench.ask(instant_at_us(10), ASKED, sample_read(8, 512));
    let did = done(&mut bench, instant_at_us(11), did.sent_requests()[0], FAILED);
    assert_eq!(did.sent_answers(), [(id, FAILED)]);
    finish(&mut bench, instant_at_us(12), id);
    assert_eq!(bench.component.counts[meter::LOST], 1);
}

#[test]
fn what_cannot_be_read_is_worked_out_written_back_and_read_again() {
    let mut bench = array(RAID_5, 4, 1 << 20);
    let (id, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512));
    let first = did.sent_requests()[0];
    let others = done(&mut bench, instant_at_us(1), first, Status::Unreadable).sent_requests();
    assert_eq!(others.len(), 3);
    let mut did = InputEffects::default();
    for &other in &others {
        did = done(&mut bench, instant_at_us(2), other, GOOD);
    }
    let [back] = did.sent_requests()[..] else { panic!("{did:?}") };
    let request = *bench.requests().request(back.1);
    assert_eq!((back.0, request.is_write(), request.bytes), (first.0, true, 4096), "the strip that it is in");
    let [again] = done(&mut bench, instant_at_us(3), back, GOOD).sent_requests()[..] else {
        panic!("it is read again")
    };
    assert_eq!(done(&mut bench, instant_at_us(4), again, GOOD).sent_answers(), [(id, GOOD)]);
    finish(&mut bench, instant_at_us(4), id);
    assert_eq!(bench.component.counts[meter::REPAIRED], 1);
}

#[test]
fn what_is_without_redundancy_and_cannot_be_read_is_answered_so() {
    let mut bench = array("[layout]\nlevel = \"0\"", 2, 1 << 20);
    let (id, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512));
    let did = done(&mut bench, instant_at_us(1), did.sent_requests()[0], Status::Unreadable);
    assert_eq!(did.sent_answers(), [(id, Status::Unreadable)]);
    finish(&mut bench, instant_at_us(2), id);
}

#[test]
fn a_write_that_a_member_refuses_is_handed_on_and_written_to_the_end() {
    let mut bench = array(RAID_5, 4, 1 << 20);
    let (id, _) = bench.ask(instant_at_us(0), ASKED, sample_write(0, 3 * 4096));
    let writes = bench.receive(instant_at_us(0), ASKED, Message::WriteDataUpTo(id, 3 * 4096)).sent_requests();
    for &write in &writes[..3] {
        done(&mut bench, instant_at_us(5), write, GOOD);
    }
    let did = done(&mut bench, instant_at_us(5), writes[3], Status::Busy);
    assert_eq!(did.sent_answers(), [(id, Status::Busy)]);
    bench.close_request(instant_at_us(6), ASKED, id);
    // Three milliseconds later the refused request is sent to the member again.
    let [again] = bench.handle_due_timer(instant_at_us(3_005)).sent_requests()[..] else {
        panic!("one part")
    };
    assert_eq!(again.0, writes[3].0);
    done(&mut bench, instant_at_us(3_010), again, GOOD);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_spare_is_rebuilt_after_the_delay_and_then_works() {
    let keys = "spares = 1\n[layout]\nlevel = \"1\"\n[rebuild]\ndelay = \"1 ms\"\nstep = \"1 MiB\"";
    let mut bench = array(keys, 3, 1 << 20);
    let (id, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512));
    let did = done(&mut bench, instant_at_us(10), did.sent_requests()[0], FAILED);
    let [again] = did.sent_requests()[..] else { panic!("the other copy") };
    assert_eq!((again.0, did.timer_times()), (2, vec![instant_at_us(1_010)]));
    done(&mut bench, instant_at_us(20), again, GOOD);
    bench.close_request(instant_at_us(20), ASKED, id);
    let [piece] = bench.handle_due_timer(instant_at_us(1_010)).sent_requests()[..] else {
        panic!("all in one piece")
    };
    assert_eq!(piece.0, 2);
    // A write to rows that are being rebuilt waits for their rebuild.
    let (id, _) = bench.ask(instant_at_us(1_020), ASKED, sample_write(0, 512));
    assert!(
        bench
            .receive(instant_at_us(1_020), ASKED, Message::WriteDataUpTo(id, 512))
            .sent_requests()
            .is_empty()
    );
    let [write] = done(&mut bench, instant_at_us(1_030), piece, GOOD).sent_requests()[..] else {
        panic!("onto the spare")
    };
    assert_eq!(write.0, 3);
    let did = done(&mut bench, instant_at_us(1_040), write, GOOD);
    assert_eq!(
        did.sent_requests().iter().map(|&(port, _)| port).collect::<Vec<_>>(),
        [3, 2],
        "to both copies"
    );
    assert_eq!(bench.component.gauge(instant_at_us(1_040), gauge::MEMBERS, 0), 2);
    assert_eq!(bench.component.rebuild_time, Span::from_us(30));
}

/// An idle member fails at each level, and its rebuild on a spare begins at that moment.
#[test]
fn a_member_is_known_to_have_failed_when_it_fails_and_a_spare_is_rebuilt_at_once() {
    for level in ["\"1\"", "\"1+0\"", "\"10\"", "\"4\"", "\"5\"", "\"6\""] {
        let keys = format!("spares = 1\n[layout]\nlevel = {level}\n[rebuild]\nreplacement_check = \"never\"");
        let mut bench = array(&keys, 5, 1 << 20);
        let did = bench.apply_action(instant_at_us(5), Action::DeviceFails(11));
        assert!(!did.sent_requests().is_empty(), "{level}: members are read for the rebuild");
        assert!(did.sent_requests().iter().all(|&(port, _)| port != 2), "{level}: the failed one is not");
        assert_eq!(did.failed_devices, [0; 0], "{level}: the array works");
        assert_eq!(bench.component.gauge(instant_at_us(5), gauge::MEMBERS, 0), 3, "{level}");
        assert_eq!(bench.component.counts[meter::FAILURES], 1, "{level}");
    }
}

#[test]
fn a_spare_that_fails_is_no_spare() {
    let mut bench = array("spares = 1\n[layout]\nlevel = \"1\"", 3, 1 << 20);
    assert_eq!(bench.apply_action(instant_at_us(0), Action::DeviceFails(12)).sent_requests(), []);
    assert_eq!(
        bench.apply_action(instant_at_us(1), Action::DeviceFails(10)).sent_requests(),
        [],
        "there is nothing to rebuild on"
    );
    assert_eq!(
        bench.apply_action(instant_at_us(2), Action::DeviceFails(11)).failed_devices,
        [0],
        "no copy is left"
    );
}

#[test]
fn an_array_that_loses_more_than_its_level_makes_up_for_has_failed_itself() {
    let failed = |level: &str, members: &[u32]| {
        let mut bench = array(&format!("[layout]\nlevel = \"{level}\""), 4, 1 << 20);
        let act = |&member: &u32| {
            bench.apply_action(instant_at_us(0), Action::DeviceFails(10 + member)).failed_devices.len()
        };
        members.iter().map(act).collect::<Vec<_>>()
    };
    assert_eq!(failed("0", &[3]), [1]);
    assert_eq!(failed("5", &[0, 1]), [0, 1]);
    assert_eq!(failed("6", &[0, 1, 2]), [0, 0, 1]);
    assert_eq!(failed("1+0", &[0, 2, 3]), [0, 0, 1], "another mirror first, then all of one");
}
