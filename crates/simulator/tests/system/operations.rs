//! Flushes and deallocations beside reads and writes: each component by hand, and laws over all of them.

use crate::common::asked::Asked;
use crate::common::text::{assert_adds_up, assert_reference_agrees, run, run_on, run_seen};
use crate::common::{conserved, load};
use sansim_component::NetworkModel;
use sansim_kernel::Span;
use sansim_request::Operation;
use sansim_simulator::{RunResult, build};

/// A host that is attached directly to a device, `to`, with a closed workload of writes of 4 KiB, one at a time.
fn system(devices: &str, to: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = 200
        warm_up = 0
        [host]
        kind = "host"
        attached = ["{to}"]
        [host.driver]
        arrival_time = "0 ns"
        completion_time = "0 ns"
        {devices}
        [load]
        kind = "closed"
        from = "host"
        to = ["{to}"]
        size = "4 KiB"
        read_fraction = 0.0
        {load}
        "#
    )
}

/// Each write is followed by a flush, and half of what is not read is deallocated.
const ALL: &str = "flush_every = 1\ndeallocate_fraction = 0.5";

/// The different response times of an operation, in ns.
fn responses(result: &RunResult, operation: Operation) -> Vec<u64> {
    let rows = result.ios.rows.iter().filter(|io| io.operation == operation);
    let mut found: Vec<u64> = rows.map(|io| io.response.as_ns_f64().round() as u64).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn count(result: &RunResult, operation: Operation) -> u64 {
    result.ios.rows.iter().filter(|io| io.operation == operation).count() as u64
}

fn figure(result: &RunResult, component: &str, name: &str) -> f64 {
    let of = result.summary.components.value_named(component).expect(component);
    of.figure_named(name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn a_ram_disk_takes_its_latency_for_each() {
    let disk =
        "[ram]\nkind = \"ram-disks\"\ncapacity = \"1 MiB\"\nlatency = \"10 us\"\nbandwidth = \"409.6 MB/s\"";
    let result = run(&system(disk, "ram", ALL));
    assert_adds_up(&result);
    // 4 KiB take 10 us at that rate, a flush has no data, and the list of a deallocation is not stored.
    assert_eq!(responses(&result, Operation::Write), [20_000]);
    assert_eq!(responses(&result, Operation::Flush), [10_000]);
    assert_eq!(responses(&result, Operation::Deallocate), [10_000]);
    let counts = Operation::ALL.map(|operation| count(&result, operation));
    assert_eq!(counts.iter().sum::<u64>(), 200);
    assert!(counts[1].abs_diff(counts[2]) <= 1, "a flush for each write: {counts:?}");
    let summary = &result.summary;
    assert_eq!(
        [&summary.reads, &summary.writes, &summary.flushes, &summary.deallocations].map(|of| of.ios),
        counts
    );
    assert_eq!(summary.deallocations.bytes, counts[3] * 4096);
    assert_eq!((summary.flushes.bytes, summary.ios), (0, 200));
}

#[test]
fn a_drive_with_a_write_cache_is_flushed_when_the_medium_has_all() {
    let drive = |cache: &str| {
        format!(
            "[disk]\nkind = \"drives\"\ncapacity = \"64 MiB\"\naccess_time = \"2 ms\"\ntransfer_rate = \"4096 KB/s\"\n{cache}"
        )
    };
    // Without a cache a write is on the medium, after 2 ms and 1 ms, and neither a flush nor a deallocation takes time.
    let result = run(&system(&drive(""), "disk", ALL));
    assert_eq!(responses(&result, Operation::Write), [3_000_000]);
    assert_eq!(responses(&result, Operation::Flush), [0]);
    assert_eq!(responses(&result, Operation::Deallocate), [0]);
    // With one the write is done when its data are in the cache, and the medium has the millisecond before it.
    let result = run(&system(&drive("cache = \"64 KiB\""), "disk", "flush_every = 1"));
    assert_adds_up(&result);
    let together: Vec<u64> = result
        .ios
        .rows
        .windows(2)
        .filter(|pair| pair[1].operation == Operation::Flush)
        .map(|pair| (pair[0].response + pair[1].response).as_ns_f64() as u64)
        .collect();
    assert_eq!(together.len(), 100);
    assert!(together.iter().all(|&both| both == 3_000_000), "{together:?}");
}

/// Runs a flash drive that has these keys.
fn flash(keys: &str, load: &str) -> RunResult {
    let drive = format!("[ssd]\nkind = \"flash-drives\"\n{keys}");
    run(&system(&drive, "ssd", load).replace("measured_ios = 200", "measured_ios = 20000"))
}

#[test]
fn a_flash_drive_flushes_what_is_not_programmed_unless_its_buffer_outlives_the_loss_of_power() {
    let result = flash("preset = \"intel-p4500-1tb\"", ALL);
    assert_adds_up(&result);
    // A write takes the 20 us of the data sheet: 1 us in the buffer, 1,280 ns on the link at 3.2 GB/s, and the rest in the controller.
    assert_eq!(responses(&result, Operation::Write), [20_000]);
    assert_eq!(responses(&result, Operation::Flush), [17_720], "nothing to wait for");
    assert_eq!(responses(&result, Operation::Deallocate), [17_720]);
    let result = flash("power_loss_protection = false\npreset = \"intel-p4500-1tb\"", "flush_every = 1");
    assert_adds_up(&result);
    // A page of 4 KiB is programmed: the command and the data on the channel, then the program, from when the buffer had the data on.
    let program = {
        let keys = "power_loss_protection = false\nbuffer = \"none\"\npreset = \"intel-p4500-1tb\"";
        responses(&flash(keys, ""), Operation::Write)[0]
    };
    let writes = responses(&result, Operation::Write);
    assert_eq!(writes.len(), 1, "each finds the buffer empty: {writes:?}");
    let flushes = responses(&result, Operation::Flush);
    assert_eq!(flushes.len(), 1, "{flushes:?}");
    // Without the buffer a write takes until its page is programmed; with it the flush takes until then.
    assert!((writes[0] + flushes[0]).abs_diff(program) <= 2, "{writes:?} {flushes:?} {program}");
}

#[test]
fn the_more_is_deallocated_the_less_is_copied() {
    let amplification = |load: &str| {
        let keys = "preset = \"mqsim\"\nchannels = 2\nblocks = 128\npages = 64\nfill = 2.0\ngc_start = \"3 %\"\nover_provisioning = \"28 %\"\nbuffer = \"64 KiB\"";
        let load = format!("queue_depth = 16\n{load}");
        figure(&flash(keys, &load), "ssd", "write_amplification")
    };
    let found = ["", "deallocate_fraction = 0.25", "deallocate_fraction = 0.5"].map(amplification);
    assert!(found[0] > found[1] && found[1] > found[2] && found[2] >= 1.0, "{found:?}");
}

const DISKS: &str = "[disks]\nkind = \"drives\"\ncapacity = \"64 MiB\"\naccess_time = \"2 ms\"\ntransfer_rate = \"64 MiB/s\"\n";

#[test]
fn an_array_flushes_every_member_and_deallocates_whole_stripes_with_their_checks() {
    let devices = |level: &str| {
        format!(
            "[array]\nkind = \"raid\"\nto = [\"disks\"]\nstripe_unit = \"64 KiB\"\nlayout = {{ level = \"{level}\" }}\n{DISKS}count = 4"
        )
    };
    // A request of four stripes of 192 KiB at a multiple of them: on each of the four members a piece of 256 KiB.
    let load = ALL.to_owned() + "\npattern = \"sequential\"";
    let text = |level: &str, size: &str| {
        system(&devices(level), "array", &load).replace("size = \"4 KiB\"\n", &format!("size = \"{size}\"\n"))
    };
    let (ended, _, asked) = run_seen(&text("5", "768 KiB"), Asked::default());
    drop(ended);
    let mut seen = [0; 2];
    for (io, parts, _) in &asked.ios {
        match io.request.operation {
            Operation::Flush => {
                assert_eq!(parts.len(), 4);
                assert!(parts.iter().all(|part| part.request.operation == Operation::Flush));
                seen[0] += 1;
            }
            Operation::Deallocate => {
                let pieces: Vec<_> =
                    parts.iter().map(|part| (part.request.operation, part.request.bytes)).collect();
                assert_eq!(pieces, [(Operation::Deallocate, 256 << 10); 4]);
                seen[1] += 1;
            }
            _ => {}
        }
    }
    assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
    // Within a stripe nothing is deallocated, as the check would not agree; without checks every byte is.
    let result = run(&text("5", "64 KiB"));
    assert_adds_up(&result);
    assert_eq!(figure(&result, "array", "member_deallocations"), 0.0);
    let result = run(&text("0", "64 KiB"));
    assert_eq!(
        figure(&result, "array", "member_deallocations"),
        count(&result, Operation::Deallocate) as f64
    );
}

#[test]
fn a_mirror_flushes_and_deallocates_every_copy() {
    let devices = format!("[pair]\nkind = \"mirror\"\nto = [\"disks\"]\n{DISKS}count = 2");
    let (_, _, asked) = run_seen(&system(&devices, "pair", ALL), Asked::default());
    for (io, parts, _) in &asked.ios {
        assert_eq!(parts.len(), 2);
        assert!(parts.iter().all(|part| part.request.operation == io.request.operation));
    }
}

#[test]
fn a_cache_flushes_by_destaging_what_is_dirty_and_forgets_what_is_deallocated() {
    let devices = |keys: &str| {
        format!("[cache]\nkind = \"cache\"\nto = [\"disks\"]\ncapacity = \"1 MiB\"\n{keys}\n{DISKS}")
    };
    // A write is held at once. Then the flush destages it: an access and 4 KiB at 64 MiB/s; the drive has nothing left to flush.
    let destage = (Span::from_ms(2) + Span::to_move(4096, 64 << 20)).as_ns_f64() as u64;
    let held = "[cache.write]\n";
    let result = run(&system(&devices(held), "cache", "flush_every = 1"));
    assert_adds_up(&result);
    assert_eq!(responses(&result, Operation::Write), [0]);
    assert_eq!(responses(&result, Operation::Flush), [destage]);
    assert_eq!(figure(&result, "cache", "left_dirty_blocks"), 0.0);
    // With a battery what is dirty is safe.
    let battery = held.to_owned() + "battery = true\n";
    let result = run(&system(&devices(&battery), "cache", "flush_every = 1"));
    assert_eq!(responses(&result, Operation::Flush), [0]);
    assert!(figure(&result, "cache", "left_dirty_blocks") > 0.0);
    // A deallocated block is clean, so the cache never destages it.
    let load = "deallocate_fraction = 0.5\npattern = \"sequential\"";
    let small = devices(held).replace("64 MiB\"\naccess", "512 KiB\"\naccess");
    let result = run(&system(&small, "cache", load));
    assert_adds_up(&result);
    let dirty = figure(&result, "cache", "left_dirty_blocks") + figure(&result, "cache", "destaged_blocks");
    assert!(dirty < count(&result, Operation::Write) as f64, "{dirty}");
}

#[test]
fn volumes_return_the_chunks_that_a_deallocation_covers() {
    let devices = format!(
        "[pool]\nkind = \"volumes\"\nto = [\"disks\"]\nchunk = \"64 KiB\"\n[pool.volumes.thin]\nsize = \"32 MiB\"\nspace = \"on-write\"\n{DISKS}"
    );
    // The volume presents 512 chunks, and the disk has 256. Of places that are deallocated three times as often as written a quarter has a
    // chunk, so that no write fails; without deallocations the pool is soon empty.
    let failed = |load: &str| {
        let text = system(&devices.replace("64 MiB", "16 MiB"), "pool", &format!("queue_depth = 4\n{load}"))
            .replace("size = \"4 KiB\"\n", "size = \"64 KiB\"\n")
            .replace("measured_ios = 200", "measured_ios = 4000");
        let result = run(&text);
        assert_adds_up(&result);
        let failed = result.ios.rows.iter().filter(|io| io.failed);
        assert!(failed.clone().all(|io| io.operation == Operation::Write), "only writes find no room");
        failed.count()
    };
    assert_eq!(failed("deallocate_fraction = 0.75"), 0);
    assert_eq!(failed("deallocate_fraction = 0.75\nflush_every = 10"), 0);
    assert!(failed("") > 1_000);
}

#[test]
fn commands_without_data_and_lists_cross_a_loop_to_the_word_on_both_models() {
    let set = [
        "run.warm_up=0",
        "run.measured_ios=300",
        "workload.read_fraction=0.3",
        "workload.flush_every=2",
        "workload.deallocate_fraction=0.3",
        "workload.queue_depth=3",
    ];
    for path in ["scenarios/wang-2005-base.toml", "scenarios/two-nodes.toml"] {
        let scenario = load(path, &set);
        for model in [NetworkModel::Fast, NetworkModel::Reference] {
            conserved::check(&build::plan_system(&scenario, None, model))
                .unwrap_or_else(|problem| panic!("{path} {model:?}: {problem}"));
        }
    }
}

/// A flush over a loop takes one frame to the drive and one back, and waits for nothing else: as long as a read of no bytes would.
#[test]
fn a_flush_over_a_loop_is_a_command_and_a_status() {
    let text = "[run]\nmeasured_ios = 100\nwarm_up = 0\n[loop]\nkind = \"arbitrated-loop\"\nspeed = \"1GFC\"\nstations = [\"host\", \"drive\"]\n\
        [host]\nkind = \"host\"\n[drive]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"100 MB/s\"\n\
        [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"drive\"]\nsize = \"512 B\"\nread_fraction = 0.0\nflush_every = 1\ndeallocate_fraction = 0.3\n";
    assert_reference_agrees(text);
    let result = run_on(text, NetworkModel::Fast);
    assert_adds_up(&result);
    let [flush, deallocation, write] = [Operation::Flush, Operation::Deallocate, Operation::Write]
        .map(|operation| responses(&result, operation));
    assert!(flush.last() < deallocation.first(), "{flush:?} {deallocation:?}");
    assert!(deallocation.last() < write.first(), "{deallocation:?} {write:?}");
}

/// Every write has forced unit access.
const FORCED: &str = "fua_fraction = 1.0";

#[test]
fn a_write_with_forced_unit_access_is_answered_when_the_medium_has_it() {
    let drive = |cache: &str| {
        format!(
            "[disk]\nkind = \"drives\"\ncapacity = \"64 MiB\"\naccess_time = \"2 ms\"\ntransfer_rate = \"4096 KB/s\"\n{cache}"
        )
    };
    // The access and the millisecond of the medium, with a cache or without.
    for cache in ["", "cache = \"64 KiB\""] {
        let result = run(&system(&drive(cache), "disk", FORCED));
        assert_adds_up(&result);
        assert_eq!(responses(&result, Operation::Write), [3_000_000], "{cache}");
    }
    // A disk without write-behind, and a disk with it, take as long.
    let disk = |keys: &str, load: &str| {
        let drive = format!("[disk]\nkind = \"disks\"\npreset = \"cheetah-15k5\"\n{keys}");
        let result = run(&system(&drive, "disk", load));
        assert_adds_up(&result);
        let rows = result.ios.rows.iter().map(|io| io.response.as_ns_f64());
        rows.sum::<f64>() / result.ios.rows.len() as f64
    };
    let rests = "think_time = \"50 ms\"\n";
    let through = disk("write_behind = false", rests);
    assert_eq!(disk("write_behind = true", &(rests.to_owned() + FORCED)), through);
    assert!(disk("write_behind = true", rests) < 0.1 * through, "the buffer has them while the disk writes");
    // A flash drive without protection programs the page; with it the buffer answers.
    let program = responses(&flash("buffer = \"none\"\npreset = \"intel-p4500-1tb\"", ""), Operation::Write);
    let forced = |protected: bool| {
        let keys = format!("power_loss_protection = {protected}\npreset = \"intel-p4500-1tb\"");
        let result = flash(&keys, FORCED);
        assert_adds_up(&result);
        responses(&result, Operation::Write)
    };
    assert_eq!(forced(false), program);
    assert_eq!(forced(true), [20_000]);
}

#[test]
fn a_write_with_forced_unit_access_passes_through_a_cache_without_a_battery_to_every_member() {
    let devices = |keys: &str| {
        format!(
            "[cache]\nkind = \"cache\"\nto = [\"disks\"]\ncapacity = \"1 MiB\"\n{keys}\n{DISKS}cache = \"64 KiB\""
        )
    };
    // Through: the access and 4 KiB at 64 MiB/s, on the medium of the drive behind its own cache.
    let medium = (Span::from_ms(2) + Span::to_move(4096, 64 << 20)).as_ns_f64() as u64;
    let result = run(&system(&devices("[cache.write]\n"), "cache", FORCED));
    assert_adds_up(&result);
    assert_eq!(responses(&result, Operation::Write), [medium]);
    assert_eq!(figure(&result, "cache", "left_dirty_blocks"), 0.0);
    // With a battery what is dirty is safe.
    let result = run(&system(&devices("[cache.write]\nbattery = true\n"), "cache", FORCED));
    assert_eq!(responses(&result, Operation::Write), [0]);
    // Half of the writes: those alone go through.
    let result = run(&system(&devices("[cache.write]\n"), "cache", "fua_fraction = 0.5"));
    let through = result.ios.rows.iter().filter(|io| io.response > Span::ZERO).count();
    assert!((70..130).contains(&through), "{through} of 200");
    // Both copies of a mirror, and data and checks of an array, have it.
    for array in [
        format!("[array]\nkind = \"mirror\"\nto = [\"disks\"]\n{DISKS}count = 2"),
        format!(
            "[array]\nkind = \"raid\"\nto = [\"disks\"]\nstripe_unit = \"64 KiB\"\nlayout = {{ level = \"5\" }}\n{DISKS}count = 4"
        ),
    ] {
        let (_, _, asked) = run_seen(&system(&array, "array", FORCED), Asked::default());
        let parts = asked.ios.iter().flat_map(|(_, parts, _)| parts);
        let writes: Vec<bool> = parts
            .filter(|part| part.request.operation == Operation::Write)
            .map(|part| part.request.forces_unit_access())
            .collect();
        assert!(writes.len() >= 2 * asked.ios.len() && writes.iter().all(|forced| *forced), "{array}");
    }
}
