//! Exchanges that are aborted, and received frames that are damaged.
//!
//! Source: FC-FS. The originator sends ABTS; the responder ends the exchange and answers BA_ACC, or BA_RJT if it has no such exchange.
//! Frames go from one port to another in order. When ABTS has arrived, nothing more of the exchange therefore comes from the originator,
//! and when BA_ACC or BA_RJT has arrived, nothing more from the responder; until then both ends discard frames of the exchange. If no
//! answer comes within `abort_answer_time`, ABTS is sent again.
//!
//! Blocks finish the work that they have begun for an aborted exchange; its results are dropped. The exchange ends at this adapter when no
//! block has anything more to do for it, so that its number can be reused.
//!
//! A frame that is received damaged (`frame_loss`) is discarded and its buffer is empty at once; class 3 notifies no
//! node.
//!
//! Assumptions: aborting uses neither the processor of an adapter nor its bus interface. A real initiator without an answer to ABTS would
//! in the end log the other end out; here ABTS is repeated until it is answered.

use super::{Adapter, AdapterBlock, AdapterStage, ExchangeUse, NETWORK};
use crate::exchange::ExchangeId;
use sansim_component::context::UnitStep;
use sansim_component::{BuildContext, Context, Message};
use sansim_kernel::RandomStream;
use sansim_kernel::functions::power;
use sansim_pdu::{Pdu, PduKind, RequestTag};
use sansim_request::{LossCause, RequestId};

/// The kind of timers about ABTS; a timer has the number of the exchange.
pub(crate) const ABORT_TIMER: u8 = u8::MAX;

/// The kind of timers of recovery, at both ends; a timer has the number of the exchange. Lookahead has the kinds after it for events that it
/// schedules itself.
pub(crate) const RECOVERY_TIMER: u8 = u8::MAX - 2;

/// The kind of timers of logins; a timer has the address of the target.
pub(crate) const LOGIN_TIMER: u8 = u8::MAX - 3;

/// The kind of the timer after which the driver asks for a status report.
pub(super) const STATUS_TIMER: u8 = u8::MAX - 4;

/// The kind of timers after which a command or a status goes on in a slow adapter; a timer has the number of the exchange.
pub(super) const DELAY_TIMER: u8 = u8::MAX - 5;

/// The kind of the timer at which the driver looks for notices.
pub(crate) const NOTICE_TIMER: u8 = u8::MAX - 6;

/// The kinds of timers before this one are numbers of blocks.
pub(super) const FIRST_KIND: u8 = NOTICE_TIMER;

/// The random stream that decides which received frames are damaged; none if no frame is.
pub(super) fn damage<R>(frame_loss: f64, cx: &BuildContext<'_, R>) -> Option<RandomStream> {
    (frame_loss > 0.0).then(|| cx.component_random_stream("frame_loss"))
}

impl<R: ExchangeUse> Adapter<R> {
    /// Whether a received frame is lost: it is damaged, or the adapter is silent. Such a frame is discarded.
    pub(super) fn throws_away(&mut self, cx: &mut Context<'_>, frame: &Pdu) -> bool {
        let frame_loss = match self.frames_of(frame) {
            1 => self.parameters.frame_loss,
            // The message represents all frames of a sequence that is handed over at once.
            frames => 1.0 - power(1.0 - self.parameters.frame_loss, frames.into()),
        };
        let is_damaged = self.damage.as_mut().is_some_and(|random| random.chance(frame_loss));
        if !is_damaged && !self.is_silent {
            return false;
        }
        let request = RequestId(frame.tag.0);
        cx.ledger().advance_unit(request, UnitStep::Taken);
        cx.failures().lose_request(request, LossCause::FrameLost);
        if !self.comes_again(frame) {
            cx.ledger().locate_request(request, AdapterStage::FrameLost as usize);
        }
        cx.send(NETWORK, Message::BufferFreed);
        true
    }

    /// The port has received ABTS or an answer to ABTS.
    pub(super) fn link_service_received(&mut self, cx: &mut Context<'_>, frame: Pdu) {
        // The record of the request is kept until ABTS has been processed: for an ABTS that was sent again the rest of the exchange
        // may be over, and its answer is still to come.
        cx.keep_record(RequestId(frame.tag.0));
        cx.ledger().advance_unit(RequestId(frame.tag.0), UnitStep::Taken);
        cx.ledger().advance_unit(RequestId(frame.tag.0), UnitStep::AllIn);
        // The link service belongs to no exchange until it has been processed.
        let due =
            self.incoming.submit_job(cx.now, (ExchangeId::UNASSIGNED, frame), self.parameters.frame_time);
        self.when(cx, AdapterBlock::Incoming, due);
        self.run_at_once(cx);
    }

    /// From now on an exchange is being aborted: no more data are fetched for it.
    pub(crate) fn begin_abort(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        self.exchanges[id].aborted = true;
        self.sequences.retain(|&(other, ..)| other != id);
        self.cut_unit_of(cx, id);
    }

    /// The exchange of a request is over without a service, from which the port would know that no data come for which it holds its circuit.
    #[cold]
    pub(crate) fn end_sequence(cx: &mut Context<'_>, request: RequestId) {
        cx.send(NETWORK, Message::SequenceEnds(RequestTag(request.0)));
    }

    /// A block is done with a job for an exchange that is being aborted.
    pub(super) fn job_dropped(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        R::abort_goes_on(self, cx, id);
    }

    /// Whether any block has anything to do for an exchange.
    pub(crate) fn works_for(&self, id: ExchangeId) -> bool {
        self.registers.has_command(id)
            || self.message_in.has_job(|&job| job == id)
            || self.message_out.has_job(|&job| job == id)
            || self.processor.has_job(|task| task.exchange() == Some(id))
            || self.dma.has_data_of_exchange(id)
            || self.dma_in.has_data_of_exchange(id)
            || self.incoming.has_job(|&(job, _)| job == id)
            || self.single_frame.has_job(|&job| job == id)
            || self.slowness.delays(id)
    }

    /// Answers ABTS for an exchange that this end does not have.
    pub(crate) fn reject(&mut self, cx: &mut Context<'_>, abort: &Pdu) {
        let frame = Pdu {
            source: self.address,
            destination: abort.source,
            payload_bytes: self.rules.abort_bytes[2] as u32,
            kind: PduKind::AbortReject,
            ..*abort
        };
        self.send_service(cx, frame);
    }
}
