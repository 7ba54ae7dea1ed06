//! The storage controller: the initiator of all I/O, with its driver, adapter and port.

use sansim_kernel::Span;

use crate::model::{Adapter, Port};
use crate::quantity::{Choice, Count, Flag, Time};
use crate::table::table;
use crate::values::Schedule;

table! {
    /// A storage controller or host adapter: it sends the commands.
    pub struct Controller {
        /// How the controller shares the loop with its drives.
        schedule: Schedule = Choice::<Schedule>::ANY, default r#""fair""#, source "Wang 2005, 3.3 and 3.4";
        /// Commands overtake data frames in the outgoing queue. First level of Command-First.
        command_first_queue: bool = Flag, follows "`schedule`: true for command-first" |_context| schedule == Schedule::CommandFirst,
            source "Wang 2005, 3.4";
        /// The controller arbitrates without regard to the fairness window when it has a command to send. Second level
        /// of Command-First.
        command_first_arbitration: bool = Flag, follows "`schedule`: true for command-first" |_context| schedule == Schedule::CommandFirst,
            source "Wang 2005, 3.4";
        /// An open circuit is left through the TRANSFER state to send a command. Third level of Command-First.
        command_first_preemption: bool = Flag, follows "`schedule`: true for command-first" |_context| schedule == Schedule::CommandFirst,
            source "Wang 2005, 3.4";
        /// A command also leaves a circuit in which the controller was opened: the controller grants no more R_RDYs, keeps the
        /// buffers of its login credit, and sends CLS first, after one frame at the earliest. Needs `command_first_preemption`.
        command_first_closes_opened: bool = Flag, default "false", source "Wang 2005, 3.3.1, 3.4.3 and 4.3.1.2";
    }
    tables {
        /// The driver in the operating system.
        driver: Driver;
        /// The port on the loop.
        port: Port;
        /// The adapter.
        adapter: Adapter;
    }
    computed {
        /// Name of the component.
        name: String = String::new();
    }
}

table! {
    /// The driver: how an I/O gets from the application to the adapter and back.
    pub struct Driver {
        /// Time of the arrival process for each I/O.
        arrival_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, 4.3.3.1";
        /// Time of the completion process for each I/O.
        completion_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, 4.3.3.1";
        /// Most I/Os that are outstanding at the adapter; further ones wait in the driver.
        outstanding_limit: u32 = Count::<u32>::between(1, 1_000_000), default "255", source "Wang 2005, 3.2.2";
    }
    tables {}
    computed {}
}
