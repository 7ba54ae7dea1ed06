//! Marks of congestion (ECN, RFC 3168): which frames a switch marks, by the bytes that wait at their output in their class.

use super::parameters::EthernetQueueParameters;
use sansim_kernel::RandomStream;

/// The rule of marks of a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkingRule {
    from: u64,
    all_above: u64,
    share: f64,
}

impl MarkingRule {
    /// The rule that the keys of a class describe, if they describe one.
    pub fn of_queue(queue: &EthernetQueueParameters) -> Option<Self> {
        let from = queue.mark_above?;
        Some(Self { from, all_above: queue.mark_all_above.unwrap_or(from), share: queue.mark_share })
    }

    /// The share of frames that are marked while so many bytes wait.
    pub fn share_marked(&self, waiting: u64) -> f64 {
        if waiting <= self.from {
            0.0
        } else if waiting > self.all_above {
            1.0
        } else {
            self.share * (waiting - self.from) as f64 / (self.all_above - self.from) as f64
        }
    }

    /// Whether to mark a frame that finds so many bytes waiting.
    pub fn marks(&self, waiting: u64, random: &mut RandomStream) -> bool {
        let share = self.share_marked(waiting);
        share >= 1.0 || share > 0.0 && random.chance(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_marks_grows_in_proportion_and_is_one_above() {
        let rule = MarkingRule { from: 100, all_above: 400, share: 0.2 };
        let shares = [0, 100, 250, 400, 401].map(|waiting| rule.share_marked(waiting));
        assert_eq!(shares, [0.0, 0.0, 0.1, 0.2, 1.0]);
    }

    #[test]
    fn a_single_threshold_marks_all_frames_above_it() {
        let rule = MarkingRule { from: 100, all_above: 100, share: 1.0 };
        assert_eq!([100, 101].map(|waiting| rule.share_marked(waiting)), [0.0, 1.0]);
    }
}
