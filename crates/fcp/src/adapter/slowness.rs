//! An adapter that is slow for a time, by an event: its blocks take longer, and commands wait in it.
//!
//! The factor applies to work that comes to a block from then on; work that a block has already keeps its time. The rate of the DMA falls by the
//! factor where it has one. Each command that a target has received waits for the delay before the main processor gets it, and each
//! status that an initiator has received before it is completed; its buffer is empty already, so a delay takes no credit. The last data of a
//! read that are their own status do not wait.
//!
//! Assumption: a slow SCSI bus is not modelled, so on a SCSI bus the transfers keep their pace.

use super::{Adapter, AdapterParameters, AdapterStage, DELAY_TIMER, ExchangeUse};
use crate::exchange::ExchangeId;
use crate::initiator::FIRST_TIMER;
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::{Order, Span};

/// The slowness of an adapter.
#[derive(Clone, Debug, Default)]
pub(super) struct Slowness {
    /// The parameters to which a repair returns; none for an adapter that is not slow.
    usual: Option<AdapterParameters>,
    /// The time for which a command waits.
    delay: Span,
    /// The exchanges whose command or status waits.
    waiting: Vec<ExchangeId>,
}

impl Slowness {
    /// Whether commands wait.
    #[inline]
    pub(super) fn is_delayed(&self) -> bool {
        self.delay > Span::ZERO
    }

    /// Whether the command or the status of an exchange waits.
    pub(super) fn delays(&self, id: ExchangeId) -> bool {
        self.waiting.contains(&id)
    }

    /// The number of exchanges that wait.
    pub(super) fn waiting_count(&self) -> usize {
        self.waiting.len()
    }
}

impl<R: ExchangeUse> Adapter<R> {
    /// The blocks take this many thousandths of their usual time from now on.
    #[cold]
    pub(super) fn make_slow(&mut self, thousandths: u32) {
        let usual = self.slowness.usual.get_or_insert_with(|| self.parameters.clone()).clone();
        let factor = u64::from(thousandths);
        let of = |span: Span| {
            let ticks = u128::from(span.ticks()) * u128::from(factor) / 1_000;
            Span(u64::try_from(ticks).unwrap_or(u64::MAX)).min(Span::LONGEST)
        };
        let slower = |rate: u64| (u128::from(rate) * 1_000 / u128::from(factor.max(1))).max(1) as u64;
        let bandwidth = usual.dma_bandwidth.map(slower);
        self.set_times(&AdapterParameters {
            command_time: of(usual.command_time),
            write_command_time: of(usual.write_command_time),
            xfer_rdy_time: of(usual.xfer_rdy_time),
            response_time: of(usual.response_time),
            completion_time: of(usual.completion_time),
            message_time: of(usual.message_time),
            frame_time: of(usual.frame_time),
            single_frame_time: of(usual.single_frame_time),
            status_time: of(usual.status_time),
            dma_setup_time: of(usual.dma_setup_time),
            dma_bandwidth: bandwidth,
            ..usual
        });
    }

    /// Each command, at an initiator each status, waits for this time from now on.
    #[cold]
    pub(super) fn delay_commands(&mut self, delay: Span) {
        self.slowness.delay = delay;
    }

    /// The adapter is as fast as usual again. Commands that wait go on when their time is over.
    pub(super) fn end_slowness(&mut self) {
        self.slowness.delay = Span::ZERO;
        if let Some(usual) = self.slowness.usual.take() {
            self.set_times(&usual);
        }
    }

    /// Gives the blocks these times. The order of the main processor, which an event may have changed, is no part of the parameters then.
    fn set_times(&mut self, times: &AdapterParameters) {
        self.parameters.clone_from(times);
        self.dma.set_rate(times.dma_bandwidth);
        self.dma_in.set_rate(times.dma_bandwidth);
    }

    /// A command or a status that has passed the single frame transfer begins to wait.
    #[cold]
    pub(super) fn delay_exchange(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        self.tell(cx, id, AdapterStage::Slow);
        self.slowness.waiting.push(id);
        if !R::INITIATES {
            // The device has the command that much later.
            let exchange = &mut self.exchanges[id];
            exchange.since += self.slowness.delay;
        }
        let turn = EventTurn::turn_of_node(FIRST_TIMER + id.0 % (Order::UNITS - FIRST_TIMER));
        cx.set_timer(cx.now + self.slowness.delay, turn, Timer::new(DELAY_TIMER, id.0));
    }

    /// A command or a status has waited for its time.
    #[cold]
    pub(super) fn delay_over(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let Some(place) = self.slowness.waiting.iter().position(|&other| other == id) else { return };
        self.slowness.waiting.remove(place);
        if self.exchanges[id].aborted {
            self.job_dropped(cx, id);
        } else {
            R::single_frame_done(self, cx, id);
        }
    }
}
