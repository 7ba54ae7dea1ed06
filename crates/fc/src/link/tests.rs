//! Credit against distance: the throughput of a link is compared with the formula.

use super::*;
use crate::cable::{CableLength, CableMedium};
use crate::speed::Speed;
use proptest::prelude::*;
use sansim_kernel::{Span, Time};
use sansim_schema::words::Word;

/// A transmitter always has frames of these lengths in words, in turn, for a receiver that empties its buffers at once; if
/// `loaded`, the other direction has the same load. Returns the time at which each of `frames` frames of the first direction
/// begins.
fn starts(rules: &LinkRules, credit: u32, lengths: &[u64], loaded: bool, frames: usize) -> Vec<Time> {
    let mut lines = [BusyTransmitter::default(), BusyTransmitter::default()];
    let mut credits = [LinkCredit::at_buffer_count(credit), LinkCredit::at_buffer_count(credit)];
    let mut begun = [Vec::new(), Vec::new()];
    // The frames in flight in each direction, by the time at which each frame has arrived.
    let mut flying: [std::collections::VecDeque<Time>; 2] = Default::default();
    let mut now = Time::ZERO;
    while begun[0].len() < frames {
        let mut next = Time::NEVER;
        for way in 0..2 {
            while flying[way].front().is_some_and(|&at| at <= now) {
                flying[way].pop_front();
                let sent = lines[1 - way].ready_slot(rules, now);
                credits[way].ready_will_arrive(sent + rules.latency);
            }
        }
        for way in 0..if loaded { 2 } else { 1 } {
            let may = lines[way].next_frame(rules, now);
            if may == now && credits[way].available_credit(now) > 0 {
                credits[way].use_credit();
                let words = lengths[begun[way].len() % lengths.len()];
                begun[way].push(now);
                let end = lines[way].begin_sending_frame(rules, now, words);
                flying[way].push_back(end + rules.latency);
            }
            if credits[way].available_credit(now) > 0 {
                next = next.min(lines[way].next_frame(rules, now + Span(1)));
            } else if let Some(at) = credits[way].next_ready_arrival() {
                next = next.min(rules.next_word_slot(at));
            }
        }
        next = flying.iter().filter_map(|f| f.front()).fold(next, |next, &at| next.min(at));
        assert!(next > now, "nothing happens any more");
        now = next;
    }
    begun.into_iter().next().expect("two directions")
}

fn cable(metres: u64) -> Span {
    CableMedium::Fibre.propagation().propagation_time(CableLength::from_um(metres * 1_000_000))
}

/// The time from a frame's first word to the first slot in which a frame may begin that waits for the R_RDY
/// of that frame.
fn round_trip(rules: &LinkRules, words: u64) -> Span {
    let up = |span: Span| span.round_up_to(rules.word);
    up(up(rules.time_of_words(words) + rules.latency)
        + rules.time_of_words(rules.ready_words)
        + rules.latency)
}

#[test]
fn throughput_falls_where_credit_does_not_cover_the_distance_at_every_speed() {
    for (speed, name, _) in Speed::ALL {
        for metres in [0, 100, 10_000, 100_000] {
            let rules = LinkRules::for_fibre_channel(*speed, cable(metres), false);
            for credit in [1_u32, 2, 3, 8, 60, 500] {
                let words = 537;
                let begun = starts(&rules, credit, &[words], false, 4 * credit as usize);
                let (first, again) = (credit as usize, 2 * credit as usize);
                let at_line_rate = rules.time_of_words(words + rules.gap_words) * u64::from(credit);
                let expected = at_line_rate.max(round_trip(&rules, words));
                assert_eq!(begun[again] - begun[first], expected, "{name}, {metres} m, credit {credit}");
            }
        }
    }
}

#[test]
fn the_credits_that_are_needed_carry_the_rate_of_the_line_and_one_less_does_not() {
    for (speed, name, _) in Speed::ALL {
        for metres in [0, 90, 5_000, 60_000] {
            for words in [15, 300, 537] {
                let rules = LinkRules::for_fibre_channel(*speed, cable(metres), false);
                let needs = rules.credits_needed(rules.time_of_words(words)) as u32;
                let carries = |credit: u32| {
                    let begun = starts(&rules, credit, &[words], false, 4 * needs as usize + 4);
                    begun.last().copied().unwrap_or_default() - begun[0]
                        == rules.time_of_words(words + 6) * (begun.len() as u64 - 1)
                };
                assert!(carries(needs), "{name}, {metres} m, {words} words: {needs}");
                assert!(needs == 1 || !carries(needs - 1), "{name}, {metres} m, {words} words: {needs}");
            }
        }
    }
}

#[test]
fn a_frame_of_another_length_takes_a_credit_as_well() {
    // The frames are sixteen data frames and a response; a frame waits for as many credits as frames,
    // whatever their length.
    let lengths: Vec<u64> = std::iter::repeat_n(537, 16).chain([15]).collect();
    for (speed, name, _) in Speed::ALL {
        for (metres, credit) in [(10, 2), (2_000, 4), (20_000, 17), (50_000, 40)] {
            let rules = LinkRules::for_fibre_channel(*speed, cable(metres), false);
            let begun = starts(&rules, credit, &lengths, false, 200);
            // A frame begins when the frame before it has gone and the R_RDY of the frame `credit` before it has arrived; R_RDYs are
            // three words apart.
            let (mut expected, mut ready_end): (Vec<Time>, Time) = (Vec::new(), Time::ZERO);
            let mut back: Vec<Time> = Vec::new();
            for number in 0..200 {
                let mut at = Time::ZERO;
                if number > 0 {
                    at = expected[number - 1] + rules.time_of_words(lengths[(number - 1) % 17] + 6);
                }
                if number >= credit as usize {
                    at = at.max(rules.next_word_slot(back[number - credit as usize]));
                }
                expected.push(at);
                let is_in = at + rules.time_of_words(lengths[number % 17]) + rules.latency;
                let mut slot = rules.next_word_slot(is_in);
                if number > 0 {
                    slot = slot.max(ready_end + rules.time_of_words(2));
                }
                ready_end = slot + rules.time_of_words(1);
                back.push(ready_end + rules.latency);
            }
            assert_eq!(begun, expected, "{name}, {metres} m, credit {credit}");
        }
    }
}

#[test]
fn with_data_both_ways_r_rdys_wait_for_the_frame_that_is_being_sent() {
    for (speed, name, _) in Speed::ALL {
        for metres in [0, 300, 3_000, 30_000] {
            let rules = LinkRules::for_fibre_channel(*speed, cable(metres), false);
            let (words, period) = (521, rules.time_of_words(521 + 6));
            // With enough credit for a round trip and for a frame that blocks the line, both directions reach the rate
            // of the line.
            let enough = (round_trip(&rules, words) + period * 2).ticks().div_ceil(period.ticks()) as u32;
            let begun = starts(&rules, enough, &[words], true, 300);
            assert_eq!(begun[299] - begun[199], period * 100, "{name}, {metres} m");
            // With one credit, a frame travels to the other end, its R_RDY waits there behind the frame that is being sent,
            // and travels back. Both directions begin together, so the frame that is being sent at the other end began when
            // this frame did.
            let begun = starts(&rules, 1, &[words], true, 20);
            assert_eq!(
                begun[10] - begun[9],
                round_trip(&rules, words).max(rules.time_of_words(words + 6)),
                "{name}, {metres} m"
            );
        }
    }
}

/// The times at which frames begin at two ends that both always have a frame to send, computed frame by frame. Both ends do the same, so
/// an end knows from its own frames when the other's frames arrive: the R_RDY of each frame goes behind the frame that is being sent, and
/// before the next.
fn both_ways(rules: &LinkRules, credit: usize, words: u64, frames: usize) -> Vec<Time> {
    let (mut begins, mut back): (Vec<Time>, Vec<Time>) = (Vec::new(), Vec::new());
    let mut ready_end = None;
    for number in 0..frames {
        let last_end = begins.last().map(|&at| at + rules.time_of_words(words));
        let fits = |at: Time, end: Option<Time>, gap: u64| {
            rules.next_word_slot(end.map_or(at, |end| at.max(end + rules.time_of_words(gap))))
        };
        loop {
            // The next R_RDY is for the frame of the same number from the other end.
            let next = begins.get(back.len()).map(|&at| at + rules.time_of_words(words) + rules.latency);
            let has_credit = number < credit || back.len() > number - credit;
            let from = if number < credit || !has_credit { Time::ZERO } else { back[number - credit] };
            let may = fits(fits(from, last_end, 6), ready_end, 2);
            match next {
                Some(is_in) if !has_credit || is_in <= may => {
                    let sent = fits(fits(is_in, last_end, 2), ready_end, 2) + rules.time_of_words(1);
                    ready_end = Some(sent);
                    back.push(sent + rules.latency);
                }
                _ => {
                    begins.push(may);
                    break;
                }
            }
        }
    }
    begins
}

#[test]
fn with_data_both_ways_every_frame_begins_when_it_should_with_any_credit() {
    for (speed, name, _) in Speed::ALL {
        for metres in [0, 150, 2_000, 25_000] {
            for (words, credit) in [
                (521, 1),
                (521, 2),
                (521, 3),
                (521, 7),
                (15, 4),
                (100, 20),
                (521, 33),
                (537, 100),
                (521, 400),
            ] {
                let rules = LinkRules::for_fibre_channel(*speed, cable(metres), false);
                let frames = 5 * credit as usize + 20;
                let begun = starts(&rules, credit, &[words], true, frames);
                let by_hand = both_ways(&rules, credit as usize, words, frames);
                assert_eq!(begun, by_hand, "{name}, {metres} m, {words} words, credit {credit}");
            }
        }
    }
}

#[test]
fn several_r_rdys_in_a_gap_lengthen_it_to_three_words_each_and_two() {
    for speed in [Speed::G1, Speed::G32] {
        let rules = LinkRules::for_fibre_channel(speed, Span::ZERO, false);
        for readies in 0..6_u64 {
            let mut line = BusyTransmitter::default();
            let end = line.begin_sending_frame(&rules, Time::ZERO, 9);
            for _ in 0..readies {
                line.ready_slot(&rules, Time(1));
            }
            assert_eq!(line.next_frame(&rules, end) - end, rules.time_of_words((3 * readies + 2).max(6)));
        }
    }
}

#[test]
fn correction_adds_its_code_block() {
    let ns = |speed: Speed| (speed.correction_latency().as_ns_f64() * 10.0).round() / 10.0;
    assert_eq!((ns(Speed::G8), ns(Speed::G16), ns(Speed::G32)), (0.0, 150.6, 188.2));
    assert_eq!((ns(Speed::G64), ns(Speed::G128)), (94.1, 48.5));
    // The latencies are whole ticks: bits over the rate of the line, in 1/561 ns.
    for (speed, bits, mbd) in
        [(Speed::G16, 2_112, 14_025), (Speed::G32, 5_280, 28_050), (Speed::G64, 5_440, 57_800)]
    {
        assert_eq!(bits * 561_000_u64 % mbd, 0, "{speed}");
    }
    assert_eq!(LinkRules::for_fibre_channel(Speed::G16, Span::ZERO, false).latency, Span::ZERO);
    assert!(LinkRules::for_fibre_channel(Speed::G16, Span::ZERO, true).latency > Span::ZERO);
}

#[test]
fn a_plain_link_of_160_megabytes_per_second_is_exact() {
    let rules = LinkRules::without_coding(Span::from_ns(25), 4, 1, Span::ZERO);
    assert_eq!(rules.time_of_words(rules.frame_words(2_048)), Span::from_ns(12_800));
    assert_eq!(Span::from_ns(25).ticks(), 14_025);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sansim_trials::case_count(60)))]

    /// A link is never slower with more credit, a shorter cable or a faster speed.
    #[test]
    fn a_better_link_is_never_slower(speed in 0_usize..7, metres in 0_u64..20_000, credit in 1_u32..40, words in 9_u64..537, less in 0_u64..20_000) {
        let (speed, faster) = (Speed::ALL[speed].0, Speed::ALL[speed + 1].0);
        let last = |speed, metres, credit| {
            let rules = LinkRules::for_fibre_channel(speed, cable(metres), false);
            starts(&rules, credit, &[words], false, 60)[59] + rules.time_of_words(words) + rules.latency
        };
        let as_it_is = last(speed, metres, credit);
        prop_assert!(last(speed, metres, credit + 1) <= as_it_is);
        prop_assert!(last(speed, metres.saturating_sub(less), credit) <= as_it_is);
        // Error correction comes with 32GFC and costs the time of a code block; short frames over a short cable with little credit
        // are slower by that time.
        let correction = faster.correction_latency() * 2 * 60;
        prop_assert!(last(faster, metres, credit) <= as_it_is + correction);
    }
}
