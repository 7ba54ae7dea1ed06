//! A mirror of two drives attached directly to a host: the time for which a write waits, and the remaining copy
//! when a drive fails.

use crate::common::asked::{Asked, Over};
use crate::common::text::{assert_adds_up, in_place_ns, ms, run, run_seen};
use sansim_kernel::Span;
use sansim_request::Request;
use std::collections::HashMap;

/// The keys of a workload.
const LOAD: &str = "size = \"16 KiB\"\nqueue_depth = 4";

fn mirror(run: &str, mirror: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        {run}
        [host]
        kind = "host"
        attached = ["mirror"]
        [mirror]
        kind = "mirror"
        to = ["disks"]
        {mirror}
        [disks]
        kind = "drives"
        count = 2
        access_time = {{ distribution = "uniform", low = "1 ms", high = "5 ms" }}
        transfer_rate = "50 MiB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["mirror"]
        {load}
        "#
    )
}

fn failing(disk: u32, at: &str) -> String {
    format!("[[event]]\nat = \"{at}\"\ndo = \"fail\"\nwhat = \"disks[{disk}]\"\n")
}

#[test]
fn a_write_takes_as_long_as_the_later_of_its_copies() {
    let text = mirror("measured_ios = 1000\nwarm_up = 0", "", &format!("{LOAD}\nread_fraction = 0.0"));
    let (_, names, asked) = run_seen(&text, Asked::default());
    assert!(asked.ios.len() >= 1_000 && asked.open.is_empty());
    let (mut first, mut second) = (0, 0);
    for (io, parts, joined) in &asked.ios {
        let [one, other] = &parts[..] else { panic!("{} parts", parts.len()) };
        assert_eq!([one.begun, other.begun], [io.begun; 2], "the mirror takes no time");
        assert_eq!(io.ended, one.ended.max(other.ended));
        let last = joined.expect("it waited for one");
        assert_eq!(last.ended, io.ended);
        let disk = |over: &Over| names.component_of_device(&over.request).name.clone();
        assert_ne!(disk(one), disk(other));
        for part in [one, other] {
            let same = Request { parent: None, device: io.request.device, ..part.request };
            assert_eq!(same, io.request, "the same data at the same place");
        }
        *(if disk(&last) == "disks[0]" { &mut first } else { &mut second }) += 1;
    }
    assert!(first > 300 && second > 300, "now the one, now the other: {first} and {second}");
}

#[test]
fn the_ledger_of_a_write_is_that_of_the_later_copy() {
    // There is one write at a time, so nothing waits: a write takes the access and the transfer of the later
    // drive.
    let load = "size = \"16 KiB\"\nread_fraction = 0.0";
    let result = run(&mirror("measured_ios = 500\nwarm_up = 1", "", load));
    assert_adds_up(&result);
    let transfer = Span::to_move(16 << 10, 50 << 20);
    for (number, io) in result.ios.rows.iter().enumerate() {
        let spent = |segment: &str| {
            let stays = result.ios.dwells_of_io(number).iter();
            let line = |stay: &&sansim_request::Dwell| result.names.line_name(stay.line) == segment;
            stays.filter(line).map(|stay| stay.spent).sum::<Span>()
        };
        assert_eq!(spent("disks.media_transfer"), transfer);
        assert_eq!(spent("disks.access"), io.response - transfer);
    }
    // The mean of the greater of two draws between 1 and 5 ms is 1 + 4 * 2/3 ms; it scatters by 0.94 ms / sqrt(500).
    let access_ms = (result.summary.response_time_ns.mean - transfer.as_ns_f64()) * 1e-6;
    assert!((access_ms - (1.0 + 8.0 / 3.0)).abs() < 4.0 * 0.94 / 500f64.sqrt(), "{access_ms}");
    assert_eq!(in_place_ns(&result, "mirror"), 0.0);
}

#[test]
fn a_read_goes_to_one_copy() {
    for (policy, shares) in [("first", [1.0, 0.0]), ("round-robin", [0.5, 0.5])] {
        let text = mirror("measured_ios = 400\nwarm_up = 0", &format!("read_policy = \"{policy}\""), LOAD);
        let (_, names, asked) = run_seen(&text, Asked::default());
        let mut counts = [0.0; 2];
        for (io, parts, _) in &asked.ios {
            let [part] = &parts[..] else { panic!("{} parts", parts.len()) };
            assert_eq!((part.begun, part.ended), (io.begun, io.ended));
            counts[usize::from(names.component_of_device(&part.request).name == "disks[1]")] += 1.0;
        }
        let all = asked.ios.len() as f64;
        assert!((counts[0] / all - shares[0]).abs() < 0.01, "{policy}: {counts:?}");
        assert_eq!(counts[0] + counts[1], all);
    }
}

/// Runs the system until well after one of the drives has failed.
fn with_failure(disk: u32, at_ms: u64) {
    let run = "measured_ios = 3000\nwarm_up = 0";
    let load = format!("{LOAD}\nread_fraction = 0.5");
    let event = failing(disk, &format!("{at_ms} ms"));
    let text = format!("{}\n{event}", mirror(run, "read_policy = \"round-robin\"", &load));
    let (ended, names, asked) = run_seen(&text, Asked::default());
    assert!(ended.at > ms(2 * at_ms), "{}: in mid-run", ended.at);
    assert_eq!(ended.summary.failed_ios, 0, "the other drive does it all");
    assert_eq!(
        ended.summary.components.value_named("mirror").and_then(|mirror| mirror.figure_named("copies")),
        Some(1.0)
    );
    let failed = format!("disks[{disk}]");
    let is_failed = |over: &Over| names.component_of_device(&over.request).name == failed;
    let parts: HashMap<u64, &Vec<Over>> =
        asked.ios.iter().map(|(io, parts, _)| (io.request.number, parts)).collect();
    let (mut retried, mut alone) = (0, 0);
    for io in &ended.ios.rows {
        assert!(!io.failed);
        let parts = parts[&io.io];
        let survivor = parts.iter().find(|part| !is_failed(part));
        if io.is_write() {
            let kept = survivor.expect("the drive that still works was asked");
            assert!(kept.ended <= io.completed, "acknowledged before it was kept");
            assert_eq!((kept.request.data.0, kept.request.lba), (io.io, io.lba));
            alone += u32::from(parts.len() == 1);
        } else if let [first, second] = &parts[..] {
            assert!(is_failed(first) && !is_failed(second) && first.ended == ms(at_ms));
            retried += 1;
        }
        for part in parts {
            let in_vain = is_failed(part) && part.ended > ms(at_ms);
            assert!(!in_vain, "what it had was answered when it failed, and it was asked no more");
        }
    }
    assert!(retried >= 1, "a read was under way at the drive that failed");
    assert!(alone > 500, "{alone} writes after the failure");
}

#[test]
fn nothing_that_was_acknowledged_is_lost_when_one_of_two_drives_fails() {
    for (disk, at_ms) in [(0, 700), (1, 700), (1, 1_301)] {
        with_failure(disk, at_ms);
    }
}

#[test]
fn when_no_copy_is_left_every_io_fails_and_the_run_comes_to_its_end() {
    let run_keys = "duration = \"2 s\"\nwarm_up = \"0 s\"";
    let load = format!("{LOAD}\nread_fraction = 0.5\nthink_time = \"10 ms\"");
    let events = failing(0, "500 ms") + &failing(1, "1 s");
    let result = run(&format!("{}\n{events}", mirror(run_keys, "", &load)));
    assert_adds_up(&result);
    for io in &result.ios.rows {
        assert_eq!(io.failed, io.completed >= ms(1_000), "at {}", io.completed);
    }
    // For a second four slots are refused at once and think for 10 ms.
    assert!((390..=410).contains(&result.summary.failed_ios), "{}", result.summary.failed_ios);
}

#[test]
fn a_drive_that_was_repaired_stays_out_of_the_mirror() {
    let load = format!("{LOAD}\nread_fraction = 0.0");
    let repair = "[[event]]\nat = \"600 ms\"\ndo = \"repair\"\nwhat = \"disks[1]\"\n";
    let events = failing(1, "500 ms") + repair;
    let text = format!("{}\n{events}", mirror("measured_ios = 1000\nwarm_up = 0", "", &load));
    let (ended, _, asked) = run_seen(&text, Asked::default());
    let late = asked.ios.iter().filter(|(io, ..)| io.begun > ms(600));
    assert!(late.clone().count() > 100 && ended.summary.failed_ios == 0);
    assert!(late.clone().all(|(_, parts, _)| parts.len() == 1), "it would have to be rebuilt");
}
