use proptest::prelude::*;

use super::values::{IoDirection, RandomDistribution, Sizes};
use super::*;

fn jobs(text: &str) -> Vec<FioJob> {
    read("job.fio", text, &mut |_| Err("no".to_owned())).expect("a sound file").jobs
}

fn told(text: &str) -> Vec<(usize, String)> {
    let report = read("job.fio", text, &mut |_| Err("no".to_owned())).expect_err("mistakes");
    report.problems.iter().map(|problem| (problem.line(), problem.message.clone())).collect()
}

#[test]
fn a_global_section_holds_for_the_jobs_below_it() {
    let jobs = jobs("[a]\n[global]\nbs=8k\nrw=randrw\n[b]\n[c]\nbs=16k,\n[global]\niodepth=4\n[d]\n");
    let sizes: Vec<_> = jobs.iter().map(|job| job.sizes.read.clone()).collect();
    assert_eq!(sizes, [4096, 8192, 16384, 8192].map(Sizes::Fixed));
    assert_eq!(jobs.iter().map(|job| job.iodepth).collect::<Vec<_>>(), [1, 1, 1, 4]);
    assert_eq!(jobs[1].line, 5);
    // A value before a comma is for its direction only.
    assert_eq!(jobs[2].sizes.write, Sizes::Fixed(4096));
}

#[test]
fn of_two_shares_the_later_one_holds() {
    assert_eq!(jobs("[a]\nrw=rw\nrwmixread=70\nrwmixwrite=60\n")[0].read_percent, 40);
    assert_eq!(jobs("[a]\nrw=rw\nrwmixwrite=60\nrwmixread=70\n")[0].read_percent, 70);
}

#[test]
fn blank_percentages_share_what_is_left() {
    let job = &jobs("[a]\nbssplit=4k/50:1k/:32k/,64k/100\n")[0];
    assert_eq!(job.sizes.read, Sizes::Split(vec![(1024, 25), (4096, 50), (32768, 25)]));
    assert_eq!(job.sizes.write, Sizes::Split(vec![(65536, 100)]));
    let job = &jobs("[a]\nrw=randread\nrandom_distribution=zoned:60/10:40/\n")[0];
    assert_eq!(job.distribution.read, RandomDistribution::Zoned(vec![(60, 10), (40, 90)]));
    assert!(!job.random_map);
}

#[test]
fn kb_base_holds_for_its_whole_section() {
    assert_eq!(jobs("[a]\nbs=4k\nkb_base=1000\n")[0].sizes.read, Sizes::Fixed(4000));
}

#[test]
fn keys_that_mean_nothing_are_listed_with_the_reason() {
    let text = "[a]\nioengine=libaio\ndirect=1\nbs=4k\ninvalidate=1\n";
    let file = read("job.fio", text, &mut |_| Err(String::new())).expect("a sound file");
    let lines: Vec<_> = file.ignored.iter().map(|key| (key.key.as_str(), key.line)).collect();
    assert_eq!(lines, [("direct", 3), ("invalidate", 5)]);
    assert!(file.ignored[1].because.contains("kernel"));
}

#[test]
fn everything_that_is_wrong_is_told_at_once_with_its_line() {
    let text = "[a]\nrw=randraed\nbs=0\nrwmixread=101\nquue=3\nexitall=1\nsize=${SIZE}\niodepht=4\nruntime=5x\n\
                bssplit=4k/60:8k/60\nzonemode=zbd\nbs=\n";
    let lines: Vec<usize> = told(text).iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    let report = read("job.fio", text, &mut |_| Err(String::new())).expect_err("mistakes");
    let helps: Vec<_> =
        report.problems.iter().map(|problem| problem.help.clone().unwrap_or_default()).collect();
    assert_eq!(helps[0], "did you mean `randread`?");
    assert_eq!(helps[6], "did you mean `iodepth`?");
    assert!(report.problems[5].message.contains("environment"));
    assert_eq!(report.problems[6].key, "a.iodepht");
}

#[test]
fn contradictions_are_told() {
    for (keys, message) in [
        ("time_based", "a job goes on by time and has no runtime"),
        ("rate=1m\nrate_iops=5", "a rate is given in bytes and in I/Os per second"),
        ("rate=1k\nrate_min=2k", "the lowest rate is above the highest"),
        ("bs=4k\nbssplit=4k/100", "bs has no effect beside bssplit"),
        ("bsrange=1k-4k\nbssplit=4k/100", "sizes are given as a mix and as a range"),
        ("zonemode=strided", "strided zones have no size"),
        ("zonemode=none\nzonesize=1m", "a zone has a size, and there are none"),
        ("size=2k", "the region is smaller than an I/O"),
        ("norandommap", "norandommap is for random jobs, and this one goes on in a row"),
        ("latency_target=5ms", "a latency is to be kept for no time"),
        ("nrfiles=3", "a simulated job has one region, not several files"),
        ("read_iolog=x\nnumjobs=2", "a log is replayed by several clones at once"),
        ("startdelay=5-2", "the range of delays begins above its end"),
    ] {
        let told = told(&format!("[a]\n{keys}\n"));
        assert_eq!(told.len(), 1, "{keys}: {told:?}");
        assert_eq!(told[0].1, message);
    }
}

#[test]
fn a_rate_in_bytes_is_counted_in_the_smallest_ios() {
    let job = &jobs("[a]\nrw=rw\nbssplit=4k/50:64k/50\nrate=1m,512k\n")[0];
    assert_eq!((job.rate.iops.read, job.rate.iops.write), (Some(256), Some(128)));
}

#[test]
fn a_region_is_a_part_of_the_device() {
    let job = &jobs("[a]\nsize=25%\noffset=50%\noffset_increment=1m\nnumjobs=2\n")[0];
    assert_eq!(job.region.region_on_device(1, 64 << 20), Some(((32 << 20) + (1 << 20), 16 << 20)));
    assert_eq!(job.region.region_on_device(40, 64 << 20), None);
    assert!(job::used_directions(job).eq([IoDirection::Read]));
}

#[test]
fn a_file_without_a_job_says_so() {
    assert_eq!(told("[global]\nbs=4k\n"), [(1, "there is no job in this file".to_owned())]);
    assert_eq!(told("").len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(2_000)) })]
    #[test]
    fn any_bytes_are_read_or_told_with_a_line(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        no_panic(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_values_of_known_keys_are_read_or_told_with_a_line(
        lines in prop::collection::vec((prop::sample::select(KEYS.to_vec()), "[0-9a-z:/,.%$-]{0,24}|zoned:[0-9/:]{0,20}|[0-9]{1,20}[kmgt]?"), 1..6)
    ) {
        let keys: String = lines.iter().map(|(key, value)| format!("{}={value}\n", key.name)).collect();
        no_panic(&format!("[job]\n{keys}"));
    }
}

fn no_panic(text: &str) {
    match read("job.fio", text, &mut |_| Ok("[x]\ninclude y\n".to_owned())) {
        Ok(file) => {
            for job in &file.jobs {
                if let Ok(addresses) = addresses::CloneAddresses::new(job, 0, 1 << 22, 1, "job") {
                    let (begin, length) = addresses.region();
                    let ends: Vec<_> =
                        addresses.take(50).map(|io| (io.offset, io.offset + io.bytes)).collect();
                    assert!(ends.iter().all(|(from, to)| *from >= begin && *to <= begin + length));
                }
            }
        }
        Err(report) => {
            assert!(!report.problems.is_empty() && report.problems.iter().all(|problem| problem.line() >= 1));
            let _ = report.to_string();
        }
    }
}

#[test]
fn priorities_are_those_of_best_effort_and_the_other_classes_go_before_or_behind_all_of_them() {
    let priority = |keys: &str| jobs(&format!("[a]\nsize=25%\n{keys}\n"))[0].priority.in_one_class();
    let of = ["", "prio=0", "prio=6", "prioclass=2\nprio=1", "prioclass=1\nprio=5", "prioclass=3"];
    assert_eq!(
        of.map(priority),
        [sansim_request::NORMAL_PRIORITY, 0, 6, 1, 0, sansim_request::LEAST_PRIORITY]
    );
}

/// The errors in a file of one job with these keys.
fn wrong(keys: &str) -> Vec<String> {
    match read("job.fio", &format!("[a]\n{keys}\n"), &mut |_| Err("no".to_owned())) {
        Ok(_) => Vec::new(),
        Err(report) => report.problems.iter().map(|problem| problem.message.clone()).collect(),
    }
}

#[test]
fn verification_that_is_switched_off_changes_nothing() {
    for keys in [
        "rw=randread\nverify=0\ndo_verify=0\nverify_state_save=0",
        "rw=randwrite\nverify=0\nverify_dump=1\nverify_fatal=1\nverify_state_save=1\nverify_async=4\nverify_interval=512",
        "rw=randwrite\nverify=md5\ndo_verify=0",
        // A job that only reads has no more I/Os because of verification.
        "rw=randread\nverify=crc32c",
        "rw=randwrite\nverify_pattern=0xff\nverify=0",
        "rw=randwrite\nverify_backlog=1024",
        "rw=write\nfsync=0\nend_fsync=0\nfdatasync=0\nwrite_barrier=0\nfill_device=0\ntrim_percentage=0\nserialize_overlap=0",
    ] {
        assert_eq!(wrong(keys), Vec::<String>::new(), "{keys}");
    }
}

#[test]
fn verification_that_reads_back_what_was_written_is_refused() {
    for keys in [
        "rw=randwrite\nverify=md5",
        "rw=randrw\nverify=null",
        "rw=write\nverify_pattern=0xdeadbeef",
        "rw=write\nverify=0\nverify_pattern=0xdeadbeef",
        "rw=write\nverify=sha256\ndo_verify=0\nverify_backlog=64",
    ] {
        assert_eq!(
            wrong(keys),
            ["verification reads back what the job has written, which is not simulated"],
            "{keys}"
        );
    }
    assert_eq!(wrong("rw=write\nverify=md6"), [r#""md6" is no way to verify"#]);
    assert_eq!(wrong("rw=write\nend_fsync=1").len(), 1);
}

#[test]
fn a_range_of_sizes_in_blocksize_is_told_with_the_key_that_takes_it() {
    for (key, value) in [("blocksize", "4k-512k"), ("bs", "512-1m"), ("bs", "4k-8k,16k")] {
        let text = format!("[a]\n{key}={value}\n");
        let report = read("job.fio", &text, &mut |_| Err("no".to_owned())).expect_err("a range");
        let help = report.problems[0].help.clone().unwrap_or_default();
        assert!(help.contains(&format!("blocksize_range={value} (or bsrange)")), "{help}");
    }
    assert_eq!(wrong("blocksize_range=4k-512k"), Vec::<String>::new());
}

#[test]
fn a_rate_without_a_comma_is_for_each_direction_and_with_one_for_its_own() {
    let iops = |value: &str| {
        let job = &jobs(&format!("[a]\nrw=randrw\nrate_iops={value}\n"))[0];
        (job.rate.iops.read, job.rate.iops.write)
    };
    assert_eq!(iops("100"), (Some(100), Some(100)));
    assert_eq!(iops("100,50"), (Some(100), Some(50)));
    assert_eq!([iops("100,"), iops("100,0")], [(Some(100), None); 2]);
    assert_eq!(iops(",50"), (None, Some(50)));
}
