//! A metadata controller, clients, hosts and devices, each simulated on a bench of its own, with a network between them that loses and
//! delays messages. The following invariants are checked at all times:
//!
//! * while a write is in flight at a device, no other client has an access to the same bytes in flight,
//! * an access begins only while the controller considers the lease of its client valid, and it addresses the place at which the controller
//!   has the volume,
//! * no access continues after the end of a lease for longer than the time of grace,
//! * no access uses an old map after a volume has been moved.

use super::super::client::{MetadataClient, MetadataClientParameters};
use super::super::controller::{MetadataController, MetadataControllerParameters};
use super::super::map::VolumeMap;
use sansim_component::Action;
use sansim_component::bench::{ComponentBench, InputEffects, sample_read, sample_write};
use sansim_component::child_requests::ChildRequests;
use sansim_component::policy::{DevicePath, PathChoice, PathParameters};
use sansim_kernel::{Span, Time};
use sansim_request::{MessageWords, Request, RequestId, Status};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

pub(super) const VOLUMES: u64 = 2;
const BYTES: u64 = 16 << 10;
/// The devices in the system: first those with data, then those of the controller, then those of each client.
const MANAGED: u32 = 2;
const UNITS: u32 = 10;
const OWN: u32 = 20;
/// The ports of a client: one to its host, one to the network.
const HOST: u16 = 0;
const NETWORK: u16 = 1;
/// The time for which a device may continue an aborted access: shorter than the time of grace.
const STOPS_WITHIN: u64 = 2_900;
pub(super) const GRACE: Span = Span::from_us(3_000);

pub(super) struct Plan {
    pub seed: u64,
    pub clients: usize,
    /// The percentage of messages that get lost.
    pub loss: u32,
    /// The percentage of messages that are repeated after they were aborted.
    pub late: u32,
    pub failures: u32,
    pub by_files: bool,
    pub locks: u64,
}

/// A request of a client, with a serial number, because the numbers of requests are reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Asked {
    pub client: usize,
    pub id: RequestId,
    pub serial: u64,
}

/// An event that is going to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Next {
    /// A message arrives at the controller.
    Call { asked: Asked, unit: u32, words: MessageWords },
    /// The answer of the controller arrives at the client.
    Answer { asked: Asked, status: Good, words: Option<MessageWords> },
    /// The controller learns that a call was aborted.
    GivenUp { asked: Asked },
    /// A device has finished an access.
    Device { asked: Asked, status: Good },
    /// A host issues a request.
    Ask { client: usize },
    /// A host aborts a request.
    Abort { client: usize },
    /// A device fails, or is repaired.
    Thing { thing: usize, works: bool },
}

/// A status that can be ordered, so that events can be sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Good {
    Yes,
    Failed,
    Aborted,
}

impl Good {
    pub fn status(self) -> Status {
        match self {
            Self::Yes => Status::Good,
            Self::Failed => Status::Failed,
            Self::Aborted => Status::Aborted,
        }
    }
}

/// An access in flight at a device.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub volume: u32,
    pub request: Request,
    /// The bytes of the volume that are accessed.
    pub bytes: std::ops::Range<u64>,
    pub version: u64,
    pub serial: u64,
    /// Whether the access is being aborted.
    pub stops: bool,
}

pub(super) struct World {
    pub now: Time,
    pub controller: ComponentBench<MetadataController>,
    pub clients: Vec<ComponentBench<MetadataClient>>,
    pub next: BinaryHeap<Reverse<(Time, u64, Next)>>,
    pub order: u64,
    /// The messages at the controller, with their clients and the numbers of their requests.
    pub calls: BTreeMap<RequestId, Asked>,
    /// The messages of clients in flight, and their serial numbers.
    pub open: BTreeMap<(usize, RequestId), u64>,
    pub accesses: BTreeMap<(usize, RequestId), Access>,
    /// The requests of each host in flight.
    pub wanted: Vec<Vec<RequestId>>,
    pub random: u64,
    pub loss: u32,
    pub late: u32,
    pub until: Time,
    pub calm: bool,
    pub count: u64,
    pub answered: u64,
}

fn table<T: Tabular>(text: &str) -> T {
    T::from_toml(text, &Facts::default()).unwrap_or_else(|report| panic!("{report:?}"))
}

impl World {
    pub fn new(plan: &Plan) -> Self {
        let keys = format!(
            r#"
            processors = 2
            speed_mhz = 100
            set_up_cycles = 3000
            renewal_cycles = 500
            lock_cycles = 1000
            map_cycles = 800
            lease_time = "9 ms"
            grace_time = "3 ms"
            [volumes.a]
            size = "16 KiB"
            stripe_unit = "1 KiB"
            lock_range = "{0} B"
            moves_to = 1
            [volumes.b]
            size = "16 KiB"
            on = 0
            stripe_unit = "4 KiB"
            lock_range = "{0} B"
            moves_to = 0
            "#,
            plan.locks
        );
        let parameters: MetadataControllerParameters = table(&keys);
        let placed = parameters.volume_locations(&[128 << 10, 128 << 10]);
        assert_eq!(placed.len() as u64, VOLUMES);
        let places = |first: u32| {
            let place = |device: u32| device.checked_sub(first).filter(|place| u64::from(*place) < VOLUMES);
            (0..first + VOLUMES as u32).map(place).collect::<Vec<_>>()
        };
        let controller = ComponentBench::new(MetadataController::new(&parameters, &placed, places(UNITS)), 1);
        let level = if plan.by_files { "file" } else { "block" };
        let client: MetadataClientParameters = table(&format!(
            r#"
            level = "{level}"
            speed_mhz = 100
            mapping_cycles = 300
            answer_time = "2 ms"
            "#
        ));
        let ways: Vec<Vec<DevicePath>> =
            vec![vec![DevicePath::from_port(NETWORK)]; (UNITS + VOLUMES as u32) as usize];
        let client = |number: u32| {
            let devices = (0..MANAGED).chain(UNITS..UNITS + VOLUMES as u32).collect();
            let path: PathParameters = table("");
            let behind =
                ChildRequests::with_devices(devices, PathChoice::new(&ways.clone().into(), &path), 6);
            let places = places(OWN + number * VOLUMES as u32);
            ComponentBench::new(
                MetadataClient::new(&client, &[BYTES; VOLUMES as usize], places, behind, MANAGED),
                2,
            )
        };
        let clients: Vec<_> = (0..plan.clients as u32).map(client).collect();
        let mut world = Self {
            now: Time::ZERO,
            controller,
            wanted: vec![Vec::new(); clients.len()],
            clients,
            next: BinaryHeap::new(),
            order: 0,
            calls: BTreeMap::new(),
            open: BTreeMap::new(),
            accesses: BTreeMap::new(),
            random: plan.seed | 1,
            loss: plan.loss,
            late: plan.late,
            until: Time::ZERO + Span::from_ms(120),
            calm: false,
            count: 0,
            answered: 0,
        };
        for client in 0..world.clients.len() {
            for _ in 0..3 {
                let at = world.draw(2_000);
                world.plan(at, Next::Ask { client });
            }
        }
        for _ in 0..plan.failures {
            let thing = world.draw(5) as usize;
            let (fails, lasts) = (world.draw(100_000), 500 + world.draw(25_000));
            world.plan(fails, Next::Thing { thing, works: false });
            world.plan(fails + lasts, Next::Thing { thing, works: true });
        }
        world
    }

    /// A random number below `below` (SplitMix64).
    pub fn draw(&mut self, below: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % below.max(1)
    }

    pub fn happens(&mut self, percent: u32) -> bool {
        self.draw(100) < u64::from(percent)
    }

    pub fn plan(&mut self, us_on: u64, next: Next) {
        self.order += 1;
        self.next.push(Reverse((self.now + Span::from_us(us_on), self.order, next)));
    }

    /// Runs all events up to the end of the plan.
    pub fn run(&mut self) {
        while self.step() {
            self.check();
        }
    }

    /// Handles the earliest event. Returns whether the earliest event was before the end of the plan.
    fn step(&mut self) -> bool {
        let timer = |bench: Option<Time>| bench.unwrap_or(Time::NEVER);
        let of_controller = timer(self.controller.timers().iter().map(|&(at, _)| at).min());
        let of_clients: Vec<Time> = self
            .clients
            .iter_mut()
            .map(|bench| timer(bench.timers().iter().map(|&(at, _)| at).min()))
            .collect();
        let planned = self.next.peek().map_or(Time::NEVER, |Reverse((at, ..))| *at);
        let first = of_clients.iter().copied().fold(of_controller.min(planned), Time::min);
        if first > self.until {
            return false;
        }
        self.now = first;
        if of_controller == first {
            let did = self.controller.handle_due_timer(first);
            self.follow_controller(&did);
        } else if let Some(client) = of_clients.iter().position(|&at| at == first) {
            let did = self.clients[client].handle_due_timer(first);
            self.follow_client(client, &did);
        } else if let Some(Reverse((_, _, next))) = self.next.pop() {
            self.carry_out(next);
        }
        true
    }

    /// Hosts issue no further requests and no message gets lost any more, so that every request is answered.
    pub fn calm_down(&mut self) {
        (self.calm, self.loss, self.late) = (true, 0, 0);
        for thing in 0..5 {
            self.carry_out(Next::Thing { thing, works: true });
        }
        self.until = self.now + Span::from_ms(200);
        self.run();
        let left: Vec<_> = self.wanted.iter().map(Vec::len).collect();
        assert!(left.iter().all(|&left| left == 0), "not answered: {left:?}");
        assert!(self.accesses.is_empty(), "left at devices");
    }

    /// Checks the invariants of the text at the top of this file.
    fn check(&self) {
        for (&(client, id), access) in &self.accesses {
            let state =
                self.controller.component.look(access.volume as usize, self.clients[client].component.name());
            let until = state.expires + GRACE;
            assert!(self.now <= until, "client {client} carries {id:?} on at {}, {until} at most", self.now);
            assert_eq!(access.version, state.map.version, "{id:?} of client {client} goes by an old map");
        }
    }

    /// Carries out [`Next::Thing`].
    pub fn thing(&mut self, thing: usize, works: bool) {
        let did = match thing {
            0 => self.controller.apply_action(self.now, if works { Action::Repair } else { Action::Fail }),
            _ => self.controller.apply_action_to_part(self.now, thing - 1, works),
        };
        self.follow_controller(&did);
    }

    /// An access begins.
    pub fn begins(&mut self, client: usize, id: RequestId) {
        let request = *self.clients[client].requests().request(id);
        let Some(parent) = request.parent else { panic!("an access of nobody") };
        let wanted = *self.clients[client].requests().request(parent);
        let volume = wanted.device - OWN - client as u32 * VOLUMES as u32;
        let name = self.clients[client].component.name();
        let state = self.controller.component.look(volume as usize, name);
        assert!(
            state.live && self.now < state.expires,
            "client {client} begins at {} and has a lease until {}",
            self.now,
            state.expires
        );
        let bytes = bytes_at(state.map, &request);
        let inside = wanted.first_byte()..wanted.end_byte();
        assert!(
            inside.start <= bytes.start && bytes.end <= inside.end,
            "{bytes:?} of the volume are asked for and not {inside:?}"
        );
        for ((other, _), access) in &self.accesses {
            let both = access.request.is_write() || request.is_write();
            let near =
                access.volume == volume && access.bytes.start < bytes.end && bytes.start < access.bytes.end;
            assert!(
                *other == client || !both || !near,
                "clients {client} and {other} are both at {bytes:?} of volume {volume}"
            );
        }
        self.count += 1;
        let access =
            Access { volume, request, bytes, version: state.map.version, serial: self.count, stops: false };
        self.accesses.insert((client, id), access);
    }

    /// The numbers of accesses, lapsed leases, aborted accesses, recalls, moves, refused sessions, and expired sessions.
    pub fn happened(&self) -> [u64; 7] {
        let of_clients = |meter| -> u64 {
            self.clients.iter().map(|bench| meter_of(&bench.component, self.now, meter)).sum()
        };
        let of_controller = |meter| meter_of(&self.controller.component, self.now, meter);
        [
            self.count,
            of_clients(4),
            of_clients(5),
            of_controller(6),
            of_controller(8),
            of_controller(9),
            of_controller(10),
        ]
    }

    pub fn asks(&mut self, client: usize) -> InputEffects {
        let (volume, first) = (self.draw(VOLUMES) as u32, self.draw(31));
        let blocks = 1 + self.draw((32 - first).min(9));
        let request = if self.happens(50) {
            sample_read(first, blocks * 512)
        } else {
            sample_write(first, blocks * 512)
        };
        let device = OWN + client as u32 * VOLUMES as u32 + volume;
        let (id, did) = self.clients[client].ask(self.now, HOST, Request { device, ..request });
        self.wanted[client].push(id);
        did
    }
}

fn meter_of<C: sansim_component::Component>(component: &C, now: Time, meter: usize) -> u64 {
    u64::try_from(component.meter(now, meter).ticks()).unwrap_or(u64::MAX)
}

/// The bytes of a volume that a request accesses on a device. The accessed bytes have to be contiguous.
fn bytes_at(map: VolumeMap, request: &Request) -> std::ops::Range<u64> {
    let (first, length) = (request.first_byte(), request.bytes);
    let lanes = u64::from(map.lanes);
    assert!(
        request.device >= map.first && u64::from(request.device - map.first) < lanes,
        "on a device of it"
    );
    let row = (first - map.offset) / map.stripe;
    let number = row * lanes + u64::from(request.device - map.first);
    let start = number * map.stripe + (first - map.offset) % map.stripe;
    // On one device stripe units are contiguous; on several devices a longer piece would contain bytes of other stripe units.
    if lanes == 1 {
        start..start + length
    } else {
        start..start + length.min(map.stripe - start % map.stripe)
    }
}

impl Next {
    pub const STOPS_WITHIN: u64 = STOPS_WITHIN;
    pub const HOST: u16 = HOST;
    pub const NETWORK: u16 = NETWORK;
    pub const UNITS: u32 = UNITS;
}
