//! The tenancies of the loop: who owned it from when to when, and what for.

use crate::observer::{Names, Observer, Wants};
use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::Observation;
use sansim_fc::frame::{Frame, FrameKind};
use sansim_fc::loop_port::PortState;
use sansim_fc::word::{Item, Signal};
use sansim_fcp::exchange::ExchangeTable;
use sansim_kernel::Time;

/// One tenancy: a port won the arbitration, and gave the loop up again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenancy {
    /// Station of the owner.
    pub station: usize,
    /// When it began to arbitrate.
    pub arbitration_began: Time,
    /// When it won.
    pub won: Time,
    /// When it gave the loop up.
    pub ended: Time,
    /// Circuits it opened (OPNs sent).
    pub circuits: u32,
    /// Station that it opened first.
    pub peer: Option<usize>,
    /// Frames that the owner sent.
    pub frames_out: u32,
    /// Frames that the owner received.
    pub frames_in: u32,
    /// Payload bytes of the data frames it sent.
    pub bytes_out: u64,
    /// Payload bytes of the data frames it received.
    pub bytes_in: u64,
}

/// Notes every tenancy of a run.
#[derive(Clone, Debug)]
pub struct Tenancies {
    addresses: Vec<AlPa>,
    arbitrating_since: Vec<Time>,
    current: Option<Tenancy>,
    rows: Vec<Tenancy>,
}

fn data_bytes(frame: &Frame) -> u64 {
    if frame.kind == FrameKind::Data { u64::from(frame.payload_bytes) } else { 0 }
}

impl Tenancies {
    /// Nothing noted yet.
    pub fn new(names: &Names) -> Self {
        Self {
            addresses: names.stations.iter().map(|s| s.al_pa).collect(),
            arbitrating_since: vec![Time::ZERO; names.stations.len()],
            current: None,
            rows: Vec::new(),
        }
    }

    /// The tenancies in order; one that has not ended is left out.
    pub fn into_rows(self) -> Vec<Tenancy> {
        self.rows
    }

    fn state(&mut self, now: Time, station: usize, state: PortState) {
        match state {
            PortState::Arbitrating => self.arbitrating_since[station] = now,
            PortState::ArbitrationWon => {
                self.current = Some(Tenancy {
                    station,
                    arbitration_began: self.arbitrating_since[station],
                    won: now,
                    ended: now,
                    circuits: 0,
                    peer: None,
                    frames_out: 0,
                    frames_in: 0,
                    bytes_out: 0,
                    bytes_in: 0,
                });
            }
            _ => {}
        }
        if state.repeats()
            && let Some(mut tenancy) = self.current.take_if(|tenancy| tenancy.station == station)
        {
            tenancy.ended = now;
            self.rows.push(tenancy);
        }
    }
}

impl Observer for Tenancies {
    fn wants(&self) -> Wants {
        Wants { ports: true, ..Wants::default() }
    }

    fn at_port(&mut self, now: Time, station: usize, what: Observation, _exchanges: &ExchangeTable) {
        if let Observation::State(state) = what {
            self.state(now, station, state);
            return;
        }
        let Some(tenancy) = self.current.as_mut().filter(|tenancy| tenancy.station == station) else {
            return;
        };
        match what {
            Observation::SentItem(Item::Signal(Signal::Open { destination, .. })) => {
                tenancy.circuits += 1;
                if tenancy.peer.is_none() {
                    tenancy.peer = self.addresses.iter().position(|address| *address == destination);
                }
            }
            Observation::SentItem(Item::Frame(frame)) => {
                tenancy.frames_out += 1;
                tenancy.bytes_out += data_bytes(&frame);
            }
            Observation::ReceivedItem(Item::Frame(frame)) => {
                tenancy.frames_in += 1;
                tenancy.bytes_in += data_bytes(&frame);
            }
            _ => {}
        }
    }
}
