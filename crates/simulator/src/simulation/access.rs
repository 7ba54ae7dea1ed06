//! Access to components: every input to a component, and every reading of its state, goes through this file.

use super::Simulation;
use sansim_component::{Action, ComponentId, Context, Timer};
use sansim_kernel::{Order, Time};
use sansim_lookahead::{EventHandling, LAST, LookaheadRunner};
use sansim_registry::AnyComponent;

impl Simulation<'_> {
    /// A component, for reading.
    #[inline]
    pub(crate) fn look(&self, id: ComponentId) -> &AnyComponent {
        &self.components[id.index()]
    }

    /// Every component, for reading, by number.
    pub(crate) fn look_at_all(&self) -> impl Iterator<Item = &AnyComponent> {
        (0..self.components.len()).map(|number| self.look(ComponentId(number as u32)))
    }

    /// Whether an event that is due has been computed already by a part that lags behind the calendar.
    #[inline]
    pub(super) fn is_worked_out(&mut self, now: Time, id: ComponentId, timer: Timer) -> bool {
        self.lagging.event_may_affect_burst(id, timer)
            && self.lookahead().handle_due_event(now, id, timer) == EventHandling::OfTrain
    }

    /// The lookahead, which brings components that lag behind the calendar to the present.
    #[inline]
    pub(super) fn lookahead(&mut self) -> LookaheadRunner<'_> {
        let Self { lagging, components, around, next_edge, .. } = self;
        LookaheadRunner { trains: lagging, components, around, next_edge: *next_edge }
    }

    /// Handles up to `count` events and samples. Returns false when no event is left up to the horizon of simulated time, when simulated
    /// time does not advance, when a frame burst ran past its horizon, or when a component has given up. In that case no component lags
    /// behind the calendar.
    pub fn run_events(&mut self, count: u64) -> bool {
        let goes_on = self.handle_events(count) && self.lagging.first_overrun_burst().is_none();
        if !goes_on {
            self.catch_up_at_end();
        } else if self.around.given_up {
            self.catch_up_between_events(self.now());
            return false;
        }
        goes_on
    }

    /// Brings every frame burst to the present, before component states are read.
    pub(super) fn catch_up_all(&mut self) {
        let present = self.around.calendar.present_place();
        self.lookahead().catch_up_all_bursts(present);
    }

    /// Brings lagging components to the present after the current event: up to now, or to a moment before the next event.
    pub(crate) fn catch_up_between_events(&mut self, at: Time) {
        let place = if at > self.now() { (at, Order::default()) } else { self.behind_present() };
        self.lookahead().catch_up_all_bursts(place);
    }

    /// Brings the cached circuits of loops to the present after the present event.
    pub(super) fn catch_up_known_circuits(&mut self) {
        let place = self.behind_present();
        self.lookahead().catch_up_loop_ports(place);
    }

    /// The place directly after the present event.
    fn behind_present(&self) -> (Time, Order) {
        let (now, Order { priority, rank, unit }) = self.around.calendar.present_place();
        (now, Order { priority, rank, unit: unit + 1 })
    }

    /// Brings everything to the present when no event is left up to the horizon of simulated time, or up to the time at which
    /// the run was cut; or when time does not reach it.
    pub(super) fn catch_up_at_end(&mut self) {
        if self.lagging.first_overrun_burst().is_some() || self.around.agenda.message_cycle().is_some() {
            self.catch_up_between_events(self.now());
        } else {
            let place = (if self.is_over { self.until } else { Time::HORIZON }, LAST);
            self.lookahead().catch_up_all_bursts(place);
            self.lookahead().catch_up_loop_ports(place);
        }
    }

    /// Gives a component an input, and immediately does the work that other components may not notice late: reports its
    /// observations, and collects requests that came back.
    #[inline]
    pub(super) fn react(
        &mut self,
        now: Time,
        id: ComponentId,
        input: impl FnOnce(&mut AnyComponent, &mut Context<'_>),
    ) {
        let mut cx = Context::new(now, id, &mut self.around);
        input(&mut self.components[id.index()], &mut cx);
        if !self.around.shown.is_empty() {
            self.show();
        }
        if !self.around.returned.is_empty() {
            self.take_returned(now);
        }
    }

    /// Delivers all messages of the agenda. Returns false if simulated time does not advance.
    #[inline]
    pub(super) fn settle(&mut self, now: Time) -> bool {
        loop {
            if !self.around.failed_devices.is_empty() {
                self.tell_of_failures(now);
            }
            let Some(place) = self.around.next_message(now) else { break };
            let (end, message) = *self.around.agenda.message_at(place);
            if self.lagging.input_may_affect_burst(end.component) {
                self.lookahead().catch_up_before_message(end, &message);
            }
            self.touch(end.component, end.port);
            self.react(now, end.component, |component, cx| component.receive_message(cx, end.port, message));
        }
        self.around.agenda.message_cycle().is_none()
    }

    /// Notifies the components that use failed devices. Devices that these components present may fail as a
    /// consequence.
    #[cold]
    fn tell_of_failures(&mut self, now: Time) {
        self.catch_up_all();
        while let Some(device) = self.around.failed_devices.pop() {
            for place in 0..self.askers[device as usize].len() {
                let asker = self.askers[device as usize][place];
                self.touch(asker, 0);
                self.react(now, asker, |component, cx| {
                    component.apply_action(cx, Action::DeviceFails(device))
                });
            }
        }
    }

    /// Notes that the state of a component may have changed, at one of its places if it has several.
    #[inline(always)]
    pub(super) fn touch(&mut self, id: ComponentId, place: u16) {
        if self.wants.gauges {
            self.note_touched(id, place);
        }
    }

    /// Marks the gauges of a place as changed; few runs have an observer for every change.
    #[cold]
    fn note_touched(&mut self, id: ComponentId, place: u16) {
        let first = self.board.station_of[id.index()];
        let has_places = self.components[id.index()].place_count() > 1;
        let station = first + if has_places { usize::from(place) } else { 0 };
        if !self.touched.contains(&station) {
            self.touched.push(station);
        }
    }
}
