//! Tests of ports that wait for the loop while other ports have it.

mod common;

use common::{Case, Job, Record, loop_of, run, run_unseen, station, words};
use proptest::prelude::*;
use sansim_fc::arbitrated_loop::{LoopModel, LoopStation, PortEvent};
use sansim_fc::cable::CableLength;
use sansim_fc::loop_port::{ArbitrationSchedule, PortParameters};
use sansim_fc::observation::Observation;
use sansim_kernel::{Span, Time};

/// All ports but the first two are handed `frames` frames for the first two ports in turn, all at once: each frame needs a tenancy of its
/// own. From one port to the next the address is `step` places further in the order of priority.
fn all_at_once(ports: usize, frames: usize, step: usize, model: Option<LoopModel>) -> Record {
    let word = Span(10560);
    let stations: Vec<_> = (0..ports).map(|port| station(port * step % ports, word)).collect();
    let job = |from, turn| Job { at: Time(0), from, to: turn % 2, payload: 1_024, command: false, frames: 1 };
    let jobs: Vec<_> = (2..ports).flat_map(|from| (0..frames).map(move |turn| job(from, turn))).collect();
    let (network, processing) = (loop_of(word), word * 40);
    match model {
        Some(model) => run(&network, &stations, processing, &jobs, model, 1_000_000),
        None => run_unseen(&network, &stations, processing, &jobs, 1_000_000).0,
    }
}

/// The law of fairness is stated without reference to another loop: in each access window every waiting port has one turn, and among ports
/// that ask at once the port of highest priority is first.
#[test]
fn fair_ports_that_wait_have_one_turn_in_each_access_window() {
    for (ports, frames, step) in [(3, 4, 1), (12, 4, 1), (12, 4, 5), (12, 4, 11), (102, 3, 41)] {
        let record = all_at_once(ports, frames, step, None);
        let turns: Vec<_> = record.sent.iter().map(|&(_, port, _)| port).collect();
        assert_eq!(turns.len(), (ports - 2) * frames);
        for window in turns.chunks(ports - 2) {
            let mut served = window.to_vec();
            served.sort_unstable();
            assert!(served.into_iter().eq(2..ports), "{ports} ports: {window:?} in one window");
        }
        let first = &turns[..ports - 2];
        let rank = |port: &usize| port * step % ports;
        assert!(first.is_sorted_by_key(rank), "{ports} ports: {first:?} at first");
    }
}

#[test]
fn ports_that_wait_are_served_as_if_each_saw_every_word() {
    for ports in [3, 11, 40] {
        let [known, stepped] = [None, Some(LoopModel::Stepped)].map(|model| all_at_once(ports, 3, 1, model));
        assert!(known.quiet && stepped.quiet);
        assert_eq!((known.received, known.sent), (stepped.received, stepped.sent));
    }
}

/// A loop on which all ports want to send at once, again and again, with addresses in any order and with all arbitration
/// schedules.
fn crowded() -> impl Strategy<Value = Case> {
    let word = Span(10560);
    let schedule = prop_oneof![
        4 => Just(ArbitrationSchedule::FAIR),
        1 => Just(ArbitrationSchedule::UNFAIR),
        2 => Just(ArbitrationSchedule { command_first_closes_opened: true, ..ArbitrationSchedule::COMMAND_FIRST }),
    ];
    let port = (schedule, 0u64..2_000_000, 1u64..12, any::<[bool; 2]>(), 1u32..4);
    (3usize..14).prop_flat_map(move |count| {
        let ranks = Just((0..count).collect::<Vec<_>>()).prop_shuffle();
        let ports = prop::collection::vec(port.clone(), count);
        let job = (0u64..6, 0u64..40_000_000, 0..count, 1..count, 0u16..1_200, any::<bool>());
        let jobs = prop::collection::vec(job, 4..60);
        (ranks, ports, jobs, 0u64..1_000_000).prop_map(move |(ranks, ports, jobs, processing)| {
            let station = |(rank, (schedule, cable, delay, flags, buffers))| {
                let [full_duplex, close_after_frames]: [bool; 2] = flags;
                let one: LoopStation = station(rank, word);
                let port = PortParameters {
                    cable: CableLength::from_um(cable),
                    delay: words(delay, word),
                    full_duplex,
                    close_after_frames,
                    incoming_buffers: buffers,
                    ..one.port
                };
                LoopStation { schedule, port, ..one }
            };
            // Most jobs come at nearly the same time as other jobs, and many when the run begins.
            let at = |wave: u64, at: u64| wave * 40_000_000 + if wave < 4 { at % 200_000 } else { at };
            let job = |(wave, later, from, step, payload, command)| Job {
                frames: 1,
                at: Time(at(wave, later).saturating_sub(100_000)),
                from,
                to: (from + step) % count,
                payload,
                command,
            };
            let stations = ranks.into_iter().zip(ports).map(station).collect();
            let jobs = jobs.into_iter().map(job).collect();
            Case { network: loop_of(word), stations, processing: Span(processing), jobs }
        })
    })
}

/// An item that a port sends outside the slots in which it sends its other items, if there is one.
fn sent_between_slots(record: &Record, ports: usize) -> Option<(Time, usize, Observation)> {
    let mut slots = vec![None; ports];
    let is_sent = |what: &Observation| matches!(what, Observation::SentFill(_) | Observation::SentItem(_));
    let mut sent = record.observations.iter().filter(|(_, _, what)| is_sent(what));
    let is_between = |&&(at, port, _): &&(Time, usize, Observation)| {
        let within = at.ticks() % 10_560;
        *slots[port].get_or_insert(within) != within
    };
    sent.find(is_between).copied()
}

/// A port that begins to arbitrate at the beginning of the run sends nothing between two of its slots, which need not begin at
/// time zero.
#[test]
fn a_port_keeps_to_its_slots_from_the_first_word_of_a_run_on() {
    let word = Span(10560);
    let mut stations = [(1, 3), (2, 2), (0, 1)].map(|(rank, delay)| {
        let one = station(rank, word);
        LoopStation { port: PortParameters { delay: words(delay, word), ..one.port }, ..one }
    });
    (stations[1].port.cable, stations[1].port.incoming_buffers) = (CableLength::from_um(315_330), 2);
    let job = |at, from, to| Job { at: Time(at), from, to, payload: 0, command: false, frames: 1 };
    let jobs = [job(0, 2, 1), job(0, 1, 2), job(0, 1, 2), job(168_961, 0, 1)];
    for full_duplex in [false, true] {
        (stations[1].port.full_duplex, stations[2].port.full_duplex) = (full_duplex, full_duplex);
        let stepped = run(&loop_of(word), &stations, Span(0), &jobs, LoopModel::Stepped, 1_000_000);
        assert_eq!(sent_between_slots(&stepped, stations.len()), None);
        let (fast, _) = run_unseen(&loop_of(word), &stations, Span(0), &jobs, 1_000_000);
        assert_eq!((stepped.sent, stepped.received), (fast.sent, fast.received));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(2_000)) })]

    #[test]
    fn a_crowded_loop_tells_what_one_tells_that_shows_every_word_to_each_port(case in crowded()) {
        let Case { network, stations, processing, jobs } = &case;
        let stepped = run(network, stations, *processing, jobs, LoopModel::Stepped, 1_000_000);
        let between_slots = sent_between_slots(&stepped, stations.len());
        prop_assert!(between_slots.is_none(), "{between_slots:?}");
        let (fast, _) = run_unseen(network, stations, *processing, jobs, 1_000_000);
        let told = |upcalls: Vec<(Time, usize, PortEvent)>| {
            let of_nodes = upcalls.into_iter().filter(|(_, _, upcall)| *upcall != PortEvent::InCircuit);
            let mut told: Vec<_> = of_nodes.collect();
            told.sort_by_key(|&(at, port, _)| (at, port));
            told
        };
        prop_assert_eq!(told(stepped.upcalls), told(fast.upcalls));
        prop_assert!(stepped.quiet && fast.quiet, "the loop did not come to rest");
    }
}
