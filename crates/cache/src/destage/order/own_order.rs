//! The stripe that is destaged first is chosen by a rule of the user.
//!
//! The rank of a stripe is the order in which it became dirty, by which the rule sees the stripes.

use super::{DestageCandidate, DestageOrderRule, StripeRank};
use sansim_rules::rules_of_run::now_ns;
use sansim_rules::{Decider, OwnRule};
use sansim_schema::decision;
use sansim_schema::decision::as_feature;

decision! {
    /// The choice of the stripe of dirty blocks that is destaged next.
    pub static DESTAGE = "destage";
    /// The position of the device, and the writes up to now.
    common DestageCircumstances {
        /// Blocks that were written, or came to be ready for a destage, up to now.
        now: "",
        /// Number of the stripe behind the last one that was destaged.
        position: "",
        /// Number of blocks of a stripe.
        size: "blocks",
    }
    /// A stripe with blocks that can be destaged.
    each StripeFeatures {
        /// Number of the stripe, which grows with addresses.
        stripe: "",
        /// Blocks of the stripe that can be destaged.
        ready: "blocks",
        /// `now` when the stripe became dirty.
        since: "",
        /// `now` when the stripe last changed.
        changed: "",
    }
    window 64, order "those that have been dirty for longest", source "ours: enough for an arm to find a near stripe, however many are dirty";
}

/// The order of destaging by a rule of the user.
#[derive(Clone, Debug)]
pub struct OwnDestageOrder {
    decider: Decider,
    position: u64,
}

impl From<OwnRule> for OwnDestageOrder {
    fn from(rule: OwnRule) -> Self {
        Self { decider: Decider::from(rule), position: 0 }
    }
}

impl DestageOrderRule for OwnDestageOrder {
    fn rank(&mut self, candidate: DestageCandidate) -> StripeRank {
        (candidate.before.map_or(candidate.now, |(since, _)| since), candidate.now)
    }

    fn took(&mut self, number: u64, _: StripeRank) {
        self.position = number.saturating_add(1);
    }

    fn window(&self) -> Option<usize> {
        Some(self.decider.window())
    }

    fn choose(&mut self, candidates: &[DestageCandidate]) -> usize {
        let Some(first) = candidates.first() else { return 0 };
        let circumstances = DestageCircumstances {
            now: as_feature(first.now),
            position: as_feature(self.position),
            size: first.blocks.into(),
        };
        let view = self.decider.view();
        view.begin(&circumstances.values());
        for candidate in candidates {
            let (since, changed) = candidate.before.unwrap_or_default();
            let features = StripeFeatures {
                stripe: as_feature(candidate.number),
                ready: candidate.ready.into(),
                since: as_feature(since),
                changed: as_feature(changed),
            };
            view.add_candidate(&features.values());
        }
        self.decider.choose(now_ns())
    }
}
