//! Tests of a tape drive, command by command.

use super::*;
use sansim_kernel::{RandomStream, Span};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const MB: u64 = 1 << 20;

fn s(s: u64) -> Time {
    Time::ZERO + Span::from_s(s)
}

/// A tape drive with 1 MiB a second, a buffer of 8 MiB, 2 s for a back-hitch, 1 s to find a position, 10 s from end to end, and one wrap of
/// 100 MiB.
fn parameters(more: &str) -> TapeDriveParameters {
    let keys = format!(
        "rate = \"1 MiB/s\"\nbuffer = \"8 MiB\"\nback_hitch = \"2 s\"\nlocate = \"1 s\"\nend_to_end = \"10 s\"\nwraps = 1\ncapacity = \"100 MiB\"\n{more}"
    );
    TapeDriveParameters::from_toml(&keys, &Facts::default()).unwrap_or_else(|report| panic!("{report}"))
}

struct On {
    tape: Tape,
    all: Vec<(Time, u32, CommandOutcome)>,
    now: Time,
}

impl On {
    fn new(more: &str) -> Self {
        Self { tape: Tape::new(&parameters(more)), all: Vec::new(), now: Time::ZERO }
    }

    /// Handles all events up to an instant; data of writes come as soon as there is room.
    fn run(&mut self, until: Time) {
        while self.tape.next() <= until {
            self.now = self.tape.next().max(self.now);
            self.go_on();
        }
        self.now = until;
    }

    fn go_on(&mut self) {
        let (now, mut told) = (self.now, Vec::new());
        self.tape.go_on(now, &mut |number, what| told.push((number, what)));
        for &(number, what) in &told {
            self.all.push((now, number, what));
            if let CommandOutcome::Room(upto) = what {
                self.tape.data_in(now, number, upto);
            }
        }
        if !told.is_empty() {
            self.go_on();
        }
    }

    fn ask(&mut self, at: Time, number: u32, write: bool, first_byte: u64, bytes: u64) {
        self.run(at);
        self.tape.comes(at, MediumCommand { number, write, force_unit_access: false, first_byte, bytes });
        self.go_on();
    }

    fn done(&self) -> Vec<(u32, Time)> {
        self.all
            .iter()
            .filter(|(.., what)| *what == CommandOutcome::Done)
            .map(|&(at, number, _)| (number, at))
            .collect()
    }
}

#[test]
fn a_writer_faster_than_the_tape_waits_for_room_and_the_tape_never_stops() {
    let mut on = On::new("");
    for number in 0..40 {
        on.ask(Time::ZERO, number, true, u64::from(number) * MB, MB);
    }
    on.run(s(32));
    let done = on.done();
    // Eight writes fit into the buffer at once; from the fourth write on the tape streams, so another write is done each second.
    assert!(done[..8].iter().all(|(_, at)| *at == Time::ZERO), "{done:?}");
    assert!((8..40).all(|at| done[at].1 == s(at as u64 - 7)), "{done:?}");
    assert_eq!(on.tape.reel.back_hitches, 0);
    on.run(s(100));
    assert_eq!(
        (on.tape.reel.back_hitches, on.tape.reel.streaming.total(s(100))),
        (1, Total::from(Span::from_s(40)))
    );
}

#[test]
fn a_slower_writer_makes_the_tape_stop_and_go_back_again_and_again() {
    let mut on = On::new("");
    for number in 0..60 {
        on.ask(s(2 * u64::from(number)), number, true, u64::from(number) * MB, MB);
    }
    on.run(s(1_000));
    // 4 MiB are in the buffer after 6 s; with the 2 MiB that come meanwhile the data last for 6 s, so the tape stops once for every 6 MiB
    // of the 60.
    assert!(on.done().iter().zip(0..).all(|(&(_, at), number)| at == s(2 * number)), "there is always room");
    assert_eq!(on.tape.reel.back_hitches, 10);
}

#[test]
fn a_tape_that_goes_as_slowly_as_data_come_does_not_stop() {
    let mut on = On::new("slowest_rate = \"0.25 MiB/s\"\nspeeds = 16");
    for number in 0..60 {
        on.ask(s(2 * u64::from(number)), number, true, u64::from(number) * MB, MB);
    }
    assert_eq!(on.tape.reel.back_hitches, 0);
    // The level of the buffer settles where the speed of the tape is the rate of the data: half a MiB per second.
    on.run(s(119));
    assert!(on.tape.reel.outstanding_work(s(119)) > MB && on.tape.reel.outstanding_work(s(119)) < 5 * MB);
}

#[test]
fn a_reader_finds_what_was_read_ahead_and_waits_for_the_place_only_once() {
    let mut on = On::new("");
    on.ask(Time::ZERO, 0, false, 50 * MB, MB);
    on.run(s(8));
    // The command takes 1 s to locate, 5 s for half of the tape, and 1 s for the data.
    assert_eq!(on.done(), [(0, s(7))]);
    on.ask(s(10), 1, false, 51 * MB, 2 * MB);
    assert_eq!(on.done().last(), Some(&(1, s(10))), "it was read ahead");
    on.run(s(100));
    assert_eq!(on.tape.reel.back_hitches, 1, "the buffer is full");
    let segments: Vec<CommandOutcome> =
        on.all.iter().filter(|(_, number, _)| *number == 0).map(|&(.., what)| what).collect();
    assert_eq!(
        segments[..3],
        [
            CommandOutcome::Enters(segment::QUEUE),
            CommandOutcome::Enters(segment::LOCATE),
            CommandOutcome::Enters(segment::TRANSFER)
        ]
    );
}

#[test]
fn what_was_written_goes_to_the_tape_before_another_place_is_looked_for() {
    let mut on = On::new("");
    on.ask(Time::ZERO, 0, true, 0, 2 * MB);
    on.ask(s(5), 1, false, 12 * MB, MB);
    on.run(s(100));
    // The read waits 2 s for the written data, 1 s to locate and 1 s for a tenth of the tape, and reads for 1 s.
    assert_eq!(on.done(), [(0, Time::ZERO), (1, s(5 + 2 + 1 + 1 + 1))]);
}

#[test]
fn places_are_as_far_as_they_are_along_the_tape_whatever_the_wrap() {
    let four = TapeDriveParameters { wraps: 4, ..parameters("") };
    let time = |from: u64, to: u64| four.locate_time(from * MB, to * MB);
    assert_eq!((time(0, 0), time(0, 25)), (Span::from_s(1), Span::from_s(11)));
    assert_eq!(
        (time(0, 50), time(5, 45), time(75, 24)),
        (Span::from_s(1), Span::from_s(1), Span::from_ms(1_400))
    );
}

#[test]
fn however_commands_are_given_up_time_at_work_never_goes_back_and_later_ones_are_served() {
    let mut random = RandomStream::new(4, "tape");
    let mut on = On::new("slowest_rate = \"0.5 MiB/s\"\nspeeds = 4");
    let (mut now, mut worked) = (Time::ZERO, Total::ZERO);
    for number in 0..2_000 {
        now += Span::from_ms(random.draw_below(4_000));
        let first_byte = if random.chance(0.7) {
            on.tape.ended.map_or(0, |(_, end)| end)
        } else {
            random.draw_below(80) * MB
        };
        let bytes = (1 + random.draw_below(20_000)) * 512;
        on.ask(now, number, random.chance(0.5), first_byte.min(80 * MB), bytes);
        if random.chance(0.2) {
            on.tape.gives_up(now, number);
            on.go_on();
        }
        if random.chance(0.01) {
            on.tape.fails(now);
        }
        let total = on.tape.busy(now, 0) + on.tape.busy(now, 1);
        assert!(total >= worked && total <= Total::from(now - Time::ZERO));
        worked = total;
    }
    on.run(now + Span::from_s(1_000_000));
    assert!(on.tape.serving.is_none() && on.tape.waiting.is_empty());
}

/// Speeds of drives in MB/s as IBM publishes them for speed matching, fastest first.
const PUBLISHED: [(&str, &[f64]); 3] = [
    ("lto-9", &[408.0, 385.0, 366.0, 347.0, 325.0, 305.0, 284.0, 263.0, 244.0, 223.0, 203.0, 177.0]),
    ("lto-8-half-height", &[306.4, 273.0, 249.5, 226.0, 203.0, 180.0, 157.5, 135.0, 112.0]),
    (
        "lto-7-half-height",
        &[306.0, 287.52, 268.56, 250.66, 231.86, 213.06, 194.26, 175.46, 157.67, 138.52, 120.11, 101.46],
    ),
];

fn preset(word: &str) -> TapeDriveParameters {
    let keys = format!("preset = \"{word}\"");
    TapeDriveParameters::from_toml(&keys, &Facts::default()).unwrap_or_else(|report| panic!("{report}"))
}

#[test]
fn the_speeds_of_presets_are_within_three_percent_of_full_speed_of_the_published_ones() {
    for (word, speeds) in PUBLISHED {
        let drive = preset(word);
        assert_eq!(drive.speeds as usize, speeds.len(), "{word}");
        for (speed, published) in (0..).zip(speeds.iter().rev()) {
            let off = (drive.rate_of(speed) as f64 / 1e6 - published).abs() / (drive.rate as f64 / 1e6);
            assert!(off < 0.03, "{word}: speed {speed} is off by {off}");
        }
    }
}

#[test]
fn records_anywhere_are_found_from_the_beginning_in_the_published_mean_time() {
    for (word, seconds) in [("lto-9", 45.0), ("lto-8-half-height", 59.0), ("lto-7-half-height", 56.0)] {
        let drive = preset(word);
        let mut random = RandomStream::new(1, word);
        let times = (0..20_000).map(|_| drive.locate_time(0, random.draw_below(drive.capacity)).as_s_f64());
        let mean = times.sum::<f64>() / 20_000.0;
        assert!((mean / seconds - 1.0).abs() < 0.01, "{word}: {mean} s");
    }
}

#[test]
fn a_rate_of_ones_own_is_the_only_speed_unless_another_one_is_said() {
    let own = parameters("");
    assert_eq!((own.slowest_rate, own.rate_of(0)), (own.rate, own.rate));
    assert!(preset("lto-9").slowest_rate < preset("lto-9").rate);
}

#[test]
fn in_a_network_of_queues_a_command_takes_its_data_and_the_mean_way_to_its_place() {
    use sansim_component::demand::{DemandBound, DemandContext, FrameBytes, RequestClass};
    let of = |say, sequential| {
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
            write: false,
            bytes: MB as f64,
            is_of_one_size: true,
            sequential,
            hit_ratio: None,
            within: None,
        };
        Tape::demand(&parameters(""), &class, &around).expect("a tape says it")
    };
    assert!((of(DemandBound::Mean, true).unloaded_time_ns() - 1e9).abs() < 1.0);
    assert!((of(DemandBound::Mean, false).unloaded_time_ns() - (1.0 + 1.0 + 10.0 / 3.0) * 1e9).abs() < 1.0);
    let least = of(DemandBound::Least, false);
    assert!(least.servers.is_empty() && least.less_because.is_some());
}
