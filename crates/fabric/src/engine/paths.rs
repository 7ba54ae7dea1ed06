//! The ports and virtual channels by which a frame may leave a switch.

use super::Fabric;
use super::buffered_frame::{BufferedFrame, NO_PORT, OutputPaths};
use crate::layout::LinkEndDevice;
use crate::routing::OutputState;
use crate::switch::SwitchingMode;
use crate::switch::control::is_control;
use sansim_kernel::Time;

impl Fabric {
    /// All paths that a frame has from a switch; the result is empty if there is no path.
    pub(super) fn allowed_paths(&self, switch: u32, held: u32) -> OutputPaths {
        let held = &self.held[held];
        let node = &self.layout.nodes[usize::from(held.to)];
        let Some(target) = node.switch else { return OutputPaths::default() };
        if u32::from(target) == switch {
            let port = self.node_ports[usize::from(held.to)] ^ 1;
            return if self.works[port as usize / 2] {
                OutputPaths::single_port(port as u16, 0)
            } else {
                OutputPaths::default()
            };
        }
        let from = match self.ports[held.port as usize ^ 1].at {
            LinkEndDevice::Switch(switch) => Some(switch),
            LinkEndDevice::Node(_) => None,
        };
        let channels = self.parameters.channels;
        let onto = if self.parameters.congestion.quarantine {
            // The last channel is for frames to nodes that withhold credit.
            match &self.looks {
                Some(looks) if looks.is_quarantined(held.to) => channels - 1,
                _ => self.parameters.channel.assign(&held.frame, channels - 1),
            }
        } else {
            self.parameters.channel.assign(&held.frame, channels)
        };
        let mut ways = OutputPaths { onto, ..OutputPaths::default() };
        let own = self.parameters.control.buffers > 0 && is_control(&held.frame);
        if own {
            // The number of the channel of control messages follows the numbers of all other channels.
            ways.onto = channels + u8::from(self.escape.is_some());
        }
        if let Some(escape) = &self.escape {
            // A frame that has arrived on the channel without cycles stays on it.
            let keeps = held.channel == channels && from.is_some();
            let ports = escape.ports(switch as u16, from.filter(|_| keeps || own), target);
            let area = (held.frame.destination.value() >> 8 & 0xFF) as usize;
            let port = if ports.is_empty() { NO_PORT } else { ports[area % ports.len()] };
            // Control messages with buffers of their own have no other channel, so they stay on the paths
            // without cycles.
            if keeps || own {
                let onto = if own { ways.onto } else { channels };
                return if port == NO_PORT {
                    OutputPaths::default()
                } else {
                    OutputPaths::single_port(port, onto)
                };
            }
            ways.escape = port;
        }
        match self.routes.ports(switch as u16, from, target) {
            [] => OutputPaths::default(),
            allowed => OutputPaths { outputs: self.routing.choose(&held.frame, allowed), ..ways },
        }
    }

    /// The paths of a frame that a rule of the user leaves; without such a rule all of them.
    #[inline]
    pub(super) fn ruled_paths(
        &mut self,
        now: Time,
        switch: u32,
        held: u32,
        ways: OutputPaths,
    ) -> OutputPaths {
        if self.own_routing.is_some() { self.own_paths(now, switch, held, ways) } else { ways }
    }

    #[inline(never)]
    fn own_paths(&mut self, now: Time, switch: u32, held: u32, ways: OutputPaths) -> OutputPaths {
        let [_, _, ..] = ways.outputs.ports() else { return ways };
        let Some(mut own) = self.own_routing.take() else { return ways };
        own.outputs.clear();
        own.outputs.extend(ways.outputs.ports().iter().map(|&output| {
            let of = &self.ports[usize::from(output)];
            let credit = of.credits.credit_by_channel().nth(ways.onto.into());
            OutputState {
                output,
                port: of.local,
                waiting: of.requests.len(),
                credit: credit.map_or(0, |credit| credit.credit_at(now)),
                is_idle: self.is_idle(now, output.into()),
            }
        }));
        // Adaptive routing begins at another port for each destination; the rule sees the ports in the order of the links.
        own.outputs.sort_unstable_by_key(|output| output.output);
        let outputs = own.choose(now, switch, &self.held[held].frame);
        self.own_routing = Some(own);
        OutputPaths { outputs, ..ways }
    }

    /// Chooses the first idle output of several; if none is idle, the frame waits for all of them. With a channel without cycles the frame
    /// waits for all outputs in any case, so that it can always use that channel.
    pub(super) fn an_idle_one(&mut self, now: Time, ways: OutputPaths) -> OutputPaths {
        let [_, _, ..] = ways.outputs.ports() else { return ways };
        if ways.escape != NO_PORT {
            return ways;
        }
        let mut ports = ways.outputs.ports().iter();
        let idle = ports.find(|&&port| {
            self.ports[usize::from(port)].requests.is_empty() && self.is_free(now, port, ways.onto)
        });
        idle.map_or(ways, |&port| OutputPaths::single_port(port, ways.onto))
    }

    /// Whether a link of an output is idle and has credit.
    pub(super) fn is_free(&self, now: Time, output: u16, onto: u8) -> bool {
        self.links_of(output.into()).any(|port| {
            let of = &self.ports[port as usize];
            self.is_idle(now, port) && of.is_active && of.credits.has_credit(now, onto)
        })
    }

    /// The ports of an output: the ports of its trunk, or the output itself.
    pub(super) fn links_of(&self, output: u32) -> impl Iterator<Item = u32> {
        let members = &self.ports[output as usize].members;
        members.iter().copied().chain(members.is_empty().then_some(output))
    }

    /// The channel by which a frame may leave by a port now, if there is credit for it. The channel without cycles is for a frame for
    /// which no other path is free.
    pub(super) fn channel_by(&self, now: Time, port: u32, held: &BufferedFrame) -> Option<u8> {
        let (output, ways) = (self.ports[port as usize].lead as u16, &held.ways);
        let credits = &self.ports[port as usize].credits;
        if credits.has_credit(now, ways.onto) && ways.outputs.ports().contains(&output) {
            return Some(ways.onto);
        }
        let escape = self.parameters.channels;
        let may = self.might_escape(now, port, held)
            && ways.outputs.ports().iter().all(|&other| !self.is_free(now, other, ways.onto));
        may.then_some(escape)
    }

    /// Whether a frame could leave by a port on the channel without cycles.
    pub(super) fn might_escape(&self, now: Time, port: u32, held: &BufferedFrame) -> bool {
        let of = &self.ports[port as usize];
        u32::from(held.ways.escape) == of.lead && of.credits.has_credit(now, self.parameters.channels)
    }

    /// Whether a frame is stored completely before it leaves, because it cannot leave faster than it arrives.
    #[inline]
    pub(super) fn is_stored_first(&self, held: &BufferedFrame) -> bool {
        self.stores_any && self.stores(held)
    }

    /// Whether a frame is stored completely, in a fabric in which some frames are.
    fn stores(&self, held: &BufferedFrame) -> bool {
        let input = self.ports[held.port as usize].rules;
        let is_slower = |port: u16| {
            let output = self.ports[usize::from(port)].rules;
            output.word.ticks() * input.word_bytes < input.word.ticks() * output.word_bytes
        };
        self.parameters.switching == SwitchingMode::StoreAndForward || held.ways.ports().any(is_slower)
    }
}
