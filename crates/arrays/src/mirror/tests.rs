//! Tests of a mirror, input by input.

use super::*;
use sansim_component::bench::{
    BenchRequestPlace, ComponentBench, InputEffects, instant_at_us, sample_read, sample_write,
};
use sansim_component::policy::PolicyName;
use sansim_kernel::Span;
use sansim_request::DataId;

const GOOD: Status = Status::Good;
const FAILED: Status = Status::Failed;

/// The port by which the mirror gets requests; copy `n` is device `10 + n` and is reached by port `1 + n`.
const ASKED: u16 = 0;

fn mirror(copies: u16, read_policy: PolicyName) -> ComponentBench<Mirror> {
    let copies: Vec<(u16, u32, bool)> =
        (0..copies).map(|copy| (1 + copy, 10 + u32::from(copy), false)).collect();
    let ports = 1 + copies.len() as u16;
    ComponentBench::new(Mirror::new(&MirrorParameters { read_policy: read_policy.into() }, 0, &copies), ports)
}

/// A write whose data have come, and the requests to its copies.
fn begin_write(bench: &mut ComponentBench<Mirror>) -> (RequestId, Vec<(u16, RequestId)>) {
    let (id, did) = bench.ask(instant_at_us(0), ASKED, sample_write(8, 4096));
    assert_eq!(did.sent, [(ASKED, Message::WriteCredit(id, 4096))], "its data come first");
    assert_eq!(
        bench.receive(instant_at_us(1), ASKED, Message::WriteDataUpTo(id, 2048)).sent,
        [],
        "not all are in"
    );
    let did = bench.receive(instant_at_us(2), ASKED, Message::WriteDataUpTo(id, 4096));
    (id, did.sent_requests())
}

fn ports(asked: &[(u16, RequestId)]) -> Vec<u16> {
    asked.iter().map(|&(port, _)| port).collect()
}

fn done(
    bench: &mut ComponentBench<Mirror>,
    now: u64,
    (port, part): (u16, RequestId),
    status: Status,
) -> InputEffects {
    bench.receive(instant_at_us(now), port, Message::Done(part, status))
}

/// The initiator closes the request, and no state is left.
fn finish(bench: &mut ComponentBench<Mirror>, now: u64, id: RequestId) {
    bench.close_request(instant_at_us(now), ASKED, id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_write_goes_to_all_copies_and_is_done_with_the_last() {
    let mut bench = mirror(3, PolicyName::First);
    let (id, parts) = begin_write(&mut bench);
    let wanted = *bench.requests().request(id);
    for (copy, &(port, part)) in (0..).zip(&parts) {
        assert_eq!(port, 1 + copy);
        let expected = Request { parent: Some(id), device: 10 + u32::from(copy), ..wanted };
        assert_eq!(*bench.requests().request(part), expected);
    }
    // The copies answer in another order than that of their requests.
    for (now, copy) in [(10, 2), (20, 0)] {
        assert_eq!(
            done(&mut bench, now, parts[copy], GOOD).sent,
            [(parts[copy].0, Message::Release(parts[copy].1))]
        );
    }
    assert_eq!(done(&mut bench, 50, parts[1], GOOD).sent_answers(), [(id, GOOD)]);
    finish(&mut bench, 50, id);
    // The time at the devices is that of the copy that was last.
    let stays = [
        (BenchRequestPlace::Here(0), Span::from_us(2)),
        (BenchRequestPlace::Beyond(2, 0), Span::from_us(48)),
    ];
    assert_eq!(bench.dwells_of_request(id), stays);
}

#[test]
fn data_pass_through_the_memory_of_who_asks() {
    let mut bench = mirror(2, PolicyName::First);
    let (_, parts) = begin_write(&mut bench);
    let (port, part) = parts[1];
    let did = bench.receive(instant_at_us(3), port, Message::WriteCredit(part, 4096));
    assert_eq!(did.sent, [(port, Message::WriteDataUpTo(part, 4096))]);
    let (_, did) = bench.ask(instant_at_us(4), ASKED, sample_read(0, 512));
    let (port, part) = did.sent_requests()[0];
    let did = bench.receive(instant_at_us(5), port, Message::ReadDataUpTo(part, 512));
    assert_eq!(did.sent, [(port, Message::ReadConsumedUpTo(part, 512))]);
}

#[test]
fn a_read_goes_to_the_copy_that_the_policy_chooses() {
    let chosen = |policy| {
        let mut bench = mirror(2, policy);
        [0; 4].map(|_| bench.ask(instant_at_us(0), ASKED, sample_read(0, 512)).1.sent_requests()[0].0)
    };
    assert_eq!(chosen(PolicyName::First), [1; 4]);
    assert_eq!(chosen(PolicyName::RoundRobin), [1, 2, 1, 2]);
    assert_eq!(chosen(PolicyName::LeastOutstanding), [1, 2, 1, 2]);
}

/// Copies are behind one port as two volumes of one pool are, or two devices behind one cache.
#[test]
fn copies_behind_one_port_are_told_apart() {
    let copies = [(1, 10, false), (1, 11, false)];
    let parameters = MirrorParameters { read_policy: PolicyName::LeastOutstanding.into() };
    let mut bench = ComponentBench::new(Mirror::new(&parameters, 0, &copies), 2);
    let (id, parts) = begin_write(&mut bench);
    assert_eq!(ports(&parts), [1, 1]);
    assert_eq!(done(&mut bench, 10, parts[1], FAILED).sent_answers(), []);
    assert_eq!(done(&mut bench, 20, parts[0], GOOD).sent_answers(), [(id, GOOD)]);
    finish(&mut bench, 20, id);
    assert_eq!(bench.component.constant(0), 1.0, "one copy works");
    // The first copy still works, and has no request in work.
    let (_, did) = bench.ask(instant_at_us(30), ASKED, sample_read(0, 512));
    let (_, part) = did.sent_requests()[0];
    assert_eq!(bench.requests().request(part).device, 10);
    assert!(bench.component.copies.iter().all(|copy| copy.outstanding == u32::from(copy.device == 10)));
}

#[test]
fn a_read_hands_its_data_on_with_the_answer() {
    let mut bench = mirror(2, PolicyName::First);
    let (id, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512));
    let did = done(&mut bench, 30, did.sent_requests()[0], GOOD);
    assert_eq!(did.messages_sent_at_port(ASKED), [Message::ReadDataUpTo(id, 512), Message::Done(id, GOOD)]);
    finish(&mut bench, 30, id);
}

#[test]
fn a_write_that_one_copy_fails_is_good_and_the_copy_is_out() {
    let mut bench = mirror(2, PolicyName::RoundRobin);
    let (id, parts) = begin_write(&mut bench);
    assert_eq!(done(&mut bench, 10, parts[0], FAILED).sent_answers(), []);
    assert_eq!(bench.component.gauge(sansim_kernel::Time::ZERO, 0, 0), 1);
    assert_eq!(done(&mut bench, 20, parts[1], GOOD).sent_answers(), [(id, GOOD)]);
    finish(&mut bench, 20, id);
    // From now on the mirror excludes the failed copy: it misses later writes.
    let mut next = || {
        let (id, _) = bench.ask(instant_at_us(30), ASKED, sample_write(0, 512));
        let asked = bench.receive(instant_at_us(30), ASKED, Message::WriteDataUpTo(id, 512)).sent_requests();
        let (_, did) = bench.ask(instant_at_us(30), ASKED, sample_read(0, 512));
        (ports(&asked), ports(&did.sent_requests()))
    };
    assert_eq!(next(), (vec![2], vec![2]));
    assert_eq!(next(), (vec![2], vec![2]));
    assert_eq!(bench.component.constant(0), 1.0);
}

#[test]
fn a_write_whose_last_copy_fails_is_good_if_another_was() {
    let mut bench = mirror(2, PolicyName::First);
    let (id, parts) = begin_write(&mut bench);
    done(&mut bench, 10, parts[0], GOOD);
    assert_eq!(done(&mut bench, 20, parts[1], FAILED).sent_answers(), [(id, GOOD)]);
    finish(&mut bench, 20, id);
}

#[test]
fn a_read_that_a_copy_fails_is_asked_for_again_at_another() {
    let mut bench = mirror(3, PolicyName::First);
    let (id, did) = bench.ask(instant_at_us(0), ASKED, Request { data: DataId(5), ..sample_read(8, 512) });
    let first = did.sent_requests()[0];
    let did = done(&mut bench, 10, first, FAILED);
    assert_eq!((did.sent_answers(), ports(&did.sent_requests())), (vec![], vec![2]));
    let second = did.sent_requests()[0];
    assert_eq!(bench.requests().request(second.1).lba, 8);
    let did = done(&mut bench, 25, second, GOOD);
    assert_eq!(did.sent_answers(), [(id, GOOD)]);
    finish(&mut bench, 30, id);
    // Both attempts lasted some time, and then the initiator closed the request.
    let spent = |place, us| (place, Span::from_us(us));
    let stays = [
        spent(BenchRequestPlace::Beyond(1, 0), 10),
        spent(BenchRequestPlace::Beyond(2, 0), 15),
        spent(BenchRequestPlace::Here(0), 5),
    ];
    assert_eq!(bench.dwells_of_request(id), stays);
}

#[test]
fn it_fails_a_request_when_no_copy_is_left() {
    let mut bench = mirror(2, PolicyName::First);
    let (id, parts) = begin_write(&mut bench);
    done(&mut bench, 10, parts[0], FAILED);
    assert_eq!(done(&mut bench, 20, parts[1], FAILED).sent_answers(), [(id, FAILED)]);
    finish(&mut bench, 20, id);
    let (id, did) = bench.ask(instant_at_us(30), ASKED, sample_read(0, 512));
    assert_eq!(did.sent, [(ASKED, Message::Done(id, FAILED))], "no data");
    finish(&mut bench, 30, id);
    let (id, parts) = begin_late(&mut bench);
    assert_eq!(parts, [(id, FAILED)]);
    finish(&mut bench, 40, id);
}

/// A write when no copy works, and the answers to it.
fn begin_late(bench: &mut ComponentBench<Mirror>) -> (RequestId, Vec<(RequestId, Status)>) {
    let (id, _) = bench.ask(instant_at_us(40), ASKED, sample_write(0, 512));
    (id, bench.receive(instant_at_us(40), ASKED, Message::WriteDataUpTo(id, 512)).sent_answers())
}

#[test]
fn a_read_fails_when_the_last_copy_that_is_left_fails_it() {
    let mut bench = mirror(2, PolicyName::First);
    let (id, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512));
    let did = done(&mut bench, 10, did.sent_requests()[0], FAILED);
    assert_eq!(done(&mut bench, 20, did.sent_requests()[0], FAILED).sent_answers(), [(id, FAILED)]);
    finish(&mut bench, 20, id);
}

#[test]
fn writes_under_way_to_a_copy_that_is_out_still_wait_for_it() {
    let mut bench = mirror(2, PolicyName::First);
    let (first, of_first) = begin_write(&mut bench);
    let (second, of_second) = {
        let (id, _) = bench.ask(instant_at_us(3), ASKED, sample_write(0, 512));
        (id, bench.receive(instant_at_us(3), ASKED, Message::WriteDataUpTo(id, 512)).sent_requests())
    };
    done(&mut bench, 10, of_first[0], FAILED);
    done(&mut bench, 11, of_second[1], GOOD);
    assert_eq!(done(&mut bench, 12, of_second[0], FAILED).sent_answers(), [(second, GOOD)]);
    assert_eq!(done(&mut bench, 13, of_first[1], GOOD).sent_answers(), [(first, GOOD)]);
}

#[test]
fn a_copy_that_cannot_be_read_is_not_asked_again_for_that_read_whatever_becomes_of_others() {
    let mut bench = mirror(3, PolicyName::First);
    let (id, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512));
    let did = done(&mut bench, 10, did.sent_requests()[0], Status::Unreadable);
    let second = did.sent_requests()[0];
    assert_eq!(second.0, 2);
    let (other, did) = bench.ask(instant_at_us(11), ASKED, sample_read(8, 512));
    done(&mut bench, 12, did.sent_requests()[0], GOOD);
    bench.close_request(instant_at_us(13), ASKED, other);
    let did = done(&mut bench, 20, second, Status::Unreadable);
    assert_eq!(ports(&did.sent_requests()), [3], "the third copy is left");
    assert_eq!(done(&mut bench, 30, did.sent_requests()[0], GOOD).sent_answers(), [(id, GOOD)]);
    finish(&mut bench, 30, id);
    // The number of the request is used again, and its unreadable data do not affect the new request.
    let (again, did) = bench.ask(instant_at_us(40), ASKED, sample_read(0, 512));
    assert_eq!((again, ports(&did.sent_requests())), (id, vec![1]));
}

#[test]
fn a_copy_that_fails_is_out_at_that_moment_though_nobody_asks_it() {
    let mut bench = mirror(2, PolicyName::First);
    assert_eq!(
        bench.apply_action(instant_at_us(0), Action::DeviceFails(10)).failed_devices,
        [0; 0],
        "one is left"
    );
    let (id, did) = bench.ask(instant_at_us(5), ASKED, sample_read(8, 512));
    assert_eq!(ports(&did.sent_requests()), [2]);
    assert_eq!(done(&mut bench, 6, did.sent_requests()[0], GOOD).sent_answers(), [(id, GOOD)]);
    finish(&mut bench, 7, id);
    assert_eq!(
        bench.apply_action(instant_at_us(8), Action::DeviceFails(11)).failed_devices,
        [0],
        "none is left"
    );
    assert_eq!(
        bench.apply_action(instant_at_us(8), Action::DeviceFails(11)).failed_devices,
        [0; 0],
        "it is known"
    );
}

#[test]
fn reads_that_follow_each_other_stay_at_a_copy_and_others_go_round() {
    let mut bench = mirror(2, PolicyName::Balanced);
    let mut at = 0;
    let mut asked = |bench: &mut ComponentBench<Mirror>, lba: u64| {
        let (id, did) = bench.ask(instant_at_us(at), ASKED, sample_read(lba, 512));
        let part = did.sent_requests()[0];
        done(bench, at + 1, part, GOOD);
        bench.close_request(instant_at_us(at + 1), ASKED, id);
        at += 2;
        part.0
    };
    assert_eq!([0, 1, 2, 3].map(|lba| asked(&mut bench, lba)), [1; 4]);
    assert_eq!([700, 100, 900, 300].map(|lba| asked(&mut bench, lba)), [2, 1, 2, 1]);
}
