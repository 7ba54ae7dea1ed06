//! The two loads every engine carries, written once for the engines that can share it.
//!
//! - Hold: N entities and N pending events. An event counts at its entity and plans one successor for a random
//!   entity after an exponential delay of mean 1 ms.
//! - Hold with timeouts: every event also arms a timeout of 10 ms at its entity and disarms the one armed before.
//! - Tandem: 64 customers, 8 single-server FIFO stations in a ring; service 0.5 ms + exponential of mean 0.5 ms, then a
//!   link of 0.1 ms. Two events for each completed service: its end, and the arrival at the next station.
//!
//! One generator (SplitMix64) and one logarithm for all, so that they cost every engine the same.

use std::collections::VecDeque;

pub const MS: f64 = 1e6;
pub const STATIONS: usize = 8;
pub const CUSTOMERS: u32 = 64;

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    #[inline]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Of mean 1.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -(((self.next() >> 11) as f64 + 0.5) * (1.0 / (1_u64 << 53) as f64)).ln()
    }

    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u32
    }
}

/// 16 bytes, as in the published comparison.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    Hold { entity: u32, stamp: u64 },
    Timeout { entity: u32 },
    ServiceEnd { station: u32, customer: u32 },
    Arrival { station: u32, customer: u32 },
}

/// What an engine offers its model.
pub trait Engine {
    type Key: Copy;
    /// Plans `event` for `component`, `delay` nanoseconds from now.
    fn plan(&mut self, delay: f64, component: u32, event: Event);
    /// The same, with a key to cancel it by.
    fn plan_cancellable(&mut self, delay: f64, component: u32, event: Event) -> Self::Key;
    fn cancel(&mut self, key: Self::Key) -> bool;
    /// Hands the next event to the model.
    fn next(&mut self) -> Event;
}

/// A station of the tandem queue.
#[derive(Default)]
pub struct Station {
    pub waiting: VecDeque<u32>,
    pub busy: bool,
    pub served: u64,
}

/// An entity of the hold model.
pub struct Entity<K> {
    pub count: u64,
    pub timeout: Option<K>,
}

/// The components of either load, in flat vectors.
pub struct Model<E: Engine> {
    pub engine: E,
    entities: Vec<Entity<E::Key>>,
    stations: Vec<Station>,
    random: Random,
    timeouts: bool,
    cancelled: u64,
}

impl<E: Engine> Model<E> {
    pub fn hold(engine: E, n: u32, timeouts: bool) -> Self {
        let entities = (0..n).map(|_| Entity { count: 0, timeout: None }).collect();
        let mut model =
            Model { engine, entities, stations: Vec::new(), random: Random(12_345), timeouts, cancelled: 0 };
        for entity in 0..n {
            let delay = model.random.exponential() * MS;
            model.engine.plan(delay, entity, Event::Hold { entity, stamp: 0 });
        }
        model
    }

    pub fn tandem(engine: E) -> Self {
        let stations = (0..STATIONS).map(|_| Station::default()).collect();
        let mut model = Model {
            engine,
            entities: Vec::new(),
            stations,
            random: Random(12_345),
            timeouts: false,
            cancelled: 0,
        };
        for customer in 0..CUSTOMERS {
            model.arrival(customer % STATIONS as u32, customer);
        }
        model
    }

    #[inline]
    pub fn step(&mut self) {
        match self.engine.next() {
            Event::Hold { entity, stamp } => {
                self.entities[entity as usize].count += stamp + 1;
                let target = self.random.below(self.entities.len() as u32);
                let delay = self.random.exponential() * MS;
                self.engine.plan(delay, target, Event::Hold { entity: target, stamp: 0 });
                if self.timeouts {
                    let new = self.engine.plan_cancellable(10.0 * MS, entity, Event::Timeout { entity });
                    if let Some(old) = self.entities[entity as usize].timeout.replace(new) {
                        self.cancelled += u64::from(self.engine.cancel(old));
                    }
                }
            }
            Event::Timeout { entity } => self.entities[entity as usize].timeout = None,
            Event::ServiceEnd { station, customer } => self.service_end(station, customer),
            Event::Arrival { station, customer } => self.arrival(station, customer),
        }
    }

    #[inline]
    fn begin_service(&mut self, station: u32, customer: u32) {
        let delay = (0.5 + 0.5 * self.random.exponential()) * MS;
        self.engine.plan(delay, station, Event::ServiceEnd { station, customer });
    }

    #[inline]
    fn service_end(&mut self, station: u32, customer: u32) {
        let here = &mut self.stations[station as usize];
        here.served += 1;
        let next = here.waiting.pop_front();
        here.busy = next.is_some();
        if let Some(next) = next {
            self.begin_service(station, next);
        }
        let target = (station + 1) % STATIONS as u32;
        self.engine.plan(0.1 * MS, target, Event::Arrival { station: target, customer });
    }

    #[inline]
    fn arrival(&mut self, station: u32, customer: u32) {
        let here = &mut self.stations[station as usize];
        if here.busy {
            here.waiting.push_back(customer);
        } else {
            here.busy = true;
            self.begin_service(station, customer);
        }
    }

    /// A number that depends on everything that was done.
    pub fn check(&self) -> u64 {
        let entities = self.entities.iter().map(|entity| entity.count);
        let all = entities.chain(self.stations.iter().map(|station| station.served));
        all.fold(self.cancelled, |sum, count| sum.wrapping_mul(31).wrapping_add(count))
    }
}
