//! The submission queues of a host at a drive: which commands wait, and which the controller fetches next.
//!
//! Source: NVMe, command arbitration: round robin takes a burst of commands of each queue in turn; weighted round robin takes all commands of class
//! urgent first, then rounds of as many commands of class high, medium and low as their weights say, and within a class each queue in turn.

use super::parameters::{PcieParameters, QueueArbitration, QueueChoice};
use sansim_pdu::Pdu;
use sansim_request::{LEAST_PRIORITY, RequestOrigin};
use std::collections::VecDeque;

/// The number of classes: urgent, high, medium, low.
const CLASSES: usize = 4;

/// The number of the queue pair of a command, among this many.
pub(super) fn queue_of(choice: QueueChoice, origin: &RequestOrigin, queues: u32) -> u32 {
    match choice {
        QueueChoice::Stream => (origin.workload + origin.stream) % queues,
        QueueChoice::Slot => origin.slot % queues,
        QueueChoice::Priority => u32::from(origin.priority) * queues / (u32::from(LEAST_PRIORITY) + 1),
    }
}

/// A submission queue.
#[derive(Clone, Debug, Default)]
struct SubmissionQueue {
    /// Commands for which the queue has no entry.
    blocked: VecDeque<Pdu>,
    /// Commands in the queue whose doorbell has rung, and that are not fetched.
    rung: VecDeque<Pdu>,
    /// The commands of the queue that are submitted and not known to be completed.
    submitted: u32,
}

/// The submission queues of a host at a drive.
#[derive(Clone, Debug)]
pub(super) struct SubmissionQueues {
    queues: Vec<SubmissionQueue>,
    /// The most commands of a queue.
    usable: u32,
    arbitration: QueueArbitration,
    burst: u64,
    weights: [u32; CLASSES - 1],
    /// The queue whose turn it is, and the commands that its turn still has; for each class with weighted arbitration.
    turns: [(usize, u64); CLASSES],
    /// The commands that each class but the first still has in the present round.
    credits: [u32; CLASSES - 1],
    waiting: usize,
}

impl SubmissionQueues {
    pub fn new(parameters: &PcieParameters) -> Self {
        let PcieParameters { high_weight, medium_weight, low_weight, .. } = *parameters;
        let weights = [high_weight, medium_weight, low_weight];
        let burst = parameters.arbitration_burst.unwrap_or(u64::MAX);
        Self {
            queues: vec![SubmissionQueue::default(); parameters.queues as usize],
            usable: parameters.queue_size - 1,
            arbitration: parameters.arbitration,
            burst,
            weights,
            turns: [(0, burst); CLASSES],
            credits: weights,
            waiting: 0,
        }
    }

    /// The host has a command for a queue. Returns whether the queue has an entry for it; else it waits.
    pub fn submit(&mut self, queue: u32, command: Pdu) -> bool {
        let queue = &mut self.queues[queue as usize];
        let fits = queue.submitted < self.usable;
        if fits {
            queue.submitted += 1;
        } else {
            queue.blocked.push_back(command);
        }
        fits
    }

    /// The host learns that a command of a queue is completed. Returns the command that gets its entry.
    pub fn complete(&mut self, queue: u32) -> Option<Pdu> {
        let queue = &mut self.queues[queue as usize];
        let next = queue.blocked.pop_front();
        if next.is_none() {
            queue.submitted -= 1;
        }
        next
    }

    /// The doorbell of a command has rung.
    pub fn ring(&mut self, queue: u32, command: Pdu) {
        self.queues[queue as usize].rung.push_back(command);
        self.waiting += 1;
    }

    /// The commands that wait in the queues, for an entry or to be fetched.
    pub fn waiting_command_count(&self) -> usize {
        self.waiting + self.queues.iter().map(|queue| queue.blocked.len()).sum::<usize>()
    }

    /// The commands that are submitted and not known to be completed.
    pub fn submitted_command_count(&self) -> u64 {
        self.queues.iter().map(|queue| u64::from(queue.submitted)).sum()
    }

    /// The queue and the command that the controller fetches next.
    pub fn fetch(&mut self) -> Option<(u32, Pdu)> {
        if self.waiting == 0 {
            return None;
        }
        let queue = match self.arbitration {
            QueueArbitration::RoundRobin => self.next_in_turn(0, 1)?,
            QueueArbitration::Weighted => self.next_by_weight()?,
        };
        self.waiting -= 1;
        let command = self.queues[queue].rung.pop_front()?;
        Some((queue as u32, command))
    }

    /// The next queue with a command in turn, of the queues with these numbers: `class`, and every `step`th behind it.
    fn next_in_turn(&mut self, class: usize, step: usize) -> Option<usize> {
        let members = self.queues.len().saturating_sub(class).div_ceil(step);
        let (place, left) = self.turns[class];
        let has_command = |place: usize| !self.queues[class + place * step].rung.is_empty();
        if left > 0 && place < members && has_command(place) {
            self.turns[class] = (place, left - 1);
            return Some(class + place * step);
        }
        let next = (1..=members).map(|ahead| (place + ahead) % members).find(|place| has_command(*place))?;
        self.turns[class] = (next, self.burst - 1);
        Some(class + next * step)
    }

    fn next_by_weight(&mut self) -> Option<usize> {
        if let Some(urgent) = self.next_in_turn(0, CLASSES) {
            return Some(urgent);
        }
        // A class without a command gives up the rest of its round.
        for _ in 0..2 {
            for class in 1..CLASSES {
                if self.credits[class - 1] > 0
                    && let Some(queue) = self.next_in_turn(class, CLASSES)
                {
                    self.credits[class - 1] -= 1;
                    return Some(queue);
                }
            }
            self.credits = self.weights;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_pdu::RequestTag;
    use sansim_schema::context::Facts;
    use sansim_schema::table::Tabular;

    fn queues(keys: &str) -> SubmissionQueues {
        let text = format!("stations = [\"host\", \"drives\"]\n{keys}");
        SubmissionQueues::new(&PcieParameters::from_toml(&text, &Facts::default()).expect("links"))
    }

    /// The order in which a controller fetches this many commands of each queue.
    fn order(keys: &str, commands: &[u32]) -> Vec<u32> {
        let mut queues = queues(&format!("queues = {}\n{keys}", commands.len()));
        for (queue, &count) in (0..).zip(commands) {
            (0..count)
                .for_each(|number| queues.ring(queue, Pdu { tag: RequestTag(number), ..Pdu::example() }));
        }
        std::iter::from_fn(|| queues.fetch()).map(|(queue, _)| queue).collect()
    }

    #[test]
    fn round_robin_takes_a_burst_of_each_queue_in_turn() {
        assert_eq!(order("", &[3, 1, 2]), [0, 1, 2, 0, 2, 0]);
        assert_eq!(order("arbitration_burst = 2", &[5, 1, 3]), [0, 0, 1, 2, 2, 0, 0, 2, 0]);
        assert_eq!(order("arbitration_burst = \"unlimited\"", &[3, 2]), [0, 0, 0, 1, 1]);
    }

    #[test]
    fn weighted_round_robin_takes_urgent_commands_first_and_others_by_weight() {
        let keys = "arbitration = \"weighted\"\nhigh_weight = 3\nmedium_weight = 2";
        // The queues 0 to 3 have the classes urgent, high, medium, low.
        assert_eq!(order(keys, &[2, 6, 4, 3]), [0, 0, 1, 1, 1, 2, 2, 3, 1, 1, 1, 2, 2, 3, 3]);
        // Queue 5 is the second of class high: both share its weight in turn.
        assert_eq!(order(keys, &[0, 2, 0, 1, 0, 2]), [1, 5, 1, 3, 5]);
    }

    #[test]
    fn a_queue_has_one_command_fewer_than_entries_and_the_others_wait_for_completions() {
        let mut queues = queues("queue_size = 3");
        let command = |number| Pdu { tag: RequestTag(number), ..Pdu::example() };
        assert_eq!([0, 1, 2].map(|number| queues.submit(0, command(number))), [true, true, false]);
        assert_eq!((queues.submitted_command_count(), queues.waiting_command_count()), (2, 1));
        assert_eq!(queues.complete(0).map(|next| next.tag), Some(RequestTag(2)));
        assert_eq!([queues.complete(0), queues.complete(0)], [None, None]);
        assert_eq!(queues.submitted_command_count(), 0);
    }

    #[test]
    fn a_command_goes_to_the_queue_of_its_stream_slot_or_priority() {
        let origin = RequestOrigin { workload: 1, stream: 2, slot: 5, background: false, priority: 7 };
        let of = |choice| queue_of(choice, &origin, 4);
        assert_eq!([QueueChoice::Stream, QueueChoice::Slot, QueueChoice::Priority].map(of), [3, 1, 3]);
        let priorities = [0, 1, 2, 4, 6]
            .map(|priority| queue_of(QueueChoice::Priority, &RequestOrigin { priority, ..origin }, 4));
        assert_eq!(priorities, [0, 0, 1, 2, 3]);
    }
}
