//! Tests of a RAM disk, command by command.

use super::*;

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// A RAM disk with a latency of 5 us that moves a byte in a nanosecond.
fn ram() -> Ram {
    Ram::new(Span::from_us(5), 1_000_000_000)
}

fn read(number: u32, bytes: u64) -> MediumCommand {
    MediumCommand { number, write: false, force_unit_access: false, first_byte: 0, bytes }
}

/// The commands done up to a time, with their times.
fn done(ram: &mut Ram, until: Time) -> Vec<(u32, Time)> {
    let mut all = Vec::new();
    let mut now = ram.as_of;
    while now <= until {
        ram.go_on(now, &mut |number, what| {
            if what == CommandOutcome::Done {
                all.push((number, now));
            }
        });
        now = ram.next();
    }
    all
}

#[test]
fn a_command_alone_takes_the_latency_and_its_bytes_over_the_bandwidth() {
    let mut ram = ram();
    ram.comes(us(0), read(1, 10_000));
    assert_eq!(done(&mut ram, us(100)), [(1, us(15))]);
    assert_eq!(ram.busy(us(100), 0), Total::from(Span::from_us(10)));
}

#[test]
fn commands_at_once_share_the_bandwidth_alike() {
    let mut ram = ram();
    for (number, bytes) in [(1, 10_000), (2, 20_000), (3, 30_000)] {
        ram.comes(us(0), read(number, bytes));
    }
    // Each command has a third of the bandwidth until the first is done, then a half, and the last has all of it.
    assert_eq!(done(&mut ram, us(100)), [(1, us(35)), (2, us(55)), (3, us(65))]);
    assert_eq!(ram.busy(us(100), 0), Total::from(Span::from_us(60)), "it moves the same whatever is shared");
}

#[test]
fn what_is_given_up_leaves_its_share_to_the_others() {
    let mut ram = ram();
    ram.comes(us(0), read(1, 10_000));
    ram.comes(us(0), read(2, 10_000));
    assert_eq!(done(&mut ram, us(5)), []);
    ram.gives_up(us(9), 2);
    assert_eq!(done(&mut ram, us(100)), [(1, us(17))]);
}
