//! Tests of drives with and without a cache, input by input.

use super::*;
use sansim_component::bench::{
    BenchRequestPlace, ComponentBench, InputEffects, instant_at_ms, instant_at_us, sample_read, sample_write,
};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

/// The size of a block on drives with a cache; the medium moves a block in a millisecond.
const BLOCK: u64 = 512;

const GOOD: Status = Status::Good;
const FAILED: Status = Status::Failed;

fn parameters(concurrency: u32, more: &str) -> DriveParameters {
    let keys = format!(
        "access_time = \"2 ms\"\ntransfer_rate = \"50 MiB/s\"\nwrite_transfer = \"after-data\"\n{more}"
    );
    let parameters = DriveParameters::from_toml(&keys, &Facts::default()).expect("keys of a drive");
    DriveParameters { concurrency, ..parameters }
}

/// A bench with a drive that gets its commands on port 0.
fn on_bench(parameters: &DriveParameters) -> ComponentBench<Drive> {
    ComponentBench::new(Drive::new(parameters, RandomStream::new(1, "drive")), 1)
}

fn drive(concurrency: u32, more: &str) -> ComponentBench<Drive> {
    on_bench(&parameters(concurrency, more))
}

/// A drive that reads and writes a block per ms, with a cache segment of 100 blocks and sequences of 20 blocks.
fn cached() -> ComponentBench<Drive> {
    on_bench(&DriveParameters {
        transfer_rate: 1_000 * BLOCK,
        cache: Some(100 * BLOCK),
        read_sequence: Some(20 * BLOCK),
        ..parameters(1, "")
    })
}

/// The expected actions: the request enters this segment, and the drive sets a timer for this time.
fn stage(id: RequestId, stage: DriveStage, at: Time) -> (Vec<(RequestId, BenchRequestPlace)>, Vec<Time>) {
    (vec![(id, BenchRequestPlace::Here(stage as usize))], vec![at])
}

fn staged(did: &InputEffects) -> (Vec<(RequestId, BenchRequestPlace)>, Vec<Time>) {
    (did.entered.clone(), did.timer_times())
}

/// The time in which the drive was busy.
fn worked(bench: &ComponentBench<Drive>, now: Time) -> Total {
    bench.component.meter(now, meter::WORKING)
}

fn span(ms: u64) -> Total {
    Span::from_ms(ms).into()
}

#[test]
fn a_cached_drive_sends_what_it_read_ahead_at_once() {
    let mut bench = cached();
    let (id, did) = bench.ask(instant_at_ms(0), 0, sample_read(0, 40 * BLOCK));
    assert_eq!(staged(&did), stage(id, DriveStage::Access, instant_at_ms(2)));
    assert_eq!(
        staged(&bench.handle_due_timer(instant_at_ms(2))),
        stage(id, DriveStage::Transfer, instant_at_ms(22))
    );
    let did = bench.handle_due_timer(instant_at_ms(22));
    let ready = |id, blocks: u64| Message::ReadDataUpTo(id, blocks * BLOCK);
    assert_eq!(
        (did.messages_sent_at_port(0), did.timer_times()),
        (vec![ready(id, 20)], vec![instant_at_ms(42)])
    );
    assert_eq!(
        bench.handle_due_timer(instant_at_ms(42)).messages_sent_at_port(0),
        [ready(id, 40), Message::Done(id, GOOD)]
    );
    bench.close_request(instant_at_ms(43), 0, id);
    // The medium reads ahead until 100 blocks are in the segment, and stops then.
    let (id, did) = bench.ask(instant_at_ms(500), 0, sample_read(40, 140 * BLOCK));
    assert_eq!(did.messages_sent_at_port(0), [20, 40, 60].map(|end| ready(id, end)));
    assert_eq!(did.timer_times(), [instant_at_ms(520)]);
    bench.handle_due_timer(instant_at_ms(520));
    assert_eq!(bench.handle_due_timer(instant_at_ms(540)).wakes, [], "the segment is full");
    assert_eq!(worked(&bench, instant_at_ms(540)), span(2 + 100 + 40));
    assert_eq!(worked(&bench, instant_at_ms(600)), span(2 + 100 + 40), "and the medium stands still");
    let did = bench.receive(instant_at_ms(600), 0, Message::ReadConsumedUpTo(id, 20 * BLOCK));
    assert_eq!(did.timer_times(), [instant_at_ms(620)], "there is room for more");
}

#[test]
fn a_cached_drive_takes_a_write_at_once_and_the_next_when_there_is_room() {
    let mut bench = cached();
    let burst = 90 * BLOCK;
    let (id, did) = bench.ask(instant_at_ms(0), 0, sample_write(0, burst));
    let room = |id| vec![(0, Message::WriteCredit(id, burst))];
    assert_eq!(did.sent, room(id), "its data can come while the medium is being positioned");
    let did = bench.receive(instant_at_ms(1), 0, Message::WriteDataUpTo(id, burst));
    assert_eq!(did.sent_answers(), [(id, GOOD)]);
    bench.close_request(instant_at_ms(1), 0, id);
    let (id, did) = bench.ask(instant_at_ms(2), 0, sample_write(90, burst));
    assert_eq!(staged(&did), stage(id, DriveStage::MediumTaken, instant_at_ms(82)));
    assert_eq!(bench.handle_due_timer(instant_at_ms(82)).sent, room(id));
    bench.receive(instant_at_ms(83), 0, Message::WriteDataUpTo(id, burst));
    bench.close_request(instant_at_ms(83), 0, id);
    let (id, did) = bench.ask(instant_at_ms(84), 0, sample_read(0, 2 * BLOCK));
    let waits = stage(id, DriveStage::MediumTaken, instant_at_ms(182));
    assert_eq!(staged(&did), waits, "what was written is on the medium first");
    assert_eq!(
        staged(&bench.handle_due_timer(instant_at_ms(182))),
        stage(id, DriveStage::Access, instant_at_ms(184))
    );
    assert_eq!(bench.component.positioning(instant_at_ms(183)), span(2 + 1));
    assert_eq!(bench.component.transferring(instant_at_ms(183)), span(180));
}

#[test]
fn a_read_takes_its_access_from_receipt_and_then_the_media_transfer() {
    let mut bench = drive(1, "");
    let id = bench.open_request(instant_at_ms(0), sample_read(0, 32 << 10));
    let did = bench.receive(instant_at_us(67), 0, Message::Request(id, instant_at_ms(0)));
    assert_eq!(staged(&did), stage(id, DriveStage::Access, instant_at_ms(2)));
    let done = instant_at_us(2_625);
    assert_eq!(staged(&bench.handle_due_timer(instant_at_ms(2))), stage(id, DriveStage::Transfer, done));
    assert_eq!(
        bench.handle_due_timer(done).messages_sent_at_port(0),
        [Message::ReadDataUpTo(id, 32 << 10), Message::Done(id, GOOD)]
    );
    bench.close_request(done, 0, id);
    let from = |stage: DriveStage, us| (BenchRequestPlace::Here(stage as usize), Span::from_us(us));
    let stays = [
        // The first 67 us passed before the firmware had the command.
        from(DriveStage::Queue, 67),
        from(DriveStage::Access, 2_000 - 67),
        from(DriveStage::Transfer, 625),
    ];
    assert_eq!((bench.dwells_of_request(id), bench.leftovers()), (stays.to_vec(), vec![]));
}

#[test]
fn a_read_in_sequences_hands_on_each_when_the_medium_has_it() {
    let mut bench = drive(1, "read_sequence = \"32 KiB\"");
    let (id, _) = bench.ask(instant_at_ms(0), 0, sample_read(0, 80 << 10));
    bench.handle_due_timer(instant_at_ms(2));
    for (kib, ns) in [(32, 625_000), (64, 1_250_000), (80, 1_562_500)] {
        let did = bench.handle_due_timer(instant_at_ms(2) + Span::from_ns(ns));
        assert_eq!(did.messages_sent_at_port(0)[0], Message::ReadDataUpTo(id, kib << 10));
        // For a later sequence the adapter enters the segment when it has sent the sequence before.
        assert_eq!((did.entered, did.wakes.is_empty()), (vec![], kib == 80));
    }
}

#[test]
fn a_write_asks_for_each_burst_and_is_written_when_all_are_in() {
    let mut bench = drive(1, "burst = \"64 KiB\"");
    let (id, _) = bench.ask(instant_at_ms(0), 0, sample_write(0, 96 << 10));
    let room = |upto: u64| [(0, Message::WriteCredit(id, upto << 10))];
    assert_eq!(bench.handle_due_timer(instant_at_ms(2)).sent, room(64));
    assert_eq!(bench.receive(instant_at_ms(2), 0, Message::WriteDataUpTo(id, 64 << 10)).sent, room(96));
    let did = bench.receive(instant_at_ms(2), 0, Message::WriteDataUpTo(id, 96 << 10));
    let written = instant_at_us(2_000 + 1_875);
    assert_eq!(staged(&did), stage(id, DriveStage::Transfer, written));
    assert_eq!(bench.handle_due_timer(written).sent_answers(), [(id, GOOD)]);
}

#[test]
fn a_write_may_pay_for_its_transfer_before_its_data_come() {
    let mut bench =
        on_bench(&DriveParameters { write_transfer: WriteTransfer::BeforeData, ..parameters(1, "") });
    let (id, _) = bench.ask(instant_at_ms(0), 0, sample_write(0, 96 << 10));
    let transferred = instant_at_us(2_000 + 1_875);
    assert_eq!(
        staged(&bench.handle_due_timer(instant_at_ms(2))),
        stage(id, DriveStage::Transfer, transferred)
    );
    assert_eq!(bench.handle_due_timer(transferred).sent, [(0, Message::WriteCredit(id, 96 << 10))]);
    let did = bench.receive(instant_at_ms(5), 0, Message::WriteDataUpTo(id, 96 << 10));
    assert_eq!((did.sent_answers(), did.wakes), (vec![(id, GOOD)], vec![]));
}

#[test]
fn no_more_commands_are_in_work_than_the_limit() {
    let mut bench = drive(2, "");
    let [first, _, third] = [0; 3].map(|_| bench.ask(instant_at_ms(0), 0, sample_read(0, 512)));
    assert_eq!(
        (staged(&third.1), bench.place_of_request(third.0)),
        ((vec![], vec![]), BenchRequestPlace::Here(0))
    );
    bench.handle_due_timer(instant_at_ms(2));
    bench.handle_due_timer(instant_at_ms(2));
    let transferred = bench.timers()[0].0;
    bench.handle_due_timer(transferred);
    bench.handle_due_timer(transferred);
    let did = bench.close_request(instant_at_ms(3), 0, first.0);
    let access = stage(third.0, DriveStage::Access, instant_at_ms(5));
    assert_eq!(staged(&did), access, "its access begins when it is taken into work");
    assert_eq!(bench.component.in_work.len(), 2);
}

#[test]
fn a_drive_that_fails_answers_once_what_it_has_not_answered() {
    let mut bench = drive(2, "");
    let [answered, in_work] = [0, 1].map(|at| bench.ask(instant_at_ms(at), 0, sample_read(0, 512)).0);
    let waiting = [0; 2].map(|_| bench.ask(instant_at_ms(1), 0, sample_write(0, 512)).0);
    bench.handle_due_timer(instant_at_ms(2));
    let at = bench.timers()[0].0;
    assert_eq!(bench.handle_due_timer(at).sent_answers(), [(answered, GOOD)]);
    let did = bench.apply_action(instant_at_us(2_500), Action::Fail);
    assert_eq!(did.sent_answers(), [(waiting[0], FAILED), (waiting[1], FAILED), (in_work, FAILED)]);
    assert_eq!(did.cancelled, [(instant_at_ms(3), Timer::new(0, in_work.0))]);
    // The initiator closes the commands at different times, and may report data that came meanwhile.
    bench.receive(instant_at_us(2_600), 0, Message::ReadConsumedUpTo(in_work, 512));
    bench.receive(instant_at_us(2_600), 0, Message::WriteDataUpTo(waiting[0], 512));
    for id in [answered, in_work, waiting[0], waiting[1]] {
        assert_eq!(bench.close_request(instant_at_ms(3), 0, id), InputEffects::default());
    }
    assert_eq!(bench.leftovers(), [""; 0]);
    assert_eq!(
        bench.apply_action(instant_at_ms(3), Action::Fail),
        InputEffects::default(),
        "it has failed already"
    );
}

#[test]
fn a_failed_drive_refuses_at_once_until_it_is_repaired() {
    let mut bench = drive(1, "");
    bench.apply_action(instant_at_ms(1), Action::Fail);
    let (id, did) = bench.ask(instant_at_ms(2), 0, sample_write(0, 512));
    assert_eq!((did.sent_answers(), did.wakes), (vec![(id, FAILED)], vec![]));
    bench.close_request(instant_at_ms(2), 0, id);
    bench.apply_action(instant_at_ms(3), Action::Repair);
    let (id, did) = bench.ask(instant_at_ms(4), 0, sample_read(0, 512));
    assert_eq!(staged(&did), stage(id, DriveStage::Access, instant_at_ms(6)));
}

#[test]
fn a_drive_that_fails_was_at_work_until_then_and_no_longer() {
    let at_all_times = |bench: &mut ComponentBench<Drive>, expected: [u64; 2]| {
        let before = worked(bench, instant_at_ms(3));
        bench.apply_action(instant_at_ms(3), Action::Fail);
        let after = [instant_at_ms(3), instant_at_ms(900)].map(|now| worked(bench, now));
        assert_eq!((before, after), (span(expected[0]), expected.map(span)));
        assert_eq!(
            bench.component.meter(instant_at_ms(900), meter::OCCUPIED),
            bench.component.meter(instant_at_ms(3), meter::OCCUPIED)
        );
    };
    // One command is in its access, another in its transfer of 20 ms.
    let mut bench = drive(2, "");
    bench.ask(instant_at_ms(0), 0, sample_read(0, 1 << 20));
    bench.handle_due_timer(instant_at_ms(2));
    bench.ask(instant_at_ms(2), 0, sample_read(0, 512));
    at_all_times(&mut bench, [2 + 1 + 1; 2]);
    // The drive of this part has a medium that reads ahead.
    let mut bench = cached();
    bench.ask(instant_at_ms(0), 0, sample_read(0, 40 * BLOCK));
    bench.handle_due_timer(instant_at_ms(2));
    at_all_times(&mut bench, [2 + 1; 2]);
}

#[test]
fn a_cached_drive_that_was_repaired_has_nothing_in_its_cache() {
    let mut bench = cached();
    let (id, _) = bench.ask(instant_at_ms(0), 0, sample_read(0, 20 * BLOCK));
    bench.handle_due_timer(instant_at_ms(2));
    bench.handle_due_timer(instant_at_ms(22));
    bench.close_request(instant_at_ms(22), 0, id);
    bench.apply_action(instant_at_ms(50), Action::Fail);
    bench.apply_action(instant_at_ms(60), Action::Repair);
    let (id, did) = bench.ask(instant_at_ms(70), 0, sample_read(20, 20 * BLOCK));
    assert_eq!(staged(&did), stage(id, DriveStage::Access, instant_at_ms(72)));
}

#[test]
fn a_full_drive_says_queue_full_and_takes_one_more_when_one_is_done() {
    let mut bench = drive(1, "queue_limit = 2");
    let asked = [0; 3].map(|_| bench.ask(instant_at_us(0), 0, sample_read(0, BLOCK)));
    let [first, second, third] = [0, 1, 2].map(|number| asked[number].0);
    assert_eq!([0, 1, 2].map(|number| asked[number].1.sent_answers().len()), [0, 0, 1]);
    assert_eq!(asked[2].1.sent_answers(), [(third, Status::QueueFull)]);
    bench.receive(instant_at_us(5), 0, Message::Abort(second));
    assert_eq!(
        bench.ask(instant_at_us(6), 0, sample_read(0, BLOCK)).1.sent_answers(),
        [],
        "there is room again"
    );
    let did = bench.receive(instant_at_us(7), 0, Message::Abort(first));
    assert_eq!(did.sent_answers(), [(first, Status::Aborted)]);
}

#[test]
fn an_aborted_command_leaves_at_once_and_what_was_to_come_of_it_does_not() {
    let mut bench = drive(1, "");
    let [first, second] = [0; 2].map(|_| bench.ask(instant_at_us(0), 0, sample_read(0, BLOCK)).0);
    let did = bench.receive(instant_at_us(500), 0, Message::Abort(first));
    assert_eq!((did.sent_answers(), did.cancelled.len()), (vec![(first, Status::Aborted)], 1));
    assert_eq!(staged(&did), stage(second, DriveStage::Access, instant_at_us(2_500)), "the next begins");
    assert_eq!(worked(&bench, instant_at_us(500)), Span::from_us(500).into());
    assert_eq!(
        bench.receive(instant_at_us(501), 0, Message::Abort(first)),
        InputEffects::default(),
        "it is gone"
    );
    bench.receive(instant_at_us(502), 0, Message::Abort(second));
    for id in [first, second] {
        bench.close_request(instant_at_us(600), 0, id);
    }
    assert_eq!(bench.leftovers(), [""; 0]);
    assert_eq!(worked(&bench, instant_at_ms(9)), Span::from_us(502).into());
}

#[test]
fn an_answer_that_is_under_way_is_not_called_back() {
    let mut bench = drive(1, "");
    let (id, _) = bench.ask(instant_at_us(0), 0, sample_read(0, BLOCK));
    bench.handle_due_timer(instant_at_ms(2));
    let done = bench.component.in_work[0].until;
    assert_eq!(bench.handle_due_timer(done).sent_answers(), [(id, GOOD)]);
    assert_eq!(bench.receive(done, 0, Message::Abort(id)), InputEffects::default());
    bench.receive(done, 0, Message::Release(id));
    bench.close_request(done, 0, id);
    assert_eq!(bench.leftovers(), [""; 0]);
}
