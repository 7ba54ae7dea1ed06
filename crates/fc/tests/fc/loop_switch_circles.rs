//! Systems in which stations at a loop switch once waited for each other for ever, as random tests found
//! them.

use crate::common::{Job, run_switch, station, switch_of, words};
use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::{LoopModel, LoopStation};
use sansim_fc::cable::CableLength;
use sansim_fc::loop_port::{ArbitrationSchedule, PortParameters};
use sansim_fc::loop_switch::LoopSwitchParameters;
use sansim_kernel::{Span, Time};

/// A station with this address, its delay in words and its port.
fn one(word: Span, address: u8, delay: u64, shares_port: bool, port: PortParameters) -> LoopStation {
    let rank = (0..127)
        .find(|&rank| AlPa::from_priority_rank(rank).is_some_and(|al_pa| al_pa.address_byte() == address));
    let one = station(rank.expect("an address"), word);
    LoopStation {
        port: PortParameters { delay: words(delay, word), ..port },
        shares_port,
        initiates: false,
        ..one
    }
}

fn job((at, from, to, payload): (u64, usize, usize, u16)) -> Job {
    Job { at: Time(at), from, to, payload, command: false, frames: 1 }
}

/// Checks that all frames arrive, on the reference and on the fast switch.
fn comes_to_rest(network: &LoopSwitchParameters, stations: &[LoopStation], processing: Span, jobs: &[Job]) {
    for model in [LoopModel::Reference, LoopModel::Fast] {
        let record = run_switch(network, stations, processing, jobs, model, 100_000);
        assert!(record.quiet, "it comes to rest");
        assert_eq!(record.received.len(), jobs.len());
    }
}

/// The ARB(01) of an opener was left on the segment that it wants by the conversation before, in which the two segments were one loop. The
/// switch mistook that ARB(01) for its own, come round, and joined the two segments although it had sent back the ARB of a station of the
/// segment, whose OPN crossed the OPN of the opener.
#[test]
fn an_arb_that_a_conversation_left_behind_wins_no_segment() {
    let word = Span(2640);
    let network = switch_of(
        word,
        "latency = \"1 word\"\nlook_up = \"0 words\"\nqueue_length = 1\nconversations = 1\naccess_in_circuit = false",
    );
    let plain = station(0, word).port;
    let port = |um: u64, dynamic_half_duplex: bool, close_after_frames: bool| PortParameters {
        incoming_buffers: 1,
        cable: CableLength::from_um(um),
        dynamic_half_duplex,
        close_after_frames,
        ..plain.clone()
    };
    let stations = [
        one(word, 0x00, 1, false, port(48_479_325, false, true)),
        one(word, 0x29, 1, true, port(174_201_567, true, false)),
        one(word, 0x2A, 4, false, port(27_380_166, false, false)),
        one(word, 0x01, 5, true, port(50_780_598, true, false)),
    ];
    let jobs = [(2_129_421, 1, 2, 0), (868_441, 2, 0, 1017), (6_932_762, 3, 1, 0)].map(job);
    comes_to_rest(&network, &stations, Span(1_816_321), &jobs);
}

/// Two openers want each other at either end of a trunk, on shared segments: the opener that had come by the trunk yielded to the other
/// opener, which had newly won its segment, and then the same happened at the other end, again and again.
#[test]
fn who_has_come_by_a_trunk_does_not_give_way_to_a_newcomer() {
    let word = Span(21_120);
    let network = switch_of(
        word,
        "latency = \"1 word\"\nlook_up = \"8 words\"\nqueue_length = 1\nconversations = 1\naccess_in_circuit = false\n\
         cascaded.a.holds = [\"a\"]",
    );
    let port = PortParameters { incoming_buffers: 1, ..station(0, word).port };
    let at = |address, delay, shares_port, switch| LoopStation {
        switch,
        ..one(word, address, delay, shares_port, port.clone())
    };
    let stations = [at(0x00, 1, false, 0), at(0x01, 1, true, 0), at(0x02, 2, false, 1), at(0x04, 1, true, 1)];
    let jobs =
        [(11_066_881, 1, 0, 1609), (9_736_321, 0, 2, 1437), (9_736_321, 0, 3, 0), (9_208_321, 3, 0, 0)];
    comes_to_rest(&network, &stations, Span::ZERO, &jobs.map(job));
}

/// A chain of four switches with a station at each. Two openers that came by trunks met at one of the inner switches, and the newcomer went
/// on waiting: the other opener tried again, and was the newcomer at the other inner switch.
#[test]
fn two_who_meet_on_a_chain_of_switches_do_not_refuse_each_other_for_ever() {
    let word = Span(21_120);
    let network = switch_of(
        word,
        "latency = \"5 words\"\nlook_up = \"3 words\"\nqueue_length = 1\narbitration = \"priority\"\n\
         access_in_circuit = true\ncascaded.a.holds = [\"a\"]\ncascaded.b.holds = [\"b\"]\ncascaded.c.holds = [\"c\"]",
    );
    let port = PortParameters { incoming_buffers: 1, ..station(0, word).port };
    let dynamic = PortParameters { dynamic_half_duplex: true, ..port.clone() };
    let hasty = PortParameters { close_after_frames: true, ..dynamic.clone() };
    let at = |address, switch, port: &PortParameters| LoopStation {
        switch,
        ..one(word, address, 1, false, port.clone())
    };
    let stations = [at(0x6D, 2, &dynamic), at(0x00, 0, &port), at(0x32, 1, &port), at(0x01, 3, &hasty)];
    let jobs = [
        (1_562_881, 0, 1, 1825),
        (0, 1, 0, 0),
        (13_073_281, 2, 0, 0),
        (0, 0, 1, 1717),
        (0, 1, 2, 1785),
        (0, 0, 1, 0),
        (12_693_121, 3, 0, 0),
        (0, 1, 3, 0),
        (12_693_121, 3, 1, 0),
        (0, 0, 2, 0),
    ];
    comes_to_rest(&network, &stations, Span(253_441), &jobs.map(job));
}

/// An opener that had sent R_RDYs behind its OPN was refused at the switch beyond a trunk. The opener's CLS waited behind these R_RDYs, and
/// the ARB with which the opener tried again overtook the CLS, came back from the switch where the refusal was not over, and won.
#[test]
fn the_arb_of_one_who_tries_again_does_not_overtake_the_cls_of_the_circuit_that_was_refused() {
    let word = Span(10_659);
    let network = switch_of(
        word,
        "latency = \"1 word\"\nlook_up = \"0 words\"\nqueue_length = 1\narbitration = \"rotating\"\n\
         cascaded.a.holds = [\"a\"]\ncascaded.b.holds = [\"b\"]",
    );
    let plain = station(0, word).port;
    let port = |buffers: u32, um: u64, close_after_frames: bool| PortParameters {
        incoming_buffers: buffers,
        full_duplex: buffers > 1,
        cable: CableLength::from_um(um),
        close_after_frames,
        ..plain.clone()
    };
    let at = |address, switch, delay, shares_port, port| LoopStation {
        switch,
        ..one(word, address, delay, shares_port, port)
    };
    let stations = [
        at(0x00, 0, 1, false, port(3, 0, false)),
        at(0x01, 1, 1, false, port(1, 146_328_027, false)),
        LoopStation {
            schedule: ArbitrationSchedule::UNFAIR,
            ..at(0x02, 1, 1, false, port(1, 144_910_023, false))
        },
        at(0x04, 2, 1, false, port(1, 0, false)),
        at(0x4C, 0, 3, false, port(1, 75_482_142, true)),
        at(0x08, 0, 4, true, port(1, 53_468_961, true)),
    ];
    let jobs = [
        (10_249_778, 2, 0, 0),
        (897_372, 2, 5, 841),
        (24_409_111, 0, 2, 353),
        (0, 2, 4, 0),
        (890_106, 1, 2, 0),
        (1_150_474, 5, 2, 0),
        (0, 2, 4, 445),
        (897_372, 1, 2, 0),
        (1_257_763, 0, 1, 0),
        (0, 2, 4, 305),
        (897_372, 2, 4, 0),
        (10_249_778, 1, 2, 0),
        (362_407, 3, 2, 0),
        (896_111, 3, 4, 0),
    ];
    comes_to_rest(&network, &stations, Span(191_863), &jobs.map(job));
}

/// The case has the policy `priority` at a star. Two stations wanted each other, and at the port of each station the queue was full of OPNs
/// of lower priority: each station was refused by the other's port, and went first again at its own port.
#[test]
fn who_is_refused_lets_those_go_first_who_wait_for_its_own_port() {
    let word = Span(21_120);
    let network = switch_of(
        word,
        "latency = \"1 word\"\nlook_up = \"2 words\"\nqueue_length = 1\nconversations = 1\n\
         access_in_circuit = false\narbitration = \"priority\"",
    );
    let port = PortParameters { incoming_buffers: 1, ..station(0, word).port };
    let far = PortParameters { cable: CableLength::from_um(148_601_913), ..port.clone() };
    let at = |address, port: &PortParameters| one(word, address, 1, false, port.clone());
    let stations = [
        at(0x00, &port),
        at(0x51, &far),
        at(0xC3, &port),
        at(0xC5, &port),
        at(0x52, &port),
        at(0x53, &port),
        at(0x01, &port),
    ];
    let jobs = [
        (2_513_281, 4, 1, 1561),
        (2_513_281, 2, 1, 0),
        (3_020_161, 3, 5, 1381),
        (3_146_881, 5, 6, 0),
        (2_513_281, 4, 6, 0),
        (2_766_721, 0, 6, 965),
        (3_020_161, 3, 1, 0),
        (2_407_681, 6, 4, 893),
        (2_407_681, 6, 1, 0),
        (1_261_629, 1, 6, 0),
    ];
    comes_to_rest(&network, &stations, Span::ZERO, &jobs.map(job));
}
