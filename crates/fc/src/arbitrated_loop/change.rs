//! Changes of a loop while it runs: a port is bypassed or enabled, and the loop is initialised.
//!
//! Source: FC-AL, as the Seagate Fibre Channel Interface Manual (77767496, rev. D), 5.4.2.1, describes LPB and LPE: a bypassed port only
//! repeats. LIP follows by itself where a port is pulled out or plugged in, because its neighbours lose synchronisation; LPB and LPE alone
//! are followed by none.
//!
//! A port that is bypassed without LIP while it is in a circuit, or arbitrates, leaves a loop on which no port can go on: the other end of
//! the circuit waits for it, or its ARB(x) goes round. The port that waits for E_D_TOV then initialises the loop.
//!
//! A cable of another length, or another schedule of a port, comes with LIP, as where a cable is pulled out and another one plugged in, and
//! where the settings of an adapter become valid by a reset of its port.
//!
//! Assumptions: the place of a bypassed port keeps its delay, as that of a port that repeats does. Ports discard frames for a port that is
//! bypassed: they know from LILP, or from their OPN that comes back, that it is not there.

use super::geometry::LoopGeometry;
use super::initialisation::{InitialisationSchedule, InitialisationStep, InitialisingPorts};
use super::{Answer, ArbitratedLoop, LoopEvent, LoopHost, LoopParameters, LoopStation, NOBODY, PortEvent};
use crate::frame::{Frame, RequestTag};
use crate::initialisation_frame::{
    ERROR_DETECT_TIME_OUT, InitialisationFrame, InitialisationUnit, place_in_bit_map,
};
use crate::loop_port::{LoopPort, PortState, port_of_address};
use crate::observation::Observation;
use crate::word::{FillWord, LinkItem, PrimitiveSignal};
use sansim_kernel::Time;

/// An initialisation whose steps are shown to observers.
#[derive(Clone, Debug)]
pub(super) struct ShownInitialisation {
    schedule: InitialisationSchedule,
    /// The place of the next step.
    next: usize,
    /// The number of the initialisation; the events of earlier ones are stale.
    number: u32,
    /// For each port whether it takes part.
    takes_part: Vec<bool>,
    /// The port that was enabled, and has no address before.
    new: Option<usize>,
}

impl ArbitratedLoop {
    /// Takes a port out of the loop. The frames that it has, and those for it, are lost. The result is the time from which on the loop
    /// works again: later than now if it is initialised.
    pub fn bypass(&mut self, now: Time, port: usize, initialise: bool, around: &mut impl LoopHost) -> Time {
        self.leave_shortcuts(now, around);
        let al_pa = self.ports[port].al_pa();
        let hangs = !self.is_idle_repeater(port);
        self.by_address[usize::from(al_pa.address_byte())] = NOBODY;
        self.bypassed.set(port, true);
        let works_at = if initialise {
            self.begin_initialisation(now, now, (self.first_behind(port), None), around)
        } else if hangs {
            let begins = self.circuit_partner(port).unwrap_or_else(|| self.first_behind(port));
            self.begin_initialisation(now, now + ERROR_DETECT_TIME_OUT, (begins, None), around)
        } else {
            now
        };
        let area = self.ports[port].area();
        for other in 0..self.ports.len() {
            let goes = |frame: &Frame| other == port || port_of_address(frame.destination, area) == al_pa;
            let mut answer = Answer::new(now, other, around);
            let lost = self.ports[other].remove_from_queues(now, goes, &mut answer);
            lost.into_iter().for_each(|frame| self.lose_unsent(now, other, frame, around));
            self.ports[other].forgets_unanswered((other != port).then_some(al_pa));
        }
        self.report_waits(now, works_at, around);
        works_at
    }

    /// Puts a port that was bypassed into the loop again. The result is the time from which on the loop works again.
    pub fn enable(&mut self, now: Time, port: usize, initialise: bool, around: &mut impl LoopHost) -> Time {
        self.leave_shortcuts(now, around);
        self.by_address[usize::from(self.ports[port].al_pa().address_byte())] = port as u8;
        self.bypassed.set(port, false);
        if !initialise {
            return now;
        }
        let works_at = self.begin_initialisation(now, now, (port, Some(port)), around);
        self.report_waits(now, works_at, around);
        works_at
    }

    /// Initialises the loop: the first port that is not bypassed sends LIP. The result is the time from which on the loop works again.
    pub fn initialise(&mut self, now: Time, around: &mut impl LoopHost) -> Time {
        self.leave_shortcuts(now, around);
        let begins = self.first_behind(self.ports.len() - 1);
        let works_at = self.begin_initialisation(now, now, (begins, None), around);
        self.report_waits(now, works_at, around);
        works_at
    }

    /// The cables and the schedules of the loop are those of these stations from now on. The port behind `changed`, whose cable is another
    /// one or which has another schedule, sends LIP. The result is the time from which on the loop works again.
    pub fn change_stations(
        &mut self,
        now: Time,
        (parameters, stations): (&LoopParameters, &[LoopStation]),
        changed: usize,
        around: &mut impl LoopHost,
    ) -> Time {
        self.leave_shortcuts(now, around);
        self.known.forget_circuits();
        self.geometry = LoopGeometry::from_stations(parameters, stations);
        self.hops_outlast_a_word = self.tells_ahead && self.geometry.shortest_hop() > self.word;
        for (number, station) in stations.iter().enumerate() {
            self.ports[number].take_place(self.geometry.slots(number), &station.schedule);
        }
        let works_at = self.begin_initialisation(now, now, (self.first_behind(changed), None), around);
        self.report_waits(now, works_at, around);
        works_at
    }

    /// A port that waits in vain initialises the loop. The result is the time from which on the loop works again.
    pub(super) fn initialise_by(&mut self, now: Time, port: usize, around: &mut impl LoopHost) -> Time {
        let works_at = self.begin_initialisation(now, now, (port, None), around);
        self.report_waits(now, works_at, around);
        works_at
    }

    /// Whether a port is bypassed.
    pub fn is_bypassed(&self, port: usize) -> bool {
        self.bypassed.contains(port)
    }

    /// A node hands over a frame. Returns whether the frame is lost, because its sender or its destination is bypassed.
    #[cold]
    pub(super) fn loses(&mut self, now: Time, port: usize, frame: Frame, around: &mut impl LoopHost) -> bool {
        let to = self.ports[port].towards(frame.destination);
        let is_away = |port: usize| self.ports[port].al_pa() == to && self.bypassed.contains(port);
        if !self.bypassed.contains(port) && !(0..self.ports.len()).any(is_away) {
            return false;
        }
        self.lose_unsent(now, port, frame, around);
        true
    }

    /// No more frames of a request come from the node behind `port`.
    pub fn sequence_ends(&mut self, now: Time, port: usize, tag: RequestTag, around: &mut impl LoopHost) {
        self.leave_shortcuts(now, around);
        self.ports[port].sequence_ends(now, tag, &mut Answer::new(now, port, around));
    }

    /// Ends a cached circuit, so that the states of the ports are those of the present.
    pub(super) fn leave_shortcuts(&mut self, now: Time, around: &mut impl LoopHost) {
        if self.known.is_going() {
            self.fall_back_to_events(now, around);
        }
    }

    /// Whether a port has no part in what happens on the loop: its absence stops no other port.
    fn is_idle_repeater(&self, port: usize) -> bool {
        let address = Some(self.ports[port].al_pa());
        let opens = |other: &LoopPort| {
            let is_about_to = || other.state() == PortState::ArbitrationWon && other.opens() == address;
            other.is_owner() && (other.peer() == address || is_about_to())
        };
        self.ports[port].state() == PortState::Monitoring && !self.ports.iter().any(opens)
    }

    /// Another port that is in a circuit.
    fn circuit_partner(&self, port: usize) -> Option<usize> {
        (0..self.ports.len()).find(|&other| other != port && !self.ports[other].state().is_repeating())
    }

    /// The first port downstream of a port that is not bypassed; the port itself if all others are.
    fn first_behind(&self, port: usize) -> usize {
        let count = self.ports.len();
        (1..count)
            .map(|step| (port + step) % count)
            .find(|&port| !self.bypassed.contains(port))
            .unwrap_or(port)
    }

    /// The port with the lowest port name. The FL_Port, which becomes the master in any case, has the lowest address.
    fn master(&self) -> usize {
        let takes_part = (0..self.ports.len()).filter(|&port| !self.bypassed.contains(port));
        takes_part.min_by_key(|&port| self.ports[port].al_pa()).unwrap_or(0)
    }

    /// All ports stop now; `begins` sends the first LIP at `lip_at`, and `new` has no address yet. All frames in flight are lost. The result is the time at which the
    /// last port is in MONITORING again.
    fn begin_initialisation(
        &mut self,
        now: Time,
        lip_at: Time,
        (begins, new): (usize, Option<usize>),
        around: &mut impl LoopHost,
    ) -> Time {
        let takes_part: Vec<bool> = (0..self.ports.len()).map(|port| !self.bypassed.contains(port)).collect();
        let ports = InitialisingPorts { takes_part: &takes_part, begins, master: self.master() };
        let schedule = InitialisationSchedule::new(&self.geometry, self.word, &ports, lip_at, self.hold_time);
        let mut lost: Vec<Frame> =
            self.items.pending().filter_map(|pending| pending.item.frame().copied()).collect();
        lost.sort_unstable_by_key(|frame| {
            (frame.tag, frame.source, frame.unit, frame.part, frame.kind as u8)
        });
        self.items.lose_all();
        self.loss.iter_mut().for_each(|loss| loss.lose_all());
        self.fast.restart();
        if let Some(lines) = &mut self.reference {
            lines.iter_mut().for_each(std::collections::VecDeque::clear);
        }
        for port in 0..self.ports.len() {
            let lip_is_back = (port == begins).then_some(schedule.lip_is_back);
            let mut answer = Answer::new(now, port, around);
            self.ports[port].begin_initialisation(lip_is_back, schedule.ends[port], &mut answer);
            let state = self.ports[port].state();
            around.observe(now, port, || Observation::State(state));
            around.observe_repeated(now, port, || Observation::SentFill(FillWord::Idle));
        }
        for frame in lost {
            let from = self.sender_of(&frame);
            around.upcall(now, from, PortEvent::Lost(frame));
        }
        self.initialisations += 1;
        let works_at = schedule.ends_at();
        if around.sees_steps() {
            let number = self.initialisations;
            let (at, port, _) = schedule.steps[0];
            around.schedule(at, port, LoopEvent::Initialisation(number));
            self.shown = Some(Box::new(ShownInitialisation { schedule, next: 0, number, takes_part, new }));
        }
        works_at
    }

    /// The port that sent a frame; frames from beyond the loop were sent by the FL_Port.
    pub(super) fn sender_of(&self, frame: &Frame) -> usize {
        let sends = |port: &LoopPort| port.towards(frame.source) == port.al_pa();
        self.ports.iter().position(sends).unwrap_or(0)
    }

    /// A frame is lost that has not been sent. Its node hears what it would hear of a frame that leaves, so it can go on.
    fn lose_unsent(&self, now: Time, port: usize, frame: Frame, around: &mut impl LoopHost) {
        around.upcall(now, port, PortEvent::Started(frame));
        if self.ports[port].ends_for_node(&frame) {
            around.upcall(now, port, PortEvent::Sent(frame));
        }
        around.upcall(now, port, PortEvent::Lost(frame));
    }

    fn report_waits(&mut self, now: Time, works_at: Time, around: &mut impl LoopHost) {
        if works_at > now {
            for port in 0..self.ports.len() {
                self.ports[port].waits_for_initialisation(&mut Answer::new(now, port, around));
            }
        }
    }

    /// Shows the steps of an initialisation that are due.
    #[cold]
    pub(super) fn show_initialisation(&mut self, now: Time, number: u32, around: &mut impl LoopHost) {
        let Some(shown) = self.shown.as_mut().filter(|shown| shown.number == number) else { return };
        while let Some(&(at, port, step)) = shown.schedule.steps.get(shown.next) {
            if at > now {
                around.schedule(at, port, LoopEvent::Initialisation(number));
                return;
            }
            shown.next += 1;
            let repeated = match step {
                InitialisationStep::ArbF0 => Some(Observation::SentFill(FillWord::ArbF0)),
                InitialisationStep::Close => {
                    Some(Observation::SentItem(LinkItem::Signal(PrimitiveSignal::Close)))
                }
                // The ports send IDLE between the frames.
                InitialisationStep::Frame(InitialisationFrame::FabricAssigned) => {
                    Some(Observation::SentFill(FillWord::Idle))
                }
                _ => None,
            };
            if let Some(what) = repeated {
                around.observe_repeated(at, port, || what);
            }
            let own = match step {
                InitialisationStep::Lip => {
                    let source = (!shown.is_new(port)).then(|| self.ports[port].al_pa());
                    Observation::SentItem(LinkItem::Signal(PrimitiveSignal::Initialise { source }))
                }
                InitialisationStep::Frame(frame) => {
                    Observation::SentInitialisation(shown.frame_at(frame, port, &self.ports))
                }
                InitialisationStep::Received(frame) => {
                    let sender = shown.before(port);
                    Observation::ReceivedInitialisation(shown.frame_at(frame, sender, &self.ports))
                }
                InitialisationStep::ArbF0 | InitialisationStep::Close => continue,
            };
            around.observe(at, port, || own);
        }
        self.shown = None;
    }
}

impl ShownInitialisation {
    /// Whether a port has no address yet: it was enabled.
    fn is_new(&self, port: usize) -> bool {
        self.new == Some(port)
    }

    /// The port from which a port receives frames: the next upstream that takes part.
    fn before(&self, port: usize) -> usize {
        let count = self.takes_part.len();
        (1..=count)
            .map(|step| (port + count - step) % count)
            .find(|&port| self.takes_part[port])
            .unwrap_or(port)
    }

    /// An initialisation frame as a port sends it: with the entries of the ports before it, and its own.
    fn frame_at(&self, frame: InitialisationFrame, port: usize, ports: &[LoopPort]) -> InitialisationUnit {
        use InitialisationFrame as Li;
        let (count, master) = (ports.len(), self.schedule.master);
        let up_to = (port + count - master) % count;
        let bit = |port: usize| 1u128 << place_in_bit_map(ports[port].al_pa());
        let entered = |steps: usize, of: &dyn Fn(usize) -> bool| {
            let around = (0..=steps).map(|step| (master + step) % count);
            around.filter(|&port| self.takes_part[port] && of(port)).fold(0, |map, port| map | bit(port))
        };
        let (all, old) = (|_: usize| true, |port: usize| !self.is_new(port));
        let map = match frame {
            Li::SelectMaster | Li::FabricAssigned => 0,
            Li::PreviouslyAcquired => entered(up_to, &old),
            Li::HardAssigned => entered(count - 1, &old),
            Li::SoftAssigned => entered(count - 1, &old) | entered(up_to, &all),
            Li::ReportPosition => entered(up_to, &all),
            Li::LoopPosition => entered(count - 1, &all),
        };
        InitialisationUnit { frame, map, master: ports[master].al_pa() }
    }
}
