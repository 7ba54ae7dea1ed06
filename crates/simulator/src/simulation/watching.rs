//! Reading the state of a simulation without changing it: observations, gauges, meters, samples.

use super::Simulation;
use crate::rows::{RowReceiver, hand_over_tenancies};
use crate::samples::Sample;
use sansim_component::{ComponentId, MoveEnd, ObservableKind, ObservedEvent};
use sansim_kernel::{Time, Total};
use sansim_observe::observer::RequestStep;

impl Simulation<'_> {
    /// Passes on to observers the observations that components have reported.
    #[cold]
    pub(super) fn show(&mut self) {
        let Some(observer) = &mut self.observer else { return };
        let requests = &self.around.requests;
        for &ObservedEvent { at, component, what } in &self.around.shown {
            let station = self.board.station_of[component.index()];
            match what {
                ObservableKind::Port(port, what) => {
                    observer.at_port(at, station + usize::from(port), what, requests);
                }
                ObservableKind::Repeater(port, what) => {
                    observer.at_repeater(at, station + usize::from(port), what, requests);
                }
                ObservableKind::Buffered(place, buffer, frame) => {
                    observer.at_buffer(at, station + usize::from(place), buffer, Some(frame), requests);
                }
                ObservableKind::Freed(place, buffer) => {
                    observer.at_buffer(at, station + usize::from(place), buffer, None, requests);
                }
                ObservableKind::Moves(what) => {
                    let receiver = what.hop.map_or(what.to, |hop| hop.receiver);
                    let ends = [what.from, what.to, receiver].map(|end| match end {
                        MoveEnd::Place(place) => station + usize::from(place),
                        MoveEnd::Peer(port) => {
                            let peer = self.around.peer_of(component, port);
                            peer.map_or(station, |peer| self.board.station_of[peer.index()])
                        }
                    });
                    observer.at_move(at, component, ends, &what, requests);
                }
                ObservableKind::Changed(place) => {
                    let station = station + usize::from(place);
                    if !self.touched.contains(&station) {
                        self.touched.push(station);
                    }
                }
                ObservableKind::Block(block, request, until) => {
                    observer.at_block(at, until, component, block, request, requests);
                }
                ObservableKind::Issued(request, line) => {
                    observer.at_request(at, component, request, RequestStep::Issued(line), requests);
                }
                ObservableKind::Enters(request, line) => {
                    observer.at_request(at, component, request, RequestStep::Enters(line), requests);
                }
                ObservableKind::Joined(parent, part) => {
                    observer.at_request(at, component, parent, RequestStep::Joined(part), requests);
                }
                ObservableKind::Completed(request) => {
                    let asked = requests.request(request);
                    let measured =
                        asked.parent.is_none() && !asked.origin.background && self.measurement.is_open();
                    observer.at_request(
                        at,
                        component,
                        request,
                        RequestStep::Completed { measured },
                        requests,
                    );
                }
            }
        }
        self.around.shown.clear();
    }

    /// Hands over the rows of the tables that certainly count by now.
    pub(crate) fn hand_over(&mut self, to: &mut dyn RowReceiver) {
        self.measurement.hand_over_records(to);
        let now = self.now();
        let tenancies = self.observer.as_mut().and_then(|observer| observer.tenancies());
        if let (Some(tenancies), Some(edges)) = (tenancies, self.measurement.interval_edges()) {
            hand_over_tenancies(tenancies, now, edges, to);
        }
    }

    fn gauge(&self, now: Time, number: usize) -> u32 {
        let at = &self.board.gauges[number];
        self.look(at.component).gauge_value(now, at.gauge, at.place)
    }

    /// Reports to the observer the gauges that have changed at the stations where something happened.
    pub(super) fn show_gauges(&mut self, now: Time) {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        for station in touched.drain(..) {
            for number in self.board.station_gauges(station) {
                let value = self.gauge(now, number);
                if self.gauges[number] != value {
                    self.gauges[number] = value;
                    if let Some(observer) = &mut self.observer {
                        observer.at_gauge(now, number, value);
                    }
                }
            }
        }
        self.touched = touched;
    }

    /// All meters of the system, up to now or to a moment before the next event: component by component, in
    /// the order of [`sansim_assembly::board::MeasurementBoard::first_meter`].
    pub fn meters(&mut self, at: Time) -> Vec<Total> {
        self.catch_up_between_events(at);
        self.read_meters(at)
    }

    /// Reads all meters while no component lags behind. The meters of places follow the meters of components.
    pub(super) fn read_meters(&self, at: Time) -> Vec<Total> {
        let mut meters = Vec::with_capacity(self.first_meter.last().copied().unwrap_or(0));
        for (number, component) in self.look_at_all().enumerate() {
            let count = self.first_meter[number + 1] - self.first_meter[number];
            meters.extend((0..count).map(|meter| component.meter_value(at, meter)));
        }
        let of_places = self.board.place_meters.iter();
        meters.extend(
            of_places
                .map(|meter| self.look(meter.component).place_meter_value(at, meter.number, meter.place)),
        );
        meters
    }

    /// The time in which a block of a component was at work since the beginning of the run.
    pub fn busy_time(&mut self, component: ComponentId, block: usize) -> Total {
        self.catch_up_between_events(self.now());
        self.look(component).busy_time(self.now(), block)
    }

    /// Whether events follow within simulated time, when no event is left up to the next sample. The function adds the sample if
    /// an event follows it.
    #[cold]
    pub(super) fn goes_on(&mut self) -> bool {
        if self.is_over {
            return false;
        }
        if self.follows().is_none() {
            // A circuit that waits for an action of its nodes, which will do nothing more, may still have to close: there is no event for
            // that until the cached circuit is left.
            self.catch_up_known_circuits();
        }
        match self.follows() {
            None => return false,
            Some(next) if next > self.until => self.take_sample(),
            Some(_) => {}
        }
        true
    }

    /// The time of the next event within simulated time.
    fn follows(&mut self) -> Option<Time> {
        self.around.calendar.peek_time().filter(|&next| next <= Time::HORIZON)
    }

    fn take_sample(&mut self) {
        let place = (self.until, sansim_lookahead::LAST);
        self.lookahead().catch_up_all_bursts(place);
        self.lookahead().catch_up_loop_ports(place);
        let at = self.sampler.next;
        let all = self.read_meters(at);
        let meters = self.board.meters.iter().map(|meter| all[meter.meter]).collect();
        let place_meters = all[self.first_meter.last().copied().unwrap_or(0)..].to_vec();
        // The sample is the state before the events of that very moment.
        let gauges = (0..self.gauges.len()).map(|number| self.gauge(self.until, number)).collect();
        self.sampler.add(Sample { at, meters, place_meters, gauges });
        self.until = self.sampler.last_moment_before_sample();
    }
}
