//! Who waits for whom: a deadlock, where there is one, as a cycle.
//!
//! A frame can go on if it is leaving, or one of its outputs leads to a node, or has credit, or is sending (its credit may come back), or if
//! any frame in the buffers behind one of its outputs can. What is left when all that can go on have been found waits for ever.

use super::Fabric;
use super::held::NONE;
use crate::layout::At;
use crate::switch::Queueing;
use sansim_kernel::Time;
use std::fmt;

/// Frames that wait for each other in a circle, by the links whose buffers they wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The switches, in the order in which each waits for the next; the last for the first.
    pub cycle: Vec<String>,
    /// Frames that wait for ever, in the cycle or behind it.
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

impl Fabric {
    /// The deadlock that the fabric is in, if it is.
    pub fn deadlock(&self, now: Time) -> Option<Deadlock> {
        let stuck = self.stuck(now);
        let first = stuck.iter().position(|&stuck| stuck)?;
        // Every port that is stuck has a frame that waits for another one that is: follow that until a port comes again.
        let mut seen: Vec<usize> = Vec::new();
        let mut port = first;
        while !seen.contains(&port) {
            seen.push(port);
            port = self.behind(port).find(|&other| stuck[other])?;
        }
        let begin = seen.iter().position(|&other| other == port)?;
        let name = |port: &usize| match self.ports[*port].at {
            At::Switch(switch) => self.layout.switches[usize::from(switch)].clone(),
            At::Node(node) => format!("node {node}"),
        };
        let frames = (0..self.ports.len())
            .filter(|&port| stuck[port])
            .map(|port| self.ports[port].requests.len())
            .sum();
        Some(Deadlock { cycle: seen[begin..].iter().map(name).collect(), frames })
    }

    /// The outputs that the frames wait for which are in the buffers behind an output.
    fn behind(&self, port: usize) -> impl Iterator<Item = usize> {
        let buffers = &self.ports[port ^ 1];
        let count = if self.parameters.queueing == Queueing::Fifo { 1 } else { buffers.waiting.len() };
        let frames = buffers.waiting.iter().take(count);
        frames.flat_map(|&held| self.held[held].outputs.ports().iter().map(|&port| usize::from(port)))
    }

    /// For each port whether it wants to send and will never have credit.
    fn stuck(&self, now: Time) -> Vec<bool> {
        let mut stuck: Vec<bool> = self
            .ports
            .iter()
            .enumerate()
            .map(|(number, port)| {
                let waits = port.sending == NONE && !port.requests.is_empty();
                let to_switch = matches!(self.ports[number ^ 1].at, At::Switch(_));
                waits && to_switch && port.credit.seen(now) == 0 && port.credit.next().is_none()
            })
            .collect();
        loop {
            let free: Vec<usize> = (0..stuck.len())
                .filter(|&port| stuck[port])
                .filter(|&port| {
                    let buffers = &self.ports[port ^ 1];
                    buffers.leaving > 0
                        || buffers.occupied as usize > buffers.waiting.len()
                        || self.behind(port).any(|output| !stuck[output])
                        || buffers.waiting.iter().any(|&held| self.held[held].ready_at == Time::NEVER)
                })
                .collect();
            if free.is_empty() {
                return stuck;
            }
            free.into_iter().for_each(|port| stuck[port] = false);
        }
    }
}
