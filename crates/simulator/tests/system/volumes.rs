//! Volumes over drives and other devices: each volume is a device of its own, wherever its bytes are.

use crate::common::asked::Asked;
use crate::common::figure;
use crate::common::text::{assert_adds_up, assert_near, assert_same, run, run_seen};
use sansim_scenario::Scenario;
use sansim_simulator::RunResult;
use std::collections::HashMap;

fn pool(run: &str, pool: &str, drives: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        {run}
        [host]
        kind = "host"
        attached = ["pool"]
        [host.driver]
        arrival_time = "0 ns"
        completion_time = "0 ns"
        [pool]
        kind = "volumes"
        to = ["disks"]
        {pool}
        [disks]
        kind = "drives"
        capacity = "8 MiB"
        access_time = "5 ms"
        transfer_rate = "100 MB/s"
        {drives}
        [load]
        kind = "closed"
        from = "host"
        to = ["pool"]
        {load}
        "#
    )
}

const RUN: &str = "measured_ios = 1000\nwarm_up = 0";

#[test]
fn every_volume_is_a_device_and_holds_what_was_asked_for() {
    let keys = "[pool.volumes.log]\nsize = \"1 MiB\"\n[pool.volumes.data]\nsize = \"10 MiB\"\narrangement = \"striped\"\n[pool.volumes.rest]";
    let text = pool(RUN, keys, "count = 3", "size = \"16 KiB\"\nqueue_depth = 2");
    let scenario = Scenario::parse_text(&text, "a test").unwrap_or_else(|report| panic!("{report}"));
    let devices = scenario.graph.devices.iter().filter(|device| device.name.starts_with("pool"));
    // The remainder of the last row of stripes belongs to no volume.
    let found: Vec<(&str, u64)> =
        devices.map(|device| (device.name.as_str(), device.capacity_blocks)).collect();
    assert_eq!(found, [("pool[0][0]", 2048), ("pool[0][1]", 20_480), ("pool[0][2]", 26_368)]);
    let result = run(&text);
    assert_adds_up(&result);
    assert_eq!(result.summary.devices.0.len(), 3);
    assert!(result.summary.devices.0.iter().all(|(_, part)| part.ios > 100), "each is asked");
}

/// Whatever path a sector takes, it comes back to the same place, and no two sectors have the same place.
#[test]
fn sectors_of_volumes_and_sectors_of_drives_belong_to_each_other() {
    let mut keys: String =
        (0..9).map(|n| format!("[pool.volumes.v{n}]\nsize = \"{} KiB\"\n", 512 + 256 * n)).collect();
    keys += "[pool.volumes.last]\narrangement = \"striped\"\nstripe_unit = \"8 KiB\"\n";
    let load = "size = \"24 KiB\"\nqueue_depth = 1\nread_fraction = 0.5";
    let text = pool("measured_ios = 4000\nwarm_up = 0", &keys, "count = 3\nmodel = \"ram\"", load);
    let (_, _, asked) = run_seen(&text, Asked::default());
    let mut places: HashMap<(u32, u64), (u32, u64)> = HashMap::new();
    let mut back: HashMap<(u32, u64), (u32, u64)> = HashMap::new();
    for (io, parts, _) in &asked.ios {
        let mut parts: Vec<_> = parts.iter().map(|part| part.request).collect();
        assert_eq!(parts.iter().map(|part| part.bytes).sum::<u64>(), io.request.bytes);
        // Child requests come back in any order; the child requests of a volume are identified by their
        // places.
        if parts.len() == 1 {
            let part = parts.remove(0);
            for sector in 0..part.block_count() {
                let (of_volume, of_drive) =
                    ((io.request.device, io.request.lba + sector), (part.device, part.lba + sector));
                assert_eq!(*places.entry(of_volume).or_insert(of_drive), of_drive);
                assert_eq!(*back.entry(of_drive).or_insert(of_volume), of_volume);
            }
        }
    }
    assert!(places.len() > 2_000, "{}", places.len());
}

#[test]
fn a_large_read_of_a_striped_volume_is_as_fast_as_all_its_drives() {
    let mean = |keys: &str| {
        let load = "size = \"1 MiB\"\npattern = \"sequential\"";
        let text = pool("measured_ios = 100\nwarm_up = 0", keys, "count = 4", load);
        run(&text.replace("access_time = \"5 ms\"", "access_time = \"0 ns\"")).summary.response_time_ns.mean
    };
    let text = "arrangement = \"striped\"\nstripe_unit = \"64 KiB\"";
    let (one, striped) = (mean(""), mean(text));
    assert_near("four drives", one / striped, 4.0, 0.01);
}

#[test]
fn a_volume_on_one_device_is_as_fast_as_that() {
    let load = "size = \"8 KiB\"\nqueue_depth = 4\nread_fraction = 0.6";
    let with = run(&pool(RUN, "", "", load));
    let without = pool(RUN, "", "", load).replace("attached = [\"pool\"]", "attached = [\"disks\"]");
    let start = without.find("[pool]").expect("it is there");
    let end = without.find("[disks]").expect("it is there");
    let without =
        run(&(without[..start].to_owned() + &without[end..]).replace("to = [\"pool\"]", "to = [\"disks\"]"));
    assert_eq!(
        with.summary.response_time_ns.mean, without.summary.response_time_ns.mean,
        "mapping takes no time"
    );
}

#[test]
fn volumes_caches_and_mirrors_stand_before_each_other() {
    let keys = "equal_volumes = 4\narrangement = \"striped\"";
    let text = pool(RUN, keys, "", "size = \"32 KiB\"\nqueue_depth = 3\nread_fraction = 0.7")
        .replace("to = [\"disks\"]", "to = [\"cache\"]")
        + "[cache]\nkind = \"cache\"\nto = [\"pair\"]\ncapacity = \"2 MiB\"\ncount = 2\n[pair]\nkind = \"mirror\"\nto = [\"disks\"]\ncount = 2\n";
    let text = text.replace("kind = \"drives\"", "kind = \"drives\"\ncount = 4");
    let (one, other) = (run(&text), run(&text));
    assert_adds_up(&one);
    assert_same(&one, &other);
    let figure = |name: &str, figure: &str| {
        one.summary.components.value_named(name).and_then(|c| c.figure_named(figure)).unwrap_or(0.0)
    };
    assert!(figure("cache", "read_hits") > 50.0);
    assert!(figure("pool", "requests") >= 1_000.0);
}

#[test]
fn while_volumes_have_failed_their_requests_end_with_an_error() {
    let events = "[[event]]\nat = \"1 s\"\ndo = \"fail\"\nwhat = \"pool\"\n[[event]]\nat = \"2 s\"\ndo = \"repair\"\nwhat = \"pool\"\n";
    let load = "size = \"4 KiB\"\nthink_time = \"5 ms\"";
    let result = run(&(pool("measured_ios = 500\nwarm_up = 0", "", "", load) + events));
    let rows = &result.ios.rows;
    let failed = rows.iter().filter(|io| io.failed).count();
    assert!(failed > 100 && rows.len() - failed > 100);
    for io in rows.iter().filter(|io| io.failed) {
        assert!((1.0..=2.0).contains(&io.completed.as_s_f64()), "{}", io.completed);
    }
}

#[test]
fn volumes_that_do_not_fit_are_refused_with_what_is_left() {
    let refused = |keys: &str, parts: &[&str]| {
        let text = pool(RUN, keys, "count = 2", "size = \"4 KiB\"");
        let told = Scenario::parse_text(&text, "a test").expect_err("no room").to_string();
        for part in parts {
            assert!(told.contains(part), "{part} is not in:\n{told}");
        }
    };
    let first = "[pool.volumes.a]\nsize = \"10 MiB\"\n";
    refused(
        &format!("{first}[pool.volumes.b]\nsize = \"7 MiB\""),
        &["pool.volumes.b.size", "7 MiB", "6 MiB"],
    );
    refused("[pool.volumes.a]\non = 2", &["pool.volumes.a.on", "no device 2", "0 to 1"]);
    refused("[pool.volumes.a]\n[pool.volumes.b]", &["nothing is left"]);
}

/// Three volumes of 64 MiB on two disks of 8 MiB, of which they take chunks of 256 KiB: 64 in all.
const ON_WRITE: &str = "chunk = \"256 KiB\"\n[pool.volumes.a]\nsize = \"64 MiB\"\nspace = \"on-write\"\n\
    [pool.volumes.b]\nsize = \"64 MiB\"\nspace = \"on-write\"\narrangement = \"striped\"\n\
    [pool.volumes.c]\nsize = \"64 MiB\"\nspace = \"on-write\"\n";

#[test]
fn a_pool_of_volumes_on_write_holds_as_many_chunks_as_its_disks_and_fails_other_writes() {
    let load = "size = \"4 KiB\"\nqueue_depth = 3\nread_fraction = 0.4";
    let text = pool("measured_ios = 4000\nwarm_up = 0", ON_WRITE, "count = 2\nmodel = \"ram\"", load);
    let result = run(&text);
    assert_adds_up(&result);
    let (_, _, asked) = run_seen(&text, Asked::default());
    // Counted beside: which chunks were written while there was room, and what that makes of reads.
    let (mut written, mut refused, mut zeros) = (HashMap::new(), 0, 0);
    for (io, parts, _) in &asked.ios {
        let chunk = (io.request.device, io.request.lba / 512);
        let bytes: u64 = parts.iter().map(|part| part.request.bytes).sum();
        if !io.request.is_write() {
            zeros += u64::from(parts.is_empty());
        } else if parts.is_empty() {
            refused += 1;
            // The other eight I/Os in flight may be writes that took the last chunks.
            assert!(written.len() >= 64 - 8, "only when all chunks are taken");
        } else {
            written.insert(chunk, ());
            assert_eq!(bytes, io.request.bytes);
        }
    }
    assert_eq!(written.len(), 64);
    assert!(refused > 500 && zeros > 500, "{refused}, {zeros}");
    let of = |name: &str| figure(&result.summary, "pool", name) as u64;
    assert_eq!((of("writes_without_space"), of("reads_of_zeros")), (refused, zeros));
    assert_eq!(result.summary.failed_ios, refused);
}

#[test]
fn a_volume_that_is_deleted_gives_its_chunks_to_the_others() {
    let load = "size = \"4 KiB\"\nqueue_depth = 3\nread_fraction = 0.0";
    let text = pool("duration = \"1 s\"\nwarm_up = 0", ON_WRITE, "count = 2\nmodel = \"ram\"", load);
    let event = |at: &str, action: &str, volume: usize| {
        format!("[[event]]\nat = \"{at}\"\ndo = \"{action}\"\nwhat = \"pool.volume[{volume}]\"\n")
    };
    let full = run(&text);
    let events = event("400 ms", "fail", 0) + &event("401 ms", "repair", 0) + &event("600 ms", "fail", 1);
    let freed = run(&(events + &text));
    assert_adds_up(&freed);
    let of = |result: &RunResult, name: &str| figure(&result.summary, "pool", name);
    assert!(of(&full, "writes_without_space") > 0.0);
    let (without, with) = (of(&full, "writes_without_space"), of(&freed, "writes_without_space"));
    assert!(with < without, "chunks of deleted volumes were written: {with}, {without}");
    assert!(freed.summary.failed_ios > with as u64, "those of a deleted volume fail, too");
}
