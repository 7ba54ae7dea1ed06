//! The alternative buffer-to-buffer credit of the loop, which is valid within one circuit.
//!
//! Source: Wang 2005, section 4.3.1.4 and figure 4.7. A port announced L = Login_BB_Credit buffers at login and keeps at
//! least L free whenever it can be opened. In a circuit the sender may send L frames at once; the first L R_RDYs that it
//! receives are discarded, and each later R_RDY allows one frame. In short, the number of frames sent so far never
//! exceeds max(L, R_RDYs received so far).

/// The number of frames that may be sent in one circuit to a port that announced this login credit and has sent
/// this number of R_RDYs.
#[inline]
pub fn frames_per_circuit<N: Ord>(login_credit: N, ready_sent: N) -> N {
    login_credit.max(ready_sent)
}

/// The sender's side of the credit in one circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCredit {
    available: u32,
    to_discard: u32,
}

impl SenderCredit {
    /// Credit at the start of a circuit towards a port that announced `login_credit`.
    pub fn at_circuit_start(login_credit: u32) -> Self {
        Self { available: login_credit, to_discard: login_credit }
    }

    /// The state of the sender's credit as numbers.
    pub(crate) fn numbers(&self) -> [u32; 2] {
        [self.available, self.to_discard]
    }

    /// The sender's credit with the state [`Self::numbers`].
    pub(crate) fn of_numbers([available, to_discard]: [u32; 2]) -> Self {
        Self { available, to_discard }
    }

    /// Whether a frame may be sent with the credit that is available.
    pub fn may_send(&self) -> bool {
        self.available > 0
    }

    /// Frames that may be sent.
    pub fn available_credit(&self) -> u32 {
        self.available
    }

    /// R_RDYs that add no credit, because they only replace the credit granted at login.
    pub fn readies_to_discard(&self) -> u32 {
        self.to_discard
    }

    /// Applies this many received R_RDYs and sent frames; each frame was allowed when it was sent.
    pub fn catch_up(&mut self, ready: u32, frames: u32) {
        let discarded = ready.min(self.to_discard);
        self.to_discard -= discarded;
        let available = self.available + (ready - discarded);
        debug_assert!(available >= frames, "frames sent without credit");
        self.available = available - frames;
    }

    /// Counts a frame that was sent. Call this function only if [`Self::may_send`].
    pub fn frame_sent(&mut self) {
        debug_assert!(self.available > 0, "frame sent without credit");
        self.available -= 1;
    }

    /// An R_RDY arrived: it is discarded while it replaces login credit, otherwise it allows one more frame.
    pub fn receiver_ready(&mut self) {
        if self.to_discard > 0 {
            self.to_discard -= 1;
        } else {
            self.available += 1;
        }
    }
}

/// The receiver's side of the credit in one circuit, which decides whether an R_RDY may be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverCredit {
    login_credit: u32,
    ready_sent: u32,
    frames_received: u32,
}

impl ReceiverCredit {
    /// The receiver's credit at the start of a circuit, for a port that announced `login_credit`.
    pub fn at_circuit_start(login_credit: u32) -> Self {
        Self { login_credit, ready_sent: 0, frames_received: 0 }
    }

    /// The state of the receiver's credit as numbers.
    pub(crate) fn numbers(&self) -> [u32; 3] {
        [self.login_credit, self.ready_sent, self.frames_received]
    }

    /// The receiver's credit with the state [`Self::numbers`].
    pub(crate) fn of_numbers([login_credit, ready_sent, frames_received]: [u32; 3]) -> Self {
        Self { login_credit, ready_sent, frames_received }
    }

    fn promised(&self) -> u32 {
        frames_per_circuit(self.login_credit, self.ready_sent)
    }

    /// The number of frames that the sender may still send with the credit that it has.
    pub fn outstanding_credit(&self) -> u32 {
        self.promised() - self.frames_received
    }

    /// Whether one more R_RDY can be sent with `free_buffers` frame buffers free.
    pub fn may_send_ready(&self, free_buffers: u32) -> bool {
        frames_per_circuit(self.login_credit, self.ready_sent + 1) - self.frames_received <= free_buffers
    }

    /// The numbers of R_RDYs sent and frames received in the circuit.
    pub fn ready_and_frame_counts(&self) -> (u32, u32) {
        (self.ready_sent, self.frames_received)
    }

    /// Applies this many sent R_RDYs and received frames; each R_RDY was allowed when it was sent.
    pub fn catch_up(&mut self, ready: u32, frames: u32) {
        self.ready_sent += ready;
        self.frames_received += frames;
        debug_assert!(self.frames_received <= self.promised(), "a frame came without credit");
    }

    /// Counts an R_RDY that was sent.
    pub fn ready_sent(&mut self) {
        self.ready_sent += 1;
    }

    /// Frames received in the circuit.
    pub fn frames_received(&self) -> u32 {
        self.frames_received
    }

    /// Counts a frame that was received completely and is in a buffer. Returns false if the sender had no credit for
    /// the frame.
    pub fn frame_received(&mut self) -> bool {
        self.frames_received += 1;
        self.frames_received <= self.promised()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn without_login_credit_every_frame_needs_an_r_rdy() {
        let mut credit = SenderCredit::at_circuit_start(0);
        assert!(!credit.may_send());
        credit.receiver_ready();
        assert!(credit.may_send());
        credit.frame_sent();
        assert!(!credit.may_send());
    }

    #[test]
    fn login_credit_discards_as_many_r_rdys_as_it_promised() {
        let mut credit = SenderCredit::at_circuit_start(2);
        credit.frame_sent();
        credit.frame_sent();
        credit.receiver_ready();
        credit.receiver_ready();
        assert!(!credit.may_send(), "two R_RDYs make the login credit good and are worth no frame");
        credit.receiver_ready();
        assert!(credit.may_send());
    }

    proptest! {
        /// Law of the alternative credit model: frames sent <= max(L, R_RDYs received), and the rule is tight.
        #[test]
        fn frames_sent_never_exceed_login_credit_or_ready_count(login in 0u32..6, steps in prop::collection::vec(any::<bool>(), 0..60)) {
            let mut credit = SenderCredit::at_circuit_start(login);
            let (mut frames, mut ready) = (0u32, 0u32);
            for send in steps {
                if send {
                    prop_assert_eq!(credit.may_send(), frames < login.max(ready));
                    if credit.may_send() { credit.frame_sent(); frames += 1; }
                } else {
                    credit.receiver_ready();
                    ready += 1;
                }
                prop_assert!(frames <= login.max(ready));
            }
        }

        /// A receiver that follows its rule always has a buffer for every frame that may come.
        #[test]
        fn every_promised_frame_finds_a_buffer(login in 0u32..4, extra in 0u32..4, steps in prop::collection::vec(0u8..3, 0..80)) {
            let buffers = (login + extra).max(1);
            let mut occupied = 0u32;
            let mut sender = SenderCredit::at_circuit_start(login);
            let mut receiver = ReceiverCredit::at_circuit_start(login);
            for step in steps {
                match step {
                    0 if receiver.may_send_ready(buffers - occupied) => { receiver.ready_sent(); sender.receiver_ready(); }
                    1 if sender.may_send() => {
                        sender.frame_sent();
                        prop_assert!(occupied < buffers, "no buffer for a frame that had credit");
                        occupied += 1;
                        prop_assert!(receiver.frame_received());
                    }
                    2 if occupied > 0 => occupied -= 1,
                    _ => {}
                }
                prop_assert!(receiver.outstanding_credit() <= buffers - occupied);
            }
        }
    }
}
