//! Ports that wait for their turn: they arbitrate while others of higher priority do, or wait for access.
//!
//! Such a port repeats most of what comes ([`LoopPort::gives_way_to`](crate::loop_port::LoopPort::gives_way_to)), and then is a delay like one
//! that sleeps. It *dozes*: what it gives way to passes it on the way to the next port that is awake, and anything else wakes it as that is sent.
//! However many wait, a circuit costs no more events for that.
//!
//! With an observer that sees steps nobody dozes, nor on the other two loops.

use super::Edge;
use crate::arbitrated_loop::{ArbitratedLoop, Surroundings};
use crate::word::FillWord;
use sansim_kernel::Time;

impl ArbitratedLoop {
    /// Lets a port that waits for its turn doze: it gave way to the word before this one, does to this, and will to all that is on its way. Not
    /// at the first such word, as it may have to do something at the next again.
    #[inline(never)]
    pub(in crate::arbitrated_loop) fn doze_if_it_only_passes(
        &mut self,
        now: Time,
        port: usize,
        around: &mut impl Surroundings,
    ) {
        let has_others = self.fast.awake.next_after(port) != Some(port);
        let gives_way = |edge: &Edge| self.ports[port].gives_way_to(edge.word);
        if has_others
            && !around.sees_steps()
            && !self.fast.addressed.contains(port)
            && self.ports[port].only_passes(now)
            && self.fast.lines[port].iter().all(gives_way)
        {
            self.let_sleep(now, port, around);
            self.fast.dozing.set(port, true);
        }
    }

    /// The first port between two others that dozes and does not give way to this word.
    #[inline(always)]
    pub(super) fn first_to_wake(&self, from: usize, to: usize, word: FillWord) -> Option<usize> {
        if self.fast.dozing.is_empty() { None } else { self.first_dozer_to_wake(from, to, word) }
    }

    #[inline(never)]
    fn first_dozer_to_wake(&self, from: usize, to: usize, word: FillWord) -> Option<usize> {
        let way = |dozer: &usize| self.geometry.distance(from, *dozer);
        let between = self.fast.dozing.between(from, to).iter();
        between.filter(|&dozer| !self.ports[dozer].gives_way_to(word)).min_by_key(way)
    }
}
