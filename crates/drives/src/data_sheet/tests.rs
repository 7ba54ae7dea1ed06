//! Tests of a drive that is described by its data sheet, command by command.

use super::*;

const READ: CommandClass = CommandClass { write: false, sequential: false, bytes: 4096 };

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

fn line(asked: CommandClass, queue_depth: u32, us: u64) -> ResponsePoint {
    ResponsePoint { asked, queue_depth, response: Span::from_us(us) }
}

/// A drive whose sheet has random reads of 5 ms alone, and of 8 ms each with four commands in the drive. Sequential reads take 100 us.
/// Writes take 1 ms.
fn drive() -> DataSheet {
    let lines = [
        line(READ, 1, 5_000),
        line(READ, 4, 8_000),
        line(CommandClass { sequential: true, ..READ }, 1, 100),
        line(CommandClass { write: true, ..READ }, 1, 1_000),
    ];
    DataSheet::new(ResponseTable::from_response_points(&lines).expect("lines"), 2)
}

fn read(number: u32, first_byte: u64) -> MediumCommand {
    MediumCommand { number, write: false, force_unit_access: false, first_byte, bytes: 4096 }
}

/// The outcomes that the drive reports up to a time, each with its time.
fn told(drive: &mut DataSheet, until: Time) -> Vec<(u64, u32, CommandOutcome)> {
    let mut all = Vec::new();
    let mut now = drive.as_of;
    loop {
        drive
            .go_on(now, &mut |number, what| all.push((now.ticks() / Span::from_us(1).ticks(), number, what)));
        now = drive.next();
        if now > until {
            return all;
        }
    }
}

fn ends(drive: &mut DataSheet, until: Time) -> Vec<(u64, u32)> {
    let done = told(drive, until).into_iter().filter(|(.., what)| *what == CommandOutcome::Done);
    done.map(|(at, number, _)| (at, number)).collect()
}

#[test]
fn a_command_alone_takes_the_time_of_depth_one() {
    let mut drive = drive();
    drive.comes(us(0), read(1, 1 << 20));
    assert_eq!(
        told(&mut drive, us(1_000_000)),
        [
            (0, 1, CommandOutcome::Enters(segment::RESPONSE)),
            (5_000, 1, CommandOutcome::Data(4096)),
            (5_000, 1, CommandOutcome::Done)
        ]
    );
}

#[test]
fn what_was_measured_is_what_it_takes_also_where_larger_commands_are_faster() {
    let sized = |bytes: u64| CommandClass { bytes, ..READ };
    let lines = [
        line(sized(4_096), 1, 8_000),
        line(sized(65_536), 1, 6_000),
        line(CommandClass { write: true, ..READ }, 1, 1_000),
    ];
    let responses = ResponseTable::from_response_points(&lines).expect("lines");
    let us = |bytes: u64| responses.response_time(sized(bytes), 1) / Span::from_us(1).ticks() as f64;
    assert_eq!([4_096, 65_536].map(us), [8_000.0, 6_000.0]);
    assert!((6_000.0..8_000.0).contains(&us(32_768)));
    assert_eq!(us(1 << 20), 6_000.0, "beyond that it does not become faster still");
}

#[test]
fn a_drive_that_always_has_four_takes_the_time_of_depth_four_and_so_carries_out_as_many_as_was_measured() {
    let mut drive = drive();
    for number in 0..4 {
        drive.comes(us(0), read(number, u64::from(number) << 20));
    }
    let (mut done, mut now) = (0, us(0));
    while done < 400 {
        now = drive.next();
        let mut over = Vec::new();
        drive.go_on(now, &mut |number, what| over.extend((what == CommandOutcome::Done).then_some(number)));
        for number in over {
            done += 1;
            drive.comes(now, read(number, (10 + u64::from(number) + done) << 20));
        }
    }
    let seconds = now.as_s_f64();
    assert!((400.0 / seconds - 500.0).abs() < 0.01, "{}", 400.0 / seconds);
}

#[test]
fn a_command_that_comes_later_slows_the_one_before_by_as_much_as_is_left_of_it() {
    let mut drive = drive();
    drive.comes(us(0), read(1, 1 << 20));
    // At 2 500 us half of the first command is left. With two commands each takes 6 ms: the first needs 3 ms more, after which half of the
    // second is left, which takes 2.5 ms alone.
    drive.work(us(2_500));
    drive.comes(us(2_500), read(2, 2 << 20));
    assert_eq!(ends(&mut drive, us(1_000_000)), [(5_500, 1), (8_000, 2)]);
}

#[test]
fn a_command_that_begins_where_one_of_the_last_streams_ended_is_sequential() {
    let mut drive = drive();
    let asked = |drive: &mut DataSheet, first_byte| drive.asked(&read(0, first_byte)).sequential;
    assert!(!asked(&mut drive, 0));
    assert!(asked(&mut drive, 4096));
    assert!(!asked(&mut drive, 1 << 20));
    assert!(asked(&mut drive, 8192), "two streams are followed");
    assert!(!asked(&mut drive, 1 << 30), "this is a third");
    assert!(!asked(&mut drive, (1 << 20) + 4096), "the one that went on longest ago is forgotten");
    let write = MediumCommand { write: true, ..read(0, 12_288) };
    assert!(!drive.asked(&write).sequential, "a write does not follow a read");
}

#[test]
fn the_time_of_a_write_begins_when_its_data_are_in() {
    let mut drive = drive();
    drive.comes(us(0), MediumCommand { write: true, ..read(1, 0) });
    assert_eq!(drive.next(), Time::NEVER);
    drive.data_in(us(300), 1, 2048);
    assert_eq!(drive.next(), Time::NEVER);
    drive.data_in(us(700), 1, 4096);
    assert_eq!(ends(&mut drive, us(1_000_000)), [(1_700, 1)]);
}

#[test]
fn what_is_given_up_makes_way_for_the_others() {
    let mut drive = drive();
    drive.comes(us(0), read(1, 1 << 20));
    drive.comes(us(0), read(2, 2 << 20));
    // After 3 ms half of both commands is done; the command that is left takes 2.5 ms more alone.
    drive.gives_up(us(3_000), 1);
    assert_eq!(ends(&mut drive, us(1_000_000)), [(5_500, 2)]);
    drive.comes(us(6_000), read(3, 3 << 20));
    drive.fails(us(7_000));
    assert_eq!(drive.next(), Time::NEVER);
    assert_eq!(drive.busy(us(9_000), 0), Total::from(Span::from_us(6_500)));
}

#[test]
fn commands_that_take_longer_than_spans_may_be_are_looked_at_again_and_take_that_long() {
    let months = |count: u64| Time::ZERO + Span::LONGEST * count;
    let line = |write| ResponsePoint {
        asked: CommandClass { write, ..READ },
        queue_depth: 1,
        response: Span::LONGEST,
    };
    let mut drive =
        DataSheet::new(ResponseTable::from_response_points(&[line(false), line(true)]).expect("lines"), 2);
    for number in 0..3 {
        drive.comes(months(0), read(number, u64::from(number) << 20));
    }
    let (mut done, mut now) = (Vec::new(), months(0));
    for look in 0..4 {
        drive.go_on(now, &mut |number, what| {
            done.extend((what == CommandOutcome::Done).then_some((look, number)))
        });
        assert!(drive.next() <= now + Span::LONGEST || drive.next() == Time::NEVER);
        now = drive.next().min(months(3) + Span::from_us(1));
    }
    // The time agrees but for rounding.
    assert!(now.saturating_since(months(3)) <= Span::from_us(1));
    drive.go_on(now, &mut |number, what| done.extend((what == CommandOutcome::Done).then_some((4, number))));
    assert_eq!(done.iter().map(|(_, number)| *number).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(done.iter().all(|(look, _)| *look >= 3), "{done:?}");
}
