//! Common code of the tests of a drive with time.
#![allow(dead_code)]

use sansim_flash::{CommandKind, CompletedCommand, FlashCommand, FlashDrive, FlashParameters};
use sansim_kernel::{RandomStream, Span, Time, Total};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

pub const KIB: u64 = 1_024;

/// The keys of a drive, from a text in which a later line replaces an earlier line of the same key.
pub fn keys(text: &str) -> FlashParameters {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        let key = |line: &str| line.split('=').next().unwrap_or("").trim().to_owned();
        lines.retain(|earlier| key(earlier) != key(line));
        lines.push(line);
    }
    FlashParameters::from_toml(&lines.join("\n"), &Facts::default())
        .unwrap_or_else(|report| panic!("{report}"))
}

/// A drive with these keys.
pub fn drive(text: &str) -> FlashDrive {
    FlashDrive::new(&keys(text), RandomStream::new(7, "victims")).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// The results of a closed workload.
pub struct Closed {
    pub completions: u64,
    pub latency: Total,
    pub took: Span,
}

impl Closed {
    pub fn per_second(&self) -> f64 {
        self.completions as f64 / self.took.as_s_f64()
    }

    pub fn mean_us(&self) -> f64 {
        self.latency.as_s_f64() * 1e6 / self.completions as f64
    }
}

/// Runs a closed workload: `depth` commands at a time, each followed by another at once, until `count` are done.
pub fn closed(
    drive: &mut FlashDrive,
    depth: u64,
    count: u64,
    mut next: impl FnMut(u64) -> (CommandKind, u64, u64),
) -> Closed {
    let mut now = drive.next_event();
    if now == Time::NEVER {
        now = drive.current_time();
    }
    let start = now;
    let mut submitted = 0;
    let mut submit = |drive: &mut FlashDrive, now| {
        let (kind, first_byte, bytes) = next(submitted);
        let command = FlashCommand { tag: submitted, kind, first_byte, bytes };
        drive.submit_command(now, command).unwrap_or_else(|why| panic!("{command:?}: {why}"));
        submitted += 1;
    };
    (0..depth).for_each(|_| submit(drive, now));
    let mut result = Closed { completions: 0, latency: Total::ZERO, took: Span::ZERO };
    let mut done: Vec<CompletedCommand> = Vec::new();
    while result.completions < count {
        now = drive.next_event();
        assert_ne!(now, Time::NEVER, "commands are in the drive and nothing will happen");
        drive.advance_to(now, |completion| done.push(completion));
        for completion in done.drain(..) {
            result.completions += 1;
            result.latency += completion.done - completion.submitted;
            submit(drive, now);
        }
    }
    result.took = now - start;
    result
}

/// Carries out all operations in flight.
pub fn drain(drive: &mut FlashDrive) -> Vec<CompletedCommand> {
    let mut done = Vec::new();
    while drive.next_event() != Time::NEVER {
        drive.advance_to(drive.next_event(), |completion| done.push(completion));
    }
    assert!(drive.is_idle());
    done
}

pub fn us(span: Span) -> f64 {
    span.as_ns_f64() / 1e3
}

/// A full drive that was overwritten at random until it is in its steady state, and the write amplification at the end.
pub fn overwritten(more: &str) -> (FlashDrive, impl FnMut() -> u64 + use<>, f64) {
    let mut drive = drive(&format!("blocks = 64\npages = 64\ngc_start = \"0 %\"\n{more}"));
    let capacity = drive.capacity();
    drive.precondition(capacity).unwrap();
    let mut random = RandomStream::new(3, "places");
    let pages = capacity / (8 * KIB);
    let mut place = move || random.draw_below(pages) * 8 * KIB;
    let mut before = drive.write_counts();
    for pass in 0..6 * pages {
        if pass == 3 * pages {
            before = drive.write_counts();
        }
        drive.apply_initial_write(CommandKind::Write, place(), 8 * KIB).unwrap();
    }
    let amplification = drive.write_counts().difference_since(before).write_amplification();
    (drive, place, amplification)
}

pub fn assert_near(got: f64, wanted: f64, tolerance: f64, what: &str) {
    let error = got / wanted - 1.0;
    println!("{what}: {got:.2} for {wanted:.2}, {:+.1} %", error * 100.0);
    assert!(error.abs() <= tolerance, "{what}: {got:.2} for {wanted:.2}, {:+.1} %", error * 100.0);
}
