//! Deadlocks: a cycle of frames that wait for each other.
//!
//! A frame can go on if it is leaving, if one of its paths leads to a node, has credit or is sending (its credit may come back), or if any
//! frame in the buffers at the end of one of its paths can go on. The frames that remain when all frames that can go on have been found
//! wait for ever. In this file a path is a link and a virtual channel.

use super::buffered_frame::{BufferedFrame, NO_PORT, NONE};
use super::port::FabricPort;
use super::{Fabric, FabricHost};
use crate::layout::LinkEndDevice;
use crate::switch::InputQueueing;
use crate::switch::control::is_control;
use sansim_kernel::{Span, Time};
use std::collections::BTreeMap;
use std::fmt;

/// Frames that wait for each other in a cycle, described by the links for whose buffers they wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The switches of the cycle, in the order in which each waits for the next, and the last for the first.
    pub cycle: Vec<String>,
    /// The number of frames that wait for ever, in the cycle or behind it.
    pub frames: usize,
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} frames wait for each other's buffers and none can ever go on: ", self.frames)?;
        let mut switches = self.cycle.iter();
        if let Some(first) = switches.next() {
            write!(f, "`{first}`")?;
            for switch in switches {
                write!(f, " waits for a buffer of `{switch}`, which")?;
            }
            write!(f, " waits for one of `{first}`")?;
        }
        Ok(())
    }
}

/// The time for which a port has had a frame and no credit before a node checks for a deadlock. The results of a run do not
/// depend on this time.
const PATIENCE: Span = Span::from_ms(10);

/// The plan to check for a deadlock while other traffic goes on.
#[derive(Clone, Debug)]
pub struct DeadlockCheckPlan {
    /// The time from which on a node that hands over a frame checks for a deadlock; never while no port has
    /// been without credit.
    looks: Time,
    found: Option<Deadlock>,
}

impl Default for DeadlockCheckPlan {
    fn default() -> Self {
        Self { looks: Time::NEVER, found: None }
    }
}

impl DeadlockCheckPlan {
    /// Whether it is time to check for a deadlock.
    #[inline]
    pub fn is_check_due(&self, now: Time) -> bool {
        now >= self.looks
    }
}

/// A virtual channel of the link that begins at a port, which has buffers at the other end of the link.
type Way = (u32, u8);

impl Fabric {
    /// A port has a frame, no credit, and no R_RDY in flight to it.
    pub(super) fn suspects_a_deadlock(&mut self, now: Time) {
        if self.suspicion.looks == Time::NEVER && self.suspicion.found.is_none() {
            self.suspicion.looks = now + PATIENCE;
        }
    }

    /// A node that hands over a frame checks for a deadlock if a port of a switch has waited for at least `PATIENCE`, and checks again
    /// later while a port waits. The check is not an event, which would keep a run alive after its last frame: if no node hands over a
    /// frame, the end of the run checks.
    #[cold]
    pub(super) fn looks_for_a_deadlock(&mut self, now: Time, around: &mut impl FabricHost) {
        self.suspicion.looks = Time::NEVER;
        let waits = |port: &FabricPort| {
            port.usage.stalled_since.filter(|_| {
                matches!(port.at, LinkEndDevice::Switch(_)) && port.credits.next_ready_arrival().is_none()
            })
        };
        let Some(since) = self.ports.iter().filter_map(waits).min() else { return };
        if since + PATIENCE <= now {
            self.suspicion.found = self.deadlock(now);
            if self.suspicion.found.is_some() {
                around.is_stuck();
                return;
            }
        }
        self.suspects_a_deadlock(now);
    }

    /// The deadlock that was found while other traffic went on.
    pub fn found_deadlock(&self) -> Option<&Deadlock> {
        self.suspicion.found.as_ref()
    }

    /// The deadlock in which the fabric is, if there is one. Where a hold time discards frames that wait too long
    /// there is no deadlock.
    pub fn deadlock(&self, now: Time) -> Option<Deadlock> {
        if self.parameters.hold_time.is_some() {
            return None;
        }
        let stuck = self.stuck(now);
        // The buffers of a stuck path hold a frame that waits for another stuck path, unless its credit is lost: the search follows these
        // paths until a path recurs.
        let (seen, way) = stuck.keys().find_map(|&start| {
            let (mut seen, mut way) = (Vec::new(), start);
            while !seen.contains(&way) {
                seen.push(way);
                let frames = self.firsts(stuck.get(&way)?);
                way = frames
                    .iter()
                    .flat_map(|held| self.paths_of(held))
                    .find(|other| stuck.contains_key(other))?;
            }
            Some((seen, way))
        })?;
        let begin = seen.iter().position(|&other| other == way)?;
        let name = |&(port, _): &Way| match self.ports[port as usize].at {
            LinkEndDevice::Switch(switch) => self.layout.switches[usize::from(switch)].clone(),
            LinkEndDevice::Node(node) => format!("node {node}"),
        };
        let waits = |held: &&BufferedFrame| {
            let mut ways = self.paths_of(held).peekable();
            ways.peek().is_some() && ways.all(|way| stuck.contains_key(&way))
        };
        let frames = self.held.buffered_frames().map(|(_, held)| held).filter(waits).count();
        Some(Deadlock { cycle: seen[begin..].iter().map(name).collect(), frames })
    }

    /// The paths by which a frame may leave the place where it waits; none if it does not wait.
    fn paths_of(&self, held: &BufferedFrame) -> impl Iterator<Item = Way> {
        let is_leaving = held.ahead != NONE || held.vanishes;
        let of = &self.ports[held.port as usize];
        let channel = if is_control(&held.frame) { of.control_channel.unwrap_or(0) } else { 0 };
        let own = matches!(of.at, LinkEndDevice::Node(_)).then_some((held.port, channel));
        let outputs = held.ways.outputs;
        let onto = held.ways.onto;
        let outputs = (0..outputs.ports().len()).map(move |place| (u32::from(outputs.ports()[place]), onto));
        let escape =
            (held.ways.escape != NO_PORT).then_some((u32::from(held.ways.escape), self.parameters.channels));
        let ways = own.into_iter().chain(outputs).chain(escape).filter(move |_| !is_leaving);
        ways.flat_map(|(output, channel)| self.links_of(output).map(move |port| (port, channel)))
    }

    /// The frames in some buffers that may be the next to leave, as far as their queueing allows.
    fn firsts<'a>(&self, buffers: &'a [BufferedFrame]) -> &'a [BufferedFrame] {
        let count = if self.parameters.queueing == InputQueueing::Fifo { 1 } else { buffers.len() };
        &buffers[..count.min(buffers.len())]
    }

    /// The paths for which frames wait and that will never have credit, with the frames in the buffers at their other
    /// end.
    fn stuck(&self, now: Time) -> BTreeMap<Way, Vec<BufferedFrame>> {
        let mut buffers: BTreeMap<Way, Vec<BufferedFrame>> = BTreeMap::new();
        for (_, held) in self.held.buffered_frames() {
            buffers.entry((held.port ^ 1, held.channel)).or_default().push(*held);
        }
        buffers.values_mut().for_each(|frames| frames.sort_by_key(|held| held.header_at));
        let no_credit = |&(port, channel): &Way| {
            let of = &self.ports[port as usize];
            let credit = of.credits.credit_by_channel().nth(channel.into());
            let to_switch = matches!(self.ports[port as usize ^ 1].at, LinkEndDevice::Switch(_));
            let none = credit
                .is_none_or(|credit| credit.credit_at(now) == 0 && credit.next_ready_arrival().is_none());
            // A path whose credit is lost gets the credit back when its link is reset, and a path whose link is being reset
            // gets it back when the reset is done.
            let comes_back = of.lacks.is_some()
                && of.losses.as_ref().is_some_and(|losses| losses.missing > 0)
                || !of.is_active && self.alive[port as usize / 2];
            let leaves = !self.ports[port as usize ^ 1].departures.is_empty();
            to_switch && self.is_idle(now, port) && none && !comes_back && !leaves
        };
        let waits = self.held.buffered_frames().flat_map(|(_, held)| self.paths_of(held)).filter(no_credit);
        let mut stuck: BTreeMap<Way, Vec<BufferedFrame>> =
            waits.map(|way| (way, buffers.get(&way).cloned().unwrap_or_default())).collect();
        loop {
            let can_go = |held: &BufferedFrame| {
                let is_moving = held.ahead != NONE || held.vanishes || !held.is_routed();
                is_moving || self.paths_of(held).any(|way| !stuck.contains_key(&way))
            };
            let free: Vec<Way> = stuck
                .iter()
                .filter(|(_, frames)| {
                    let moves =
                        frames.iter().any(|held| held.ahead != NONE || held.vanishes || !held.is_routed());
                    moves || self.firsts(frames).iter().any(can_go)
                })
                .map(|(&way, _)| way)
                .collect();
            if free.is_empty() {
                return stuck;
            }
            free.iter().for_each(|way| drop(stuck.remove(way)));
        }
    }
}
