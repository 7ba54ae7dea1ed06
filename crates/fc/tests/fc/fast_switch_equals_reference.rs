//! Random switches: every frame that was handed over arrives once, for any pairs of stations, and the switch comes to rest; the fast switch
//! gives the same edges at the same ticks as the reference.

use crate::common::{Job, run_switch, station, switch_of, words};
use proptest::prelude::*;
use sansim_fc::arbitrated_loop::{LoopModel, LoopStation};
use sansim_fc::cable::CableLength;
use sansim_fc::loop_port::{ArbitrationSchedule, CircuitFrames, LoopSharing, PortParameters};
use sansim_fc::loop_switch::LoopSwitchParameters;
use sansim_fc::loop_switch::parameters::CascadedSwitch;
use sansim_kernel::{Span, Time};
use sansim_schema::table::NamedValue;

const EVENT_LIMIT: u64 = 100_000;

fn schedules() -> impl Strategy<Value = ArbitrationSchedule> {
    (0u8..4, any::<[bool; 4]>()).prop_map(|(kind, [queue, arbitration, preemption, opened])| match kind {
        0 | 1 => ArbitrationSchedule::FAIR,
        2 => ArbitrationSchedule::UNFAIR,
        _ => ArbitrationSchedule {
            schedule: LoopSharing::CommandFirst,
            command_first_queue: (queue || preemption).into(),
            command_first_arbitration: arbitration.into(),
            command_first_preemption: preemption.into(),
            command_first_closes_opened: opened,
        },
    })
}

#[derive(Clone, Debug)]
struct Case {
    network: LoopSwitchParameters,
    stations: Vec<LoopStation>,
    processing: Span,
    jobs: Vec<Job>,
}

fn networks(word: Span) -> impl Strategy<Value = LoopSwitchParameters> {
    let policies = prop::sample::select(vec!["fair", "controller-first", "rotating", "priority"]);
    let limits = prop::sample::select(vec!["1", "2", "3", "\"unlimited\"", "\"unlimited\"", "\"unlimited\""]);
    let at_once = prop::sample::select(vec!["1", "2", "\"unlimited\"", "\"unlimited\"", "\"unlimited\""]);
    (policies, limits, at_once, 1u64..9, 0u64..13, any::<bool>()).prop_map(
        move |(policy, limit, at_once, latency, look_up, access)| {
            let keys = format!(
                "arbitration = \"{policy}\"\nqueue_length = {limit}\nconversations = {at_once}\n\
                 latency = \"{latency} words\"\nlook_up = \"{look_up} words\"\naccess_in_circuit = {access}"
            );
            switch_of(word, &keys)
        },
    )
}

/// Some of the random cases, with their stations distributed over cascaded switches.
fn cascaded() -> impl Strategy<Value = Case> {
    let switches = prop::collection::vec((0usize..4, 0u64..3), 12);
    (cases(), 1usize..4, switches).prop_map(|(mut case, more, drawn)| {
        let mut at = 0;
        for (station, (switch, _)) in case.stations.iter_mut().zip(&drawn) {
            at = if station.shares_port { at } else { switch % (more + 1) };
            station.switch = at;
        }
        let cascaded = (0..more).map(|switch| NamedValue {
            name: format!("switch-{switch}"),
            described: CascadedSwitch {
                holds: Vec::new(),
                cable: CableLength::from_um(51 * drawn[switch].1),
            },
        });
        case.network.cascaded = cascaded.collect();
        case
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let counts = (2usize..12, prop::sample::select(vec![21120u64, 10560, 5280, 2640, 10659]));
    counts.prop_flat_map(|(count, word)| {
        let word = Span(word);
        let one = (
            schedules(),
            (any::<bool>(), any::<bool>(), 0u8..4),
            1u32..5,
            1u64..7,
            0u64..4_000_000,
            0usize..127,
            1u64..6,
            any::<[bool; 4]>(),
            prop::option::weighted(0.3, 1u64..6),
        );
        let stations = prop::collection::vec(one, count);
        let jobs = prop::collection::vec(
            (0u64..60_000_000, 0usize..count, 1usize..count.max(2), 0u16..2113, any::<bool>()),
            1..40,
        );
        (networks(word), stations, 0u64..2_000_000, jobs).prop_map(
            move |(network, drawn, processing, jobs)| {
                let mut free: Vec<usize> = (0..127).collect();
                let mut stations = Vec::new();
                for (
                    schedule,
                    (duplex, initiates, shares),
                    buffers,
                    delay,
                    cable,
                    rank,
                    reaction,
                    flags,
                    tenancy,
                ) in drawn
                {
                    let rank = free.remove(rank % free.len());
                    let one = station(rank, word);
                    let [after, between, dynamic, all] = flags;
                    let port = PortParameters {
                        full_duplex: duplex,
                        incoming_buffers: buffers,
                        login_credit: 0,
                        frames_per_tenancy: tenancy,
                        dynamic_half_duplex: dynamic,
                        circuit_frames: if all { CircuitFrames::All } else { CircuitFrames::Head },
                        delay: words(delay, word),
                        cable: CableLength::from_um(if cable % 3 == 0 { 0 } else { 51 * cable }),
                        frame_reaction: words(reaction, word),
                        close_after_frames: after,
                        ready_between_frames: between,
                        ..one.port
                    };
                    stations.push(LoopStation { schedule, port, initiates, shares_port: shares == 0, ..one });
                }
                // A station that keeps the loop from circuit to circuit keeps a shared segment for ever while the switch refuses it.
                for station in 1..stations.len() {
                    if stations[station].shares_port {
                        stations[station - 1].schedule = ArbitrationSchedule::FAIR;
                        stations[station].schedule = ArbitrationSchedule::FAIR;
                    }
                }
                let jobs = jobs
                    .into_iter()
                    .map(|(at, from, step, payload, command)| Job {
                        frames: 1,
                        at: Time(at),
                        from,
                        to: (from + step) % count,
                        payload,
                        command,
                    })
                    .collect();
                Case { network, stations, processing: Span(processing), jobs }
            },
        )
    })
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let run =
        |model| run_switch(&case.network, &case.stations, case.processing, &case.jobs, model, EVENT_LIMIT);
    let reference = run(LoopModel::Reference);
    prop_assert!(reference.quiet, "the switch did not come to rest after {} events", reference.events);
    let fast = run(LoopModel::Fast);
    for (r, f) in reference.observations.iter().zip(&fast.observations) {
        prop_assert_eq!(r, f);
    }
    prop_assert_eq!(reference.observations.len(), fast.observations.len());
    prop_assert_eq!(&reference.received, &fast.received);
    prop_assert_eq!(&reference.sent, &fast.sent);
    prop_assert!(fast.quiet, "the switch did not come to rest");
    prop_assert_eq!(fast.received.len(), case.jobs.len());
    let mut numbers: Vec<u32> = fast.received.iter().map(|(_, _, f)| f.tag.0).collect();
    numbers.sort_unstable();
    prop_assert!(numbers.windows(2).all(|w| w[0] != w[1]));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(300), max_shrink_iters: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn fast_switch_gives_the_same_edges_states_and_deliveries(case in cases()) {
        check(&case)?;
    }

    #[test]
    fn cascaded_switches_give_the_same_edges_states_and_deliveries(case in cascaded()) {
        check(&case)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50_000, failure_persistence: None, ..ProptestConfig::default() })]
    /// The long run: `cargo test --release -p sansim-fc -- --ignored`.
    #[test]
    #[ignore = "long"]
    fn fast_switch_gives_the_same_edges_states_and_deliveries_50_000(case in cases()) {
        check(&case)?;
    }

    #[test]
    #[ignore = "long"]
    fn cascaded_switches_give_the_same_edges_states_and_deliveries_50_000(case in cascaded()) {
        check(&case)?;
    }
}
