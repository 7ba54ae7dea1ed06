use super::*;
use crate::aims::TargetDevices;
use crate::devices::NamedTarget;
use crate::streams::Streams;
use crate::streams::plan::{DirectionRate, DirectionRates};
use crate::streams::source::{RequestSource, SourcePlan};
use crate::streams::wanted::NextRequest;

/// A workload of a job file; `keys` are the keys of the workload beside `from`, `to` and `file`.
fn workload(file: &str, keys: &str) -> FioJobParameters {
    // Each test has a folder of its own, because tests run in parallel.
    let folder = tempfile(file);
    let path = folder.join("job.fio");
    std::fs::write(&path, file).expect("a place for temporary files");
    let file = path.display();
    crate::testing::keys(&format!("from = \"host\"\nto = [\"disk\"]\nfile = \"{file}\"\n{keys}\n"))
}

fn tempfile(text: &str) -> std::path::PathBuf {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let folder = std::env::temp_dir().join(format!("sansim-fio-{}-{}", std::process::id(), hasher.finish()));
    std::fs::create_dir_all(&folder).expect("a place for temporary files");
    folder
}

/// This many drives of 64 MiB, named `disk[0]` and so on.
fn disks(count: u32) -> TargetDevices {
    let names = (0..count).map(|disk| format!("disk[{disk}]")).collect();
    TargetDevices {
        workload: 0,
        devices: (0..count).collect(),
        capacity_blocks: vec![131_072; count as usize],
        names,
    }
}

/// The first I/Os of a stream.
fn ios(plan: &StreamPlan, aims: &TargetDevices, count: usize) -> Vec<NextRequest> {
    let ContentPlan::FioJob(clone) = &plan.content else { panic!("another content") };
    let mut source = crate::fio_job::clone::FioClone::new(clone, aims, 1, "w");
    assert_eq!(source.fault(), None);
    std::iter::from_fn(|| source.next(None)).take(count).collect()
}

/// The number of outstanding I/Os of the only stream of a job.
fn depth(keys: &str, of_workload: &str) -> u32 {
    match workload(&format!("[a]\nsize=1m\niodepth=8\n{keys}\n"), of_workload).plan().streams[0].pace {
        StreamPace::Closed { slots: StreamSlots::InAll(count), .. }
        | StreamPace::Rated { outstanding: count, .. } => count,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn a_synchronous_engine_has_one_io_outstanding_whatever_iodepth_says() {
    // fio 3.33: "both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1".
    for engine in ["psync", "sync", "vsync", "pvsync", "pvsync2", "mmap", "splice", "libpmem"] {
        assert_eq!(depth(&format!("ioengine={engine}"), ""), 1, "{engine}");
    }
    for engine in ["libaio", "io_uring", "posixaio", "null", "windowsaio"] {
        assert_eq!(depth(&format!("ioengine={engine}"), ""), 8, "{engine}");
    }
    assert_eq!(depth("", ""), 1, "fio takes psync where a file names none");
    assert_eq!(depth("rate_iops=10", ""), 1);
    assert_eq!(depth("io_submit_mode=offload", ""), 8, "threads of their own wait for the I/Os");
    assert_eq!(
        [depth("ioengine=sg\nfilename=/dev/sdb", ""), depth("ioengine=sg\nfilename=/dev/sg1", "")],
        [1, 8]
    );
}

#[test]
fn a_key_of_the_workload_names_the_engine_of_files_that_name_none() {
    let libaio = "engine = \"libaio\"";
    assert_eq!(depth("", libaio), 8);
    assert_eq!(depth("ioengine=psync", libaio), 1, "the file goes before");
}

#[test]
fn a_capped_depth_is_told_with_the_key_that_names_another_engine() {
    let remarks = workload("[a]\nsize=1m\niodepth=8\n", "").remarks();
    assert!(
        remarks
            .iter()
            .any(|remark| remark.contains("psync is a synchronous engine") && remark.contains("`engine`"))
    );
    let remarks = workload("[a]\nsize=1m\niodepth=8\nioengine=libaio\n", "").remarks();
    assert!(remarks.iter().all(|remark| !remark.contains("synchronous")), "{remarks:?}");
}

#[test]
fn each_direction_has_the_rate_that_fio_gives_it() {
    let rates = |keys: &str| match workload(&format!("[a]\nsize=1m\n{keys}\n"), "").plan().streams[0].pace {
        StreamPace::Rated { rates: DirectionRates { of }, .. } => of,
        ref other => panic!("{other:?}"),
    };
    let bytes = |per_s, smallest| Some(DirectionRate::Bytes { per_s, smallest });
    assert_eq!(rates("rw=randrw\nrate_iops=100,50"), [bytes(409_600, 4096), bytes(204_800, 4096)]);
    assert_eq!(rates("rw=randrw\nrate=1m"), [bytes(1 << 20, 4096); 2]);
    assert_eq!(rates("rw=randrw\nrate_iops=100,"), [bytes(409_600, 4096), Some(DirectionRate::None)]);
    assert_eq!(rates("rw=randwrite\nrate_iops=100,50"), [None, bytes(204_800, 4096)]);
    // With several sizes fio counts bytes, by the smallest size.
    assert_eq!(rates("rw=randread\nbssplit=4k/50:64k/50\nrate_iops=100"), [bytes(409_600, 4096), None]);
}

#[test]
fn the_nth_name_of_a_file_is_the_nth_device() {
    let file = "[a]\nfilename=/dev/sda:/dev/sdb\n[b]\nfilename=/dev/sdb\n[c]\nfilename=/dev/sdc\n";
    let devices = |keys: &str| {
        let places = workload(file, keys).plan().streams.into_iter().map(|stream| match stream.content {
            ContentPlan::FioJob(ClonePlan { place: FilePlace::Devices(targets), .. }) => targets,
            other => panic!("{other:?}"),
        });
        places.collect::<Vec<Vec<NamedTarget>>>()
    };
    let number = NamedTarget::Numbered;
    assert_eq!(devices(""), [vec![number(0), number(1)], vec![number(1)], vec![number(2)]]);
    let called = NamedTarget::Called("disk[7]".to_owned());
    let table = "devices = { \"/dev/sdb\" = \"disk[7]\" }";
    assert_eq!(devices(table), [vec![number(0), called.clone()], vec![called], vec![number(2)]]);
}

#[test]
fn ios_go_to_the_files_of_a_job_in_turn() {
    // fio 3.33 with `--write_iolog` of rw=read, size=1m, filename=f1:f2 writes: f1 0, f2 0, f1 4096, f2 4096, ... to 520192 of each.
    let plan = workload("[a]\nrw=read\nsize=1m\nfilename=f1:f2\n", "").plan();
    let found = ios(&plan.streams[0], &disks(4), 1_000);
    let places: Vec<(u32, u64)> = found.iter().map(|io| (io.device, io.offset_bytes)).collect();
    assert_eq!(places[..4], [(0, 0), (1, 0), (0, 4096), (1, 4096)]);
    assert_eq!((places.len(), places[255]), (256, (1, 520_192)), "each has its part of the size");
    let twice =
        workload("[a]\nrw=read\nsize=32k\nfilename=f1:f2\nfile_service_type=roundrobin:2\n", "").plan();
    let turns: Vec<u32> = ios(&twice.streams[0], &disks(4), 100).iter().map(|io| io.device).collect();
    assert_eq!(turns, [0, 0, 1, 1, 0, 0, 1, 1]);
    let whole = workload("[a]\nrw=read\nsize=32k\nfilename=f1:f2\nfile_service_type=sequential\n", "").plan();
    let turns: Vec<u32> = ios(&whole.streams[0], &disks(4), 100).iter().map(|io| io.device).collect();
    assert_eq!(turns, [0, 0, 0, 0, 1, 1, 1, 1]);
}

#[test]
fn the_name_of_a_group_is_all_its_devices_as_one_file() {
    let table = "devices = { \"/dev/md0\" = \"disk\" }\nstripe_unit = \"4 KiB\"";
    let plan = workload("[a]\nrw=read\nsize=32k\nfilename=/dev/md0\n", table).plan();
    let turns: Vec<u32> = ios(&plan.streams[0], &disks(4), 100).iter().map(|io| io.device).collect();
    assert_eq!(turns, [0, 1, 2, 3, 0, 1, 2, 3]);
    assert_eq!(plan.streams[0].content.stripe_bytes(), Some(4096));
}

#[test]
fn a_clone_without_a_file_name_has_a_file_of_its_own() {
    let plan = workload("[a]\nrw=read\nsize=1m\nnumjobs=2\n[b]\nrw=read\nsize=8k\noffset=4k\n", "").plan();
    let firsts: Vec<u64> =
        plan.streams.iter().map(|stream| ios(stream, &disks(1), 1)[0].offset_bytes).collect();
    assert_eq!(firsts, [0, 1 << 20, (2 << 20) + 4096]);
    let shared = workload("[a]\nrw=read\nsize=1m\nnumjobs=2\nfilename_format=same.$filenum\n", "").plan();
    assert!(shared.streams.iter().all(|stream| ios(stream, &disks(1), 1)[0].offset_bytes == 0));
    // Without a size fio requires a size: the name comes from the command line.
    let plan = workload("[a]\nrw=read\n[b]\nrw=read\noffset=50%\nsize=50%\n", "").plan();
    let places = |stream: &StreamPlan| ios(stream, &disks(2), 1)[0].device;
    assert_eq!(plan.streams.iter().map(places).collect::<Vec<u32>>(), [0, 1]);
}

#[test]
fn nrfiles_means_nothing_beside_names() {
    let file = workload("[a]\nsize=1m\nfilename=x\nnrfiles=4\n", "");
    assert!(file.read().is_ok());
    let _ = Streams::new(&file.plan(), disks(1), 1, "w");
}
