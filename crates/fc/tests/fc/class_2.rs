//! Class 2 on whole loops, counted by hand to the word.

use crate::common::{Job, Record, loop_of, run_on, station, words as words_of};
use sansim_fc::arbitrated_loop::{ArbitratedLoop, LoopModel, LoopStation};
use sansim_fc::class_2::LoopClass2Parameters;
use sansim_fc::observation::Observation;
use sansim_fc::word::LinkItem;
use sansim_kernel::{Span, Time};

const WORD: Span = Span::from_ns(38);

/// Runs the jobs on a loop of three ports, six words apart, in class 2.
fn run(change: impl Fn(&mut LoopStation), credit: u32, processing: u64, frames: u16) -> Vec<String> {
    let mut stations: Vec<LoopStation> = [0, 1, 2].map(|rank| station(rank, WORD)).into();
    stations.iter_mut().for_each(change);
    let job = Job { at: Time::ZERO, from: 0, to: 1, payload: 28, command: false, frames };
    let run = |model| {
        let parameters = LoopClass2Parameters { end_to_end_credit: credit };
        let mut on = ArbitratedLoop::new(&loop_of(WORD), &stations, model).with_class_2(&parameters);
        run_on(&mut on, &stations, (WORD * processing, true), &[job], 100_000)
    };
    let [fast, reference] = [LoopModel::Fast, LoopModel::Reference].map(run);
    assert!(fast.quiet && reference.quiet, "the loop did not come to rest");
    assert_eq!(words(&fast), words(&reference));
    words(&fast)
}

/// The frames and primitive signals that the ports send, by port and transmission slot.
fn words(record: &Record) -> Vec<String> {
    let sent = |(at, port, what): &(Time, usize, Observation)| {
        let slot = (*at - Time::ZERO).ticks() / WORD.ticks();
        match what {
            Observation::SentItem(LinkItem::Signal(signal)) => Some(format!("{slot} {port} {signal}")),
            Observation::SentItem(LinkItem::Frame(frame)) => {
                let name = if frame.is_link_control() { "ACK" } else { "frame" };
                Some(format!("{slot} {port} {name} {}", frame.part))
            }
            _ => None,
        }
    };
    record.observations.iter().filter_map(sent).collect()
}

/// ARB(00) goes out behind two IDLEs, is back after a round of 18 words, and OPN follows. Both ends send R_RDYs for their two buffers, two
/// fill words apart: the opener for ACKs. Its ARB(F0), which the opened port passes on a word later, is back at 41, and the frame waits
/// for two IDLEs, until 44. A frame of 16 words is in the buffer of port 1, six words away, at 66, and emptied 20 words later.
const OPENED: [&str; 9] = [
    "21 0 OPN(01,01)",
    "24 0 R_RDY",
    "27 0 R_RDY",
    "30 1 R_RDY",
    "33 1 R_RDY",
    "44 0 frame 0",
    "66 0 frame 1",
    "86 1 R_RDY",
    "87 1 ACK 0",
];

#[test]
fn an_ack_that_misses_the_circuit_takes_a_circuit_of_its_own() {
    let sent = run(|_| {}, 0, 20, 2);
    assert_eq!(sent[..9], OPENED);
    // CLS goes six words after frame 1, and answers ACK 0, of nine words, in the same way. Frame 1 is emptied at 108: port 1 arbitrates
    // for a round, opens the loop at 127, gets the first of two R_RDYs at 148, and sends two IDLEs before ACK 1, which takes no buffer.
    let own = [
        "88 0 CLS",
        "102 1 CLS",
        "127 1 OPN(00,00)",
        "130 1 R_RDY",
        "133 1 R_RDY",
        "142 0 R_RDY",
        "145 0 R_RDY",
        "150 1 ACK 1",
        "165 1 CLS",
        "171 0 R_RDY",
        "178 0 CLS",
    ];
    assert_eq!(sent[9..], own);
}

#[test]
fn a_port_that_closes_after_its_frames_sends_all_acks_in_the_circuit() {
    let sent = run(|one| one.port.close_after_frames = true, 0, 20, 2);
    assert_eq!(sent[..9], OPENED);
    assert_eq!(sent[9..], ["88 0 CLS", "108 1 R_RDY", "109 1 ACK 1", "124 1 CLS"]);
}

#[test]
fn without_end_to_end_credit_a_frame_waits_in_the_circuit_for_an_ack() {
    for full_duplex in [false, true] {
        let sent = run(|one| one.port.full_duplex = full_duplex, 1, 20, 2);
        assert_eq!(sent[5..6], OPENED[5..6]);
        // ACK 0 has nine words and is twelve words on the way. Its buffer is free at once, and its R_RDY goes before frame 1.
        assert_eq!(sent[6..11], ["86 1 R_RDY", "87 1 ACK 0", "108 0 R_RDY", "109 0 frame 1", "131 0 CLS"]);
        assert_eq!(sent.last().map(String::as_str), Some("221 0 CLS"), "the circuit for ACK 1");
    }
}

#[test]
fn a_frame_goes_out_the_frame_reaction_time_after_the_ack_it_waited_for() {
    for reaction in [4, 9] {
        let slow = |one: &mut LoopStation| one.port.frame_reaction = words_of(reaction, WORD);
        let sent = run(slow, 1, 20, 2);
        // Frame 0 reacts to the R_RDY of slot 42 now, and not to IDLE; the last word of ACK 0 comes in slot 107 plus that delay.
        let later = 42 + reaction - 44;
        assert_eq!(sent[9], format!("{} 0 frame 1", 107 + later + reaction));
    }
}
