//! Lost words of a loop: a transmission word is damaged on the cable to a port.
//!
//! Source: FC-FS for what a receiver makes of an invalid transmission word, and for CRC; FC-AL as the Seagate Fibre Channel Interface
//! Manual (77767496, rev. D) describes it, for fill words; the Tachyon adapter for E_D_TOV, after which a port of a circuit sends LIP.
//!
//! | damaged word | effect |
//! |---|---|
//! | signal | The next port has a fill word in its place, so the signal is lost. A lost R_RDY is missing until the circuit ends. |
//! | SOF | The words of the frame go on, but no port recognises a frame: credit and buffer of the frame are missing until the circuit ends. |
//! | another word of a frame | The receiver finds the error by CRC, discards the frame, and its buffer is empty at once. |
//!
//! After a lost OPN, CLS or DHD, or without credit, a port in a circuit may wait for ever. A port of which no word of the circuit came or
//! went for E_D_TOV initialises the loop. Its timer does not run while only its own buffers keep it from leaving.
//!
//! A port in a circuit takes each word that comes, also of another circuit, as signals other than OPN name no port. It discards frames for others,
//! and frames without credit or buffer.
//!
//! Assumptions: each damaged word is recognised as invalid at once. A damaged fill word has no effect: it is sent in each free slot, so a
//! change would come a word later. A word that comes back to its sender after this has left the circuit is taken off the loop.

use super::answer::Answer;
use super::{ArbitratedLoop, LoopEvent, LoopHost, PortEvent};
use crate::initialisation_frame::ERROR_DETECT_TIME_OUT;
use crate::link::loss::ExactProbability;
use crate::loop_port::{PortEffect, PortEffectReceiver};
use crate::word::LinkItem;
use sansim_kernel::{RandomStream, Span, Time};

/// The words of a loop that are damaged on a cable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DamagedWords {
    /// The probability for each word on each cable.
    probability: f64,
    seed: u64,
    /// Further damaged words: the port, and the slot in which it would repeat the word.
    chosen: Vec<(usize, Time)>,
}

/// Where an item is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Damage {
    /// A signal, or SOF.
    First,
    /// A word of a frame behind SOF.
    Behind,
}

impl DamagedWords {
    /// Each word on each cable is damaged with this probability, independently of others. The seed, the port and the slot decide, so it
    /// does not matter in which order words are examined.
    pub fn with_probability(probability: f64, seed: u64) -> Self {
        Self { probability, seed, chosen: Vec::new() }
    }

    /// These words are damaged: each by the port that receives it, and the slot in which that port would repeat it.
    pub fn at(chosen: Vec<(usize, Time)>) -> Self {
        Self { chosen, ..Self::default() }
    }

    /// The damage of an item of this many words that a port would repeat from the slot `at` on.
    fn damage_of(&self, port: usize, at: Time, words: u64, word: Span) -> Option<Damage> {
        let end = at + word * words;
        if self.chosen.contains(&(port, at)) {
            return Some(Damage::First);
        }
        if self.chosen.iter().any(|&(to, slot)| to == port && slot > at && slot < end) {
            return Some(Damage::Behind);
        }
        // A loop has fewer than 256 ports.
        let place = at.ticks().wrapping_mul(256).wrapping_add(port as u64);
        let mut random = RandomStream::new(self.seed.wrapping_add(place), "damaged words");
        let mut happens = |share| ExactProbability::from_share(share).draw_event(&mut random);
        if happens(self.probability) {
            Some(Damage::First)
        } else {
            happens(probability_of_any(self.probability, words - 1)).then_some(Damage::Behind)
        }
    }
}

/// The probability that at least one of `count` independent events happens, of which each has this probability. Only multiplications and
/// additions are used, which give the same bits on every machine, and small probabilities keep their digits.
fn probability_of_any(each: f64, count: u64) -> f64 {
    let either = |one: f64, other: f64| one + other * (1.0 - one);
    let (mut any, mut of_power, mut rest) = (0.0, each, count);
    while rest > 0 {
        if rest & 1 == 1 {
            any = either(any, of_power);
        }
        of_power = either(of_power, of_power);
        rest >>= 1;
    }
    any
}

/// An item on its way: the words of it that are damaged so far, and how many cables it has passed.
#[derive(Clone, Copy, Debug, Default)]
struct Passing {
    id: u32,
    cables: usize,
    first: bool,
    behind: bool,
}

/// The state of a loop of which words are damaged.
#[derive(Clone, Debug)]
pub(super) struct WordLoss {
    words: DamagedWords,
    passing: Vec<Passing>,
    /// The item that a port is given now, which it may repeat.
    given: Passing,
    /// For each port the slot in which a word of its circuit last came or went.
    last_word: Vec<Time>,
    /// For each port whether the event of its time-out is pending.
    is_watched: Vec<bool>,
}

impl WordLoss {
    pub(super) fn new(words: DamagedWords, ports: usize) -> Self {
        Self {
            words,
            passing: Vec::new(),
            given: Passing::default(),
            last_word: vec![Time::ZERO; ports],
            is_watched: vec![false; ports],
        }
    }

    /// All items are lost.
    pub(super) fn lose_all(&mut self) {
        self.passing.clear();
    }

    fn take(&mut self, id: u32) -> Passing {
        let place = self.passing.iter().position(|passing| passing.id == id);
        place.map_or(Passing { id, ..Passing::default() }, |place| self.passing.swap_remove(place))
    }

    /// A word of the circuit of a port comes or goes in this slot.
    fn circuit_lives(&mut self, at: Time, port: usize, around: &mut impl LoopHost) {
        self.last_word[port] = self.last_word[port].max(at);
        if !std::mem::replace(&mut self.is_watched[port], true) {
            around.schedule(at + ERROR_DETECT_TIME_OUT, port, LoopEvent::TimeOut);
        }
    }
}

/// Carries out what a port does with a frame that it discards: the frame does not reach the node.
struct Discards<'b, 'a, S>(&'b mut Answer<'a, S>);

impl<S: LoopHost> PortEffectReceiver for Discards<'_, '_, S> {
    fn push(&mut self, effect: PortEffect) {
        if !matches!(effect, PortEffect::Received(_)) {
            self.0.push(effect);
        }
    }
}

impl ArbitratedLoop {
    /// The same loop, of which these words are damaged. Every port sees every word of it ([`super::LoopModel::Reference`]), whatever model
    /// was asked for: where signals get lost, no port knows which other port a word will reach.
    #[must_use]
    pub fn with_damaged_words(mut self, words: DamagedWords) -> Self {
        self.become_reference();
        self.loss = Some(Box::new(WordLoss::new(words, self.ports.len())));
        self
    }

    /// Every port sees every word from now on. The loop is as it is at the beginning.
    fn become_reference(&mut self) {
        self.reference = Some(self.ports.iter().map(|_| Default::default()).collect());
        self.tells_nothing_ahead();
    }

    /// A port that repeats, or has sent, an item has sent it onto the next cable.
    #[cold]
    pub(super) fn note_passing(&mut self, sent: Time, port: usize, id: u32, around: &mut impl LoopHost) {
        let is_repeated = self.ports[port].state().is_repeating();
        let Some(loss) = &mut self.loss else { return };
        let passing = if is_repeated { loss.given } else { Passing::default() };
        loss.passing.push(Passing { id, cables: passing.cables + 1, ..passing });
        if !is_repeated {
            loss.circuit_lives(sent, port, around);
        }
    }

    /// An item comes to a port. Returns whether the port has no part in it: its words are damaged, or it is taken off the loop.
    #[cold]
    pub(super) fn item_is_lost(
        &mut self,
        now: Time,
        port: usize,
        id: u32,
        around: &mut impl LoopHost,
    ) -> bool {
        let item = self.items.get(id);
        let is_back = |passing: &Passing| passing.cables >= self.ports.len();
        let Some(loss) = &mut self.loss else { return false };
        let mut passing = loss.take(id);
        match loss.words.damage_of(port, now, item.length_in_words(), self.word) {
            Some(Damage::First) => passing.first = true,
            Some(Damage::Behind) => passing.behind = true,
            None => {}
        }
        let repeats = self.ports[port].state().is_repeating();
        let is_lost = match item {
            LinkItem::Signal(_) => passing.first || (repeats && is_back(&passing)),
            LinkItem::Frame(_) if repeats => is_back(&passing),
            LinkItem::Frame(frame) => passing.first || !self.ports[port].accepts(&frame),
        };
        if is_lost {
            self.lose_item(now, id, around);
            return true;
        }
        loss.given = passing;
        false
    }

    /// The port has been given the item: it repeats it, or has taken it.
    #[cold]
    pub(super) fn item_was_given(
        &mut self,
        now: Time,
        port: usize,
        (taken, is_frame): (bool, bool),
        around: &mut impl LoopHost,
    ) {
        let Some(loss) = &mut self.loss else { return };
        let given = std::mem::take(&mut loss.given);
        if taken {
            loss.circuit_lives(now, port, around);
            if is_frame {
                // The damage of a frame matters at its end.
                loss.passing.push(given);
            }
        }
    }

    /// The last word of a frame has come to a port that took it. Returns whether the port discards the frame.
    #[cold]
    pub(super) fn frame_is_discarded(
        &mut self,
        now: Time,
        port: usize,
        id: u32,
        around: &mut impl LoopHost,
    ) -> bool {
        let LinkItem::Frame(frame) = self.items.get(id) else { return false };
        let Some(loss) = &mut self.loss else { return false };
        let passing = loss.take(id);
        loss.circuit_lives(now, port, around);
        let is_accepted = self.ports[port].accepts(&frame);
        if is_accepted && !passing.behind {
            return false;
        }
        let mut answer = Answer::new(now, port, around);
        if is_accepted {
            self.ports[port].frame_end(now, frame, &mut Discards(&mut answer));
            self.ports[port].buffer_freed(now, &mut answer);
        } else {
            self.ports[port].frame_ends_unseen(now, &mut answer);
        }
        self.lose_item(now, id, around);
        true
    }

    fn lose_item(&mut self, now: Time, id: u32, around: &mut impl LoopHost) {
        if let LinkItem::Frame(frame) = self.items.get(id) {
            around.upcall(now, self.sender_of(&frame), PortEvent::Lost(frame));
        }
        self.items.remove(id);
    }

    /// E_D_TOV of a port may be over.
    #[cold]
    pub(super) fn time_is_out(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        let waits = !self.ports[port].state().is_repeating();
        let is_closed = self.ports[port].is_closed_by_peer();
        let Some(loss) = &mut self.loss else { return };
        loss.is_watched[port] = false;
        let due = loss.last_word[port] + ERROR_DETECT_TIME_OUT;
        if !waits {
            return;
        }
        if due > now || is_closed {
            loss.is_watched[port] = true;
            let again = if due > now { due } else { now + ERROR_DETECT_TIME_OUT };
            around.schedule(again, port, LoopEvent::TimeOut);
            return;
        }
        let works_at = self.initialise_by(now, port, around);
        around.upcall(now, port, PortEvent::Initialises(works_at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_of_some_words_is_damaged_as_often_as_the_binomial_law_says() {
        for (each, count) in [(0.0, 521_u64), (1.0, 1), (0.1, 7), (1e-3, 520), (1e-12, 520)] {
            let exact = -f64::exp_m1(count as f64 * f64::ln_1p(-each));
            let any = probability_of_any(each, count);
            assert!((any - exact).abs() <= 1e-12 * exact, "{each} {count}: {any} instead of {exact}");
        }
        assert_eq!(probability_of_any(0.5, 0), 0.0);
    }

    #[test]
    fn words_are_damaged_as_often_as_the_probability_says_and_the_same_words_each_time() {
        let words = DamagedWords::with_probability(0.01, 7);
        let count = |of: Damage, length: u64| {
            let slots = (0..100_000_u64).map(|slot| Time(slot * 10_560));
            slots.filter(|&at| words.damage_of(3, at, length, Span(10_560)) == Some(of)).count() as f64
        };
        let is_near = |count: f64, share: f64| {
            // Four standard deviations of a binomial distribution.
            (count - 1e5 * share).abs() < 4.0 * (1e5 * share * (1.0 - share)).sqrt()
        };
        assert!(is_near(count(Damage::First, 1), 0.01));
        assert_eq!(count(Damage::Behind, 1), 0.0, "a signal has one word");
        assert!(is_near(count(Damage::Behind, 12), 0.99 * (1.0 - 0.99_f64.powi(11))));
        assert_eq!(count(Damage::First, 12), count(Damage::First, 12));
    }
}
