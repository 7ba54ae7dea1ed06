//! The state machine of an end of a link: how two ends bring it up, and how they reset it.
//!
//! Source: FC-FS-5, table of FC_Port states. An end that sees its link fail sends NOS, an end that is switched on sends OLS; each end
//! answers NOS with OLS, OLS with LR, LR with LRR and LRR with IDLE, until both ends are Active. An end that has had no credit for E_D_TOV
//! begins this exchange with LR, which is a link reset. A sequence is sent without a break and is recognised when three of its words have
//! arrived; IDLE is recognised after one word. Repetitions of a recognised sequence change nothing more, so only its first arrival counts.

use sansim_kernel::Span;

/// The state of an end of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkState {
    /// AC, Active: frames may be sent.
    #[default]
    Active,
    /// LR1, LR Transmit: this end resets the link.
    ResetSent,
    /// LR2, LR Receive: the other end resets the link.
    ResetHeard,
    /// LR3, LRR Receive: the other end has answered the reset.
    ResetAnswered,
    /// LF1, NOS Receive: the other end has seen the link fail.
    FailureHeard,
    /// LF2, NOS Transmit: this end has seen the link fail.
    Failed,
    /// OL1, OLS Transmit: this end has been switched on.
    OfflineSent,
    /// OL2, OLS Receive: the other end has been switched on.
    OfflineHeard,
    /// OL3, Wait for OLS: this end waits for OLS.
    WaitsForOffline,
}

/// The signal that an end repeats between frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrimitiveSequence {
    /// IDLE, or another fill word.
    Idle,
    /// NOS: the link is not operational.
    Nos,
    /// OLS: the link is offline.
    Ols,
    /// LR: link reset.
    Lr,
    /// LRR: link reset response.
    Lrr,
}

impl PrimitiveSequence {
    /// The number of words of this sequence that the receiver requires before it recognises the sequence.
    pub fn recognition_word_count(self) -> u64 {
        if self == Self::Idle { 1 } else { 3 }
    }
}

impl LinkState {
    /// The sequence that an end in this state sends.
    pub fn sent_sequence(self) -> PrimitiveSequence {
        match self {
            Self::Active | Self::ResetAnswered => PrimitiveSequence::Idle,
            Self::ResetSent | Self::OfflineHeard => PrimitiveSequence::Lr,
            Self::ResetHeard => PrimitiveSequence::Lrr,
            Self::FailureHeard | Self::OfflineSent => PrimitiveSequence::Ols,
            Self::Failed | Self::WaitsForOffline => PrimitiveSequence::Nos,
        }
    }

    /// The state of an end after it has recognised this sequence.
    #[must_use]
    pub fn state_after_hearing(self, sequence: PrimitiveSequence) -> Self {
        match (sequence, self) {
            (PrimitiveSequence::Ols, _) | (PrimitiveSequence::Idle, Self::WaitsForOffline) => {
                Self::OfflineHeard
            }
            (PrimitiveSequence::Nos, _) => Self::FailureHeard,
            (PrimitiveSequence::Lr | PrimitiveSequence::Lrr, Self::WaitsForOffline)
            | (PrimitiveSequence::Lr, Self::Failed) => Self::Failed,
            (PrimitiveSequence::Lr, _) => Self::ResetHeard,
            (PrimitiveSequence::Lrr, Self::FailureHeard | Self::Failed | Self::OfflineSent) => self,
            (PrimitiveSequence::Lrr, _) => Self::ResetAnswered,
            (PrimitiveSequence::Idle, Self::ResetHeard | Self::ResetAnswered) => Self::Active,
            (PrimitiveSequence::Idle, _) => self,
        }
    }
}

/// The times of the ends of links, which are the same in a whole fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkTimes {
    /// E_D_TOV: the time without credit after which an end resets the link. With none, the end waits for
    /// credit for ever.
    pub credit_time_out: Option<Span>,
    /// The time for which an end that is switched on sends OLS before it answers.
    pub offline: Span,
}

impl LinkTimes {
    /// The default of E_D_TOV (FC-FS).
    pub const E_D_TOV: Span = Span::from_s(2);
    /// The least time for which OLS is sent (Seagate Fibre Channel Interface manual, p. 20).
    pub const OFFLINE: Span = Span::from_ms(5);
}

impl Default for LinkTimes {
    fn default() -> Self {
        Self { credit_time_out: None, offline: Self::OFFLINE }
    }
}

#[cfg(test)]
mod tests {
    use super::LinkState::{
        Active, Failed, FailureHeard, OfflineHeard, OfflineSent, ResetAnswered, ResetHeard, ResetSent,
        WaitsForOffline,
    };
    use super::*;

    const STATES: [LinkState; 9] = [
        Active,
        ResetSent,
        ResetHeard,
        ResetAnswered,
        FailureHeard,
        Failed,
        OfflineSent,
        OfflineHeard,
        WaitsForOffline,
    ];
    const SEQUENCES: [PrimitiveSequence; 5] = [
        PrimitiveSequence::Idle,
        PrimitiveSequence::Nos,
        PrimitiveSequence::Ols,
        PrimitiveSequence::Lr,
        PrimitiveSequence::Lrr,
    ];

    #[test]
    fn states_follow_each_other_as_the_table_of_fc_fs_has_them() {
        let row = |sequence: PrimitiveSequence| STATES.map(|state| state.state_after_hearing(sequence));
        assert_eq!(row(PrimitiveSequence::Ols), [OfflineHeard; 9]);
        assert_eq!(row(PrimitiveSequence::Nos), [FailureHeard; 9]);
        let lr = [
            ResetHeard, ResetHeard, ResetHeard, ResetHeard, ResetHeard, Failed, ResetHeard, ResetHeard,
            Failed,
        ];
        assert_eq!(row(PrimitiveSequence::Lr), lr);
        let lrr = [
            ResetAnswered,
            ResetAnswered,
            ResetAnswered,
            ResetAnswered,
            FailureHeard,
            Failed,
            OfflineSent,
            ResetAnswered,
            Failed,
        ];
        assert_eq!(row(PrimitiveSequence::Lrr), lrr);
        let idle = [
            Active,
            ResetSent,
            Active,
            Active,
            FailureHeard,
            Failed,
            OfflineSent,
            OfflineHeard,
            OfflineHeard,
        ];
        assert_eq!(row(PrimitiveSequence::Idle), idle);
    }

    #[test]
    fn what_is_heard_again_changes_nothing() {
        for (state, sequence) in STATES.iter().flat_map(|&state| SEQUENCES.map(|sequence| (state, sequence)))
        {
            let once = state.state_after_hearing(sequence);
            assert_eq!(once.state_after_hearing(sequence), once, "{state:?} hears {sequence:?}");
        }
    }

    #[test]
    fn wherever_two_ends_begin_both_come_to_active() {
        for one in STATES {
            for other in STATES {
                // Each end recognises what the other end sends, first one end after the other, then both at a
                // time.
                for together in [false, true] {
                    let mut ends = [one, other];
                    for _ in 0..20 {
                        let heard = ends.map(LinkState::sent_sequence);
                        ends[0] = ends[0].state_after_hearing(heard[1]);
                        let back = if together { heard[0] } else { ends[0].sent_sequence() };
                        ends[1] = ends[1].state_after_hearing(back);
                    }
                    // Two ends that both wait for OLS wait for ever, but no end begins in that state.
                    let waits = ends.iter().filter(|&&end| end != Active).count();
                    assert!(
                        waits == 0 || [one, other].contains(&WaitsForOffline),
                        "{one:?} {other:?}: {ends:?}"
                    );
                }
            }
        }
    }
}
