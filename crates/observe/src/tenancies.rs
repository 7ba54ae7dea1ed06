//! The tenancies of loops: the owner of each tenancy, its begin and end, and its traffic.

use crate::names::SystemNames;
use crate::observer::{Observer, WantedCalls};
use crate::tenancy::Tenancy;
use sansim_fc::frame::{Frame, PduKind};
use sansim_fc::loop_port::PortState;
use sansim_fc::observation::Observation;
use sansim_fc::word::{LinkItem, PrimitiveSignal};
use sansim_kernel::Time;
use sansim_pdu::Address;
use sansim_pdu::PortSight;
use sansim_request::Requests;
use std::ops::Range;

/// An observer that records every tenancy of a run.
#[derive(Clone, Debug)]
pub struct Tenancies {
    /// The ports of stations at a network, by station.
    ports: Vec<(usize, Address)>,
    /// For each network, its stations and the present tenancy.
    stations: Vec<Range<usize>>,
    current: Vec<Option<Tenancy>>,
    arbitrating_since: Vec<Time>,
    rows: Vec<Tenancy>,
}

fn data_bytes(frame: &Frame) -> u64 {
    if frame.kind == PduKind::Data { u64::from(frame.payload_bytes) } else { 0 }
}

impl Tenancies {
    /// A recorder without tenancies.
    pub fn new(names: &SystemNames) -> Self {
        let networks = names.networks.len();
        Self {
            ports: names.stations.iter().map_while(|station| station.port).collect(),
            stations: (0..networks).map(|network| names.stations_of(network)).collect(),
            current: vec![None; networks],
            arbitrating_since: vec![Time::ZERO; names.stations.len()],
            rows: Vec::new(),
        }
    }

    /// The tenancies in order of their ends; a tenancy that has not ended is left out.
    pub fn into_rows(self) -> Vec<Tenancy> {
        self.rows
    }

    fn state(&mut self, now: Time, station: usize, state: PortState) {
        let current = &mut self.current[self.ports[station].0];
        match state {
            PortState::Arbitrating => self.arbitrating_since[station] = now,
            PortState::ArbitrationWon => {
                *current = Some(Tenancy {
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
        if state.is_repeating()
            && let Some(mut tenancy) = current.take_if(|tenancy| tenancy.station == station)
        {
            tenancy.ended = now;
            self.rows.push(tenancy);
        }
    }
}

impl Observer for Tenancies {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, ..WantedCalls::default() }
    }

    fn tenancies(&mut self) -> Option<&mut Vec<Tenancy>> {
        Some(&mut self.rows)
    }

    fn at_port(&mut self, now: Time, station: usize, what: PortSight, _requests: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        if let Observation::State(state) = what {
            self.state(now, station, state);
            return;
        }
        let network = self.ports[station].0;
        let Some(tenancy) = self.current[network].as_mut().filter(|tenancy| tenancy.station == station)
        else {
            return;
        };
        match what {
            Observation::SentItem(LinkItem::Signal(PrimitiveSignal::Open { destination, .. })) => {
                tenancy.circuits += 1;
                if tenancy.peer.is_none() {
                    let opened = (network, destination.address());
                    tenancy.peer = self.stations[network].clone().find(|&peer| self.ports[peer] == opened);
                }
            }
            Observation::SentItem(LinkItem::Frame(frame)) => {
                tenancy.frames_out += 1;
                tenancy.bytes_out += data_bytes(&frame);
            }
            Observation::ReceivedItem(LinkItem::Frame(frame)) => {
                tenancy.frames_in += 1;
                tenancy.bytes_in += data_bytes(&frame);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::example::two_loop_system;
    use sansim_fc::al_pa::AlPa;

    #[test]
    fn two_loops_are_owned_at_once_each_by_its_own_port() {
        let (mut tenancies, requests) = (Tenancies::new(&two_loop_system()), Requests::default());
        let mut see = |now: u64, station, what: Observation| {
            tenancies.at_port(Time(now), station, what.into(), &requests)
        };
        let opens = AlPa::new(2).expect("valid");
        let open = PrimitiveSignal::Open { destination: opens, source: None };
        for (now, station) in [(10, 0), (20, 2)] {
            see(now, station, Observation::State(PortState::Arbitrating));
            see(now + 5, station, Observation::State(PortState::ArbitrationWon));
            see(now + 6, station, Observation::SentItem(LinkItem::Signal(open)));
        }
        see(40, 2, Observation::SentItem(LinkItem::Frame(Frame::example())));
        see(50, 0, Observation::State(PortState::Monitoring));
        see(60, 2, Observation::State(PortState::Monitoring));
        let rows = tenancies.into_rows();
        let seen: Vec<_> = rows.iter().map(|row| (row.station, row.won.ticks(), row.ended.ticks())).collect();
        assert_eq!(seen, [(0, 15, 50), (2, 25, 60)]);
        let peers: Vec<_> = rows.iter().map(|row| (row.peer, row.frames_out)).collect();
        assert_eq!(peers, [(Some(1), 0), (Some(3), 1)], "the port of the same network with that address");
    }
}
