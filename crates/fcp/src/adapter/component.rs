//! The adapter as a component of a system: how it is built, which block or part of it handles each timer and message, and its figures.

use super::aborts::{self, ABORT_TIMER, DELAY_TIMER, FIRST_KIND, LOGIN_TIMER, NOTICE_TIMER, STATUS_TIMER};
use super::catalogue::{CATALOGUE, gauge, meter};
use super::messages::MessageRules;
use super::{Adapter, AdapterBlock, AdapterParameters, ExchangeUse, demand};
use crate::exchange::ExchangeId;
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::{
    Action, AdapterRole, BuildContext, Component, Context, KeysAround, LeftoverFindings, Message,
    NetworkChange, Timer, UnitTransport,
};
use sansim_kernel::{Time, Total};
use sansim_pdu::Address;
use sansim_schema::catalogue::Catalogue;

impl<R: ExchangeUse> Adapter<R> {
    /// The adapter with the messages of its protocol on a network of this form.
    #[must_use]
    pub fn at_transport(mut self, transport: UnitTransport) -> Self {
        self.rules = MessageRules::new(&self.parameters, transport);
        self.sizes = self.parameters.unit_sizes(transport, self.sizes);
        self
    }
}

impl<R: ExchangeUse> Component for Adapter<R> {
    type Parameters = AdapterParameters;
    type Role = AdapterRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        parameters: &AdapterParameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        Some(demand::of(parameters, R::INITIATES, class, around))
    }

    fn build(parameters: &AdapterParameters, cx: &BuildContext<'_, AdapterRole>) -> Self {
        let mut adapter = R::build(parameters, cx).at_transport(cx.transport);
        adapter.damage = aborts::damage(parameters.frame_loss, cx);
        let has_bus = !cx.uses.is_empty();
        if has_bus {
            adapter.bus = cx.uses.start;
            adapter.dma.use_bus();
            adapter.dma_in.use_bus();
            let behind_dma = cx.uses.start + 1 + u16::from(parameters.dma_bidirectional);
            if R::INITIATES && parameters.register_bytes > 0 {
                adapter.registers.use_bus(behind_dma);
            }
        }
        if let UnitTransport::Sequences(word) | UnitTransport::Transactions(word) = cx.transport {
            adapter.hand_over_sequences(word, has_bus);
        }
        adapter
    }

    fn start(&mut self, cx: &mut Context<'_>) {
        self.await_status_command(cx);
    }

    /// A timer of the adapter is due.
    #[inline(always)]
    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        if timer.what < FIRST_KIND {
            self.finish(cx, AdapterBlock::ALL[usize::from(timer.what)]);
        } else if timer.what == ABORT_TIMER {
            R::abort_due(self, cx, ExchangeId(timer.number));
        } else if timer.what == LOGIN_TIMER {
            R::login_due(self, cx, Address::new(timer.number));
        } else if timer.what == STATUS_TIMER {
            self.status_due(cx);
        } else if timer.what == DELAY_TIMER {
            self.delay_over(cx, ExchangeId(timer.number));
        } else if timer.what == NOTICE_TIMER {
            R::notices_due(self, cx);
        } else {
            R::recovery_due(self, cx, ExchangeId(timer.number));
        }
        self.run_at_once(cx);
    }

    #[inline(always)]
    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        match message {
            Message::Received(frame) => self.received(cx, &frame),
            Message::Outdated(frame) => Self::discard(cx, &frame),
            Message::PortLeft(address) => self.port_left(cx, address),
            Message::Initialised => R::loop_initialised(self, cx),
            Message::Noticed(notice) => R::noticed(self, cx, &notice),
            Message::Granted(..) | Message::Preempted(_) | Message::Transferred(..) => {
                self.bus_told(cx, port, message);
            }
            other => R::receive(self, cx, port, other),
        }
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        match action {
            Action::Fail => {
                self.is_cut_off = true;
                self.exchanges.device_unreachable();
                R::failed(self, cx);
            }
            Action::Repair => {
                self.end_slowness();
                if std::mem::replace(&mut self.is_silent, false) && !self.is_cut_off {
                    return;
                }
                self.is_cut_off = false;
                self.repairs += 1;
                R::came_back(self);
            }
            Action::Slow(thousandths) => self.make_slow(thousandths),
            Action::Delay(delay) => self.delay_commands(delay),
            Action::Silence => self.fall_silent(cx),
            Action::Access(device, access) => R::access_changes(self, device, access),
            Action::Network(NetworkChange::Attached) => {
                self.is_cut_off = false;
                R::came_back(self);
            }
            Action::Network(NetworkChange::Detached) => self.detached(cx),
            // An adapter does not choose among paths.
            Action::PathFails(_)
            | Action::PathWorks(_)
            | Action::PathAccess(..)
            | Action::DeviceFails(_)
            | Action::Unreadable { .. }
            | Action::Network(_) => {}
        }
    }

    /// The order of the main processor changes: a built-in one for tasks that come from now on, a rule of the user for all that wait.
    fn change(&mut self, cx: &mut Context<'_>, parameters: &AdapterParameters, _around: &KeysAround<'_>) {
        self.change_processor_order(cx.now, &parameters.processor_order);
    }

    fn gauge(&self, _now: Time, gauge: usize, _place: u16) -> u32 {
        let jobs = match gauge {
            gauge::PROCESSOR => self.processor.len(),
            gauge::DMA => self.dma.len() + self.dma_in.len(),
            _ => 0,
        };
        jobs as u32
    }

    fn busy(&self, now: Time, block: usize) -> Total {
        self.busy_block(now, AdapterBlock::ALL[block]).into()
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        let busy = |block| self.busy_block(now, block);
        let time = match meter {
            meter::PROCESSOR => busy(AdapterBlock::Processor),
            // The meter shows the mean of the two DMA channels.
            meter::DMA if self.parameters.dma_bidirectional => {
                busy(AdapterBlock::Dma).midpoint(busy(AdapterBlock::DmaIn))
            }
            meter::DMA => busy(AdapterBlock::Dma),
            meter::INCOMING => busy(AdapterBlock::Incoming),
            meter::COMMANDS => return Total(self.commands.into()),
            meter::RECOVERED => return Total(self.recovered.into()),
            meter::STATUS_REPORTS => return Total(self.registers.reports.into()),
            _ => busy(AdapterBlock::SingleFrame),
        };
        time.into()
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("exchanges left open", self.exchanges.open_exchange_count() as u64);
        let jobs = [
            self.registers.command_count(),
            self.message_in.jobs_in_server().filter(|&&id| id != ExchangeId::UNASSIGNED).count(),
            self.message_out.len(),
            // A run does not wait until a target has done its last work for an exchange.
            self.processor.jobs_in_server().filter(|task| task.exchange().is_some()).count(),
            self.dma.len() + self.dma_in.len(),
            self.incoming.len(),
            self.single_frame.len(),
            self.slowness.waiting_count(),
        ];
        leftovers.check_zero("jobs left in an adapter", jobs.iter().sum::<usize>() as u64);
        self.whole_units.leftovers(leftovers);
        leftovers.check_zero("outgoing buffers left taken", u64::from(self.outgoing));
        self.role.leftovers(leftovers);
    }
}
