//! Arbitration on whole loops, fast and reference: priority, the access window, starvation, the largest loop, all speeds.

use crate::common::{Job, Record, loop_of, run, station};
use proptest::prelude::*;
use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::{LoopModel, LoopStation};
use sansim_fc::loop_port::{ArbitrationSchedule, PortState};
use sansim_fc::observation::Observation;
use sansim_fc::speed::Speed;
use sansim_kernel::{Span, Time};
use sansim_schema::words::Word;

const MODELS: [LoopModel; 2] = [LoopModel::Fast, LoopModel::Reference];
const EVENT_LIMIT: u64 = 4_000_000;
const PROCESSING: Span = Span::from_ns(500);

fn word() -> Span {
    Speed::G2.word_time()
}

fn job(from: usize, to: usize) -> Job {
    Job { at: Time::ZERO, from, to, payload: 64, command: false, frames: 1 }
}

/// Stations of these ranks, followed by two sinks of the lowest priorities that send nothing.
fn with_two_sinks(ranks: &[usize]) -> Vec<LoopStation> {
    ranks.iter().copied().chain([125, 126]).map(|rank| station(rank, word())).collect()
}

/// `frames` frames of every sender go alternately to the two sinks, so that each frame uses a circuit of its
/// own.
fn alternating(senders: usize, frames: usize) -> Vec<Job> {
    (0..frames).flat_map(|i| (0..senders).map(move |from| job(from, senders + i % 2))).collect()
}

fn finish(stations: &[LoopStation], word: Span, jobs: &[Job], model: LoopModel) -> Record {
    let record = run(&loop_of(word), stations, PROCESSING, jobs, model, EVENT_LIMIT);
    assert!(record.quiet, "the loop did not come to rest");
    assert_eq!(record.received.len(), jobs.len());
    record
}

/// The ports in the order in which they opened circuits.
fn circuits(record: &Record) -> Vec<usize> {
    in_state(record, PortState::Open)
}

/// The ports in the order in which they won arbitration. (A TRANSFER does not show this state.)
fn wins(record: &Record) -> Vec<usize> {
    in_state(record, PortState::ArbitrationWon)
}

fn in_state(record: &Record, state: PortState) -> Vec<usize> {
    let entered = record.observations.iter().filter(|(_, _, what)| *what == Observation::State(state));
    entered.map(|(_, port, _)| *port).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(100), ..ProptestConfig::default() })]
    #[test]
    fn the_lowest_al_pa_wins_among_simultaneous_arbiters_wherever_it_stands(
        ranks in prop::sample::subsequence((0..125).collect::<Vec<usize>>(), 2..20).prop_shuffle()
    ) {
        let stations = with_two_sinks(&ranks);
        let mut by_priority: Vec<usize> = (0..ranks.len()).collect();
        by_priority.sort_by_key(|&port| stations[port].al_pa);
        for model in MODELS {
            let record = finish(&stations, word(), &alternating(ranks.len(), 1), model);
            prop_assert_eq!(&wins(&record), &by_priority);
        }
    }

    #[test]
    fn every_port_of_a_busy_fair_loop_has_exactly_one_tenancy_per_access_window(
        ranks in prop::sample::subsequence((0..125).collect::<Vec<usize>>(), 2..12).prop_shuffle()
    ) {
        let (stations, windows) = (with_two_sinks(&ranks), 5);
        for model in MODELS {
            let record = finish(&stations, word(), &alternating(ranks.len(), windows), model);
            let wins = wins(&record);
            prop_assert_eq!(wins.len(), windows * ranks.len());
            for window in wins.chunks(ranks.len()) {
                let mut ports = window.to_vec();
                ports.sort_unstable();
                prop_assert_eq!(ports, (0..ranks.len()).collect::<Vec<_>>(), "{:?}", wins);
            }
        }
    }
}

/// The number of times that the port of highest priority, which always has something to send, opens a circuit before
/// port 2 opens its first.
fn circuits_before_the_weakest(schedule: ArbitrationSchedule, model: LoopModel) -> usize {
    let mut stations = with_two_sinks(&[0, 60, 124]);
    stations[0].schedule = schedule;
    let circuits = circuits(&finish(&stations, word(), &alternating(3, 40), model));
    let first = circuits.iter().position(|&port| port == 2).expect("it gets its turn in the end");
    circuits[..first].iter().filter(|&&port| port == 0).count()
}

#[test]
fn an_unfair_port_of_high_priority_starves_the_others_and_a_fair_one_does_not() {
    for model in MODELS {
        assert_eq!(circuits_before_the_weakest(ArbitrationSchedule::UNFAIR, model), 40);
        assert_eq!(circuits_before_the_weakest(ArbitrationSchedule::FAIR, model), 1);
    }
}

/// The port does not win by TRANSFER alone: its next frame comes when it has sent CLS and is about to give
/// the loop up.
#[test]
fn an_unfair_port_of_high_priority_wins_every_arbitration_that_it_takes_part_in() {
    let mut stations = with_two_sinks(&[0, 60, 124]);
    stations[0].schedule = ArbitrationSchedule::UNFAIR;
    let alone = finish(&stations, word(), &[job(0, 3)], LoopModel::Fast);
    let given_up = alone.observations.iter().rev().find_map(|(at, port, what)| {
        (*port == 0 && *what == Observation::State(PortState::Monitoring)).then_some(*at)
    });
    let again = Job { at: given_up.expect("it gives the loop up") - word(), ..job(0, 3) };
    for (schedule, expected) in
        [(ArbitrationSchedule::UNFAIR, [0, 0, 1, 2]), (ArbitrationSchedule::FAIR, [0, 1, 2, 0])]
    {
        stations[0].schedule = schedule.clone();
        for model in MODELS {
            let jobs = [job(0, 3), again, job(1, 3), job(2, 3)];
            assert_eq!(wins(&finish(&stations, word(), &jobs, model)), expected, "{schedule:?}");
        }
    }
}

#[test]
fn a_loop_of_127_ports_delivers_a_frame_of_every_port_and_both_loops_agree() {
    let stations: Vec<LoopStation> = (0..AlPa::COUNT).map(|i| station(i * 50 % 127, word())).collect();
    let jobs: Vec<Job> = (0..127).map(|from| job(from, (from + 63) % 127)).collect();
    let fast = finish(&stations, word(), &jobs, LoopModel::Fast);
    let reference = finish(&stations, word(), &jobs, LoopModel::Reference);
    assert_eq!(fast.received, reference.received);
    assert_eq!(fast.observations, reference.observations);
    let mut receivers: Vec<usize> = fast.received.iter().map(|(_, port, _)| *port).collect();
    receivers.sort_unstable();
    assert_eq!(receivers, (0..127).collect::<Vec<_>>());
}

#[test]
fn at_every_loop_speed_the_same_things_happen_in_the_same_words() {
    let in_words = |speed: Speed, model| {
        let word = speed.word_time();
        let stations: Vec<LoopStation> = (0..6).map(|rank| station(rank * 7, word)).collect();
        let jobs: Vec<Job> = (0..30).map(|i| job(i % 6, (i + 1 + i / 6) % 6)).collect();
        let record = run(&loop_of(word), &stations, word * 20, &jobs, model, EVENT_LIMIT);
        assert!(record.quiet && record.received.len() == jobs.len());
        let received = record.received.iter();
        received.map(|(at, port, f)| (at.ticks() / word.ticks(), *port, f.tag)).collect::<Vec<_>>()
    };
    let speeds: Vec<Speed> = Speed::ALL.iter().map(|(speed, _, _)| *speed).filter(|s| s.has_loop()).collect();
    assert_eq!(speeds.len(), 4);
    for speed in speeds {
        for model in MODELS {
            assert_eq!(in_words(speed, model), in_words(Speed::G1, LoopModel::Reference), "{speed}");
        }
    }
}
