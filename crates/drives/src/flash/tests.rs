//! Tests of a flash drive as a medium: the outcomes of commands are those that the flash drive by itself reports.

use super::*;
use sansim_component::bench::{BenchRequestPlace, ComponentBench, instant_at_us, sample_read, sample_write};
use sansim_component::{Component, Message};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

fn parameters(keys: &str) -> FlashDriveParameters {
    FlashDriveParameters::from_toml(keys, &Facts::default()).unwrap_or_else(|report| panic!("{report}"))
}

fn bench(keys: &str) -> ComponentBench<FlashStorage> {
    ComponentBench::new(DriveComponent::new(FlashMedium::new(&parameters(keys), 1, "drive"), None), 1)
}

/// Runs all timers; returns the time of the last answer.
fn run(bench: &mut ComponentBench<FlashStorage>) -> Time {
    let mut answered = Time::ZERO;
    while let Some(at) = bench.timers().into_iter().map(|(at, _)| at).min() {
        if !bench.handle_due_timer(at).sent_answers().is_empty() {
            answered = at;
        }
    }
    answered
}

#[test]
fn a_read_of_a_filled_drive_takes_what_the_drive_says_and_its_ledger_names_the_parts() {
    let mut bench = bench("");
    let (id, did) = bench.ask(instant_at_us(0), 0, sample_read(800, 8192));
    assert_eq!(did.entered, [(id, BenchRequestPlace::Here(segment::COMMAND))]);
    let done = run(&mut bench);
    // The device of the MQSim paper: the command, the page, and its data on the channel and on the link.
    let parts = [
        Span::from_us(75),
        Span::from_ns(290),
        Span::to_move(8192, 333_000_000),
        Span::to_move(8192, 4_000_000_000),
    ];
    assert_eq!(done - instant_at_us(0), parts.iter().sum());
    bench.close_request(done, 0, id);
    let stays = bench.dwells_of_request(id);
    let spent = |segment| {
        stays.iter().find(|(place, _)| *place == BenchRequestPlace::Here(segment)).map(|(_, spent)| *spent)
    };
    assert_eq!(spent(segment::ARRAY), Some(parts[0]));
    assert_eq!(spent(segment::CHANNEL), Some(parts[1] + parts[2]));
    assert_eq!((spent(segment::LINK), spent(segment::COMMAND)), (Some(parts[3]), None));
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn the_time_of_a_write_begins_when_its_data_are_in() {
    let mut bench = bench("link_rate = \"unlimited\"");
    let (id, did) = bench.ask(instant_at_us(0), 0, sample_write(800, 8192));
    assert_eq!(did.sent, [(0, Message::WriteCredit(id, 8192))]);
    assert_eq!(
        bench.receive(instant_at_us(40), 0, Message::WriteDataUpTo(id, 8192)).entered,
        [(id, BenchRequestPlace::Here(segment::COMMAND))]
    );
    let at = bench.timers()[0].0;
    let did = bench.handle_due_timer(at);
    assert_eq!((at, did.sent_answers().len()), (instant_at_us(41), 1), "a microsecond of the buffer");
    bench.close_request(at, 0, id);
    run(&mut bench);
    assert_eq!(bench.leftovers(), [""; 0]);
    assert_eq!(bench.component.meter(instant_at_us(10_000), meter::BY_HOSTS), Total(1));
}

#[test]
fn what_was_never_written_takes_no_time_in_the_flash() {
    let took = |keys: &str| {
        let mut bench = bench(keys);
        bench.ask(instant_at_us(0), 0, sample_read(1 << 20, 8192));
        run(&mut bench)
    };
    assert!(took("precondition = \"0 %\"") + Span::from_us(75) < took("precondition = \"50 %\""));
}

#[test]
fn a_command_that_was_given_up_is_not_taken_for_one_that_has_its_number_later() {
    let mut bench = bench("");
    let (first, _) = bench.ask(instant_at_us(0), 0, sample_read(0, 1 << 20));
    bench.receive(instant_at_us(0), 0, Message::Abort(first));
    bench.close_request(instant_at_us(0), 0, first);
    let (second, _) = bench.ask(instant_at_us(0), 0, sample_read(1 << 20, 8192));
    assert_eq!(first, second, "numbers are used again");
    let done = run(&mut bench);
    bench.close_request(done, 0, second);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_slow_drive_takes_so_many_times_as_long_and_says_so_of_each_part() {
    let mut bench = bench("");
    bench.apply_action(instant_at_us(0), sansim_component::Action::Slow(3_000));
    let (id, _) = bench.ask(instant_at_us(0), 0, sample_read(800, 8192));
    let done = run(&mut bench);
    let took = Span::from_us(75)
        + Span::from_ns(290)
        + Span::to_move(8192, 333_000_000)
        + Span::to_move(8192, 4_000_000_000);
    assert_eq!(done - instant_at_us(0), took * 3);
    bench.close_request(done, 0, id);
    assert!(
        bench.dwells_of_request(id).contains(&(BenchRequestPlace::Here(segment::ARRAY), Span::from_us(225))),
        "{:?}",
        bench.dwells_of_request(id)
    );
    assert_eq!(
        bench.component.busy(done, block::DIES),
        Total::from(Span::from_us(225))
            + Total::from((Span::from_ns(290) + Span::to_move(8192, 333_000_000)) * 3)
    );
}

#[test]
fn what_one_command_works_on_in_two_planes_counts_for_both_and_goes_over_the_channel_one_by_one() {
    let mut bench = bench("");
    // Units of 8 KiB: 0 and 64 are on the same page of two planes of a die, 128 is on the next page of the first plane.
    let ids = [128, 0, 64].map(|unit| bench.ask(instant_at_us(0), 0, sample_read(16 * unit, 8192)).0);
    let done = run(&mut bench);
    let component = &bench.component;
    let [dies, planes, channels] = [
        component.meter(done, meter::DIES),
        component.busy(done, block::DIES),
        component.busy(done, block::CHANNELS),
    ];
    let spent = |segment: usize| {
        let of = |id| {
            bench
                .dwells_of_request(id)
                .into_iter()
                .filter(|(place, _)| *place == BenchRequestPlace::Here(segment))
        };
        ids.into_iter().flat_map(of).map(|(_, spent)| Total::from(spent)).sum::<Total>()
    };
    assert_eq!(spent(segment::ARRAY), Total::from(Span::from_us(3 * 75)), "each of the three reads its page");
    assert_eq!(spent(segment::CHANNEL), channels);
    // The die carries out two commands: one on one plane, and one on two planes.
    assert!(planes >= spent(segment::ARRAY) && planes > dies && planes < dies + dies, "{planes:?} {dies:?}");
    assert!(dies < spent(segment::ARRAY), "the die did two things, and three were told of it");
}

#[test]
fn in_a_network_of_queues_a_read_takes_what_it_does_alone_and_a_write_is_programmed_behind_its_back() {
    use sansim_component::demand::{DemandBound, DemandContext, FrameBytes, RequestClass};
    let of = |keys: &str, say, write| {
        let around = DemandContext {
            say,
            behind_bytes: &[],
            on_network: false,
            is_inside: false,
            nodes: &[],
            between: &[],
            frames: FrameBytes::default(),
            jobs: &[],
            halves: 1,
        };
        let class = RequestClass {
            write,
            bytes: 8192.0,
            is_of_one_size: true,
            sequential: false,
            hit_ratio: None,
            within: None,
        };
        FlashMedium::demand(&parameters(keys), &class, &around).expect("a flash drive says it")
    };
    // The device of the MQSim paper: a page in 75 us, the command, its data on a channel of 333 MB/s and a link of 4 GB/s.
    let (channel_ns, link_ns) = (290.0 + 8192.0 / 0.333, 8192.0 / 4.0);
    let alone = of("", DemandBound::Mean, false).unloaded_time_ns();
    assert!((alone - (75_000.0 + channel_ns + link_ns)).abs() < 1.0, "{alone}");
    assert!((of("", DemandBound::Least, false).unloaded_time_ns() - link_ns).abs() < 1e-6);
    // The buffer answers after 1 us; the program of 750 us, and a 256th of an erase of 3.8 ms, come later.
    let write = of("", DemandBound::Mean, true);
    assert!((write.unloaded_time_ns() - (link_ns + 1_000.0)).abs() < 1.0);
    let later: f64 = write.in_background.iter().map(|server| server.takes.mean_time_ns()).sum();
    assert!((later - (750_000.0 + 3.8e6 / 256.0 + channel_ns)).abs() < 1.0, "{later}");
    let filled = of("fill = 2.0", DemandBound::Mean, true).in_background[0].takes.mean_time_ns();
    assert!(filled > 2.0 * write.in_background[0].takes.mean_time_ns(), "{filled}");
}
