//! Tests of a mechanical disk as a medium: the outcomes of commands are those that the disk by itself reports.

use super::*;
use sansim_disk::alone::serve_commands;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

fn parameters(keys: &str) -> DiskDriveParameters {
    DiskDriveParameters::from_toml(keys, &Facts::default()).unwrap_or_else(|report| panic!("{report}"))
}

fn medium(keys: &str) -> DiskMedium {
    DiskMedium::new(&parameters(keys), RandomStream::new(1, "platters"))
}

/// Handles all events up to an instant; data of writes come as soon as there is room, and data of reads are consumed when they are
/// available.
fn run(medium: &mut DiskMedium, until: Time, all: &mut Vec<(Time, u32, CommandOutcome)>) {
    loop {
        let now = medium.next();
        if now > until {
            return;
        }
        go_on(medium, now, all);
    }
}

fn go_on(medium: &mut DiskMedium, now: Time, all: &mut Vec<(Time, u32, CommandOutcome)>) {
    let mut told = Vec::new();
    medium.go_on(now, &mut |number, what| told.push((number, what)));
    let mut more = false;
    for (number, what) in told {
        all.push((now, number, what));
        match what {
            CommandOutcome::Room(upto) => medium.data_in(now, number, upto),
            CommandOutcome::Data(upto) => medium.taken(now, number, upto),
            CommandOutcome::Done => medium.leaves(now, number),
            _ => continue,
        }
        more = true;
    }
    if more {
        go_on(medium, now, all);
    }
}

fn done(all: &[(Time, u32, CommandOutcome)]) -> Vec<(u32, Time)> {
    all.iter()
        .filter(|(.., what)| *what == CommandOutcome::Done)
        .map(|&(at, number, _)| (number, at))
        .collect()
}

/// A write is done when its data are in the buffer; a flush when they are on the medium, which is when the disk by itself has written them.
#[test]
fn a_flush_is_done_when_what_was_only_in_the_buffer_is_on_the_medium() {
    let mut medium = medium("write_behind = true");
    let mut all = Vec::new();
    let write = |number, first_byte| MediumCommand {
        number,
        write: true,
        force_unit_access: false,
        first_byte,
        bytes: 64 << 10,
    };
    for (number, first_byte) in [(1, 0), (2, 1 << 30)] {
        medium.comes(Time::ZERO, write(number, first_byte));
        go_on(&mut medium, Time::ZERO, &mut all);
    }
    while done(&all).len() < 2 {
        let now = medium.next();
        go_on(&mut medium, now, &mut all);
    }
    let now = done(&all)[1].1;
    let mut disk = medium.disk.clone().expect("a disk");
    assert!(disk.unwritten_ranges().count() > 0, "the writes are only in the buffer");
    medium.flush(now, 3);
    medium.deallocate(now, 4, 0..4096);
    go_on(&mut medium, now, &mut all);
    run(&mut medium, now + Span::from_s(10), &mut all);
    let [.., (3, flushed), (4, deallocated)] = done(&all)[..] else { panic!("{all:?}") };
    let (processed, expected) = disk.serve_without_data(now, now, true);
    assert_eq!(flushed, expected);
    assert!(flushed > processed && processed > now);
    assert_eq!(medium.disk.as_ref().map(|disk| disk.unwritten_ranges().count()), Some(0));
    assert!(deallocated >= flushed, "it has its turn behind the flush");
    // With nothing left to write a flush takes the processor only.
    let idle = flushed + Span::from_s(20);
    medium.flush(idle, 5);
    run(&mut medium, idle + Span::from_s(1), &mut all);
    let taken = done(&all)[4].1 - idle;
    assert!(taken <= processed - now && taken < flushed - now, "{taken}");
}

#[test]
fn commands_are_done_when_the_disk_by_itself_says() {
    for keys in
        ["", "write_behind = true", "[queue]\norder = \"sptf\"", "preseek = true\nread_ahead = \"none\""]
    {
        let mut random = RandomStream::new(7, "commands");
        let mut disk =
            Disk::new(&parameters(keys).disk, &mut RandomStream::new(1, "platters")).expect("a disk");
        let mut medium = medium(&format!("write_room = \"1 GiB\"\n{keys}"));
        let mut at = Time::ZERO;
        let commands: Vec<sansim_disk::DiskCommand> = (0..2_000)
            .map(|id| {
                at += Span::from_us(random.draw_below(18_000));
                let lbn = random.draw_below(1_000_000) * 8;
                sansim_disk::DiskCommand {
                    id,
                    write: random.chance(0.3),
                    force_unit_access: false,
                    lbn,
                    blocks: 1 + random.draw_below(200) as u32,
                    arrival: at,
                }
            })
            .collect();
        let mut expected = Vec::new();
        serve_commands(&mut disk, commands.iter().copied(), |_, served| {
            expected.push((served.command.id as u32, served.done));
        })
        .expect("all fit");
        let mut all = Vec::new();
        for command in &commands {
            run(&mut medium, Time(command.arrival.0 - 1), &mut all);
            medium.comes(
                command.arrival,
                MediumCommand {
                    number: command.id as u32,
                    write: command.write,
                    force_unit_access: command.force_unit_access,
                    first_byte: command.lbn * BLOCK_BYTES,
                    bytes: u64::from(command.blocks) * BLOCK_BYTES,
                },
            );
            go_on(&mut medium, command.arrival, &mut all);
        }
        run(&mut medium, at + Span::from_s(100), &mut all);
        let mut told = done(&all);
        told.sort_unstable();
        expected.sort_unstable();
        assert_eq!(told, expected, "{keys}");
    }
}

#[test]
fn data_of_a_read_are_there_before_it_is_done_and_never_go_back() {
    let mut medium = medium("read_sequence = \"4 KiB\"\nblock_transfer = \"0 ns\"");
    medium.comes(
        Time::ZERO,
        MediumCommand {
            number: 3,
            write: false,
            force_unit_access: false,
            first_byte: 1 << 20,
            bytes: 100_000,
        },
    );
    let mut all = Vec::new();
    run(&mut medium, Time::ZERO + Span::from_s(1), &mut all);
    let data: Vec<(Time, u64)> = all
        .iter()
        .filter_map(
            |&(at, _, what)| if let CommandOutcome::Data(upto) = what { Some((at, upto)) } else { None },
        )
        .collect();
    assert_eq!(data.len(), 25);
    assert!(data.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1), "{data:?}");
    assert_eq!(data[24].1, 100_000);
    assert_eq!(done(&all), [(3, data[24].0)]);
    let segments: Vec<usize> = all
        .iter()
        .filter_map(
            |&(.., what)| if let CommandOutcome::Enters(segment) = what { Some(segment) } else { None },
        )
        .collect();
    assert_eq!(
        segments,
        [segment::QUEUE, segment::OVERHEAD, segment::SEEK, segment::ROTATION, segment::TRANSFER]
    );
}

#[test]
fn a_write_larger_than_the_room_comes_in_halves_of_it() {
    let mut medium = medium("write_room = \"128 KiB\"");
    medium.comes(
        Time::ZERO,
        MediumCommand { number: 1, write: true, force_unit_access: false, first_byte: 0, bytes: 1 << 20 },
    );
    let mut all = Vec::new();
    go_on(&mut medium, Time::ZERO, &mut all);
    run(&mut medium, Time::ZERO + Span::from_s(10), &mut all);
    let rooms: Vec<u64> = all
        .iter()
        .filter_map(|&(.., what)| if let CommandOutcome::Room(upto) = what { Some(upto) } else { None })
        .collect();
    assert_eq!(rooms, (1..=16).map(|half| half << 16).collect::<Vec<u64>>());
    assert_eq!(done(&all).len(), 1);
}

#[test]
fn what_is_given_up_leaves_its_room_to_others_and_time_at_work_never_goes_back() {
    let mut random = RandomStream::new(9, "give up");
    let mut medium = medium("write_room = \"256 KiB\"\nwrite_behind = true");
    let (mut all, mut now, mut worked) = (Vec::new(), Time::ZERO, Total::ZERO);
    let mut alive: Vec<u32> = Vec::new();
    for number in 0..3_000 {
        now += Span::from_us(random.draw_below(8_000));
        run(&mut medium, now, &mut all);
        let write = random.chance(0.6);
        let most = if random.chance(0.05) { 4_000 } else { 100 };
        let bytes = 512 * (1 + random.draw_below(most));
        medium.comes(
            now,
            MediumCommand {
                number,
                write,
                force_unit_access: false,
                first_byte: random.draw_below(8_000_000) * 512,
                bytes,
            },
        );
        alive.push(number);
        go_on(&mut medium, now, &mut all);
        if random.chance(0.3) {
            let number = alive.swap_remove(random.draw_below(alive.len() as u64) as usize);
            medium.gives_up(now, number);
            go_on(&mut medium, now, &mut all);
        }
        if random.chance(0.01) {
            medium.fails(now);
            alive.clear();
        }
        let total = medium.meter(now, meter::WORKING);
        assert!(total >= worked && total <= Total::from(now - Time::ZERO), "at {now}");
        worked = total;
    }
    run(&mut medium, now + Span::from_s(1_000), &mut all);
    assert!(medium.active.is_empty() && medium.serving.is_empty());
    medium.comes(
        now + Span::from_s(1_000),
        MediumCommand { number: 1, write: true, force_unit_access: false, first_byte: 0, bytes: 256 << 10 },
    );
    all.clear();
    go_on(&mut medium, now + Span::from_s(1_000), &mut all);
    assert!(all.iter().any(|(.., what)| *what == CommandOutcome::Room(256 << 10)), "all of the room is free");
}

/// The host begins to consume data at 50 ms; the disk has segments of 64 blocks, which is less than a track and less than the read.
#[test]
fn a_medium_that_stands_gives_all_that_it_has_and_goes_on_when_the_host_has_taken_it() {
    let keys =
        "segment_blocks = 64\nread_sequence = \"whole\"\nread_ahead = \"none\"\nblock_transfer = \"0 ns\"";
    let read = MediumCommand {
        number: 5,
        write: false,
        force_unit_access: false,
        first_byte: 0,
        bytes: 100 * BLOCK_BYTES,
    };
    let mut prompt = Vec::new();
    let mut medium = super::tests::medium(keys);
    medium.comes(Time::ZERO, read);
    run(&mut medium, Time::ZERO + Span::from_s(1), &mut prompt);
    let (mut medium, mut told, late) =
        (super::tests::medium(keys), Vec::new(), Time::ZERO + Span::from_ms(50));
    medium.comes(Time::ZERO, read);
    let mut until = |medium: &mut DiskMedium, last: Time| {
        while medium.next() <= last {
            let now = medium.next();
            medium.go_on(now, &mut |_, what| told.push((now, what)));
        }
        let data = told.iter().filter_map(|&(at, what)| {
            if let CommandOutcome::Data(upto) = what { Some((at, upto / 512)) } else { None }
        });
        data.collect::<Vec<(Time, u64)>>()
    };
    let data = until(&mut medium, late);
    assert_eq!(data.iter().map(|one| one.1).collect::<Vec<u64>>(), [32, 64], "half of a segment at a time");
    assert_eq!(medium.next(), Time::NEVER, "it stands");
    let worked = medium.meter(late, meter::WORKING);
    assert_eq!(worked, medium.meter(Time::ZERO + Span::from_ms(20), meter::WORKING));
    medium.taken(late, 5, 64 * BLOCK_BYTES);
    let data = until(&mut medium, Time::ZERO + Span::from_s(1));
    assert_eq!(data.last().map(|one| one.1), Some(100));
    let revolution = medium.disk.as_ref().expect("a disk").mechanics().rotation.revolution_time();
    let (first, soonest) = (data[3].0, done(&prompt)[0].1);
    let turns = (first - soonest).ticks() as f64 / revolution.ticks() as f64;
    assert!(
        first > late && first - late < revolution + Span::from_ms(2) && turns.fract() == 0.0,
        "{turns} turns"
    );
}

#[test]
fn a_drive_that_fails_while_its_medium_stands_works_again() {
    let mut medium = medium("segment_blocks = 64");
    let read = |number| MediumCommand {
        number,
        write: false,
        force_unit_access: false,
        first_byte: 0,
        bytes: 100 * BLOCK_BYTES,
    };
    medium.comes(Time::ZERO, read(1));
    while medium.next() < Time::NEVER {
        let now = medium.next();
        medium.go_on(now, &mut |_, _| ());
    }
    let later = Time::ZERO + Span::from_s(1);
    medium.fails(later);
    medium.comes(later, read(1));
    let mut all = Vec::new();
    go_on(&mut medium, later, &mut all);
    run(&mut medium, later + Span::from_s(1), &mut all);
    assert_eq!(done(&all).len(), 1);
}
