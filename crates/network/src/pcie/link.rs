//! The link of a drive: both directions, the queue pairs, and the commands that are submitted.

use super::completion::CompletionQueue;
use super::parcel::Direction;
use super::{PcieParameters, SubmissionQueues};
use sansim_pdu::{ExchangeId, Pdu};

/// How far a command is that is submitted and not known to be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// It waits for an entry of its queue, or in it.
    Waits,
    /// The controller has fetched it, and gets what belongs to it.
    Fetched,
    /// The controller has it.
    Delivered,
    /// The controller has completed it.
    Completed,
}

/// A command that is submitted and not known to be completed.
#[derive(Clone, Copy, Debug)]
struct Submitted {
    exchange: ExchangeId,
    queue: u32,
    progress: Progress,
}

/// The link of a drive.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// The port of the drive.
    pub port: usize,
    /// To the drive, and from it.
    pub directions: [Direction; 2],
    pub submission: SubmissionQueues,
    /// The completion queue of each queue pair; behind them that of aborts.
    pub completion: Vec<CompletionQueue>,
    /// The commands that the controller has fetched and not completed.
    pub in_controller: u64,
    submitted: Vec<Submitted>,
    /// Aborts of commands that the controller does not have yet.
    early_aborts: Vec<Pdu>,
}

impl Link {
    pub fn new(port: usize, parameters: &PcieParameters) -> Self {
        Self {
            port,
            directions: Default::default(),
            submission: SubmissionQueues::new(parameters),
            completion: vec![CompletionQueue::default(); parameters.queues as usize + 1],
            in_controller: 0,
            submitted: Vec::new(),
            early_aborts: Vec::new(),
        }
    }

    fn submitted(&mut self, unit: &Pdu) -> Option<&mut Submitted> {
        let is_it =
            |one: &&mut Submitted| one.exchange == unit.originator && one.progress != Progress::Completed;
        self.submitted.iter_mut().find(is_it)
    }

    /// The host has a command for a queue.
    pub fn command_submitted(&mut self, unit: &Pdu, queue: u32) {
        let (exchange, progress) = (unit.originator, Progress::Waits);
        self.submitted.push(Submitted { exchange, queue, progress });
    }

    /// The controller fetches a command.
    pub fn command_fetched(&mut self, unit: &Pdu) {
        if let Some(one) = self.submitted(unit) {
            one.progress = Progress::Fetched;
            self.in_controller += 1;
        }
    }

    /// The controller has a command. Returns the aborts that have waited for that.
    pub fn command_delivered(&mut self, unit: &Pdu) -> Vec<Pdu> {
        if let Some(one) = self.submitted(unit) {
            one.progress = Progress::Delivered;
        }
        self.early_aborts.extract_if(.., |abort| abort.originator == unit.originator).collect()
    }

    /// The host aborts a command. Returns whether the controller has the command; if not, the abort waits for that.
    pub fn abort_submitted(&mut self, unit: &Pdu) -> bool {
        let is_early = self
            .submitted(unit)
            .is_some_and(|one| matches!(one.progress, Progress::Waits | Progress::Fetched));
        if is_early {
            self.early_aborts.push(*unit);
        }
        !is_early
    }

    /// The controller completes a command, or answers its abort.
    pub fn command_left_controller(&mut self, unit: &Pdu) {
        if let Some(one) = self.submitted(unit) {
            one.progress = Progress::Completed;
            self.in_controller -= 1;
        }
    }

    /// The host learns of a completion, or of the answer to an abort. Returns the command that gets the entry which becomes free, with its
    /// queue.
    pub fn command_completed(&mut self, unit: &Pdu) -> Option<(u32, Pdu)> {
        let is_it = |one: &Submitted| one.exchange == unit.originator && one.progress == Progress::Completed;
        let place = self.submitted.iter().position(is_it)?;
        let queue = self.submitted.swap_remove(place).queue;
        self.submission.complete(queue).map(|next| (queue, next))
    }

    /// The steps that wait for the link or are on it.
    pub fn waiting_step_count(&self) -> usize {
        let aborts = self.early_aborts.len();
        self.directions
            .iter()
            .map(|one| one.waiting.len() + usize::from(one.sending.is_some()))
            .sum::<usize>()
            + aborts
    }

    /// The completions of which the host has not learnt.
    pub fn completion_count(&self) -> usize {
        self.completion.iter().map(CompletionQueue::waiting_completion_count).sum()
    }
}
