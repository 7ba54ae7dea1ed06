use super::*;
use crate::data::DataId;
use crate::request::{Operation, Origin};

const QUEUE: Line = Line(0);
const WORK: Line = Line(1);
const WIRE: Line = Line(2);

fn request(number: u64) -> Request {
    Request {
        number,
        parent: None,
        origin: Origin {
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
        data: DataId(number),
    }
}

fn spent(requests: &Requests, id: RequestId) -> Vec<(u32, u64)> {
    requests.stays(id).iter().map(|stay| (stay.line.0, stay.spent.ticks())).collect()
}

#[test]
fn a_mirrored_write_takes_as_long_as_the_later_of_its_children_and_was_where_that_one_was() {
    let mut requests = Requests::default();
    let parent = requests.open(Time(0), request(0), QUEUE);
    requests.enter(Time(4), parent, WORK);
    requests.fork(parent, 2);
    let [early, late] = [0, 1].map(|_| requests.open_child(Time(6), parent, request(0), QUEUE));
    requests.enter(Time(10), early, WIRE);
    requests.enter(Time(20), late, WIRE);
    assert_eq!(requests.close(Time(30), early).joined, Joined::NotYet(parent));
    let returned = requests.close(Time(50), late);
    assert_eq!((returned.response, returned.joined), (Span(44), Joined::Satisfied(parent, None)));
    assert_eq!(requests.close(Time(50), parent).response, Span(50));
    assert!(requests.adds_up(parent));
    assert_eq!(spent(&requests, parent), [(QUEUE.0, 4 + 14), (WORK.0, 2), (WIRE.0, 30)]);
    assert_eq!(requests.count(), 0);
}

#[test]
fn a_read_that_is_content_with_the_first_answer_goes_on_without_the_other() {
    let mut requests = Requests::default();
    let parent = requests.open(Time(0), request(0), QUEUE);
    requests.fork(parent, 1);
    let [first, second] = [0, 1].map(|_| requests.open_child(Time(0), parent, request(0), WIRE));
    assert_eq!(requests.close(Time(7), first).joined, Joined::Satisfied(parent, None));
    assert_eq!(requests.close(Time(9), parent).response, Span(9));
    assert_eq!(requests.count(), 2, "the other child still names its parent");
    assert_eq!(requests.close(Time(20), second).joined, Joined::Nobody);
    assert_eq!(requests.count(), 0);
}

#[test]
fn a_number_is_given_again_when_nobody_keeps_it_and_no_frame_is_under_way() {
    let mut requests = Requests::default();
    let id = requests.open(Time(0), request(0), QUEUE);
    requests.keep(id);
    requests.frame_queued(Time(1), id, WORK);
    requests.close(Time(5), id);
    requests.release(id);
    let other = requests.open(Time(6), request(1), QUEUE);
    assert_ne!(id, other, "a frame is under way");
    requests.frame_taken(id);
    assert_eq!(requests.open(Time(7), request(2), QUEUE), id);
}

#[test]
fn while_frames_are_under_way_what_is_told_is_where_what_follows_them_is() {
    let mut requests = Requests::default();
    let id = requests.open(Time(0), request(0), QUEUE);
    requests.frame_queued(Time(1), id, WIRE);
    requests.tell(Time(2), id, WORK);
    assert_eq!((requests.line(id), requests.behind(id)), (WIRE, WORK));
    requests.frame_taken(id);
    requests.tell(Time(3), id, requests.behind(id));
    assert_eq!(requests.line(id), WORK);
}

#[test]
fn a_request_that_is_held_for_its_data_stays_there_until_they_come() {
    let mut requests = Requests::default();
    let id = requests.open(Time(0), request(0), QUEUE);
    requests.hold(Time(1), id, WIRE);
    requests.prepare(Time(2), id, WORK);
    assert_eq!(requests.line(id), WIRE);
    requests.enter(Time(3), id, QUEUE);
    requests.prepare(Time(4), id, WORK);
    assert_eq!(requests.line(id), WORK);
}

#[test]
fn a_closed_request_enters_nothing_more() {
    let mut requests = Requests::default();
    let id = requests.open(Time(0), request(0), QUEUE);
    requests.keep(id);
    assert!(requests.enter(Time(1), id, WORK));
    requests.close(Time(5), id);
    assert!(!requests.enter(Time(6), id, WIRE));
    assert_eq!(spent(&requests, id), [(QUEUE.0, 1), (WORK.0, 4)]);
}

#[test]
fn a_request_waits_for_parts_that_come_behind_others_and_their_way_is_its_own() {
    let mut requests = Requests::default();
    let parent = requests.open(Time(0), request(0), QUEUE);
    requests.fork(parent, 1);
    let read = requests.open_child(Time(0), parent, request(0), WIRE);
    // Nobody knew before that it would be written.
    requests.await_more(parent, 1);
    let write = requests.open_child_behind(Time(30), parent, request(0), WORK, read);
    assert_eq!(requests.close(Time(30), read).joined, Joined::NotYet(parent));
    assert_eq!(requests.close(Time(50), write).joined, Joined::Satisfied(parent, None));
    assert_eq!(requests.close(Time(50), parent).response, Span(50));
    assert_eq!(spent(&requests, parent), [(WIRE.0, 30), (WORK.0, 20)]);
}
