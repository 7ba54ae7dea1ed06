//! The software part of a network in an appliance: frames one by one, and interrupts for them.
//!
//! The software part of a network comes as [`ProcessorWork`], with its time and its adapter. Where threads poll, a poll of the adapter
//! finds the work of a network as any other work. Where processors are interrupted the work of a network queues together with the
//! interrupts of adapters, the oldest first: the network defines the cost of an interrupt for frames itself.
//!
//! When a node fails the node that takes over repeats the work, from its beginning.

use super::{Here, Interrupting, StackProcessors};
use sansim_component::{Context, Message, Module, ModuleJob, ProcessorWork, ProcessorWorkKind};

/// The message to the initiator of a job that says that the job is done.
pub(super) fn done(job: ModuleJob) -> Message {
    match job.module {
        Module::Network => Message::Worked(ProcessorWork {
            request: job.request,
            time: job.time,
            of: ProcessorWorkKind::Network(None),
        }),
        _ => Message::JobDone(job),
    }
}

impl StackProcessors {
    /// A network sends work.
    pub(super) fn comes_by_network(&mut self, cx: &mut Context<'_>, port: u16, work: ProcessorWork) {
        let ProcessorWorkKind::Network(card) = work.of else { return };
        let job = ModuleJob {
            request: work.request,
            module: Module::Network,
            time: work.time,
            bytes: 0,
            number: 0,
        };
        let card = card.and_then(|card| self.cards.get(usize::from(card))).copied();
        let home = self.home.get(usize::from(port)).map_or(0, |half| half.index().min(self.nodes.len() - 1));
        let node = card.map_or(home, |(node, _)| node);
        let heir = self.heir(node, usize::from(port)).unwrap_or(node);
        let place = self.keep(Here { job, port, node: heir, at: 0, at_link: false });
        // A job without an adapter of hosts is queued with the devices.
        let devices = self.nodes[heir].cards.len() - 1;
        self.is_there(cx, place, card.filter(|_| heir == node).map_or(devices, |(_, card)| card));
    }

    /// Work of a network waits for a processor of a node to be interrupted.
    pub(super) fn waits_by_network(&mut self, cx: &mut Context<'_>, node: usize, place: u32) {
        self.nodes[node].interrupts.push_back(Interrupting::Network(place));
        self.sets_to_work(cx, node);
    }
}
