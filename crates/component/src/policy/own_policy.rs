//! A policy of the user.

use super::{ChoiceCandidate, ChoiceContext, ChoicePolicy};
use sansim_kernel::TICKS_PER_NS;
use sansim_request::Request;
use sansim_rules::{Decider, OwnRule};
use sansim_schema::decision;
use sansim_schema::decision::as_feature;

decision! {
    /// The choice of the path of a request to its device, or of the copy of a mirror that is read.
    pub static PATH = "path";
    /// The request, and the time.
    common PathCircumstances {
        /// The time of the choice.
        now: "ns",
        /// Bytes of the request.
        size: "bytes",
        /// First block of the request.
        block: "blocks",
        /// 1 if the request writes, 0 otherwise.
        write: "",
        /// Number of the request among those of the run.
        io: "",
        /// Number of the device.
        device: "",
        /// Number of NUMA nodes of the host.
        nodes: "",
    }
    /// A path or copy that can be used now.
    each PathFeatures {
        /// Number of the path or copy among all of its device, whether or not all can be used.
        number: "",
        /// Unanswered requests of the adapter at which the path begins; of a copy its own.
        outstanding: "",
        /// Unanswered requests between the two adapters of the path.
        at_server: "",
        /// Unanswered requests for the device on the path.
        on_path: "",
        /// Bytes of the unanswered requests for the device on the path.
        bytes: "bytes",
        /// `relative_throughput` of the path.
        throughput: "",
        /// NUMA node at which the path begins.
        node: "",
        /// Distance from the end of the last access of a copy on a disk; the largest number without one.
        distance: "bytes",
        /// 1 if the request begins where the last read of the copy ended, 0 otherwise.
        follows: "",
    }
}

/// A policy of the user.
#[derive(Clone, Debug)]
pub struct OwnPolicy(Decider);

impl From<OwnRule> for OwnPolicy {
    fn from(rule: OwnRule) -> Self {
        Self(Decider::from(rule))
    }
}

impl ChoicePolicy for OwnPolicy {
    fn choose(
        &mut self,
        context: &ChoiceContext,
        request: &Request,
        candidates: &[ChoiceCandidate],
    ) -> usize {
        let now_ns = context.now.ticks() / TICKS_PER_NS;
        let view = self.0.view();
        let circumstances = PathCircumstances {
            now: as_feature(now_ns),
            size: as_feature(request.bytes),
            block: as_feature(request.lba),
            write: request.is_write().into(),
            io: as_feature(request.number),
            device: request.device.into(),
            nodes: context.nodes.into(),
        };
        view.begin(&circumstances.values());
        for candidate in candidates {
            let features = PathFeatures {
                number: candidate.number.into(),
                outstanding: candidate.outstanding.into(),
                at_server: candidate.at_server.into(),
                on_path: candidate.by_way.into(),
                bytes: as_feature(candidate.bytes),
                throughput: candidate.throughput.into(),
                node: candidate.node.into(),
                distance: candidate.distance.map_or(i64::MAX, as_feature),
                follows: candidate.follows.into(),
            };
            view.add_candidate(&features.values());
        }
        self.0.choose(now_ns)
    }
}
