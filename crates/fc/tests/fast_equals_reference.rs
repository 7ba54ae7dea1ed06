//! The fast loop and the reference loop give the same edges at the same ticks at every port that does more than repeat,
//! the same states and the same deliveries, over random populations, lengths, schedules, duplex, credits and loads.

mod common;

use common::{Case, Job, Record, loop_of, run, run_on, station, words};
use proptest::prelude::*;
use sansim_fc::arbitrated_loop::{ArbitratedLoop, LoopModel, LoopParameters, LoopStation};
use sansim_fc::cable::CableLength;
use sansim_fc::class_2::LoopClass2Parameters;
use sansim_fc::loop_port::{ArbitrationSchedule, CircuitFrames, LoopSharing, PortParameters};
use sansim_kernel::{Span, Time};

const EVENT_LIMIT: u64 = 400_000;

fn schedules() -> impl Strategy<Value = ArbitrationSchedule> {
    (0u8..4, any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(kind, queue, arbitration, preemption, opened)| match kind {
            0 | 1 => ArbitrationSchedule::FAIR,
            2 => ArbitrationSchedule::UNFAIR,
            _ => ArbitrationSchedule {
                schedule: LoopSharing::CommandFirst,
                command_first_queue: (queue || preemption).into(),
                command_first_arbitration: arbitration.into(),
                command_first_preemption: preemption.into(),
                command_first_closes_opened: opened,
            },
        },
    )
}

fn cases() -> impl Strategy<Value = Case> {
    (2usize..20, prop::sample::select(vec![21120u64, 10560, 5280, 2640, 10659])).prop_flat_map(
        |(count, word)| {
            let word = Span(word);
            let one = (
                schedules(),
                any::<bool>(),
                1u32..5,
                0u32..3,
                1u64..7,
                0u64..4_000_000,
                0usize..127,
                1u64..6,
                any::<[bool; 5]>(),
                prop::option::weighted(0.3, 1u64..6),
            );
            let stations = prop::collection::vec(one, count);
            let jobs = prop::collection::vec(
                (0u64..60_000_000, 0usize..count, 1usize..count.max(2), 0u16..2113, any::<bool>()),
                1..60,
            );
            (any::<bool>(), stations, 0u64..2_000_000, jobs).prop_map(
                move |(access_in_circuit, drawn, processing, jobs)| {
                    let mut free: Vec<usize> = (0..127).collect();
                    let stations = drawn
                        .into_iter()
                        .map(
                            |(
                                schedule,
                                duplex,
                                buffers,
                                login,
                                delay,
                                cable,
                                rank,
                                reaction,
                                [after, between, dynamic, all, at_once],
                                tenancy,
                            )| {
                                let rank = free.remove(rank % free.len());
                                let one = station(rank, word);
                                LoopStation {
                                    schedule,
                                    port: PortParameters {
                                        full_duplex: duplex,
                                        incoming_buffers: buffers,
                                        login_credit: login.min(buffers),
                                        frames_per_tenancy: tenancy,
                                        dynamic_half_duplex: dynamic,
                                        circuit_frames: if all {
                                            CircuitFrames::All
                                        } else {
                                            CircuitFrames::Head
                                        },
                                        delay: words(delay, word),
                                        cable: CableLength::from_um(if cable % 3 == 0 {
                                            0
                                        } else {
                                            51 * cable
                                        }),
                                        frame_reaction: words(reaction, word),
                                        close_after_frames: after,
                                        close_without_buffer: at_once,
                                        ready_between_frames: between,
                                        ..one.port
                                    },
                                    ..one
                                }
                            },
                        )
                        .collect();
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
                    let network = LoopParameters { access_in_circuit, ..loop_of(word) };
                    Case { network, stations, processing: Span(processing), jobs }
                },
            )
        },
    )
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let reference =
        run(&case.network, &case.stations, case.processing, &case.jobs, LoopModel::Reference, EVENT_LIMIT);
    let fast = run(&case.network, &case.stations, case.processing, &case.jobs, LoopModel::Fast, EVENT_LIMIT);
    are_equal(case, &reference, &fast)
}

/// The same loops in class 2: an ACK for every frame comes to its sender.
fn check_class_2(case: &Case, end_to_end_credit: u32) -> Result<(), TestCaseError> {
    let mut stations = case.stations.clone();
    stations.iter_mut().for_each(|one| one.port.dynamic_half_duplex = false);
    let run = |model| {
        let mut on = ArbitratedLoop::new(&case.network, &stations, model)
            .with_class_2(&LoopClass2Parameters { end_to_end_credit });
        let record = run_on(&mut on, &stations, (case.processing, true), &case.jobs, EVENT_LIMIT);
        let unanswered: usize = on.ports().iter().map(|port| port.unanswered_frames()).sum();
        (record, unanswered)
    };
    let ((reference, _), (fast, unanswered)) = (run(LoopModel::Reference), run(LoopModel::Fast));
    are_equal(case, &reference, &fast)?;
    prop_assert_eq!(unanswered, 0);
    let acks = fast.sent.iter().filter(|(_, _, frame)| frame.is_link_control()).count();
    prop_assert_eq!((acks, fast.sent.len()), (case.jobs.len(), 2 * case.jobs.len()));
    Ok(())
}

fn are_equal(case: &Case, reference: &Record, fast: &Record) -> Result<(), TestCaseError> {
    for (r, f) in reference.observations.iter().zip(&fast.observations) {
        prop_assert_eq!(r, f);
    }
    prop_assert_eq!(reference.observations.len(), fast.observations.len());
    prop_assert_eq!(&reference.received, &fast.received);
    prop_assert_eq!(&reference.sent, &fast.sent);
    // Conservation: the loop comes to rest, and every frame arrived once.
    prop_assert!(fast.quiet && reference.quiet, "the loop did not come to rest");
    prop_assert_eq!(fast.received.len(), case.jobs.len());
    let mut numbers: Vec<u32> = fast.received.iter().map(|(_, _, f)| f.tag.0).collect();
    numbers.sort_unstable();
    prop_assert!(numbers.windows(2).all(|w| w[0] != w[1]));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(600), max_shrink_iters: 4000, ..ProptestConfig::default() })]
    #[test]
    fn fast_loop_gives_the_same_edges_states_and_deliveries(case in cases()) {
        check(&case)?;
    }

    #[test]
    fn both_models_agree_in_class_2(case in cases(), end_to_end_credit in 0_u32..4) {
        check_class_2(&case, end_to_end_credit)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]
    /// The long run: `cargo test --release -p sansim-fc -- --ignored`.
    #[test]
    #[ignore = "long"]
    fn fast_loop_gives_the_same_edges_states_and_deliveries_10_000(case in cases()) {
        check(&case)?;
    }
}
