//! An arbiter of the user.

use super::{ArbiterRule, Contender};
use sansim_kernel::{TICKS_PER_NS, Time};
use sansim_rules::{Decider, OwnRule};
use sansim_schema::decision;
use sansim_schema::decision::as_feature;

decision! {
    /// The choice of the frame that leaves next by an output of a switch.
    pub static ARBITER = "arbiter";
    /// The time.
    common OutputCircumstances {
        /// The time of the choice.
        now: "ns",
    }
    /// The first frame of an input, which may leave now.
    each FrameFeatures {
        /// Input port of the switch at which the frame waits.
        input: "",
        /// Time since the frame may leave.
        waiting: "ns",
        /// Time since the header of the frame arrived at the switch.
        age: "ns",
        /// 1 for a frame that carries control and no data where such frames may go first, 0 otherwise.
        control: "",
        /// Place of the frame in the order in which frames came to the output.
        order: "",
    }
}

/// An arbiter of the user.
#[derive(Clone, Debug)]
pub struct OwnArbiter(Decider);

impl From<OwnRule> for OwnArbiter {
    fn from(rule: OwnRule) -> Self {
        Self(Decider::from(rule))
    }
}

impl ArbiterRule for OwnArbiter {
    fn choose(&mut self, now: Time, contenders: &[Contender]) -> usize {
        let now_ns = now.ticks() / TICKS_PER_NS;
        let since = |earlier: Time| as_feature(now.saturating_since(earlier).ticks() / TICKS_PER_NS);
        let view = self.0.view();
        view.begin(&OutputCircumstances { now: as_feature(now_ns) }.values());
        for contender in contenders {
            let features = FrameFeatures {
                input: contender.input.into(),
                waiting: since(contender.since),
                age: since(contender.came),
                control: contender.is_control.into(),
                order: as_feature(contender.place.0),
            };
            view.add_candidate(&features.values());
        }
        self.0.choose(now_ns)
    }
}
