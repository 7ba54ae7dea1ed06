//! Conservation at the end of every run: everything that was sent was received, everything that was begun was
//! ended.

use sansim_fc::frame::{Frame, PduKind};
use sansim_fc::loop_port::PortState;
use sansim_fc::observation::Observation;
use sansim_fc::word::{LinkItem, PrimitiveSignal};
use sansim_kernel::Time;
use sansim_network::stations::fc_port_keys;
use sansim_observe::names::SystemNames;
use sansim_observe::observer::{Observer, WantedCalls};
use sansim_pdu::Address;
use sansim_pdu::PortSight;
use sansim_request::Requests;
use sansim_scenario::Part;
use sansim_simulator::counted::IoRecord;
use sansim_simulator::plan::SystemPlan;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::simulation::Simulation;

/// The limit of events is larger than in any scenario of these tests; a run that reaches it repeats itself
/// without end.
const EVENT_LIMIT: u64 = 20_000_000;

/// The number of frames by kind: command, transfer ready, data, response.
pub type ByKind = [u64; 5];

/// An observer of the ports of all loops: it checks the credit of every circuit - the frames sent never exceed max(login
/// credit of the other end, R_RDYs received) - and counts the frames that were sent and received.
pub struct PortWatch {
    names: SystemNames,
    /// Login credit that each station grants.
    logins: Vec<u32>,
    ports: Vec<Circuit>,
    /// The first port that sent without credit.
    pub broken: Option<(Time, usize)>,
    /// The number of frames sent, by kind.
    pub sent: ByKind,
    /// The number of frames received, by kind.
    pub received: ByKind,
    /// The number of data bytes sent, and of data bytes received.
    pub data: [u64; 2],
}

#[derive(Clone, Copy, Default)]
struct Circuit {
    sent: u32,
    ready: u32,
}

impl PortWatch {
    pub fn new(plan: &SystemPlan) -> Self {
        let names = plan.observer_names();
        let on_loops = plan.graph.loops.iter().flat_map(|on_loop| &on_loop.stations);
        let logins: Vec<u32> =
            on_loops.map(|station| fc_port_keys(&station.port).port.login_credit).collect();
        let ports = vec![Circuit::default(); logins.len()];
        Self { names, logins, ports, broken: None, sent: [0; 5], received: [0; 5], data: [0; 2] }
    }

    /// Login credit that the port at an address grants to a station.
    fn login(&self, station: usize, destination: Address) -> u32 {
        let (network, _) = self.names.stations[station].port.expect("a port");
        self.names.station_at(network, destination).map_or(0, |other| self.logins[other])
    }
}

/// Counts a frame, and returns the number of its data bytes.
fn count(frames: &mut ByKind, frame: &Frame) -> u64 {
    let (kind, data) = match frame.kind {
        PduKind::Command => (0, 0),
        PduKind::TransferReady => (1, 0),
        PduKind::Data => (2, frame.payload_bytes.into()),
        PduKind::Response => (3, 0),
        _ => (4, 0),
    };
    frames[kind] += 1;
    data
}

impl Observer for PortWatch {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, repeaters: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, now: Time, station: usize, what: PortSight, _requests: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        match what {
            Observation::State(PortState::Open | PortState::Opened) => {
                self.ports[station] = Circuit::default();
            }
            Observation::ReceivedItem(LinkItem::Signal(PrimitiveSignal::ReceiverReady)) => {
                self.ports[station].ready += 1
            }
            Observation::ReceivedItem(LinkItem::Frame(frame)) => {
                self.data[1] += count(&mut self.received, &frame);
            }
            Observation::SentItem(LinkItem::Frame(frame)) => {
                self.data[0] += count(&mut self.sent, &frame);
                let login = self.login(station, frame.destination);
                let port = &mut self.ports[station];
                port.sent += 1;
                if port.sent > login.max(port.ready) && self.broken.is_none() {
                    self.broken = Some((now, station));
                }
            }
            _ => {}
        }
    }
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, is: T, should: T) -> Result<(), String> {
    if is == should { Ok(()) } else { Err(format!("{what}: {is:?} instead of {should:?}")) }
}

/// The number of frames by kind that these I/Os need.
fn expected_frames(plan: &SystemPlan, ios: &[IoRecord]) -> ByKind {
    let (graph, names) = (&plan.graph, plan.observer_names());
    let mut frames = [0; 5];
    for io in ios {
        let device = graph.devices[io.device as usize].part;
        let Part::Drive(drive) = &graph.parts[device].part else {
            panic!("an I/O to a device that is no drive")
        };
        let asker = graph.links.iter().find(|link| link.server.part == device).expect("who asks the drive");
        let Part::Target(target) = &graph.parts[asker.asker.part].part else {
            panic!("a drive without an adapter")
        };
        let workload = &names.workloads[io.workload as usize].name;
        let route = graph.routes.iter().find(|route| graph.parts[route.workload].name == *workload);
        let host = route.expect("a workload").host;
        let asked = graph.links.iter().find(|link| link.asker.part == host).expect("whom the host asks");
        let Part::Initiator(initiator) = &graph.parts[asked.server.part].part else {
            panic!("a host without an adapter")
        };
        frames[0] += 1;
        frames[3] += 1;
        if io.data_bytes() == 0 {
            // A flush has no data.
            continue;
        }
        let (piece, payload) = if io.is_write() {
            (drive.write_burst_bytes().unwrap_or(io.data_bytes()), initiator.max_payload)
        } else {
            (drive.read_sequence_bytes().unwrap_or(io.data_bytes()), target.max_payload)
        };
        let of = |bytes: u64| bytes.div_ceil(payload);
        let (whole, rest) = (io.data_bytes() / piece, io.data_bytes() % piece);
        frames[1] += if io.is_write() { io.data_bytes().div_ceil(piece) } else { 0 };
        frames[2] += whole * of(piece) + of(rest);
    }
    frames
}

/// Runs a plan that measures every I/O until no event is left and checks that everything adds up.
pub fn check(plan: &SystemPlan) -> Result<(), String> {
    let mut watch = PortWatch::new(plan);
    let mut simulation = Simulation::new(plan, RecordingOptions::IOS, Some(&mut watch));
    while simulation.run_events(1 << 12) {
        if simulation.event_count() > EVENT_LIMIT {
            return Err(format!("no end after {EVENT_LIMIT} events: {:?}", simulation.balance_counts()));
        }
    }
    simulation.check_conservation(plan).map_err(|error| error.to_string())?;
    let balance = *simulation.balance_counts();
    let total = simulation.measurement.planned_io_count(simulation.now());
    equal("I/Os issued", simulation.issued_io_count(), total)?;
    equal("I/Os completed", balance.completed, total)?;
    equal("ledgers that do not add up", balance.ledger_errors, 0)?;
    equal("requests left", simulation.open_requests(), 0)?;
    for arbitrated_loop in simulation.loops().map(|network| network.loop_model()) {
        equal("items in flight", arbitrated_loop.items_in_flight(), 0)?;
        for (station, port) in arbitrated_loop.ports().iter().enumerate() {
            equal(&format!("frames queued at station {station}"), port.queued_frames(), 0)?;
            equal(&format!("buffers occupied at station {station}"), port.occupied_buffers(), 0)?;
            equal(&format!("state of station {station}"), port.state(), PortState::Monitoring)?;
        }
    }
    let now = simulation.now();
    let (measurement, _) = simulation.into_measurement_and_samples();
    equal("port that sent without credit", watch.broken, None)?;
    equal("frames received", watch.received, watch.sent)?;
    equal("data bytes sent", watch.data, [balance.data_completed; 2])?;
    let records = measurement.finish(now).records.rows;
    equal("I/Os recorded", records.len() as u64, total)?;
    equal("bytes recorded", records.iter().map(IoRecord::data_bytes).sum(), balance.data_completed)?;
    equal("frames by kind", watch.sent, expected_frames(plan, &records))
}
