//! Systems in which stations at a loop switch once waited for each other for ever, as random ones found them.

use crate::common::{Job, run_switch, station, switch_of, words};
use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::{LoopModel, Station};
use sansim_fc::cable::Length;
use sansim_fc::loop_port::PortParameters;
use sansim_fc::loop_switch::LoopSwitchParameters;
use sansim_kernel::{Span, Time};

/// A station that is said of by its address, its delay in words and its port.
fn one(word: Span, address: u8, delay: u64, shares_port: bool, port: PortParameters) -> Station {
    let rank = (0..127).find(|&rank| AlPa::of_rank(rank).is_some_and(|al_pa| al_pa.value() == address));
    let one = station(rank.expect("an address"), word);
    Station {
        port: PortParameters { delay: words(delay, word), ..port },
        shares_port,
        initiates: false,
        ..one
    }
}

fn job((at, from, to, payload): (u64, usize, usize, u16)) -> Job {
    Job { at: Time(at), from, to, payload, command: false }
}

/// All frames arrive, on either switch.
fn comes_to_rest(network: &LoopSwitchParameters, stations: &[Station], processing: Span, jobs: &[Job]) {
    for model in [LoopModel::Reference, LoopModel::Fast] {
        let record = run_switch(network, stations, processing, jobs, model, 100_000);
        assert!(record.quiet, "it comes to rest");
        assert_eq!(record.received.len(), jobs.len());
    }
}

/// The ARB(01) of an opener was left on the segment that it wants by the conversation before, in which the two segments were one loop. The switch
/// took it for its own, come round, and joined the two although it had let a station there go, whose OPN crossed that of the opener.
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
        cable: Length::from_um(um),
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

/// Two that want each other at either end of a trunk, on segments that they share: whoever had come by the trunk gave way to the other, who had
/// newly won his segment, and then the same happened at the other end, again and again.
#[test]
fn who_has_come_by_a_trunk_does_not_give_way_to_a_newcomer() {
    let word = Span(21_120);
    let network = switch_of(
        word,
        "latency = \"1 word\"\nlook_up = \"8 words\"\nqueue_length = 1\nconversations = 1\naccess_in_circuit = false\n\
         cascaded.a.holds = [\"a\"]",
    );
    let port = PortParameters { incoming_buffers: 1, ..station(0, word).port };
    let at = |address, delay, shares_port, switch| Station {
        switch,
        ..one(word, address, delay, shares_port, port.clone())
    };
    let stations = [at(0x00, 1, false, 0), at(0x01, 1, true, 0), at(0x02, 2, false, 1), at(0x04, 1, true, 1)];
    let jobs =
        [(11_066_881, 1, 0, 1609), (9_736_321, 0, 2, 1437), (9_736_321, 0, 3, 0), (9_208_321, 3, 0, 0)];
    comes_to_rest(&network, &stations, Span::ZERO, &jobs.map(job));
}
