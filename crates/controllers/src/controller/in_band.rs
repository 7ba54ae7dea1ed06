//! The software part of a request in an in-band appliance. The processors of the appliance execute the software
//! (`crates/processors/src/stack`), and detect some of its jobs by polls or interrupts of the adapter that has the request.
//!
//! Source: Friedman, "An Introduction to SAN Capacity Planning", SDS software architecture and Processor consumption.
//!
//! * The command of a request is found by a poll of its adapter. A read is then sent to the device behind, in line; its data are copied and
//!   passed to the adapter. The end of the transmission of read data is found by another poll: so a read needs two productive polls. After
//!   its data have been sent, a read is answered to the host.
//! * The data of a write are requested in line. The transmission of the data request of a write is found, and the arrival of the data: a
//!   write needs three productive polls. The data of a write are copied and sent to the device behind, in line, and the host is answered
//!   when the device has them.
//! * A request that came to the node of a pair that does not own the device goes over the link between the nodes, with its data, and the
//!   answer goes back over the link.

use super::catalogue::segment;
use super::{Controller, ControllerRole, InHand};
use sansim_component::{Context, Message, Module};
use sansim_kernel::Span;
use sansim_request::{RequestId, Status};

/// The number of jobs that are detected at an adapter of the devices.
const AT_DEVICES: u32 = u32::MAX;

impl Controller {
    /// The number of a job: it means the adapter at which the job is found, or that the job continues in line.
    pub(super) fn found_at(&self, cx: &Context<'_>, id: RequestId, module: Module) -> u32 {
        if self.stands == ControllerRole::BehindOthers && module == Module::InternalCompletion {
            return AT_DEVICES;
        }
        let Some(in_hand) = self.in_hand.get(&id).filter(|_| self.stands == ControllerRole::InBand) else {
            return 0;
        };
        let is_found = match module {
            Module::Command => true,
            Module::Data => cx.request(id).is_write(),
            Module::Completion => in_hand.sent,
            _ => false,
        };
        if is_found { u32::from(in_hand.port) + 1 } else { 0 }
    }

    /// A job of an in-band request is done.
    pub(super) fn job_done_in_band(&mut self, cx: &mut Context<'_>, id: RequestId, module: Module) {
        let Some(&InHand { status, aborted, .. }) = self.in_hand.get(&id) else { return };
        let (is_write, bytes) = (cx.request(id).is_write(), cx.request(id).data_bytes());
        match (status, module) {
            (None, Module::Command) if is_write && !aborted => {
                self.asks_about(cx, id, Module::SetUp, bytes);
            }
            (None, Module::SetUp) => {
                let number = self.in_hand.get(&id).map_or(0, |in_hand| u32::from(in_hand.port) + 1);
                self.inside.request_own_job(cx, Module::SetUpSent, Span::ZERO, 0, number);
                self.taken(cx, id);
            }
            (None, Module::Data | Module::Link) => self.pass_on(cx, id),
            (None, _) => self.taken(cx, id),
            (Some(status), Module::Link) => self.is_back_at_adapter(cx, id, status),
            (Some(status), Module::Data) => self.hands_out(cx, id, status),
            (Some(status), _) => self.answer(cx, id, status),
        }
    }

    /// The child request of an in-band request has come back.
    pub(super) fn is_back_in_band(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        let request = *cx.request(id);
        let has_data = status == Status::Good && request.is_read();
        if self.in_hand.get(&id).is_some_and(|in_hand| in_hand.foreign) {
            self.asks_about(cx, id, Module::Link, if has_data { request.data_bytes() } else { 0 });
        } else {
            self.is_back_at_adapter(cx, id, status);
        }
    }

    /// Continues a request whose child request has come back, at the node with the adapter by which it came.
    fn is_back_at_adapter(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        let is_aborted = self.in_hand.get(&id).is_some_and(|in_hand| in_hand.aborted);
        let has_data = status == Status::Good && cx.request(id).is_read() && !is_aborted;
        self.asks_for(cx, id, if has_data { Module::Data } else { Module::Completion });
    }

    /// The data of a read are passed to its adapter.
    fn hands_out(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        let bytes = cx.request(id).data_bytes();
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if in_hand.aborted {
            self.answer(cx, id, status);
            return;
        }
        in_hand.handed_out = true;
        cx.ledger().locate_request(id, segment::QUEUE);
        cx.send(in_hand.port, Message::ReadDataUpTo(id, bytes));
    }

    /// The data of a read have been sent.
    pub(super) fn data_sent(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if !in_hand.handed_out || in_hand.sent || in_hand.answered {
            return;
        }
        in_hand.sent = true;
        self.asks_for(cx, id, Module::Completion);
    }
}
