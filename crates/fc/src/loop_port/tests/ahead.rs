//! What is told ahead: see [`crate::loop_port::coming`].

use super::*;

impl Bench {
    /// Somebody sends an R_RDY that will be in at slot `at`.
    fn ready_comes(&mut self, slot: u64, at: u64) {
        self.to(slot);
        self.port.ready_comes(Time::ZERO + WORD * at, &mut self.effects);
        self.note();
    }

    /// The slots for which the port asked to be told that an R_RDY is in.
    fn awaited(&self) -> Vec<Time> {
        let at = |(_, effect): &(u64, PortEffect)| match effect {
            PortEffect::Await(at) => Some(*at),
            _ => None,
        };
        self.log.iter().filter_map(at).collect()
    }

    fn ready_is_in(&mut self, slot: u64) {
        self.to(slot);
        self.port.ready_is_in(self.time(), &mut self.effects);
        self.note();
    }
}

#[test]
fn an_r_rdy_told_ahead_lets_the_frame_that_waits_for_it_go_when_it_is_in() {
    let mut bench = Bench::owner(0, &[command(0, X)], |_| {});
    bench.ready_comes(40, 100);
    bench.ready_comes(43, 103);
    assert_eq!(bench.awaited(), [Time::ZERO + WORD * 100]);
    bench.ready_is_in(100);
    // Nothing waits for the second.
    assert_eq!(bench.sent(20, 200), "101 frame 0, 123 CLS");
    assert_eq!(bench.awaited().len(), 1);
}

#[test]
fn an_r_rdy_told_ahead_counts_from_when_it_is_in() {
    let mut bench = Bench::owner(1, &[command(0, X), command(1, X)], |_| {});
    bench.ready_comes(20, 60);
    bench.ready_comes(23, 70);
    let credit = |slot| bench.port.credit(Time::ZERO + WORD * slot);
    // The first makes good the login credit, on which frame 0 is on its way.
    assert_eq!([59, 60, 69, 70].map(credit), [0, 0, 0, 1]);
}

#[test]
fn a_frame_told_ahead_keeps_r_rdys_back_from_when_it_begins_to_come_in() {
    let opened = |bench: &mut Bench| bench.signal(10, opn(OWN, None));
    let several = |c: &mut Setup| (c.incoming_buffers, c.ready_between_frames) = (3, true);
    let frame = command(0, OWN);
    let mut told = Bench::new(0, several);
    opened(&mut told);
    told.to(12);
    told.port.frame_comes(Time::ZERO + WORD * 15);
    told.ends.push((15 + frame.words(), frame));
    let mut seen = Bench::new(0, several);
    opened(&mut seen);
    seen.item(15, Item::Frame(frame));
    assert_eq!(seen.sent(0, 80), "13 R_RDY, 31 R_RDY, 34 R_RDY");
    assert_eq!(told.sent(0, 80), seen.sent(0, 80));
}

/// The owner tells its ARB(F0) with the OPN; on a loop that wants every word in its slot, in the next.
#[test]
fn arb_f0_goes_out_one_word_behind_opn_whether_it_is_told_ahead_or_not() {
    for (ahead, sent) in [(false, "11 OPN(43,43), 12 ARB(F0,F0)"), (true, "11 OPN(43,43), 11 ARB(F0,F0)")] {
        let mut bench = Bench::owner(0, &[command(0, X)], |c| c.link.tells_ahead = ahead);
        assert_eq!(bench.sent(11, 30), sent);
        assert_eq!(bench.port.sent_fill(), (FillWord::ArbF0, Time::ZERO + WORD * 12));
    }
}

/// It is still the ARB(F0) of somebody before that comes in with it.
#[test]
fn an_arb_f0_that_comes_in_with_the_first_own_one_does_not_bring_idle() {
    for ahead in [false, true] {
        let mut bench = Bench::owner(0, &[command(0, X)], |c| c.link.tells_ahead = ahead);
        bench.fill(12, FillWord::ArbF0);
        assert_eq!(bench.port.current_fill, FillWord::ArbF0);
        bench.fill(40, FillWord::ArbF0);
        assert_eq!(bench.port.current_fill, FillWord::Idle);
    }
}
