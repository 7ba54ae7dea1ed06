//! The order in which the main processor of an adapter takes its tasks, by a rule of the user.
//!
//! A built-in order inserts a task where it belongs when it comes. A rule of the user chooses among the tasks that wait whenever the processor has
//! finished one; where only one waits there is no decision.

use super::{Adapter, ExchangeUse, ProcessorOrder, Task};
use sansim_kernel::{Span, TICKS_PER_NS, Time};
use sansim_rules::{Decider, RuleName};
use sansim_schema::decision;
use sansim_schema::decision::as_feature;

decision! {
    /// The choice of the task that the main processor of an adapter takes next.
    pub static PROCESSOR_ORDER = "processor-order";
    /// The time, and the adapter.
    common ProcessorCircumstances {
        /// The time of the choice.
        now: "ns",
        /// 1 at the adapter of a host or of a controller towards its drives, 0 at one that receives commands.
        initiates: "",
        /// Exchanges that the adapter has open.
        exchanges: "",
    }
    /// A task that waits.
    each TaskFeatures {
        /// 1 for a command, 0 otherwise.
        command: "",
        /// 1 for a request for the data of a write (FCP_XFER_RDY), 0 otherwise.
        transfer_ready: "",
        /// 1 for a status (FCP_RSP) that is to be made, 0 otherwise.
        response: "",
        /// 1 for a task of a write, 0 otherwise.
        write: "",
        /// Bytes of user data of the I/O; 0 for a task of no I/O.
        bytes: "bytes",
        /// Time that the task takes.
        takes: "ns",
        /// Time since the task came.
        waiting: "ns",
    }
}

/// The order of the main processor.
#[derive(Clone, Debug)]
pub(super) enum TaskOrder {
    BuiltIn(ProcessorOrder),
    /// The rule, and the times at which the waiting tasks came, in their order.
    Own(Box<(Decider, Vec<Time>)>),
}

impl TaskOrder {
    /// The order that a key names.
    pub(super) fn of_rule(rule: &RuleName<ProcessorOrder>) -> Self {
        rule.object(Self::BuiltIn, |rule| Self::Own(Box::new((Decider::from(rule), Vec::new()))))
    }
}

/// The features of a waiting task, of which the exchange writes or not and has so many bytes.
fn features(task: Task, takes: Span, waiting: Span, (write, bytes): (bool, u64)) -> TaskFeatures {
    let ns = |span: Span| as_feature(span.ticks() / TICKS_PER_NS);
    TaskFeatures {
        command: matches!(task, Task::Command(_)).into(),
        transfer_ready: matches!(task, Task::TransferReady(_)).into(),
        response: matches!(task, Task::Response(_)).into(),
        write: write.into(),
        bytes: as_feature(bytes),
        takes: ns(takes),
        waiting: ns(waiting),
    }
}

impl<R: ExchangeUse> Adapter<R> {
    /// The order of the main processor changes.
    pub(super) fn change_processor_order(&mut self, now: Time, rule: &RuleName<ProcessorOrder>) {
        self.task_order = TaskOrder::of_rule(rule);
        if let TaskOrder::Own(own) = &mut self.task_order {
            // Tasks that wait already count from now.
            own.1 = vec![now; self.processor.len().saturating_sub(1)];
        }
    }

    /// A rule of the user chooses the task that the main processor takes next.
    #[cold]
    pub(super) fn choose_task(&mut self, now: Time) {
        let TaskOrder::Own(own) = &mut self.task_order else { return };
        let (decider, came) = &mut **own;
        if came.len() > 1 {
            let now_ns = now.ticks() / TICKS_PER_NS;
            let circumstances = ProcessorCircumstances {
                now: as_feature(now_ns),
                initiates: R::INITIATES.into(),
                exchanges: as_feature(self.exchanges.open_exchange_count()),
            };
            let view = decider.view();
            view.begin(&circumstances.values());
            for (&(task, takes), since) in self.processor.waiting_jobs().zip(&*came) {
                let of = task
                    .exchange()
                    .map_or((false, 0), |id| (self.exchanges[id].write, self.exchanges[id].bytes));
                view.add_candidate(&features(task, takes, now - *since, of).values());
            }
            let place = decider.choose(now_ns);
            self.processor.put_first(place);
            came.remove(place);
        } else {
            came.clear();
        }
    }
}
