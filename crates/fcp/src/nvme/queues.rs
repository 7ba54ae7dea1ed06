//! The submission queues of FC-NVMe: how full each is, and the numbers of commands and responses on its connection.
//!
//! The CSN of a command counts the commands on a connection, the RSN of a long response the responses. A queue is 90 % full as in Linux,
//! `drivers/nvme/target/fc.c`, `queue_90percent_full`.

use super::NvmeParameters;
use sansim_pdu::{Address, Pdu, PduKind};
use std::collections::BTreeMap;

/// The submission queues of an adapter, by the addresses of the other ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct SubmissionQueues {
    queues: BTreeMap<Address, SubmissionQueue>,
}

/// The submission queue of an initiator at a target, as one of them knows it.
#[derive(Clone, Copy, Debug, Default)]
struct SubmissionQueue {
    /// At an initiator: the commands that it has sent.
    commands: u32,
    /// At a target: the commands that have come and have not been completed.
    in_queue: u32,
    /// At a target: the number of responses.
    responses: u32,
}

impl SubmissionQueues {
    /// A command has come.
    pub(crate) fn command_came(&mut self, initiator: Address) {
        self.queues.entry(initiator).or_default().in_queue += 1;
    }

    /// A command is over without a response.
    pub(crate) fn command_ended(&mut self, initiator: Address) {
        let queue = self.queues.entry(initiator).or_default();
        queue.in_queue = queue.in_queue.saturating_sub(1);
    }

    /// A command is answered. Returns the number of the response, from 1, and whether the queue is 90 % full.
    pub(super) fn command_answered(
        &mut self,
        initiator: Address,
        parameters: &NvmeParameters,
    ) -> (u32, bool) {
        self.command_ended(initiator);
        let queue = self.queues.entry(initiator).or_default();
        queue.responses = queue.responses.wrapping_add(1);
        let is_full = u64::from(queue.in_queue) * 10 >= u64::from(parameters.queue_size - 1) * 9;
        (queue.responses, is_full)
    }

    /// Writes its numbers into a unit that is being sent.
    pub(crate) fn number_unit(&mut self, unit: &mut Pdu, parameters: &NvmeParameters) {
        match unit.kind {
            PduKind::Command => {
                let queue = self.queues.entry(unit.destination).or_default();
                queue.commands = queue.commands.wrapping_add(1);
                unit.offset = queue.commands;
            }
            PduKind::Response => {
                let responses = self.queues.get(&unit.destination).map_or(0, |queue| queue.responses);
                // Each response has taken an entry from the queue.
                (unit.burst_bytes, unit.offset) = (responses, responses % parameters.queue_size);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_full_from_nine_tenths_of_its_usable_entries_on() {
        let nvme = NvmeParameters {
            queue_size: 21,
            queues: None,
            ersp_ratio: 4,
            largest_sequence: 1 << 18,
            first_burst: 0,
            rdma_in_capsule: 0,
            in_capsule: 1 << 14,
            max_h2c_data: 1 << 22,
            success_flag: false,
            header_digest: false,
            data_digest: false,
        };
        let initiator = Address::new(1);
        // A queue of 21 entries has room for 20 commands, of which 18 are nine tenths.
        for (commands, is_full) in [(18, false), (19, true)] {
            let mut queues = SubmissionQueues::default();
            (0..commands).for_each(|_| queues.command_came(initiator));
            assert_eq!(queues.command_answered(initiator, &nvme), (1, is_full), "{commands} commands");
        }
    }
}
