//! The jobs that wait for a resource: in one queue, or of processors in queues of their own to which a rule deals the jobs out.
//!
//! Controllers in the field often bind a volume or an interrupt to one of their processors. A job then waits for that one while another is
//! idle, so response times grow earlier and more softly with the load than with one queue.

use sansim_kernel::RandomStream;
use sansim_schema::words;
use std::collections::VecDeque;

words! {
    /// The queues in which jobs wait for the processors of a controller.
    pub enum ProcessorQueues {
        /// One queue: each processor that becomes idle takes the job that has waited the longest.
        Shared = "shared",
        /// Each processor has a queue of its own, and the jobs are dealt out in turn.
        InTurn = "in-turn",
        /// Each processor has a queue of its own, and each job is dealt to one of them at random.
        Random = "random",
        /// Each processor has a queue of its own, and a job goes to the processor with the fewest jobs, among equals the first.
        Shortest = "shortest",
    }
}

impl ProcessorQueues {
    /// The number of queues before so many processors.
    pub fn queue_count(self, processors: u32) -> u32 {
        if self == Self::Shared { 1 } else { processors }
    }
}

/// A queue, and how many jobs the servers behind it work on.
#[derive(Clone, Debug, Default)]
struct Queue {
    waiting: VecDeque<u32>,
    at_work: u64,
}

/// The queues before a resource.
#[derive(Clone, Debug)]
pub(super) struct Queues {
    queues: Vec<Queue>,
    /// The servers behind each queue.
    servers: u64,
    rule: ProcessorQueues,
    next: usize,
}

impl Queues {
    /// Empty queues before so many servers, which share them by this rule.
    pub fn new(servers: u32, rule: ProcessorQueues) -> Self {
        let queues = rule.queue_count(servers).max(1);
        Self {
            queues: vec![Queue::default(); queues as usize],
            servers: u64::from(servers / queues).max(1),
            rule,
            next: 0,
        }
    }

    /// The servers behind all queues.
    pub fn total_server_count(&self) -> u64 {
        self.servers * self.queues.len() as u64
    }

    /// The number of waiting jobs.
    pub fn waiting_job_count(&self) -> usize {
        self.queues.iter().map(|queue| queue.waiting.len()).sum()
    }

    /// Deals a job out to a queue. Returns the number of the queue, and whether a server begins with the job at once.
    pub fn enqueue_job(&mut self, job: u32, random: &mut RandomStream) -> (u32, bool) {
        let number = self.dealt(random);
        let queue = &mut self.queues[number];
        let begins = queue.at_work < self.servers;
        if begins {
            queue.at_work += 1;
        } else {
            queue.waiting.push_back(job);
        }
        (number as u32, begins)
    }

    fn dealt(&mut self, random: &mut RandomStream) -> usize {
        let queues = self.queues.len();
        match self.rule {
            _ if queues == 1 => 0,
            ProcessorQueues::Shared => 0,
            ProcessorQueues::InTurn => {
                self.next = (self.next + 1) % queues;
                self.next
            }
            ProcessorQueues::Random => random.draw_below(queues as u64) as usize,
            ProcessorQueues::Shortest => {
                let jobs = |queue: &Queue| queue.waiting.len() as u64 + queue.at_work;
                let fewest = self.queues.iter().enumerate().min_by_key(|(_, queue)| jobs(queue));
                fewest.map_or(0, |(number, _)| number)
            }
        }
    }

    /// A server behind a queue is done with a job. Returns the job that it begins with next; none if it becomes idle.
    pub fn job_completed(&mut self, queue: u32) -> Option<u32> {
        let queue = &mut self.queues[queue as usize];
        let next = queue.waiting.pop_front();
        queue.at_work -= u64::from(next.is_none());
        next
    }

    /// Forgets all jobs.
    pub fn drop_all_jobs(&mut self) {
        self.queues.iter_mut().for_each(|queue| *queue = Queue::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The queues to which six jobs go that come to three idle processors and stay.
    fn dealt(rule: ProcessorQueues) -> Vec<(u32, bool)> {
        let mut random = RandomStream::new(1, "test");
        let mut queues = Queues::new(3, rule);
        (0..6).map(|job| queues.enqueue_job(job, &mut random)).collect()
    }

    #[test]
    fn a_shared_queue_has_no_waiting_job_while_a_processor_is_idle() {
        assert_eq!(
            dealt(ProcessorQueues::Shared).iter().map(|one| one.1).collect::<Vec<bool>>(),
            [true, true, true, false, false, false]
        );
    }

    #[test]
    fn jobs_are_dealt_out_in_turn_or_to_the_processor_with_the_fewest() {
        let of = |rule| dealt(rule).iter().map(|one| one.0).collect::<Vec<u32>>();
        assert_eq!(of(ProcessorQueues::InTurn), [1, 2, 0, 1, 2, 0]);
        assert_eq!(of(ProcessorQueues::Shortest), [0, 1, 2, 0, 1, 2]);
        assert!(of(ProcessorQueues::Random).iter().all(|&queue| queue < 3));
    }

    #[test]
    fn the_next_job_of_the_same_queue_follows_and_no_other() {
        let mut random = RandomStream::new(1, "test");
        let mut queues = Queues::new(2, ProcessorQueues::InTurn);
        let first: Vec<(u32, bool)> = (0..3).map(|job| queues.enqueue_job(job, &mut random)).collect();
        assert_eq!(first, [(1, true), (0, true), (1, false)]);
        assert_eq!(queues.waiting_job_count(), 1);
        assert_eq!(queues.job_completed(0), None, "the waiting job was dealt to the other processor");
        assert_eq!(queues.job_completed(1), Some(2));
        assert_eq!(queues.job_completed(1), None);
        assert_eq!(queues.total_server_count(), 2);
    }
}
