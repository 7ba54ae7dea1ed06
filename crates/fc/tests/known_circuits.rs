//! A loop with a cache of circuits gives its nodes the same notifications as a loop that computes every step, at the same ticks and in the
//! same order, over random stations and loads in which much recurs.

mod common;

use common::{Case, Job, loop_of, run, run_unseen, station, words};
use proptest::prelude::*;
use sansim_fc::arbitrated_loop::fast::circuit_cache::CircuitCounts;
use sansim_fc::arbitrated_loop::{LoopModel, LoopParameters, LoopStation, PortEvent};
use sansim_fc::cable::CableLength;
use sansim_fc::loop_port::{ArbitrationSchedule, CircuitFrames, PortParameters, WithinSequence};
use sansim_kernel::{Span, Time};
use std::sync::atomic::{AtomicU64, Ordering};

const EVENT_LIMIT: u64 = 400_000;

/// One of a few arbitration schedules for the loop.
fn schedules() -> impl Strategy<Value = ArbitrationSchedule> {
    (0u8..4, any::<[bool; 3]>()).prop_map(|(kind, [first, preempts, closes])| match kind {
        0 | 1 => ArbitrationSchedule::FAIR,
        2 => ArbitrationSchedule::UNFAIR,
        _ => ArbitrationSchedule {
            command_first_queue: (first || preempts).into(),
            command_first_preemption: preempts.into(),
            command_first_closes_opened: closes,
            ..ArbitrationSchedule::COMMAND_FIRST
        },
    })
}

fn stations(count: usize, word: Span) -> impl Strategy<Value = Vec<LoopStation>> {
    let numbers = (1u32..5, 0u32..3, 0u64..400_000, 1u64..6, 1u64..30, prop::option::weighted(0.2, 1u64..4));
    let within = prop_oneof![
        5 => Just(WithinSequence::Close),
        3 => Just(WithinSequence::Hold),
        2 => (1u32..5).prop_map(WithinSequence::Gather),
    ];
    let one = (schedules(), any::<[bool; 6]>(), numbers, within);
    let one = one.prop_map(move |(schedule, flags, numbers, within_sequence)| {
        let [full_duplex, after, between, dynamic, all, at_once] = flags;
        let (buffers, login, cable, reaction, delay, frames_per_tenancy) = numbers;
        let one = station(0, word);
        let port = PortParameters {
            full_duplex,
            incoming_buffers: buffers,
            login_credit: login.min(buffers),
            dynamic_half_duplex: dynamic,
            cable: CableLength::from_um(if cable % 3 == 0 { 0 } else { 51 * cable }),
            delay: words(delay, word),
            frame_reaction: words(reaction, word),
            frames_per_tenancy,
            circuit_frames: if all { CircuitFrames::All } else { CircuitFrames::Head },
            close_after_frames: after,
            close_without_buffer: at_once,
            ready_between_frames: between,
            within_sequence,
            ..one.port
        };
        LoopStation { schedule, port, ..one }
    });
    prop::collection::vec(one, count).prop_map(move |drawn| {
        let ranked = drawn.into_iter().enumerate();
        ranked
            .map(|(rank, one)| LoopStation {
                port: one.port,
                schedule: one.schedule,
                hears_ends: rank % 2 == 0,
                ..station(rank * 7, word)
            })
            .collect()
    })
}

/// Jobs that recur at nearly equal intervals; some jobs are answered soon after.
fn cases() -> impl Strategy<Value = Case> {
    (2usize..9, prop::sample::select(vec![21120u64, 10560, 2640, 10659])).prop_flat_map(|(count, word)| {
        let word = Span(word);
        let answer = prop::option::of(0u64..12_000_000);
        // The jobs come within a short time, so that other ports wait for the loop meanwhile, or within a
        // long time.
        let at = prop_oneof![0u64..3_000_000, 0u64..30_000_000];
        let payload = prop_oneof![Just(32u16), 0u16..2113];
        let kind = (any::<bool>(), prop_oneof![2 => Just(1u16), 1 => 2u16..9]);
        let one_job = (at, 0usize..count, 1usize..count.max(2), payload, kind, answer);
        let jobs = prop::collection::vec(one_job, 1..9);
        let again = prop::collection::vec(0u64..60_000, 4..24);
        let more = (any::<bool>(), 0u64..2_000_000, 10_000_000u64..60_000_000);
        let all = (stations(count, word), jobs, again, more);
        all.prop_map(move |(stations, jobs, again, (access, processing, period))| {
            let later = again.iter().enumerate();
            let jobs = later
                .flat_map(|(turn, jitter)| {
                    let begin = turn as u64 * period + if jitter % 2 == 0 { *jitter } else { 0 };
                    jobs.iter().flat_map(move |&(at, from, step, payload, (command, frames), answer)| {
                        let (at, to) = (begin + at, (from + step) % count);
                        let one = Job { at: Time(at), from, to, payload, command, frames };
                        let back = |later| Job {
                            at: Time(at + later),
                            from: to,
                            to: from,
                            payload,
                            command: false,
                            frames,
                        };
                        std::iter::once(one).chain(answer.map(back))
                    })
                })
                .collect();
            let network = LoopParameters { access_in_circuit: access, ..loop_of(word) };
            Case { network, stations, processing: Span(processing), jobs }
        })
    })
}

fn check(case: &Case) -> Result<CircuitCounts, TestCaseError> {
    let Case { network, stations, processing, jobs } = case;
    let stepped = run(network, stations, *processing, jobs, LoopModel::Stepped, EVENT_LIMIT);
    let (known, counts) = run_unseen(network, stations, *processing, jobs, EVENT_LIMIT);
    let sorted = |mut upcalls: Vec<_>| {
        upcalls.sort_by_key(|&(at, port, _): &(Time, usize, PortEvent)| (at, port));
        upcalls
    };
    // Only adapters that fetch ahead use the notification that a port came into a circuit.
    let told = |upcalls: Vec<(Time, usize, PortEvent)>| {
        let told = upcalls.into_iter().filter(|(_, _, upcall)| *upcall != PortEvent::InCircuit);
        sorted(told.collect())
    };
    let (one, other) = (told(stepped.upcalls), told(known.upcalls));
    prop_assert_eq!(one.len(), other.len());
    for (one, other) in one.iter().zip(&other) {
        prop_assert_eq!(one, other);
    }
    prop_assert_eq!(&stepped.received, &known.received);
    prop_assert!(stepped.quiet && known.quiet, "the loop did not come to rest");
    Ok(counts)
}

/// Checks random loops, of which at least a third run circuits from the cache to their end, and a twentieth run some circuits during
/// which other ports waited.
fn check_many(cases_of_many: u32) {
    let [all, known, beside] = [const { AtomicU64::new(0) }; 3];
    let config = ProptestConfig { cases: cases_of_many, max_shrink_iters: 4000, ..ProptestConfig::default() };
    proptest!(config, |(case in cases())| {
        let counts = check(&case)?;
        all.fetch_add(1, Ordering::Relaxed);
        known.fetch_add(u64::from(counts.ended > 0), Ordering::Relaxed);
        beside.fetch_add(u64::from(counts.beside > 0), Ordering::Relaxed);
    });
    let [all, known, beside] = [all, known, beside].map(AtomicU64::into_inner);
    println!("of {all} loops {known} knew circuits, {beside} beside others that waited");
    assert!(3 * known >= all, "{known} of {all} loops knew circuits");
    assert!(20 * beside >= all, "{beside} of {all} loops knew circuits beside others that waited");
}

#[test]
fn a_loop_that_knows_its_circuits_tells_the_same() {
    check_many(1_000);
}

/// A command and an answer between two of three ports are repeated `turns` times, 20,000 words apart, each shifted by `later` within
/// its word.
fn turns_of(turns: u64, later: Span) -> Case {
    let word = Span(10560);
    let stations = [0, 1, 2].map(|rank| station(rank * 5, word)).to_vec();
    let job = |turn: u64, at, from, to, payload, command| {
        let in_word = Span((later * turn).ticks() % word.ticks());
        let at = Time((word * (turn * 20_000 + at) + in_word).ticks());
        Job { at, from, to, payload, command, frames: 1 }
    };
    let turn = |turn| [job(turn, 100, 0, 1, 32, true), job(turn, 3_000, 1, 0, 1_024, false)];
    let jobs = (0..turns).flat_map(turn).collect();
    Case { network: loop_of(word), stations, processing: word * 40, jobs }
}

/// The law of the cache: a circuit that recurs whole words later is learned once, however often it recurs, and its notifications are
/// shifted in time.
#[test]
fn what_comes_again_is_learned_once_and_told_as_much_later() {
    let word = Span(10560);
    let run = |turns: u64| {
        let Case { network, stations, processing, jobs } = turns_of(turns, Span::ZERO);
        run_unseen(&network, &stations, processing, &jobs, EVENT_LIMIT)
    };
    let ((few, of_few), (many, of_many)) = (run(4), run(100));
    assert_eq!(of_few.learned, of_many.learned);
    assert_eq!((of_many.begun, of_many.ended), (200, 200));
    assert_eq!(many.upcalls.len() % 100, 0);
    let of_turn = many.upcalls.len() / 100;
    for (number, (at, port, _)) in many.upcalls.iter().enumerate().skip(of_turn) {
        let (before, port_before, _) = &many.upcalls[number - of_turn];
        assert_eq!((*at, port), (*before + word * 20_000, port_before), "upcall {number}");
    }
    // A turn costs the same number of events, whether there are few or many turns.
    let each = (many.events - few.events) / 96;
    assert_eq!(many.events - few.events, 96 * each);
    println!("{each} events for a turn of two circuits, {} futures", of_many.learned);
}

/// In each turn all of these ports but the first are handed a frame for the first port at the same time: each of them but one waits while
/// other ports have the loop.
fn turns_of_a_crowd(turns: u64, ports: usize) -> Case {
    let word = Span(10560);
    let stations = (0..ports).map(|rank| station(rank * 5, word)).collect();
    let job = |turn, from| Job {
        at: Time((word * (turn * 20_000 + 100)).ticks()),
        from,
        to: 0,
        payload: 512,
        command: false,
        frames: 1,
    };
    let jobs = (0..turns).flat_map(|turn| (1..ports).map(move |from| job(turn, from))).collect();
    Case { network: loop_of(word), stations, processing: word * 40, jobs }
}

/// The law of the cache, with other ports that wait: a circuit is learned once, and its notifications are shifted in
/// time.
#[test]
fn circuits_beside_which_others_wait_are_learned_once_and_told_as_much_later() {
    let word = Span(10560);
    for ports in [3, 4, 5, 12] {
        let of = |turns| {
            let case = turns_of_a_crowd(turns, ports);
            let Case { network, stations, processing, jobs } = &case;
            check(&case).expect("it tells the same");
            run_unseen(network, stations, *processing, jobs, EVENT_LIMIT)
        };
        let ((few, of_few), (many, of_many)) = (of(4), of(24));
        assert_eq!(of_few.learned, of_many.learned, "{ports} ports");
        let each = (of_many.beside - of_few.beside) / 20;
        println!("{ports} ports: of {} circuits of a turn {each} are known beside others", ports - 1);
        assert!(each > 0, "{ports} ports");
        // Without the cache, the loop also reports that ports come into circuits.
        let upcalls = many.upcalls.into_iter().filter(|(.., upcall)| *upcall != PortEvent::InCircuit);
        let upcalls: Vec<_> = upcalls.collect();
        let of_turn = upcalls.len() / 24;
        for (number, (at, port, _)) in upcalls.iter().enumerate().skip(of_turn) {
            let (before, port_before, _) = &upcalls[number - of_turn];
            assert_eq!((*at, port), (*before + word * 20_000, port_before), "{ports} ports, upcall {number}");
        }
        assert_eq!((many.events - few.events) % 20, 0);
    }
}

/// The law of the cache, for a port that wants to open another port while a circuit is active: the next circuit is cached from
/// arbitration on.
#[test]
fn behind_a_circuit_one_with_another_port_is_learned_once_and_known_from_arbitration_on() {
    let word = Span(10560);
    let of = |turns: u64| {
        let stations = (0..3).map(|rank| station(rank * 5, word)).collect();
        let job = |turn, words, from, to, command| Job {
            at: Time((word * (turn * 20_000 + words)).ticks()),
            from,
            to,
            payload: 512,
            command,
            frames: 1,
        };
        let turn = |turn| [job(turn, 100, 1, 0, false), job(turn, 150, 0, 2, true)];
        let jobs = (0..turns).flat_map(turn).collect();
        let case = Case { network: loop_of(word), stations, processing: word * 40, jobs };
        check(&case).expect("it tells the same");
        run_unseen(&case.network, &case.stations, case.processing, &case.jobs, EVENT_LIMIT)
    };
    let ((few, of_few), (many, of_many)) = (of(4), of(104));
    assert_eq!(of_few.learned, of_many.learned);
    assert_eq!(of_many.ended - of_few.ended, 200);
    // Without the cache, the loop also reports that ports come into circuits.
    let learned = few.upcalls.len();
    assert!(many.upcalls.iter().skip(learned).all(|(.., upcall)| *upcall != PortEvent::InCircuit));
    let [told, events] = [many.upcalls.len() - learned, (many.events - few.events) as usize];
    println!("{} upcalls and {} events of a turn", told / 100, events / 100);
    assert!(events <= told, "{told} upcalls and {events} events of 100 turns");
}

/// The law of the cache where a frame is handed to a port while another port arbitrates: the circuit is learned once, at whatever point
/// within a word the frame comes, and both circuits are cached.
#[test]
fn a_circuit_for_which_two_arbitrate_is_learned_once() {
    let word = Span(10560);
    // The second port wins before the first port, which arbitrates already.
    for apart in [2, 4, 8, 16] {
        let of = |turns: u64, later: u64| {
            let stations = (0..4).map(|rank| station(rank * 5, word)).collect();
            let job = |turn, words, from, to| Job {
                at: Time((word * (turn * 20_000 + words)).ticks() + later * turn % word.ticks()),
                from,
                to,
                payload: 512,
                command: false,
                frames: 1,
            };
            let turn = |turn| [job(turn, 100, 2, 1), job(turn, 100 + apart, 0, 3)];
            let jobs = (0..turns).flat_map(turn).collect();
            let case = Case { network: loop_of(word), stations, processing: word * 40, jobs };
            check(&case).expect("it tells the same")
        };
        let (few, many, anywhere) = (of(4, 0), of(44, 0), of(44, 7_919));
        assert_eq!(few.learned, many.learned, "{apart} words apart");
        assert_eq!(many.learned, anywhere.learned, "{apart} words apart");
        assert_eq!(many.ended - few.ended, 80, "{apart} words apart");
    }
}

/// Frames that wait for other ports make no difference: for a port with many frames for many ports all circuits are cached, and the
/// circuits of one turn equal the circuits of another turn in which more frames wait behind.
#[test]
fn frames_for_other_ports_make_no_difference_to_a_circuit() {
    let word = Span(10560);
    for frames in [CircuitFrames::Head, CircuitFrames::All] {
        let of = |turns: u64, more: bool| {
            let with = |rank: usize| {
                let one = station(rank * 5, word);
                LoopStation { port: PortParameters { circuit_frames: frames, ..one.port }, ..one }
            };
            let stations = (0..22).map(with).collect();
            let job = |turn: u64, to| Job {
                at: Time((word * (turn * 40_000 + 100)).ticks()),
                from: 0,
                to,
                payload: 32,
                command: true,
                frames: 1,
            };
            let most = |turn: u64| if more && turn % 2 == 1 { 22 } else { 15 };
            let jobs = (0..turns).flat_map(|turn| (1..most(turn)).map(move |to| job(turn, to)));
            let jobs: Vec<_> = jobs.collect();
            let case = Case { network: loop_of(word), stations, processing: word * 40, jobs };
            check(&case).expect("it tells the same")
        };
        let (few, many, others) = (of(6, false), of(26, false), of(26, true));
        assert_eq!(few.learned, many.learned, "{frames:?}");
        // All circuits of a turn are cached but the first, at whose beginning the other frames are handed
        // over.
        assert_eq!(many.ended - few.ended, 20 * 13, "{frames:?}");
        println!("{frames:?}: {} and {} futures", many.learned, others.learned);
    }
}

/// Nodes act at any time within a slot: wherever in a word their frames come, a circuit is the same.
#[test]
fn what_comes_again_anywhere_in_a_word_is_learned_once() {
    let of = |later: u64| check(&turns_of(100, Span(later))).expect("it tells the same");
    let (whole, anywhere) = (of(0), of(7_919));
    assert_eq!((anywhere.begun, anywhere.ended), (200, 200));
    assert_eq!(anywhere.learned, whole.learned);
}

/// Port 2 has just had the loop when port 0, which has waited, gets its turn and is answered by port 1. Meanwhile port 2 wants the loop
/// again, and has to wait for an IDLE.
fn turns_of_three() -> impl Strategy<Value = Case> {
    let word = Span(10560);
    let turn = (0u64..400_000, 0u64..12_000_000, 0u64..12_000_000);
    let all = (stations(4, word), prop::collection::vec(turn, 1..40), 0u64..100_000);
    all.prop_map(move |(stations, turns, processing)| {
        let jobs = turns.iter().zip(0..).flat_map(|(&(second, answer, again), turn)| {
            let job = |at, from, to, command| Job {
                at: Time(turn * 40_000_000 + at),
                from,
                to,
                payload: 32,
                command,
                frames: 1,
            };
            let first = 1_000_000;
            [
                job(first, 2, 3, false),
                job(first + second, 0, 1, true),
                job(first + second + answer, 1, 0, false),
                job(first + second + again, 2, 3, false),
            ]
        });
        let jobs = jobs.collect();
        Case { network: loop_of(word), stations, processing: Span(processing), jobs }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn who_waits_for_access_beside_known_circuits_waits_as_long(case in turns_of_three()) {
        check(&case)?;
    }
}

/// Many ports want the loop at once, in the same order turn after turn, with any ports at any places.
fn turns_of_crowds() -> impl Strategy<Value = Case> {
    let word = Span(10560);
    (3usize..13).prop_flat_map(move |count| {
        let kind = (any::<bool>(), prop_oneof![4 => Just(1u16), 1 => 2u16..5]);
        let job = (0u64..200_000, 0..count, 1..count, 0u16..600, kind);
        let all = (stations(count, word), prop::collection::vec(job, 3..16), 3u64..9, 0u64..600_000);
        all.prop_map(move |(stations, jobs, turns, processing)| {
            let turn = |turn| {
                jobs.iter().map(move |&(at, from, step, payload, (command, frames))| Job {
                    at: Time(turn * 400_000_000 + at),
                    from,
                    to: (from + step) % count,
                    payload,
                    command,
                    frames,
                })
            };
            let jobs = (0..turns).flat_map(turn).collect();
            Case { network: loop_of(word), stations, processing: Span(processing), jobs }
        })
    })
}

/// Loops on which many ports want the loop in the same order again and again; on at least a fifth of these loops circuits are cached
/// while other ports wait.
#[test]
fn circuits_are_known_in_crowds_that_come_again() {
    let [all, beside] = [const { AtomicU64::new(0) }; 2];
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) };
    proptest!(config, |(case in turns_of_crowds())| {
        let counts = check(&case)?;
        all.fetch_add(1, Ordering::Relaxed);
        beside.fetch_add(u64::from(counts.beside > 0), Ordering::Relaxed);
    });
    let [all, beside] = [all, beside].map(AtomicU64::into_inner);
    println!("of {all} crowds {beside} had circuits that are known beside others");
    assert!(5 * beside >= all, "{beside} of {all} crowds had circuits that are known beside others");
}

/// The long run: `cargo test --release -p sansim-fc -- --ignored`.
#[test]
#[ignore = "long"]
fn a_loop_that_knows_its_circuits_tells_the_same_30_000() {
    check_many(30_000);
}
