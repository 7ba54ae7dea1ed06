//! Tests of the queues of a device, request by request, and of the queue orders against theory.

use super::*;
use crate::bench::{sample_read, sample_write};
use sansim_kernel::{RandomStream, Span};
use sansim_request::{BLOCK_BYTES, Request, RequestId, RequestOrigin};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

fn order(keys: &str) -> QueueOrder {
    QueueOrder::from_toml(keys, &Facts::default()).expect("keys that are right")
}

/// A queue that is driven by hand.
struct Line {
    queue: Queue,
    chains: MergedChains,
    most_bytes: Option<u64>,
    came: u64,
    now: Time,
}

impl Line {
    fn new(keys: &str) -> Self {
        let queue = Queue::new(&order(keys));
        Self { queue, chains: MergedChains::default(), most_bytes: None, came: 0, now: Time::ZERO }
    }

    /// Queues a request; requests are numbered as they come. Returns whether the request was merged.
    fn push(&mut self, request: &Request) -> bool {
        let mut one = QueuedRequest::new(RequestId(self.came as u32), request, self.now);
        self.came += 1;
        one.number = self.came;
        self.queue.queue_request(&mut self.chains, one, self.most_bytes)
    }

    /// Queues a read of one block for each of these blocks.
    fn push_all(&mut self, blocks: &[u64]) {
        for &block in blocks {
            self.push(&sample_read(block, BLOCK_BYTES));
        }
    }

    /// The first blocks of the next `count` requests.
    fn next(&mut self, count: usize) -> Vec<u64> {
        (0..count).map_while(|_| self.queue.next_queued_request(self.now)).map(|one| one.lba).collect()
    }

    /// The requests in the next merged request, sorted, with its first block and its bytes.
    fn next_merged(&mut self) -> (Vec<u32>, u64, u64) {
        let one = self.queue.next_queued_request(self.now).expect("something waits");
        let mut members: Vec<u32> =
            std::iter::successors(Some(one.request), |id| self.chains.next_merged_request(*id))
                .map(|id| id.0)
                .collect();
        members.sort_unstable();
        (members, one.lba, one.bytes)
    }
}

#[test]
fn each_scheduler_chooses_as_its_name_says() {
    // The position is behind block 50; all orders but FCFS serve block 53 first.
    let blocks = [80, 10, 53, 60, 48];
    for (word, expected) in [
        ("fcfs", [80, 10, 53, 60, 48]),
        ("c-look", [53, 60, 80, 10, 48]),
        ("look", [53, 60, 80, 48, 10]),
        ("shortest-seek", [53, 60, 48, 80, 10]),
    ] {
        let mut line = Line::new(&format!("order = \"{word}\""));
        line.push_all(&[50]);
        assert_eq!(line.next(1), [50]);
        line.push_all(&blocks);
        assert_eq!(line.next(9), expected, "{word}");
    }
}

#[test]
fn the_most_urgent_goes_first_and_of_equals_the_one_that_came_first() {
    let mut line = Line::new("order = \"priority\"");
    for (block, priority) in [(1, 4), (2, 7), (3, 0), (4, 4), (5, 0)] {
        let plain = sample_read(block, BLOCK_BYTES);
        line.push(&Request { origin: RequestOrigin { priority, ..plain.origin }, ..plain });
    }
    assert_eq!(line.next(9), [3, 5, 1, 4, 2]);
}

#[test]
fn streams_take_turns_however_much_one_of_them_asks_for() {
    let mut line = Line::new("order = \"round-robin\"");
    let push = |line: &mut Line, block, workload, stream| {
        let plain = sample_read(block, BLOCK_BYTES);
        line.push(&Request { origin: RequestOrigin { workload, stream, ..plain.origin }, ..plain });
    };
    (1..=4).for_each(|block| push(&mut line, block, 0, 0));
    push(&mut line, 11, 0, 1);
    push(&mut line, 12, 0, 1);
    push(&mut line, 21, 3, 0);
    assert_eq!(line.next(4), [1, 11, 21, 2]);
    push(&mut line, 22, 3, 0);
    assert_eq!(line.next(9), [12, 22, 3, 4]);
}

#[test]
fn a_batch_of_reads_goes_upwards_and_writes_wait_for_two_of_them() {
    let mut line = Line::new("order = \"deadline\"\nbatch = 2");
    for block in [1000, 1001, 1002] {
        line.push(&sample_write(block, BLOCK_BYTES));
    }
    line.push_all(&[9, 3, 5, 7, 1, 2, 4]);
    // The batch begins with the oldest request if nothing is above the end of the last batch, which is block 0 at first.
    assert_eq!(line.next(4), [1, 2, 3, 4]);
    assert_eq!(line.next(2), [1000, 1001], "two batches of reads have gone before");
    assert_eq!(line.next(9), [5, 7, 9, 1002]);
}

#[test]
fn what_is_beyond_its_deadline_begins_the_next_batch() {
    let keys = "order = \"deadline\"\nbatch = 1\nread_deadline = \"1 ms\"";
    let mut line = Line::new(keys);
    line.push_all(&[900, 100, 200]);
    assert_eq!(line.next(1), [100]);
    line.now += Span::from_ms(1);
    line.push_all(&[150]);
    assert_eq!(line.next(1), [900], "it came first, and a millisecond ago");
    assert_eq!(line.next(9), [200, 150], "nothing is above, so the oldest, which is late as well");
}

#[test]
fn requests_side_by_side_are_merged_on_either_side_and_between_two() {
    let mut line = Line::new("");
    line.most_bytes = Some(8 * BLOCK_BYTES);
    let kib = |blocks: u64| blocks * BLOCK_BYTES;
    assert!(!line.push(&sample_read(100, kib(2))));
    assert!(!line.push(&sample_read(104, kib(2))));
    assert!(!line.push(&sample_write(106, kib(1))), "a write is not merged with a read");
    assert!(line.push(&sample_read(102, kib(2))), "between the two");
    assert!(line.push(&sample_read(99, kib(1))), "in front");
    assert!(!line.push(&sample_read(97, kib(2))), "all together were more than may be");
    assert!(line.push(&sample_write(107, kib(1))));
    assert_eq!(line.queue.len(), 3);
    assert_eq!(line.next_merged(), (vec![0, 1, 3, 4], 99, kib(7)));
    assert_eq!(line.next_merged(), (vec![2, 6], 106, kib(2)));
    assert_eq!(line.next_merged(), (vec![5], 97, kib(2)));
    assert!(line.queue.is_empty());
}

#[test]
fn nothing_is_merged_behind_a_request_that_ends_within_a_block() {
    let mut line = Line::new("");
    line.most_bytes = Some(1 << 20);
    line.push(&sample_read(0, 700));
    assert!(!line.push(&sample_read(2, 512)));
    assert!(line.push(&sample_read(3, 300)), "the last may end there");
}

/// With `waiting` requests for random blocks of a device in the queue: the mean distance from one request to the next as a share of the
/// device, and the standard deviation of the number of others that overtake a request.
fn seeks(order: &str, waiting: usize) -> (f64, f64) {
    const BLOCKS: u64 = 1 << 30;
    const SERVED: usize = 20_000;
    let mut random = RandomStream::new(1, "seeks");
    let mut line = Line::new(&format!("order = \"{order}\""));
    let mut draw = |line: &mut Line| line.push(&sample_read(random.draw_below(BLOCKS), BLOCK_BYTES));
    for _ in 0..waiting {
        draw(&mut line);
    }
    let (mut position, mut far, mut waits) = (0_u64, 0.0, Vec::new());
    for served in 0..SERVED {
        let one = line.queue.next_queued_request(line.now).expect("something waits");
        far += one.lba.abs_diff(position) as f64 / BLOCKS as f64;
        position = one.lba;
        // The arrival time of the initial requests is unknown.
        waits.extend((one.number as usize).checked_sub(waiting + 1).map(|came_at| (served - came_at) as f64));
        draw(&mut line);
    }
    let mean = waits.iter().sum::<f64>() / waits.len() as f64;
    let variance = waits.iter().map(|wait| (wait - mean).powi(2)).sum::<f64>() / waits.len() as f64;
    (far / SERVED as f64, variance.sqrt())
}

#[test]
fn schedulers_come_in_the_order_that_theory_gives() {
    const WAITING: usize = 64;
    let [fcfs, c_look, look, shortest] =
        ["fcfs", "c-look", "look", "shortest-seek"].map(|order| seeks(order, WAITING));
    let near = |value: f64, formula: f64| (value / formula - 1.0).abs() < 0.05;
    let n = WAITING as f64;
    // Two independent positions are a third of the device apart in the mean, and with FCFS the first request goes first.
    assert!(near(fcfs.0, 1.0 / 3.0) && fcfs.1 == 0.0, "{fcfs:?}");
    // C-LOOK passes each position once in a sweep, so requests that wait at a position are half a sweep old: 2 n are served in a sweep,
    // which with the return crosses the device twice. A request waits for as many others as are left of a sweep: the number is uniform up
    // to 2 n.
    assert!(near(c_look.0, 1.0 / n) && near(c_look.1, 2.0 * n / 12.0_f64.sqrt()), "{c_look:?}");
    // LOOK passes position x after 2 x and 2 (1 - x) sweeps in turn: waiting requests are x^2 + (1 - x)^2 old, over all positions 2/3 of a
    // sweep, so 3/2 n are served in a sweep, which crosses the device once.
    assert!(near(look.0, 2.0 / (3.0 * n)), "{look:?}");
    // SSTF moves about as little as LOOK, and less than C-LOOK; it keeps some requests waiting longer than both.
    assert!(shortest.0 < c_look.0 && shortest.0 < 1.2 * look.0, "{shortest:?} {look:?}");
    assert!(c_look.1 < look.1 && look.1 < shortest.1, "{c_look:?} {look:?} {shortest:?}");
}
