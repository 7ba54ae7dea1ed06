//! Loop initialisation: LIP, the choice of a loop master, the assignment of addresses, and CLS.
//!
//! Source: FC-AL as the Seagate Fibre Channel Interface Manual (77767496, rev. D), chapter 8, restates it, for the steps; the Hitachi
//! Ultrastar 15K450 (FC-AL) specification, 17.5 (table 87) for the timers, and table 253 for the frames.
//!
//! | step | words at each port |
//! |---|---|
//! | LIP | The port that begins sends LIP. A port passes LIP on, and recognises it by three equal LIPs. |
//! | OPEN-INIT | From then on the port sends twelve LIPs, then IDLE for AL_TIME. |
//! | LISM | Each port sends LISM with its port name, one after the other. A port that has received a lower name sends that one from its next LISM on. The port whose own name comes back is the loop master. |
//! | ARB(F0) | The master sends ARB(F0) until it comes back: the other ports stop sending LISM. |
//! | LIFA, LIPA, LIHA, LISA | The master sends each of them round the loop; each port enters its address into one. |
//! | LIRP, LILP | The ports enter their addresses in the order of the loop, and get the list. |
//! | CLS | The master sends CLS, which the ports pass on; each port is in MONITORING after it. |
//!
//! A port receives an initialisation frame entirely, keeps it for the hold time, and sends it on; the master also keeps each frame for the
//! hold time before it sends the next. All steps follow from the geometry of the loop, so they are computed when the loop begins to
//! initialise ([`InitialisationSchedule`]).
//!
//! Assumptions: port names rise with the addresses, so the FL_Port or else the port with the lowest AL_PA is the master; every port
//! supports LIRP and LILP; every port gets the address that it has in the scenario. All ports stop with the first LIP. On a real loop a port goes on until three
//! LIPs have reached it, at most a round trip and three words later; of the frames that would have arrived meanwhile those count as lost.

use super::geometry::LoopGeometry;
use crate::initialisation_frame::{AL_TIME, InitialisationFrame};
use sansim_kernel::{Span, Time};

/// The number of equal words by which a port recognises a primitive sequence (FC-FS; Seagate manual, 5.4.2).
pub const RECOGNITION_WORDS: u64 = 3;
/// The number of LIPs that a port sends in OPEN-INIT (Seagate manual, 8.2: "a minimum of 12 LIPs").
pub const LIP_WORDS: u64 = 12;
/// The number of words between two LISMs of a port, which are IDLE as between other frames.
const LISM_GAP: u64 = crate::loop_port::signalling::FRAME_GAP;

/// A step of an initialisation, at one port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialisationStep {
    /// The first of the LIPs.
    Lip,
    /// The frame that makes the master, or follows from the master.
    Frame(InitialisationFrame),
    /// The frame begins to come in.
    Received(InitialisationFrame),
    /// The first ARB(F0).
    ArbF0,
    /// CLS.
    Close,
}

/// The steps of an initialisation, with the slots in which they begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitialisationSchedule {
    /// The port that becomes the loop master.
    pub master: usize,
    /// The slot in which a port sends or receives something, and the port, in the order of time.
    pub steps: Vec<(Time, usize, InitialisationStep)>,
    /// The slot in which the port that sent the first LIP has recognised its own LIPs.
    pub lip_is_back: Time,
    /// For each port the first slot in which it is in MONITORING: that behind its CLS.
    pub ends: Vec<Time>,
}

/// The ports of a loop that initialises.
#[derive(Clone, Copy, Debug)]
pub struct InitialisingPorts<'a> {
    /// For each port whether it takes part; the others only repeat.
    pub takes_part: &'a [bool],
    /// The port that sends the first LIP.
    pub begins: usize,
    /// The port that becomes the loop master.
    pub master: usize,
}

impl InitialisationSchedule {
    /// The schedule of an initialisation that begins with the first LIP at or after `from`. `hold` is the time for which each port keeps
    /// an initialisation frame.
    pub fn new(
        geometry: &LoopGeometry,
        word: Span,
        ports: &InitialisingPorts<'_>,
        from: Time,
        hold: Span,
    ) -> Self {
        let &InitialisingPorts { takes_part, begins, master } = ports;
        let in_words = |span: Span| word * span.ticks().div_ceil(word.ticks());
        let hold = in_words(hold);
        let lip_at = geometry.slots(begins).first_slot_from(from);
        let mut steps = Vec::new();
        // The first LIP at each port; the port that began receives its own after a round trip.
        let lip = |port: usize| lip_at + geometry.slot_distance_time(begins, port);
        let around = |first: usize| (0..geometry.ports()).map(move |step| (first + step) % geometry.ports());
        steps.push((lip_at, begins, InitialisationStep::Lip));
        steps.extend(around(begins).skip(1).map(|port| (lip(port), port, InitialisationStep::Lip)));
        let lip_is_back = lip(begins) + word * RECOGNITION_WORDS;
        let first_lism = |port: usize| lip(port) + word * (RECOGNITION_WORDS + LIP_WORDS) + in_words(AL_TIME);
        let lism = word * (InitialisationFrame::SelectMaster.length_in_words() + LISM_GAP);
        // A port of the loop sends one LISM after the other, so it sends the name that it has received from its next LISM on.
        let next_lism = |port: usize, at: Time| {
            let first = first_lism(port);
            let begun = at.saturating_since(first).ticks().div_ceil(lism.ticks());
            first + lism * begun
        };
        // The frame is sent by the master, and in turn by each port that takes part; the result is the slot in which the master may go on.
        let mut round = |frame: InitialisationFrame, from: Time, next: &dyn Fn(usize, Time) -> Time| {
            let (mut at, mut by) = (from, master);
            let others = around(master).skip(1).filter(|&port| takes_part[port]);
            for port in others.chain([master]) {
                let comes = at + geometry.slot_distance_time(by, port);
                steps.push((at, by, InitialisationStep::Frame(frame)));
                steps.push((comes, port, InitialisationStep::Received(frame)));
                let may_go_on = comes + word * frame.length_in_words() + hold;
                (at, by) = (if port == master { may_go_on } else { next(port, may_go_on) }, port);
            }
            at
        };
        let is_master = round(InitialisationFrame::SelectMaster, first_lism(master), &next_lism);
        let mut closes = is_master + geometry.round_trip_time() + word;
        for frame in &InitialisationFrame::ALL[1..] {
            closes = round(*frame, closes, &|_, at| at);
        }
        let way = |port: usize| {
            if port == master { Span::ZERO } else { geometry.slot_distance_time(master, port) }
        };
        for port in around(master) {
            steps.push((is_master + way(port), port, InitialisationStep::ArbF0));
            steps.push((closes + way(port), port, InitialisationStep::Close));
        }
        steps.sort_by_key(|&(at, ..)| at);
        let is_back = |port: usize| if port == master { geometry.round_trip_time() } else { way(port) };
        let ends = (0..geometry.ports()).map(|port| closes + is_back(port) + word).collect();
        Self { master, steps, lip_is_back, ends }
    }

    /// The slot in which the last port, the master, is in MONITORING.
    pub fn ends_at(&self) -> Time {
        self.ends[self.master]
    }
}
