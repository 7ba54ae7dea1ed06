//! Who has the loop next, and when.
//!
//! Sources: `crates/fc/src/loop_port/fill.rs` and `state.rs`. A port that wants the loop and may arbitrate sends ARB(x) from a slot
//! on. That gets to the owner; when the owner leaves the loop it passes it on, and the port has won when it comes back. So a
//! port wins at max(begin + way to the owner, end of the circuit) + way from the owner. Of those whose ARB(x) has come to the owner by
//! then the one with the lowest address wins. One with a lower address that begins before the ARB(x) of the winner passes it
//! replaces that by its own.
//!
//! A fair port that has won does not arbitrate again until it receives IDLE. The owner sends that when its ARB(F0) has come back,
//! which it does if nobody arbitrates when it passes: the access window opens. It goes out in the next gap between frames, and gets
//! as far as the next port that arbitrates.

use sansim_fc::arbitrated_loop::geometry::Geometry;
use sansim_kernel::{Span, Time};

/// An access window that opens when IDLE comes by.
#[derive(Clone, Copy, Debug)]
struct Opening {
    owner: usize,
    /// When ARB(F0) is sent, and when IDLE.
    asked: Time,
    at: Time,
    /// How far IDLE gets.
    reach: Span,
}

/// From ARB(F0) that has come back, past the other end of the circuit, to IDLE.
const WORDS_TO_IDLE: u64 = 2;

/// See the module text.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    geometry: Geometry,
    word: Span,
    /// Ports in the order of their priority, and the place of each there.
    order: Vec<usize>,
    rank: Vec<u8>,
    /// Sets of ports, by those places: which want the loop, which lost their access, which do not care.
    wants: u128,
    lost: u128,
    regardless: u128,
    /// Since when each wants it, and until when it is in a circuit.
    since: Vec<Time>,
    leaves: Vec<Time>,
    opening: Option<Opening>,
    /// The two ends of the circuit, which do not arbitrate.
    circuit: Option<[usize; 2]>,
    /// Who had the loop last, and until when.
    last: usize,
    free: Time,
}

impl Turns {
    /// Of a quiet loop whose ports have these addresses.
    pub fn new(geometry: Geometry, word: Span, addresses: &[u8]) -> Self {
        let mut order: Vec<usize> = (0..addresses.len()).collect();
        order.sort_by_key(|&port| addresses[port]);
        let mut rank = vec![0; addresses.len()];
        for (place, &port) in order.iter().enumerate() {
            rank[port] = place as u8;
        }
        let times = vec![Time::ZERO; addresses.len()];
        Self {
            geometry,
            word,
            order,
            rank,
            wants: 0,
            lost: 0,
            regardless: 0,
            since: times.clone(),
            leaves: times,
            opening: None,
            circuit: None,
            last: 0,
            free: Time::ZERO,
        }
    }

    fn bit(&self, port: usize) -> u128 {
        1 << self.rank[port]
    }

    /// Whether a port has something to send, from this slot on if it had not; and whether it may ask for the loop in any case.
    pub fn note(&mut self, port: usize, wants: bool, regardless: bool, slot: Time) {
        let bit = self.bit(port);
        if wants && self.wants & bit == 0 {
            self.since[port] = slot;
        }
        self.wants = if wants { self.wants | bit } else { self.wants & !bit };
        self.regardless = if regardless { self.regardless | bit } else { self.regardless & !bit };
        let has_access = self.lost & bit == 0 || regardless;
        if wants && has_access && !self.circuit.is_some_and(|ends| ends.contains(&port)) {
            self.meets_opening(port);
        }
    }

    /// A port arbitrates: its ARB(x) takes the place of the ARB(F0) or of the IDLE that comes by.
    fn meets_opening(&mut self, port: usize) {
        let Some(Opening { owner, asked, at, reach }) = self.opening else { return };
        let (begins, way) = (self.begins(port), self.geometry.distance(owner, port));
        if owner != port && begins <= asked + way {
            self.opening = None;
        } else if begins <= at + way {
            self.opening = Some(Opening { owner, asked, at, reach: reach.min(way) });
        }
    }

    /// From when on a port that wants the loop arbitrates; never, if the window that it waits for is not known yet.
    fn begins(&self, port: usize) -> Time {
        let bit = self.bit(port);
        let may = match self.opening {
            _ if self.lost & bit == 0 || self.regardless & bit != 0 => Time::ZERO,
            Some(Opening { owner, at, reach, .. }) if self.geometry.distance(owner, port) <= reach => {
                at + self.geometry.distance(owner, port)
            }
            _ => Time::NEVER,
        };
        may.max(self.since[port]).max(self.leaves[port])
    }

    /// When a port wins that begins then, if no other comes before it.
    fn wins(&self, port: usize, begins: Time) -> Time {
        if port == self.last {
            return begins + self.geometry.round();
        }
        let heard = begins + self.geometry.distance(port, self.last);
        heard.max(self.free) + self.geometry.distance(self.last, port)
    }

    /// The ports that arbitrate, or will, in the order of their priority.
    fn arbitrating(&self) -> impl Iterator<Item = usize> {
        let open = if self.opening.is_some() { u128::MAX } else { 0 };
        let mut left = self.wants & (!self.lost | self.regardless | open);
        std::iter::from_fn(move || {
            let place = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            self.order.get(place).copied()
        })
    }

    /// Who wins next, and when, if nothing else happens. If all that want the loop wait for a window that no circuit is going to open,
    /// as the port that kept ARB(F0) from its owner has been opened meanwhile, IDLE goes round from when that left.
    pub fn next(&mut self) -> Option<(usize, Time)> {
        if self.wants != 0 && self.winner().is_none() {
            let (owner, free, reach) = (self.last, self.free, self.geometry.round());
            self.opening = Some(Opening { owner, asked: free, at: free, reach });
        }
        self.winner()
    }

    fn winner(&self) -> Option<(usize, Time)> {
        let mut first: Option<(usize, Time)> = None;
        for port in self.arbitrating() {
            let begins = self.begins(port);
            if begins == Time::NEVER {
                continue;
            }
            let is_heard = port != self.last && begins + self.geometry.distance(port, self.last) <= self.free;
            if is_heard {
                first = Some((port, begins));
                break;
            }
            if first.is_none_or(|(_, other)| begins < other) {
                first = Some((port, begins));
            }
        }
        let (port, begins) = first?;
        let at = self.wins(port, begins);
        for other in self.arbitrating().take_while(|&other| other != port) {
            let begins = self.begins(other);
            if begins.saturating_add(self.geometry.distance(other, port)) <= at {
                return Some((other, self.wins(other, begins)));
            }
        }
        Some((port, at))
    }

    /// A port has won, with its access if it does not care for that, and opens another, by which ARB(F0) then passes whatever that wants.
    /// Returns when it sends IDLE, if an access window opens.
    pub fn won(&mut self, now: Time, port: usize, opens: usize, regardless: bool) -> Option<Time> {
        self.pass_opening(now);
        self.circuit = Some([port, opens]);
        let bit = self.bit(port);
        let asked = now + self.word * 2;
        let heard_by = |other: usize| self.geometry.distance(port, other);
        let others = self
            .arbitrating()
            .any(|other| ![port, opens].contains(&other) && self.begins(other) <= asked + heard_by(other));
        if !regardless {
            self.lost |= bit;
        }
        if others {
            return None;
        }
        let at = asked + self.geometry.round() + self.word * WORDS_TO_IDLE;
        let reach = self.geometry.round();
        self.opening = Some(Opening { owner: port, asked, at, reach });
        for place in 0..self.order.len() {
            let (other, bit) = (self.order[place], 1 << place);
            if ![port, opens].contains(&other)
                && self.wants & bit != 0
                && (self.lost & bit == 0 || self.regardless & bit != 0)
            {
                self.meets_opening(other);
            }
        }
        Some(at)
    }

    /// IDLE goes out, and a window opens, later: no frame is being sent then.
    pub fn idle_goes(&mut self, at: Time) {
        if let Some(opening) = &mut self.opening {
            opening.at = opening.at.max(at);
        }
    }

    /// The ports that IDLE has come to have access again.
    fn pass_opening(&mut self, now: Time) {
        let Some(Opening { owner, at, reach, .. }) = self.opening else { return };
        if at > now {
            return;
        }
        self.opening = None;
        let mut lost = self.lost;
        while lost != 0 {
            let place = lost.trailing_zeros() as usize;
            lost &= lost - 1;
            if self.geometry.distance(owner, self.order[place]) <= reach {
                self.lost &= !(1 << place);
            }
        }
    }

    /// Two ports are the ends of a circuit that is opened without arbitration.
    pub fn opened(&mut self, owner: usize, other: usize) {
        self.circuit = Some([owner, other]);
    }

    /// A circuit is over: its owner passes words on from a time on, and so does the other end.
    pub fn left(&mut self, (owner, free): (usize, Time), (other, leaves): (usize, Time)) {
        (self.last, self.free, self.circuit) = (owner, free, None);
        self.leaves[owner] = free;
        self.leaves[other] = leaves;
    }
}
