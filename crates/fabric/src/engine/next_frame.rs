//! The choice of the next frame at a port: at a node from its queue, at an output of a switch by its arbiter.

use super::output_requests::Candidate;
use super::{Fabric, FabricHost};
use crate::layout::LinkEndDevice;
use crate::switch::arbiter::ArbiterRule;
use crate::switch::{Contender, Crossbar, InputQueueing};
use sansim_kernel::Time;

/// The next frame at a port.
pub(super) enum Next {
    /// No frame may leave; or no frame may leave yet.
    Nobody,
    /// This frame leaves, on this virtual channel.
    Goes(u32, u8),
    /// This frame would leave if there were credit.
    HasNoCredit(u32),
    /// All frames of this node are in class 2, and wait for answers.
    HasNoAnswers(u16),
}

impl Fabric {
    /// The next frame at a port, or the next control message that stops the frame that is being sent.
    pub(super) fn next<const STOPS: bool>(
        &mut self,
        now: Time,
        port: u32,
        lead: u32,
        around: &mut impl FabricHost,
    ) -> Next {
        let of = &mut self.ports[port as usize];
        let has_credit = of.credits.channel_credit(0).available_credit(now) > 0;
        let several = of.credits.has_several_channels();
        if several {
            of.credits.apply_arrived_readies(now);
        }
        let switch = match of.at {
            LinkEndDevice::Switch(switch) => switch,
            LinkEndDevice::Node(node) => {
                if self.orders_nodes {
                    return self.next_of_node::<STOPS>(now, port, around);
                }
                let first = if self.class_2.is_none() {
                    of.queue.front().copied()
                } else {
                    self.next_in_class_2(now, port, node)
                };
                let Some(held) = first else { return Next::HasNoAnswers(node) };
                return if has_credit { Next::Goes(held, 0) } else { Next::HasNoCredit(held) };
            }
        };
        if !STOPS && !self.may_pass(switch, port) {
            return Next::Nobody; // When a frame leaves the crossbar, the waiting ports try again.
        }
        if !STOPS
            && has_credit
            && !several
            && let Some(held) = self.foremost(now, lead)
        {
            return Next::Goes(held, 0);
        }
        self.contenders.clear();
        self.places.clear();
        let mut later = Time::NEVER;
        let mut without: Option<Candidate> = None;
        let mut lacking = 0;
        // With priority in routing alone a later control message may go before an earlier one: see `prefer_control`.
        let all_control = self.goes_first && !self.control_always_first();
        for head in self.ports[lead as usize].requests.candidates(all_control) {
            let held = head.held;
            if STOPS && !head.is_control {
                continue;
            }
            if self.has_trunks && self.is_behind_in_trunk::<STOPS>(lead, &head) {
                continue;
            }
            let at = &self.held[held];
            let input = &self.ports[at.port as usize];
            if at.ready_at > now {
                later = later.min(at.ready_at);
                continue;
            }
            let is_first = self.parameters.queueing == InputQueueing::PerOutput
                || self.ports[head.lead as usize].waiting.is_first(held, at.channel);
            let has_way = self.parameters.crossbar == Crossbar::PerBuffer || input.leaving == 0;
            if !is_first || !has_way {
                continue;
            }
            if several {
                lacking |= self.lacking(now, port, at);
            }
            let channel = if several { self.channel_by(now, port, at) } else { has_credit.then_some(0) };
            let Some(channel) = channel else {
                // The frame may have credit on the channel without cycles, but rather wait for another output that is free, or for credit
                // of this output, of which some may be in flight.
                if !several || !self.might_escape(now, port, at) {
                    let first = without.get_or_insert(head);
                    if head.place < first.place {
                        *first = head;
                    }
                } else if let Some(at) = self.ports[port as usize].credits.next_ready_arrival() {
                    later = later.min(at);
                }
                continue;
            };
            self.places.push((held, channel));
            self.contenders.push(Contender {
                input: input.local,
                since: at.ready_at,
                came: at.header_at,
                is_control: self.goes_first && head.is_control,
                place: head.place,
            });
        }
        if lacking != 0 {
            let channels = (0..u32::BITS as u8).filter(|channel| lacking >> channel & 1 == 1);
            channels.for_each(|channel| self.lacks_credit(now, port, channel, around));
        }
        if self.contenders.is_empty() {
            // A frame that is not ready yet may use another channel than the frames that wait for credit.
            if later < Time::NEVER && (several || without.is_none()) {
                self.plan(now, port, later, around);
            }
            return without.map_or(Next::Nobody, |head: Candidate| Next::HasNoCredit(head.held));
        }
        if self.goes_first && !STOPS {
            self.prefer_control(now, port);
        }
        let (held, channel) = self.places[self.ports[lead as usize].arbiter.choose(now, &self.contenders)];
        Next::Goes(held, channel)
    }

    /// The frame that the arbiter of an output chooses by its input alone, if that frame may leave: usually there is one, and the other
    /// frames need no look.
    #[inline]
    fn foremost(&mut self, now: Time, output: u32) -> Option<u32> {
        if self.goes_first || self.has_trunks {
            return None;
        }
        let of = &self.ports[output as usize];
        let head = of.requests.foremost_lane(of.arbiter.first_input()?)?;
        let at = &self.held[head.held];
        let input = &self.ports[at.port as usize];
        let is_first = self.parameters.queueing == InputQueueing::PerOutput
            || input.waiting.is_first(head.held, at.channel);
        let has_way = self.parameters.crossbar == Crossbar::PerBuffer || input.leaving == 0;
        if at.ready_at > now || !is_first || !has_way {
            return None;
        }
        let contender = Contender {
            input: input.local,
            since: at.ready_at,
            came: at.header_at,
            is_control: false,
            place: head.place,
        };
        self.ports[output as usize].arbiter.choose(now, &[contender]);
        Some(head.held)
    }

    /// Whether a frame arrived by a trunk and has to wait for another frame that did: such frames go on in order, apart from control messages
    /// that overtake others.
    #[cold]
    fn is_behind_in_trunk<const STOPS: bool>(&self, output: u32, head: &Candidate) -> bool {
        if self.ports[head.lead as usize].members.is_empty() {
            return false;
        }
        let overtakes = self.parameters.control.control_overtakes();
        let requests = &self.ports[output as usize].requests;
        let mut heads = requests.candidates(false);
        heads.any(|other| {
            let counts = !STOPS || other.is_control;
            let same = !overtakes || other.is_control == head.is_control;
            counts && same && other.lead == head.lead && other.place < head.place
        })
    }
}
