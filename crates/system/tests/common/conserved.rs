//! What must hold for every run once nothing is left to happen: everything sent was received, everything begun was ended.

use sansim_fc::arbitrated_loop::Observation;
use sansim_fc::loop_port::PortState;
use sansim_fc::word::{Item, Signal};
use sansim_fcp::exchange::ExchangeTable;
use sansim_kernel::Time;
use sansim_observe::observer::{Observer, Wants};
use sansim_system::counted::IoRecord;
use sansim_system::plan::{NodeKind, Plan};
use sansim_system::run::Recording;
use sansim_system::simulation::Simulation;
use sansim_system::usage::Balance;

/// More events than any scenario of these tests takes; a run that reaches them goes in circles.
const EVENT_LIMIT: u64 = 20_000_000;

/// Watches the credit of every circuit: the frames sent never exceed max(login credit of the other, R_RDYs received).
pub struct CreditWatch<'a> {
    plan: &'a Plan,
    ports: Vec<Circuit>,
    /// The first port that sent without credit.
    pub broken: Option<(Time, usize)>,
}

#[derive(Clone, Copy, Default)]
struct Circuit {
    sent: u32,
    ready: u32,
}

impl<'a> CreditWatch<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        Self { plan, ports: vec![Circuit::default(); plan.nodes.len()], broken: None }
    }
}

impl Observer for CreditWatch<'_> {
    fn wants(&self) -> Wants {
        Wants { ports: true, repeaters: true, ..Wants::default() }
    }

    fn at_port(&mut self, now: Time, station: usize, what: Observation, _exchanges: &ExchangeTable) {
        let port = &mut self.ports[station];
        match what {
            Observation::State(PortState::Open | PortState::Opened) => *port = Circuit::default(),
            Observation::ReceivedItem(Item::Signal(Signal::ReceiverReady)) => port.ready += 1,
            Observation::SentItem(Item::Frame(frame)) => {
                port.sent += 1;
                let stations = &self.plan.arbitrated_loop.stations;
                let login =
                    stations.iter().find(|s| s.al_pa == frame.destination).map_or(0, |s| s.port.login_credit);
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

/// Frames by kind that these I/Os need: command, transfer ready, data, response.
fn expected_frames(plan: &Plan, ios: &[IoRecord]) -> [u64; 4] {
    let mut frames = [0; 4];
    for io in ios {
        let NodeKind::Drive { adapter, drive } = &plan.nodes[io.drive as usize].kind else {
            panic!("an I/O to a station without a drive")
        };
        let from = plan.workloads[io.workload as usize].from;
        let NodeKind::Host { adapter: initiator, .. } = &plan.nodes[from].kind else {
            panic!("a workload from a station without an initiator")
        };
        let (piece, payload) = if io.write {
            (drive.write_burst().unwrap_or(io.bytes), initiator.max_payload)
        } else {
            (drive.read_pieces().unwrap_or(io.bytes), adapter.max_payload)
        };
        let of = |bytes: u64| bytes.div_ceil(payload);
        let (whole, rest) = (io.bytes / piece, io.bytes % piece);
        frames[0] += 1;
        frames[1] += if io.write { io.bytes.div_ceil(piece) } else { 0 };
        frames[2] += whole * of(piece) + of(rest);
        frames[3] += 1;
    }
    frames
}

/// Runs a plan that measures every I/O until nothing is left to happen and checks that everything adds up.
pub fn check(plan: &Plan) -> Result<Balance, String> {
    let mut simulation = Simulation::new(plan, Recording::IOS, CreditWatch::new(plan));
    while simulation.run_events(1 << 12) {
        if simulation.events() > EVENT_LIMIT {
            return Err(format!("no end after {EVENT_LIMIT} events: {:?}", simulation.balance()));
        }
    }
    let balance = *simulation.balance();
    let total = simulation.measurement.total(simulation.now());
    equal("I/Os issued", balance.issued, total)?;
    equal("I/Os completed", balance.completed, total)?;
    equal("frames received", balance.frames_received, balance.frames_sent)?;
    equal("data bytes sent", balance.data_sent, balance.data_completed)?;
    equal("ledgers that do not add up", balance.ledger_errors, 0)?;
    equal("open exchanges", simulation.open_exchanges(), 0)?;
    equal("items in flight", simulation.arbitrated_loop().items_in_flight(), 0)?;
    for (station, port) in simulation.arbitrated_loop().ports().iter().enumerate() {
        equal(&format!("frames queued at station {station}"), port.queued_frames(), 0)?;
        equal(&format!("buffers occupied at station {station}"), port.occupied_buffers(), 0)?;
        equal(&format!("state of station {station}"), port.state(), PortState::Monitoring)?;
    }
    let now = simulation.now();
    let (measurement, _, watch) = simulation.into_parts();
    equal("port that sent without credit", watch.broken, None)?;
    let records = measurement.finish(now).records;
    equal("I/Os recorded", records.len() as u64, total)?;
    equal("bytes recorded", records.iter().map(|io| io.bytes).sum(), balance.data_completed)?;
    equal("frames by kind", balance.frames_sent, expected_frames(plan, &records))?;
    Ok(balance)
}
