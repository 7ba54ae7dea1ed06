//! The link between the two nodes of a pair of appliances.

use super::catalogue::segment;
use super::parameters::NodeLink;
use super::{Here, NOT_OF_THREADS, ON_ITS_WAY, StackProcessors, tell, what};
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::{Span, Time, TimeWeighted, Total};
use std::collections::VecDeque;

/// The link between the two nodes of a pair of appliances.
#[derive(Clone, Debug)]
pub(super) struct Link {
    parameters: NodeLink,
    waiting: VecDeque<u32>,
    /// The message that is being sent, and the number of messages in flight.
    sends: Option<u32>,
    under_way: u32,
    busy: TimeWeighted,
}

impl Link {
    pub fn new(parameters: NodeLink) -> Self {
        let waiting = VecDeque::with_capacity(16);
        Self { parameters, waiting, sends: None, under_way: 0, busy: TimeWeighted::new() }
    }

    /// The number of jobs at the link.
    pub fn queued_job_count(&self) -> u32 {
        self.under_way
    }

    pub fn busy(&self, now: Time) -> Total {
        self.busy.total(now)
    }
}

impl StackProcessors {
    /// A job comes to the link.
    pub(super) fn goes_to_link(&mut self, cx: &mut Context<'_>, place: u32, here: &Here) {
        self.link.under_way += 1;
        if self.link.sends.is_some() {
            tell(cx, here, segment::LINK_QUEUE, false);
            self.link.waiting.push_back(place);
        } else {
            self.sends(cx, place);
        }
    }

    fn sends(&mut self, cx: &mut Context<'_>, place: u32) {
        let Some(here) = self.here[place as usize] else { return };
        let takes = self.link.parameters.takes(here.job.bytes);
        if takes == Span::ZERO {
            self.is_sent(cx, place);
            return;
        }
        tell(cx, &here, segment::LINK, true);
        self.link.sends = Some(place);
        self.link.busy.set(cx.now, 1);
        cx.set_timer(cx.now + takes, EventTurn::turn_of_node(NOT_OF_THREADS + 2), Timer::new(what::LINK, 0));
    }

    /// A message has been sent, and is in flight.
    fn is_sent(&mut self, cx: &mut Context<'_>, place: u32) {
        let latency = self.link.parameters.latency;
        self.link.under_way -= 1;
        if latency == Span::ZERO {
            self.ends(cx, place);
            return;
        }
        if let Some(here) = self.here[place as usize] {
            tell(cx, &here, segment::ON_THE_LINK, false);
        }
        cx.set_timer(
            cx.now + latency,
            EventTurn::turn_of_node(ON_ITS_WAY + place),
            Timer::new(what::ARRIVES, place),
        );
    }

    /// The link is done with a message, and sends the next.
    pub(super) fn link_is_free(&mut self, cx: &mut Context<'_>) {
        let Some(place) = self.link.sends.take() else { return };
        self.link.busy.set(cx.now, 0);
        self.is_sent(cx, place);
        while self.link.sends.is_none() {
            let Some(next) = self.link.waiting.pop_front() else { return };
            self.sends(cx, next);
        }
    }
}
