//! Credit recovery (BB_SC): the two ends of a link find lost frames and lost R_RDYs by counting, and restore the lost credit.
//!
//! Source: FC-FS. The two ends of the link agree on a number N at login. A transmitter sends BB_SCs after every 2^N frames, BB_SCr after
//! every 2^N R_RDYs. The receiver counts the arrivals since the last mark, modulo 2^N: on BB_SCs it returns as many R_RDYs as frames are
//! missing, on BB_SCr it restores as much credit as R_RDYs are missing. Where 2^N or more frames or R_RDYs are lost between two marks, a
//! multiple of 2^N of the lost ones is never restored.
//!
//! Assumption: the marks BB_SCs and BB_SCr are not lost.

/// The counters of credit recovery at one end of a link: the frames or R_RDYs sent since the last mark, and how many of them were
/// lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecoveryCounters {
    sent: u32,
    lost: u32,
}

impl RecoveryCounters {
    /// Counts a frame or R_RDY that is sent on a link with this BB_SC_N, and may be lost. If a mark (BB_SCs or BB_SCr) follows, returns
    /// the number of frames or R_RDYs that the receiver of the mark finds missing.
    pub fn count_sent(&mut self, bb_sc_n: u8, lost: bool) -> Option<u32> {
        if bb_sc_n == 0 {
            return None;
        }
        let period = 1 << bb_sc_n;
        self.sent += 1;
        self.lost += u32::from(lost);
        if self.sent < period {
            return None;
        }
        let came = std::mem::take(&mut self.sent) - std::mem::take(&mut self.lost);
        Some((period - came) % period)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_goes_behind_every_so_many_and_tells_how_many_are_missing() {
        let mut counting = RecoveryCounters::default();
        let marks: Vec<Option<u32>> =
            (0..12).map(|number| counting.count_sent(2, matches!(number, 1 | 2 | 7))).collect();
        let mut expected = vec![None; 12];
        (expected[3], expected[7], expected[11]) = (Some(2), Some(1), Some(0));
        assert_eq!(marks, expected);
    }

    #[test]
    fn where_all_between_two_marks_are_lost_the_receiver_sees_none_missing() {
        let mut counting = RecoveryCounters::default();
        assert_eq!((0..4).filter_map(|_| counting.count_sent(2, true)).collect::<Vec<u32>>(), [0]);
        assert_eq!((0..2).filter_map(|_| counting.count_sent(1, false)).collect::<Vec<u32>>(), [0]);
    }

    #[test]
    fn without_a_number_nothing_is_counted() {
        let mut counting = RecoveryCounters::default();
        assert!((0..100).all(|_| counting.count_sent(0, true).is_none()));
        assert_eq!(counting, RecoveryCounters::default());
    }
}
