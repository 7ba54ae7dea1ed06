//! Short commands to an adapter through its memory-mapped registers, and the status report that a driver asks an adapter for.
//!
//! Source: Wang 2005, 3.1.3 and 3.1.4: the driver issues a command through memory-mapped control registers; commands such as reset, status
//! report and I/O have only a few bytes, and the microprocessor of the adapter executes them. Linux asks its adapters periodically, lpfc
//! every 5 s (`LPFC_HB_MBOX_INTERVAL`).
//!
//! * With `register_bytes` a short command crosses the bus of the adapter, as one transaction at the pace of the bus, and waits for the bus
//!   like any transfer. The message (`message_time`) begins when the command has come.
//! * Each `status_interval` the driver asks for a status report: a short command, a message, `status_time` of the main processor, and a
//!   read of the registers, which crosses the bus again.
//!
//! Assumptions: a report has as many bytes as a command, and the driver reads it when it is made. An adapter that is cut off is not asked. The
//! accesses to one adapter follow one another; those to several adapters on a bus request the bus independently. Asking costs the host no
//! processor time.

use super::{Adapter, AdapterStage, ExchangeUse, STATUS_TIMER, Task};
use crate::exchange::ExchangeId;
use sansim_component::context::RequestPlace;
use sansim_component::{BusTransfer, Context, EventTurn, Message, Timer};
use std::collections::VecDeque;

/// The turn of the timer of status reports, behind the turns of the blocks.
pub(crate) const STATUS_TURN: u32 = super::AdapterBlock::ALL.len() as u32;

/// An access to the registers of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RegisterAccess {
    /// The driver writes the command of an I/O.
    Command(ExchangeId),
    /// The driver writes the command that asks for a status report.
    StatusCommand,
    /// The driver reads the status report.
    StatusReport,
}

/// The accesses to the registers of an adapter, and its status reports.
#[derive(Clone, Debug, Default)]
pub(super) struct Registers {
    /// The port at the bus, if accesses cross a bus.
    port: Option<u16>,
    /// The accesses that have not been carried out; the first has requested the bus.
    line: VecDeque<RegisterAccess>,
    /// Whether the driver has asked for a status report that it has not read.
    is_asked: bool,
    /// The number of status reports that the driver has read.
    pub reports: u64,
}

impl Registers {
    /// Accesses cross the bus by this port.
    pub fn use_bus(&mut self, port: u16) {
        self.port = Some(port);
    }

    /// Whether a port of the adapter at a bus is that of its registers.
    pub fn uses_port(&self, port: u16) -> bool {
        self.port == Some(port)
    }

    /// Whether the command of an exchange is on its way to the registers.
    pub fn has_command(&self, id: ExchangeId) -> bool {
        self.line.contains(&RegisterAccess::Command(id))
    }

    /// The number of commands of I/Os that have not come.
    pub fn command_count(&self) -> usize {
        self.line.iter().filter(|access| matches!(access, RegisterAccess::Command(_))).count()
    }
}

impl<R: ExchangeUse> Adapter<R> {
    /// The driver issues the command of an I/O.
    pub(crate) fn command_issued(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        if self.registers.port.is_none() {
            self.message_in(cx, id);
        } else {
            self.access_registers(cx, RegisterAccess::Command(id));
        }
    }

    /// Queues an access; the first in the line requests the bus.
    #[cold]
    fn access_registers(&mut self, cx: &mut Context<'_>, access: RegisterAccess) {
        let Some(port) = self.registers.port else {
            self.registers_accessed(cx, access);
            return;
        };
        self.registers.line.push_back(access);
        if self.registers.line.len() == 1 {
            self.ask_bus_for_registers(cx, port);
        } else if let RegisterAccess::Command(id) = access {
            self.tell(cx, id, AdapterStage::MessageQueue);
        }
    }

    /// Requests the bus for the first access of the line.
    fn ask_bus_for_registers(&self, cx: &mut Context<'_>, port: u16) {
        let Some(&access) = self.registers.line.front() else { return };
        let request = match access {
            RegisterAccess::Command(id) => Some(self.exchanges[id].request),
            RegisterAccess::StatusCommand | RegisterAccess::StatusReport => None,
        };
        if let Some(request) = request {
            cx.ledger().locate_request(request, RequestPlace::Bus(port));
        }
        let transfer = BusTransfer {
            request,
            bytes: self.parameters.register_bytes,
            bytes_per_second: None,
            into_memory: access == RegisterAccess::StatusReport,
        };
        cx.send(port, Message::Transfer(transfer));
    }

    /// Handles a message of the bus about the first access of the line.
    #[cold]
    pub(super) fn bus_reports_on_registers(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        let Some(&access) = self.registers.line.front() else { return };
        let RegisterAccess::Command(id) = access else {
            if matches!(message, Message::Transferred(..)) {
                self.access_done(cx, port);
            }
            return;
        };
        match message {
            Message::Granted(..) => self.tell(cx, id, AdapterStage::Message),
            Message::Preempted(_) => {
                cx.ledger().locate_request(self.exchanges[id].request, RequestPlace::Bus(port));
            }
            _ => self.access_done(cx, port),
        }
    }

    fn access_done(&mut self, cx: &mut Context<'_>, port: u16) {
        let access = self.registers.line.pop_front();
        self.ask_bus_for_registers(cx, port);
        if let Some(access) = access {
            self.registers_accessed(cx, access);
        }
        self.run_at_once(cx);
    }

    /// An access has been carried out.
    fn registers_accessed(&mut self, cx: &mut Context<'_>, access: RegisterAccess) {
        match access {
            RegisterAccess::Command(id) => self.message_in(cx, id),
            RegisterAccess::StatusCommand => self.message_in(cx, ExchangeId::UNASSIGNED),
            RegisterAccess::StatusReport => {
                self.registers.is_asked = false;
                self.registers.reports += 1;
            }
        }
    }

    /// Sets the timer of the next status report, if the driver asks for any.
    #[cold]
    pub(super) fn await_status_command(&self, cx: &mut Context<'_>) {
        if let Some(interval) = self.parameters.status_interval.filter(|_| R::INITIATES) {
            cx.set_timer(
                cx.now + interval,
                EventTurn::turn_of_node(STATUS_TURN),
                Timer::new(STATUS_TIMER, 0),
            );
        }
    }

    /// The driver asks for a status report, unless it still waits for one. When all I/Os have come back it asks no more.
    #[cold]
    pub(super) fn status_due(&mut self, cx: &mut Context<'_>) {
        if cx.background_requests().sources_exhausted() {
            return;
        }
        if !self.is_cut_off && !std::mem::replace(&mut self.registers.is_asked, true) {
            self.access_registers(cx, RegisterAccess::StatusCommand);
        }
        self.await_status_command(cx);
    }

    /// The message that asks for a status report has come: the main processor makes the report.
    #[cold]
    pub(super) fn status_command_in(&mut self, cx: &mut Context<'_>) {
        self.process(cx, Task::StatusReport);
    }

    /// The main processor has made a status report.
    #[cold]
    pub(super) fn status_made(&mut self, cx: &mut Context<'_>) {
        self.access_registers(cx, RegisterAccess::StatusReport);
    }
}
