//! The `simcore` crate in its documented style: components behind `Rc<RefCell>`, callbacks, boxed payloads.

use crate::load::{CUSTOMERS, Random, STATIONS, Station};
use serde::Serialize;
use simcore::event::EventId;
use simcore::{Event, EventHandler, Id, Simulation, SimulationContext, cast};
use std::cell::RefCell;
use std::rc::Rc;

/// 16 bytes, as for the other engines.
#[derive(Clone, Serialize)]
struct Hold {
    stamp: u64,
    entity: u32,
}

#[derive(Clone, Serialize)]
struct Timeout {}

#[derive(Clone, Serialize)]
struct ServiceEnd {
    customer: u32,
}

#[derive(Clone, Serialize)]
struct Arrival {
    customer: u32,
}

struct Entity {
    context: SimulationContext,
    random: Rc<RefCell<Random>>,
    ids: Rc<RefCell<Vec<Id>>>,
    count: u64,
    timeouts: bool,
    timeout: Option<EventId>,
}

impl EventHandler for Entity {
    fn on(&mut self, event: Event) {
        cast!(match event.data {
            Hold { stamp, entity: _ } => {
                self.count += stamp + 1;
                let mut random = self.random.borrow_mut();
                let ids = self.ids.borrow();
                let target = random.below(ids.len() as u32);
                let delay = random.exponential();
                self.context.emit(Hold { stamp: 0, entity: target }, ids[target as usize], delay);
                if self.timeouts {
                    let new = self.context.emit_self(Timeout {}, 10.0);
                    if let Some(old) = self.timeout.replace(new) {
                        self.context.cancel_event(old);
                    }
                }
            }
            Timeout {} => {
                self.timeout = None;
            }
        })
    }
}

struct Server {
    context: SimulationContext,
    random: Rc<RefCell<Random>>,
    next: Id,
    station: Station,
}

impl Server {
    fn begin_service(&self, customer: u32) {
        let delay = 0.5 + 0.5 * self.random.borrow_mut().exponential();
        self.context.emit_self(ServiceEnd { customer }, delay);
    }
}

impl EventHandler for Server {
    fn on(&mut self, event: Event) {
        cast!(match event.data {
            ServiceEnd { customer } => {
                self.station.served += 1;
                let next = self.station.waiting.pop_front();
                self.station.busy = next.is_some();
                if let Some(next) = next {
                    self.begin_service(next);
                }
                self.context.emit(Arrival { customer }, self.next, 0.1);
            }
            Arrival { customer } => {
                if self.station.busy {
                    self.station.waiting.push_back(customer);
                } else {
                    self.station.busy = true;
                    self.begin_service(customer);
                }
            }
        })
    }
}

/// The hold model in milliseconds.
pub fn hold(n: u32, timeouts: bool) -> Simulation {
    let mut simulation = Simulation::new(1);
    let random = Rc::new(RefCell::new(Random(12_345)));
    let ids = Rc::new(RefCell::new(Vec::new()));
    for i in 0..n {
        let name = format!("entity {i}");
        let context = simulation.create_context(&name);
        let entity =
            Entity { context, random: random.clone(), ids: ids.clone(), count: 0, timeouts, timeout: None };
        let id = simulation.add_handler(&name, Rc::new(RefCell::new(entity)));
        ids.borrow_mut().push(id);
    }
    let starter = simulation.create_context("starter");
    for (i, id) in ids.borrow().iter().enumerate() {
        starter.emit(Hold { stamp: 0, entity: i as u32 }, *id, random.borrow_mut().exponential());
    }
    simulation
}

/// The tandem queue in milliseconds.
pub fn tandem() -> Simulation {
    let mut simulation = Simulation::new(1);
    let random = Rc::new(RefCell::new(Random(12_345)));
    let names: Vec<String> = (0..STATIONS).map(|i| format!("station {i}")).collect();
    let contexts: Vec<SimulationContext> = names.iter().map(|name| simulation.create_context(name)).collect();
    let ids: Vec<Id> = contexts.iter().map(|context| context.id()).collect();
    for (i, context) in contexts.into_iter().enumerate() {
        let next = ids[(i + 1) % STATIONS];
        let server = Server { context, random: random.clone(), next, station: Station::default() };
        simulation.add_handler(&names[i], Rc::new(RefCell::new(server)));
    }
    let starter = simulation.create_context("starter");
    for customer in 0..CUSTOMERS {
        starter.emit(Arrival { customer }, ids[customer as usize % STATIONS], 0.0);
    }
    simulation
}
