use super::*;
use crate::clock::ClockFault;

#[test]
fn which_loop_it_was_is_told_of_systems_that_have_one() {
    let of = |scenario: &str| run_of(scenario, |_| ()).map(|ended| ended.run.r#loop);
    assert_eq!(of(SCENARIO).ok(), Some(Some("fast")));
    let switched = SCENARIO.replace("\"arbitrated-loop\"", "\"loop-switch\"");
    assert_eq!(of(&switched).ok(), Some(Some("fast")));
    for (kind, speed) in [("scsi-bus", "\"ultra160\""), ("fabric", "\"4GFC\"\ntopology = \"single-switch\"")]
    {
        let other =
            SCENARIO.replace("\"arbitrated-loop\"", &format!("\"{kind}\"")).replace("\"4GFC\"", speed);
        assert_eq!(of(&other).ok(), Some(None), "{kind}");
    }
}

const SCENARIO: &str = r#"
    [run]
    measured_ios = 20
    [loop]
    kind = "arbitrated-loop"
    speed = "4GFC"
    stations = ["controller", "drive"]
    [controller]
    kind = "host"
    [drive]
    kind = "drives"
    model = "ram"
    transfer_rate = "1 TB/s"
    [load]
    kind = "closed"
    from = "controller"
    to = "drive"
    size = "64 KiB"
"#;

/// A run in which this number of messages at one instant counts as a ring.
fn run_with_most(most: u32) -> Result<EndedRun, RunError> {
    run_with(|simulation| simulation.suspect_a_ring_after(most))
}

/// A run after the test changed the simulation.
fn run_with(change: impl FnOnce(&mut Simulation<'_>)) -> Result<EndedRun, RunError> {
    run_of(SCENARIO, change)
}

fn run_of(scenario: &str, change: impl FnOnce(&mut Simulation<'_>)) -> Result<EndedRun, RunError> {
    let scenario = Scenario::parse_text(scenario, "a test").unwrap_or_else(|report| panic!("{report}"));
    let plan = build::plan_system(&scenario, None, NetworkModel::Fast);
    let mut simulation = Simulation::new(&plan, RecordingOptions::default(), None);
    change(&mut simulation);
    let ended = run_to_end(
        &plan,
        RecordingOptions::default(),
        (simulation, Instant::now(), RunFlow::Continue),
        &RulesOfRun::begin(plan.seed)?,
        None,
        &mut |_| RunFlow::Continue,
    )?;
    Ok(ended)
}

#[test]
fn a_run_whose_time_stands_still_ends_with_an_error_that_names_the_ring_of_components() {
    // A frame goes from the loop to an adapter, which empties the buffer in no time and notifies the loop. The listing of a ring begins
    // with the component that has the least number.
    let Err(RunError::Clock(error)) = run_with_most(3) else { panic!("no ring") };
    let ring = ["`drive[0].adapter`", "`loop`", "`drive[0].adapter`"].map(str::to_owned);
    assert_eq!(error.fault, ClockFault::StandsStill { messages: 3, ring: ring.to_vec() });
    assert!(error.at > Time::ZERO && error.ios < error.total_ios);
    let text = error.to_string();
    assert!(text.contains("they go round: `drive[0].adapter` -> `loop` -> `drive[0].adapter`;"), "{text}");
    assert!(text.contains(&format!("stands still at {}", error.at)), "{text}");
}

#[test]
fn a_run_with_a_train_that_ran_past_its_bound_has_no_result_in_any_build() {
    for (reads, late_ns) in [("1.0", 100_000), ("0.0", 100_000), ("1.0", 1), ("0.0", 1)] {
        let late = sansim_kernel::Span::from_ns(late_ns);
        let text = format!("{SCENARIO}\nread_fraction = {reads}");
        let error = run_of(&text, |simulation| simulation.lagging.delay_horizons(late));
        let Err(RunError::Clock(error)) = error else { panic!("unnoticed: {reads}, {late_ns} ns") };
        let ClockFault::RunsAhead { at, place } = &error.fault else { panic!("{error}") };
        assert!(place == "loop" && Time::ZERO < *at && *at <= error.at, "{error:?}");
        let text = error.to_string();
        assert!(
            text.starts_with("on `loop` a train of frames") && text.contains(&format!("at {at};")),
            "{text}"
        );
    }
}

#[test]
fn a_run_that_lost_a_frame_has_no_result_in_any_build() {
    let Err(RunError::Conservation(error)) = run_with(|simulation| simulation.lose_a_frame()) else {
        panic!("unnoticed")
    };
    let [line] = &error.broken[..] else { panic!("{error}") };
    assert!(
        line.starts_with("FCP_DATA frames: 1") && line.ends_with(" received or lost; on `loop`"),
        "{line}"
    );
    assert!(error.to_string().contains("does not add up, so it has no result"), "{error}");
}

#[test]
fn what_goes_on_in_the_background_does_not_keep_a_run_going_and_is_counted_as_cut() {
    let later = Time::ZERO + sansim_kernel::Span::from_s(100);
    let ended = run_with(|simulation| simulation.begin_in_the_background(later)).expect("it ends");
    let background = ended.summary.background;
    assert_eq!((background.issued, background.done, background.cut), (1, 0, 1));
    assert!(ended.at < later, "{}", ended.at);
    assert_eq!(ended.summary.ios, 20);
}

#[test]
fn a_run_whose_instants_have_fewer_messages_ends() {
    assert_eq!(run_with_most(100).expect("it ends").summary.ios, 20);
}
