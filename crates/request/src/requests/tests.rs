use super::*;
use crate::data::DataId;
use crate::request::{Operation, RequestOrigin};

const QUEUE: LedgerLine = LedgerLine(0);
const WORK: LedgerLine = LedgerLine(1);
const WIRE: LedgerLine = LedgerLine(2);

fn request(number: u64) -> Request {
    Request {
        number,
        parent: None,
        origin: RequestOrigin {
            workload: 0,
            stream: 0,
            slot: 0,
            background: false,
            priority: crate::NORMAL_PRIORITY,
        },
        operation: Operation::Write,
        device: 0,
        lba: 0,
        bytes: 512,
        cache_control: crate::CacheControl::NONE,
        data: DataId(number),
    }
}

fn spent(requests: &Requests, id: RequestId) -> Vec<(u32, u64)> {
    requests.past_dwells(id).iter().map(|stay| (stay.line.0, stay.spent.ticks())).collect()
}

#[test]
fn a_mirrored_write_takes_as_long_as_the_later_of_its_children_and_was_where_that_one_was() {
    let mut requests = Requests::default();
    let parent = requests.open_request(Time(0), request(0), QUEUE);
    requests.enter_line(Time(4), parent, WORK);
    requests.fork_request(parent, 2);
    let [early, late] = [0, 1].map(|_| requests.open_child(Time(6), parent, request(0), QUEUE));
    requests.enter_line(Time(10), early, WIRE);
    requests.enter_line(Time(20), late, WIRE);
    assert_eq!(requests.close_request(Time(30), early).joined, ParentState::NotYet(parent));
    let returned = requests.close_request(Time(50), late);
    assert_eq!((returned.response, returned.joined), (Span(44), ParentState::Satisfied(parent, None)));
    assert_eq!(requests.close_request(Time(50), parent).response, Span(50));
    assert!(requests.dwells_add_up(parent));
    assert_eq!(spent(&requests, parent), [(QUEUE.0, 4 + 14), (WORK.0, 2), (WIRE.0, 30)]);
    assert_eq!(requests.record_count(), 0);
}

#[test]
fn a_read_that_is_content_with_the_first_answer_goes_on_without_the_other() {
    let mut requests = Requests::default();
    let parent = requests.open_request(Time(0), request(0), QUEUE);
    requests.fork_request(parent, 1);
    let [first, second] = [0, 1].map(|_| requests.open_child(Time(0), parent, request(0), WIRE));
    assert_eq!(requests.close_request(Time(7), first).joined, ParentState::Satisfied(parent, None));
    assert_eq!(requests.close_request(Time(9), parent).response, Span(9));
    assert_eq!(requests.record_count(), 2, "the other child still names its parent");
    assert_eq!(requests.close_request(Time(20), second).joined, ParentState::Nobody);
    assert_eq!(requests.record_count(), 0);
}

#[test]
fn a_number_is_given_again_when_nobody_keeps_it_and_no_frame_is_under_way() {
    let mut requests = Requests::default();
    let id = requests.open_request(Time(0), request(0), QUEUE);
    requests.keep_record(id);
    requests.unit_queued(Time(1), id, WORK);
    requests.close_request(Time(5), id);
    requests.release_record(id);
    let other = requests.open_request(Time(6), request(1), QUEUE);
    assert_ne!(id, other, "a frame is under way");
    requests.unit_received(id);
    assert_eq!(requests.open_request(Time(7), request(2), QUEUE), id);
}

#[test]
fn while_frames_are_under_way_what_is_told_is_where_what_follows_them_is() {
    let mut requests = Requests::default();
    let id = requests.open_request(Time(0), request(0), QUEUE);
    requests.unit_queued(Time(1), id, WIRE);
    requests.set_following_line(Time(2), id, WORK);
    assert_eq!((requests.ledger_line(id), requests.following_line(id)), (WIRE, WORK));
    requests.unit_received(id);
    requests.set_following_line(Time(3), id, requests.following_line(id));
    assert_eq!(requests.ledger_line(id), WORK);
}

#[test]
fn a_request_that_is_held_for_its_data_stays_there_until_they_come() {
    let mut requests = Requests::default();
    let id = requests.open_request(Time(0), request(0), QUEUE);
    requests.hold_in_line(Time(1), id, WIRE);
    requests.set_line_after_preparation(Time(2), id, WORK);
    assert_eq!(requests.ledger_line(id), WIRE);
    requests.enter_line(Time(3), id, QUEUE);
    requests.set_line_after_preparation(Time(4), id, WORK);
    assert_eq!(requests.ledger_line(id), WORK);
}

#[test]
fn a_closed_request_enters_nothing_more() {
    let mut requests = Requests::default();
    let id = requests.open_request(Time(0), request(0), QUEUE);
    requests.keep_record(id);
    assert!(requests.enter_line(Time(1), id, WORK));
    requests.close_request(Time(5), id);
    assert!(!requests.enter_line(Time(6), id, WIRE));
    assert_eq!(spent(&requests, id), [(QUEUE.0, 1), (WORK.0, 4)]);
}

#[test]
fn a_request_waits_for_parts_that_come_behind_others_and_their_way_is_its_own() {
    let mut requests = Requests::default();
    let parent = requests.open_request(Time(0), request(0), QUEUE);
    requests.fork_request(parent, 1);
    let read = requests.open_child(Time(0), parent, request(0), WIRE);
    // Only after the read it is known that a write follows.
    requests.await_more_children(parent, 1);
    let write = requests.open_child_after_sibling(Time(30), parent, request(0), WORK, read);
    assert_eq!(requests.close_request(Time(30), read).joined, ParentState::NotYet(parent));
    assert_eq!(requests.close_request(Time(50), write).joined, ParentState::Satisfied(parent, None));
    assert_eq!(requests.close_request(Time(50), parent).response, Span(50));
    assert_eq!(spent(&requests, parent), [(WIRE.0, 30), (WORK.0, 20)]);
}

#[test]
fn a_request_whose_children_have_it_is_where_one_of_them_gets_no_answer() {
    let mut requests = Requests::default();
    let other = requests.open_request(Time(0), request(1), WIRE);
    let parent = requests.open_request(Time(0), request(0), QUEUE);
    assert_eq!(requests.line_and_loss(parent), (QUEUE, None));
    requests.fork_request(parent, 2);
    let [first, second] = [WORK, WIRE].map(|line| requests.open_child(Time(0), parent, request(0), line));
    assert_eq!(requests.children_of(parent).collect::<Vec<_>>(), [first, second]);
    assert_eq!(requests.children_of(other).count(), 0);
    assert_eq!(requests.line_and_loss(parent), (WORK, None));
    let loss = LostRequest { component: 7, cause: LossCause::NoAnswer };
    requests.record_loss(second, loss);
    assert_eq!(requests.line_and_loss(parent), (WIRE, Some(loss)));
    assert_eq!(requests.line_and_loss(other), (WIRE, None));
}

#[test]
fn what_gets_no_answer_is_told_by_its_cause_while_it_is_open_and_says_nothing() {
    let mut requests = Requests::default();
    let [lost, said, answered, other] =
        [0, 1, 2, 3].map(|number| requests.open_request(Time(0), request(number), QUEUE));
    let loss = |component| LostRequest { component, cause: LossCause::FrameLost };
    [lost, said, answered]
        .into_iter()
        .enumerate()
        .for_each(|(number, id)| requests.record_loss(id, loss(number as u32)));
    requests.record_loss(other, LostRequest { component: 9, cause: LossCause::NoAnswer });
    requests.set_message_words(said, MessageWords::default());
    requests.keep_record(answered);
    requests.close_request(Time(1), answered);
    assert_eq!(requests.losses_with_cause(LossCause::FrameLost).collect::<Vec<_>>(), [loss(0)]);
}

#[test]
fn a_frame_that_is_in_sends_its_request_back_to_the_queue_only_from_the_wire_and_with_others() {
    let mut requests = Requests::default();
    let id = requests.open_request(Time(0), request(0), QUEUE);
    requests.unit_queued(Time(0), id, QUEUE);
    requests.unit_queued(Time(0), id, QUEUE);
    requests.unit_leaves(id);
    requests.enter_line(Time(1), id, WIRE);
    assert!(requests.unit_arrives(Time(2), id, WIRE, QUEUE));
    assert_eq!(requests.ledger_line(id), QUEUE);
    requests.unit_received(id);
    // After the last unit no unit waits in the queue, so the request stays in the line of the wire.
    requests.unit_leaves(id);
    requests.enter_line(Time(3), id, WIRE);
    assert!(!requests.unit_arrives(Time(4), id, WIRE, QUEUE));
    assert_eq!(requests.ledger_line(id), WIRE);
    // A request in another line stays there.
    requests.unit_queued(Time(4), id, QUEUE);
    requests.unit_leaves(id);
    requests.enter_line(Time(5), id, WORK);
    assert!(!requests.unit_arrives(Time(6), id, WIRE, QUEUE));
    assert_eq!(requests.ledger_line(id), WORK);
}

#[test]
fn a_request_fills_whole_blocks_of_its_device_from_its_first_byte_on() {
    let one = Request { lba: 3, bytes: 700, ..request(0) };
    assert_eq!((one.first_byte(), one.block_count(), one.end_byte()), (3 * 512, 2, 5 * 512));
}

#[test]
fn in_hindsight_the_beginning_of_a_stay_belongs_elsewhere_unless_the_request_has_left_it() {
    let mut requests = Requests::default();
    let id = requests.open_request(Time(0), request(0), QUEUE);
    requests.reattribute(Time(8), id, WIRE, WORK, Span(5));
    requests.reattribute(Time(8), id, QUEUE, WORK, Span(3));
    requests.enter_line(Time(10), id, WIRE);
    requests.keep_record(id);
    requests.close_request(Time(11), id);
    assert_eq!(spent(&requests, id), [(WORK.0, 3), (QUEUE.0, 7), (WIRE.0, 1)]);
}

#[test]
fn data_that_were_being_prepared_while_frames_were_under_way_leave_a_held_request_where_it_is() {
    let mut requests = Requests::default();
    let id = requests.open_request(Time(0), request(0), QUEUE);
    requests.unit_queued(Time(1), id, QUEUE);
    requests.set_line_after_preparation(Time(2), id, WORK);
    requests.unit_received(id);
    requests.hold_in_line(Time(3), id, WIRE);
    assert!(!requests.enter_following_line(Time(4), id));
    assert_eq!(requests.ledger_line(id), WIRE);
    requests.set_following_line(Time(5), id, WORK);
    requests.hold_in_line(Time(6), id, WIRE);
    assert!(requests.enter_following_line(Time(7), id), "entering a line moves the request");
    assert_eq!(requests.ledger_line(id), WORK);
}

#[test]
fn a_number_that_is_given_again_is_that_of_an_open_request_without_a_past() {
    let mut requests = Requests::default();
    let first = requests.open_request(Time(0), request(0), QUEUE);
    requests.record_loss(first, LostRequest { component: 1, cause: LossCause::NoAnswer });
    requests.close_request(Time(1), first);
    let again = requests.open_request(Time(2), request(1), WORK);
    assert_eq!((again, requests.is_request_open(again), requests.issue_time(again)), (first, true, Time(2)));
    assert_eq!(requests.line_and_loss(again), (WORK, None));
    assert!(requests.enter_line(Time(3), again, WIRE));
}

#[test]
fn what_a_component_wants_for_itself_is_in_the_background() {
    let own = Request::background_request(7, Operation::Read, 3, &(1_024..4_096));
    assert!(own.origin.background);
    assert_eq!((own.number, own.device, own.lba, own.bytes), (7, 3, 2, 3_072));
}

#[test]
fn a_request_whose_children_have_it_is_kept_nowhere_else() {
    let mut requests = Requests::default();
    let id = requests.open_request(Time(0), request(0), QUEUE);
    requests.fork_request(id, 1);
    requests.open_child(Time(0), id, request(0), WIRE);
    assert!(!requests.pin_to_line(Time(1), id, WORK));
    assert_eq!(requests.ledger_line(id), QUEUE);
}
