//! The fabric, in which R_RDYs are no events and a frame has few events at a switch, is compared to the tick with a fabric in which
//! every word and every credit moves by itself, for random fabrics.

mod common;

use common::cases::{Case, cases, class_2, plain_cases};
use common::reference::{Broken, Reference};
use common::{Planned, World, node_of};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use sansim_fabric::class_2::Class2Parameters;
use sansim_fabric::congestion::CreditReturn;
use sansim_fabric::switch::{ControlParameters, InputQueueing};
use sansim_fc::frame::Frame;
use sansim_fc::link::LinkTimes;
use sansim_kernel::{Span, Time};

/// A stage of a frame: its request, the number of its switch, the time, and the stage.
type Stage = (u32, u8, u64, String);

const UNTIL: u64 = 9_000;

/// On the fast path frames are at the same stages at the same times, and ports are as long at work and without credit, as where every step
/// is an event; and there are fewer events.
fn check_fast_path((layout, parameters, routing, inputs, takes, _): Case) -> Result<bool, TestCaseError> {
    let run = |observes: bool| {
        let mut world = World::new(layout.clone(), &parameters, routing);
        world.fabric = world.fabric.with_times(LinkTimes::default());
        (world.around.observes, world.around.stages) = (observes, Some(Vec::new()));
        world.around.takes = takes.iter().map(|&ticks| Span(ticks)).collect();
        for &(at, node, mut frame) in &inputs {
            // All frames of a node are of one request: a frame that waits for credit has others of its request in flight.
            frame.offset = std::mem::replace(&mut frame.tag.0, node.into());
            world.plan(at, Planned::Send(node, frame));
        }
        world.run(UNTIL);
        world
    };
    let [mut plain, mut fast] = [true, false].map(run);
    let now = Time(UNTIL);
    for (one, other) in [(&mut plain, &mut fast)] {
        for world in [&mut *one, &mut *other] {
            world.around.notes.sort_unstable();
            world.around.stages.as_mut().expect("stages").sort_unstable();
        }
        prop_assert_eq!(&one.around.notes, &other.around.notes);
        // On the fast path a header is reported when it has been served, which may be after the end.
        let is_over = |(_, _, at, what): &Stage| at + 1_000 < UNTIL || what != "Header";
        let stages = |world: &World| -> Vec<Stage> {
            world.around.stages.iter().flatten().filter(|stage| is_over(stage)).cloned().collect()
        };
        let (of, than) = (stages(one), stages(other));
        let only = |of: &[Stage], than: &[Stage]| {
            of.iter().filter(|of| !than.contains(of)).cloned().collect::<Vec<_>>()
        };
        prop_assert!(of == than, "only there {:?}, only here {:?}", only(&of, &than), only(&than, &of));
        for place in 0..one.fabric.place_count() {
            let of = |world: &World| {
                let fabric = &world.fabric;
                let times = (fabric.port_sending_time(now, place), fabric.port_stalled_time(now, place));
                (
                    times,
                    fabric.port_credit(now, place),
                    fabric.occupied_buffers(now, place),
                    fabric.queued_frames(place),
                )
            };
            prop_assert_eq!(of(one), of(other), "at place {}", place);
        }
        prop_assert_eq!(one.fabric.frame_counts(), other.fabric.frame_counts());
    }
    prop_assert!(fast.events <= plain.events);
    Ok(fast.events < plain.events)
}

/// The frames of each exchange and direction that nodes noted with this event, in the order of the notes.
fn order_of(
    notes: &[common::Note],
    inputs: &[(u64, u16, Frame)],
    what: &str,
    node: impl Fn(&Frame) -> u16,
) -> Vec<u32> {
    let frame = |tag: u32| inputs[tag as usize].2;
    let noted = notes.iter().filter(|note| note.2 == what && note.1 == node(&frame(note.3)));
    let mut tags: Vec<u32> = noted.map(|note| note.3).collect();
    tags.sort_by_key(|&tag| (frame(tag).source, frame(tag).destination, frame(tag).originator));
    tags
}

fn check(case: Case) -> Result<(), TestCaseError> {
    check_in(case, None)
}

/// Checks a case, with or without class 2.
fn check_in(
    (mut layout, mut parameters, routing, inputs, takes, (broken, times)): Case,
    class_2: Option<Class2Parameters>,
) -> Result<(), TestCaseError> {
    if class_2.is_some() {
        parameters.control = ControlParameters::NONE;
        parameters.congestion.notice_rate = None;
        parameters.congestion.signal_rate = None;
        for node in &mut layout.nodes {
            (node.drain, node.limit) = (CreditReturn::default(), None);
        }
    }
    let mut reference = match &class_2 {
        None => Reference::new(layout.clone(), &parameters, routing, takes.clone(), inputs.clone()),
        Some(agreed) => {
            let with = layout.clone().with_controllers();
            Reference::new(with, &parameters, routing, takes.clone(), inputs.clone())
                .in_class_2(layout.nodes.len(), agreed)
        }
    };
    (reference.broken, reference.times) = (broken.clone(), times);
    reference.run(UNTIL);
    let loses = layout.links.iter().any(|link| link.rules.may_lose_frames());
    let mut world = World::new(layout, &parameters, routing);
    world.fabric = world.fabric.with_times(times);
    if let Some(agreed) = &class_2 {
        world.fabric = world.fabric.with_class_2(agreed);
    }
    for &Broken { at, is_switch, which, works } in &broken {
        world.plan(at, if is_switch { Planned::Switch(which, works) } else { Planned::Link(which, works) });
    }
    let takes_of = takes.clone();
    world.around.takes = takes.into_iter().map(Span).collect();
    for &(at, node, frame) in &inputs {
        world.plan(at, Planned::Send(node, frame));
    }
    world.run(UNTIL);
    let mut plain = reference.notes.clone();
    let mut fast = world.around.notes.clone();
    plain.sort_unstable();
    fast.sort_unstable();
    prop_assert_eq!(plain, fast);
    // The credit and its place have to agree.
    let now = Time(UNTIL);
    let credit: Vec<u32> =
        (0..takes_of.len()).map(|node| world.fabric.port_credit(now, node as u16)).collect();
    prop_assert_eq!(&reference.credit_of_nodes()[..takes_of.len()], credit);
    // Safety and conservation: a frame that was sent is received once, in order where the path is fixed or kept, or is lost for a
    // cause, or waits; all credit is back at the end, except credit that was lost on links.
    let counts = world.fabric.frame_counts();
    prop_assert_eq!(reference.resets, counts.resets);
    prop_assert_eq!(reference.congested(), world.fabric.congested_period_count());
    let breaks = !broken.is_empty();
    if !loses && !breaks {
        prop_assert_eq!((counts.lost, world.fabric.credit_lost()), (counts.discarded, 0));
    }
    if parameters.hold_time.is_none() && parameters.congestion.edge_hold_time.is_none() {
        prop_assert_eq!(counts.discarded, 0);
        prop_assert!(loses || breaks || counts.lost == 0);
    }
    // After a failure frames may overtake frames that were sent before.
    if !breaks && (!routing.is_adaptive() || parameters.in_order) {
        let notes = &world.around.notes;
        let mut sent = order_of(notes, &inputs, "started", |frame| node_of(frame.source));
        let received = order_of(notes, &inputs, "received", |frame| node_of(frame.destination));
        sent.retain(|tag| received.contains(tag));
        prop_assert_eq!(sent, received);
    }
    let deadlock = world.fabric.deadlock(now);
    if world.around.calendar.is_empty() && deadlock.is_none() && world.fabric.credit_lost() == 0 {
        let answers = world.fabric.class_2_counts();
        prop_assert_eq!(counts.sent, inputs.len() as u64 + answers.acknowledged + answers.refused);
        prop_assert_eq!(world.fabric.end_to_end_missing(), world.fabric.end_to_end_lost());
        prop_assert_eq!(counts.received + counts.lost, counts.sent);
        prop_assert_eq!(world.fabric.credit_missing(), 0);
        prop_assert_eq!(world.fabric.in_flight(), 0);
    }
    if world.around.calendar.is_empty() && world.fabric.in_flight() == 0 {
        prop_assert_eq!(world.fabric.credit_missing(), world.fabric.credit_lost());
    }
    let is_safe =
        routing.is_up_down() || routing.has_escape() && parameters.queueing == InputQueueing::PerOutput;
    if is_safe && !loses && !breaks {
        prop_assert!(deadlock.is_none(), "{:?}", deadlock);
        prop_assert!(!world.around.calendar.is_empty() || world.fabric.in_flight() == 0);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sansim_trials::case_count(300)))]

    #[test]
    fn the_fabric_does_at_every_tick_what_the_plain_one_does(case in cases()) {
        check(case)?;
    }

    #[test]
    fn and_so_it_does_on_the_fast_path(case in plain_cases()) {
        check_fast_path(case.clone())?;
        check(case)?;
    }

    #[test]
    fn and_so_it_does_in_class_2((case, class_2) in (cases(), class_2())) {
        check_in(case, Some(class_2))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    #[ignore = "long"]
    fn and_so_it_does_in_many_more_fabrics(case in cases()) {
        check(case)?;
    }

    #[test]
    #[ignore = "long"]
    fn and_so_it_does_on_the_fast_path_in_many_more_fabrics(case in plain_cases()) {
        check_fast_path(case.clone())?;
        check(case)?;
    }

    #[test]
    #[ignore = "long"]
    fn and_so_it_does_in_class_2_in_many_more_fabrics((case, class_2) in (cases(), class_2())) {
        check_in(case, Some(class_2))?;
    }
}

/// More than half of the random fabrics take the fast path with frames in flight.
#[test]
fn most_plain_fabrics_have_fewer_events_on_the_fast_path() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut case = || plain_cases().new_tree(&mut runner).expect("a case").current();
    let fewer = (0..100).filter(|_| check_fast_path(case()).expect("equal"));
    assert!(fewer.count() > 90);
}

/// Enough of the random fabrics have links that were reset, links or switches that failed with frames in them, and both kinds with
/// traffic afterwards.
#[test]
fn much_happens_in_the_fabrics_that_are_compared() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut resets, mut broken, mut goes_on, mut congested) = (0, 0, 0, 0);
    let mut notices = ["peer congestion", "congestion", "link integrity"].map(|kind| (kind, 0));
    for _ in 0..600 {
        let (layout, parameters, routing, inputs, takes, (breaks, times)) =
            cases().new_tree(&mut runner).expect("a case").current();
        let loses = layout.links.iter().any(|link| link.rules.may_lose_frames());
        let mut world = World::new(layout, &parameters, routing);
        world.around.takes = takes.into_iter().map(Span).collect();
        world.fabric = world.fabric.with_times(times);
        for &(at, node, frame) in &inputs {
            world.plan(at, Planned::Send(node, frame));
        }
        for &Broken { at, is_switch, which, works } in &breaks {
            world.plan(
                at,
                if is_switch { Planned::Switch(which, works) } else { Planned::Link(which, works) },
            );
        }
        world.run(UNTIL);
        let counts = world.fabric.frame_counts();
        resets += u32::from(counts.resets > 0);
        congested += u32::from(world.fabric.congested_period_count() > 0);
        for (kind, cases) in &mut notices {
            *cases += u32::from(world.around.notes.iter().any(|note| note.2 == *kind));
        }
        let fell = !breaks.is_empty() && !loses && counts.lost > counts.discarded;
        broken += u32::from(fell);
        let last = breaks.iter().map(|broken| broken.at).max().unwrap_or(0);
        let after = world.around.notes.iter().any(|note| note.2 == "received" && note.0 > last);
        goes_on += u32::from(fell && after);
    }
    println!(
        "of 600: {resets} with resets, {broken} with frames lost by failures, {goes_on} of them with traffic behind, \
         {congested} with congested ports"
    );
    assert!(resets >= 10 && broken >= 30 && goes_on >= 10, "{resets} {broken} {goes_on}");
    assert!(congested >= 20, "{congested}");
    assert!(notices.iter().all(|&(_, cases)| cases >= 10), "{notices:?}");
}
