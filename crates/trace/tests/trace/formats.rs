//! Tests of peculiarities of formats, a line at a time, against records written by hand.

use crate::common::{read_all, reader, records};
use sansim_trace::{
    BlktraceAction, FioWait, FormatOptions, TimeUnit, TraceInfo, TraceOperation, TraceReadOptions,
    TraceRecord,
};

fn with(word: &str, reading: FormatOptions) -> TraceReadOptions {
    TraceReadOptions { format: Some(word.to_owned()), reading, ..TraceReadOptions::default() }
}

fn plain(word: &str) -> TraceReadOptions {
    with(word, FormatOptions::default())
}

/// A request as: time in seconds, operation, offset in sectors, length in sectors, latency in milliseconds.
type Short = (f64, TraceOperation, u64, u64, Option<f64>);

fn short(records: &[TraceRecord]) -> Vec<Short> {
    let ms = |ns: u64| ns as f64 / 1e6;
    records
        .iter()
        .map(|r| (ms(r.at_ns) / 1e3, r.operation, r.offset / 512, r.bytes / 512, r.latency_ns.map(ms)))
        .collect()
}

/// The blkparse text has two writes that are merged, a read, a flush and a trim, each with its stages.
const BLKPARSE: &str = "\
  8,0    1        1     1.000000000   697  Q   W 1000 + 8 [dd]
  8,0    1        2     1.000100000   697  G   W 1000 + 8 [dd]
  8,0    1        3     1.000200000   697  Q   W 1008 + 8 [dd]
  8,0    1        4     1.000300000   697  M   W 1008 + 8 [dd]
  8,0    1        5     1.001000000   697  D   W 1000 + 16 [dd]
  8,0    0        6     1.002000000     0  Q  RM 1000 + 8 [cat]
  8,0    0        7     1.002000000     0  D  RM 1000 + 8 [cat]
  8,0    0        8     1.003000000     0  C  RM 1000 + 8 [0]
  8,0    1        9     1.004000000     0  C   W 1000 + 16 [0]
  8,0    1       10     1.005000000   697  Q  FF [sync]
  8,0    1       11     1.006000000   697  Q  DS 4096 + 2048 (  500) [fstrim]
  8,0    1       12     1.007000000     0  C  DS 4096 + 2048 ( 1000) [0]
  8,0    1       13     1.008000000     0  Q   N [cdrom]
";

#[test]
fn the_queueing_of_blkparse_has_merged_requests_once_and_their_latency() {
    let (found, volumes) = records(BLKPARSE.as_bytes(), &plain("blkparse")).unwrap();
    assert_eq!(volumes, ["8,0"]);
    assert_eq!(
        short(&found),
        [
            (0.0, TraceOperation::Write, 1_000, 8, Some(4.0)),
            (0.000_2, TraceOperation::Write, 1_008, 8, Some(3.8)),
            (0.002, TraceOperation::Read, 1_000, 8, Some(1.0)),
            (0.005, TraceOperation::Flush, 0, 0, None),
            (0.006, TraceOperation::Trim, 4_096, 2_048, Some(1.0)),
        ]
    );
}

#[test]
fn the_issues_and_completions_of_blkparse_have_the_merged_request() {
    let issued =
        with("blkparse", FormatOptions { action: BlktraceAction::Issued, ..FormatOptions::default() });
    let (found, _) = records(BLKPARSE.as_bytes(), &issued).unwrap();
    let expected = [
        (0.0, TraceOperation::Write, 1_000, 16, Some(3.0)),
        (0.001, TraceOperation::Read, 1_000, 8, Some(1.0)),
    ];
    assert_eq!(short(&found), expected);
    let completed =
        with("blkparse", FormatOptions { action: BlktraceAction::Completed, ..FormatOptions::default() });
    let (found, _) = records(BLKPARSE.as_bytes(), &completed).unwrap();
    let expected = [
        (0.0, TraceOperation::Read, 1_000, 8, Some(1.0)),
        (0.001, TraceOperation::Write, 1_000, 16, Some(4.0)),
        (0.004, TraceOperation::Trim, 4_096, 2_048, Some(1.0)),
    ];
    assert_eq!(short(&found), expected);
}

#[test]
fn a_request_of_blkparse_that_never_completes_holds_up_only_so_many() {
    let mut text = String::from("8,0 0 1 0.0 0 Q R 8 + 8 [x]\n");
    for n in 0..20_000 {
        text += &format!("8,0 0 2 {n}.1 0 Q R {0} + 8 [x]\n8,0 0 2 {n}.2 0 C R {0} + 8 [0]\n", 100 + n * 8);
    }
    let (found, _) = records(text.as_bytes(), &plain("blkparse")).unwrap();
    assert_eq!(found.len(), 20_001);
    assert_eq!(found[0].latency_ns, None);
    assert!(found[1..].iter().all(|record| record.latency_ns == Some(100_000_000)));
}

#[test]
fn waits_of_a_fio_log_are_milliseconds_from_the_start_or_microseconds_from_the_last() {
    let text = "fio version 2 iolog\n/f add\n/f open\n/f read 0 512\n/f wait 2000 0\n/f write 512 512\n\
                /f wait 3000 0\n/f datasync 9 9\n/f close\n";
    let (found, volumes) = records(text.as_bytes(), &TraceReadOptions::default()).unwrap();
    assert_eq!(volumes, ["/f"]);
    let expected = [
        (0.0, TraceOperation::Read, 0, 1, None),
        (2.0, TraceOperation::Write, 1, 1, None),
        (3.0, TraceOperation::Flush, 0, 0, None),
    ];
    assert_eq!(short(&found), expected);
    let documented =
        with("fio-iolog", FormatOptions { fio_wait: FioWait::Documented, ..FormatOptions::default() });
    let (found, _) = records(text.as_bytes(), &documented).unwrap();
    assert_eq!(found.iter().map(|record| record.at_ns).collect::<Vec<_>>(), [0, 2_000_000, 5_000_000]);
}

#[test]
fn a_fio_log_of_version_3_counts_microseconds_and_uses_only_what_was_added() {
    let text = "fio version 3 iolog\n0 /f add\n0 /f open\n5 /f trim 0 512\n2000005 /f read 512 512\n";
    let (found, _) = records(text.as_bytes(), &TraceReadOptions::default()).unwrap();
    assert_eq!(
        short(&found),
        [(0.0, TraceOperation::Trim, 0, 1, None), (2.0, TraceOperation::Read, 1, 1, None)]
    );
    let error =
        records(b"fio version 3 iolog\n0 /f read 0 512\n", &plain("fio-iolog")).unwrap_err().to_string();
    assert!(error.contains("line 2: file name was not added before it is used"), "{error}");
    let error = records(b"0 /f read 0 512\n", &plain("fio-iolog")).unwrap_err().to_string();
    assert!(error.contains("line 1: first line is not `fio version 2 iolog`"), "{error}");
}

#[test]
fn disksim_and_mqsim_differ_in_their_unit_and_agree_in_bit_0() {
    let (found, _) = records(b"0.5 3 8 16 0\n1.75 3 24 8 11\n", &TraceReadOptions::default()).unwrap();
    assert_eq!(
        short(&found),
        [(0.0, TraceOperation::Write, 8, 16, None), (0.001_25, TraceOperation::Read, 24, 8, None)]
    );
    let ns =
        with("disksim", FormatOptions { time_unit: Some(TimeUnit::Nanoseconds), ..FormatOptions::default() });
    let (found, _) = records(b"1000 0 8 16 1\n3500 0 24 8 0\n", &ns).unwrap();
    assert_eq!(found[1].at_ns, 2_500);
}

#[test]
fn columns_of_a_csv_are_declared_with_their_units_and_the_separator() {
    let columns = Some("op:1=read;-;time:ms;size:4096;offset:sectors;latency:us".to_owned());
    let csv = with("csv", FormatOptions { columns, ..FormatOptions::default() });
    let text = "Op;Host;When;Size;Where;Took\n1;x;10.5;2;8;\n\"0\";y;11;1;16;2.5\nflush;z;11;;;\n";
    let (found, volumes) = records(text.as_bytes(), &csv).unwrap();
    assert_eq!(volumes, ["0"]);
    let expected = [
        (0.0, TraceOperation::Read, 8, 16, None),
        (0.000_5, TraceOperation::Write, 16, 8, Some(0.002_5)),
        (0.000_5, TraceOperation::Flush, 0, 0, None),
    ];
    assert_eq!(short(&found), expected);
    for (columns, why) in [
        ("time,op,offset,bytes", "`time` needs a unit: `time:s`"),
        ("time:s,op,offset", "column `bytes` is missing"),
        ("time:s,op,offset,bytes,op", "column `op` is there 2 times"),
        ("time:s,op,offset:furlongs,bytes", "no unit that is known"),
        ("time:s,op,offset,bytes,colour", "`colour` is no column"),
    ] {
        let csv =
            with("csv", FormatOptions { columns: Some(columns.to_owned()), ..FormatOptions::default() });
        let error = records(b"1,2,3,4\n", &csv).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_systor_line_may_have_no_response() {
    let text = "Timestamp,Response,IOType,LUN,Offset,Size\n1455592000.25,0.0005,R,3,4096,512\n1455592000.5,,W,3,0,512\n";
    let (found, _) = records(text.as_bytes(), &TraceReadOptions::default()).unwrap();
    assert_eq!(
        short(&found),
        [(0.0, TraceOperation::Read, 8, 1, Some(0.5)), (0.25, TraceOperation::Write, 0, 1, None)]
    );
}

#[test]
fn a_volume_of_fiu_is_its_two_numbers() {
    let text = "89966104628868 4892 syslogd 904265560 8 W 6 0 531e779fb4e5b3b0d8e4a6a0\n\
                89966104629868 4892 syslogd 904265568 8 R 6 1 531e779fb4e5b3b0d8e4a6a0\n";
    let (found, volumes) = records(text.as_bytes(), &TraceReadOptions::default()).unwrap();
    assert_eq!(volumes, ["6,0", "6,1"]);
    assert_eq!((found[1].at_ns, found[1].offset), (1_000, 904_265_568 * 512));
}

#[test]
fn info_says_what_a_trace_is() {
    // The trace has a sequential stream of 64 KiB requests on volume 0, one each second; and the same block of volume 1, read and written.
    let mut text = String::from("time:s,volume,op,offset,bytes,latency:ms\n");
    for n in 0..100_u64 {
        text += &format!("{n},a,read,{},65536,2\n", n * 65_536);
        text += &format!("{n}.5,b,{},4096,4096,\n", if n % 2 == 0 { "read" } else { "write" });
    }
    let info =
        TraceInfo::summarise_trace(&mut reader(text.as_bytes(), &TraceReadOptions::default()).unwrap());
    assert_eq!((info.format.as_str(), info.compression.as_str(), info.error), ("csv", "none", None));
    assert_eq!((info.requests, info.reads, info.writes, info.trims, info.flushes), (200, 150, 50, 0, 0));
    assert_eq!((info.bytes_read, info.bytes_written), (100 * 65_536 + 50 * 4_096, 50 * 4_096));
    assert_eq!((info.span_s, info.peak_requests_per_s), (99.5, 2));
    assert_eq!(info.volumes[0].sequential_share, Some(1.0));
    assert_eq!((info.volumes[1].sequential_share, info.volumes[1].end_bytes), (Some(0.0), 8_192));
    assert_eq!(info.sequential_share, Some(0.5));
    assert_eq!(
        info.sizes.iter().map(|size| (size.bytes, size.share)).collect::<Vec<_>>(),
        [(4_096, 0.5), (65_536, 0.5)]
    );
    assert_eq!((info.unique_bytes / 4_096.0, info.unique_exact), (1_601.0, true));
    let again = info.touched_again_share.unwrap();
    assert!((again - 99.0 / 1_700.0).abs() < 1e-9, "{again}");
    assert_eq!(info.inter_arrival_cv, Some(0.0));
    assert_eq!(info.dispersion[2].index, Some(0.0));
    let latency = info.latency.unwrap();
    assert_eq!((latency.requests, latency.mean_s, latency.longest_s), (100, 0.002, 0.002));
    assert_eq!(info.rate.bins.iter().map(|bin| bin.requests).sum::<u64>(), 200);
    assert!(info.warnings.is_empty(), "{:?}", info.warnings);
}

#[test]
fn info_of_a_damaged_trace_says_what_came_before_and_why_it_ends() {
    let text: String = (0..30_000).map(|n| format!("0,{n},512,r,{n}\n")).collect();
    let packed = crate::common::gzip(text.as_bytes());
    let info = TraceInfo::summarise_trace(
        &mut reader(&packed[..packed.len() / 2], &TraceReadOptions::default()).unwrap(),
    );
    let error = info.error.unwrap();
    assert!(error.contains("gzip is damaged: it ends too early"), "{error}");
    assert!(
        error.contains(&format!("{} requests came before", info.requests)) && info.requests > 1_000,
        "{error}"
    );
}

#[test]
fn requests_of_a_whole_second_are_spread_over_it_in_their_order() {
    let text = "1538323200,0,8,0,1\n1538323200,8,8,1,1\n1538323201,16,8,0,2\n1538323201,24,8,0,2\n";
    let mut trace = reader(text.as_bytes(), &TraceReadOptions::default()).unwrap();
    let (found, _) = read_all(&mut trace);
    assert_eq!(
        found.iter().map(|record| record.at_ns / 1_000_000).collect::<Vec<_>>(),
        [0, 500, 1_000, 1_500]
    );
    assert_eq!(trace.anomalies().dates_s, Some([1_538_323_200, 1_538_323_201]));
}

#[test]
fn figures_of_times_below_a_second_are_left_out_if_times_are_whole_seconds() {
    let text: String = (0..2_000).map(|n| format!("{},{},8,0,1\n", 1_538_323_200 + n / 100, n * 8)).collect();
    let whole =
        TraceInfo::summarise_trace(&mut reader(text.as_bytes(), &TraceReadOptions::default()).unwrap());
    assert_eq!((whole.format.as_str(), whole.whole_seconds), ("tencent", true));
    assert_eq!((whole.inter_arrival_cv, whole.hurst, whole.b_model), (None, None, None));
    let scales: Vec<_> = whole.dispersion.iter().map(|one| one.index.is_some()).collect();
    assert_eq!(scales, [false, false, true, false], "{:?}", whole.dispersion);
    assert!(whole.warnings[0].contains("times are whole seconds"), "{:?}", whole.warnings);
    let finer: String =
        (0..2_000).map(|n| format!("0,{},4096,r,{}.{:02}\n", n * 8, n / 100, n % 100)).collect();
    let finer =
        TraceInfo::summarise_trace(&mut reader(finer.as_bytes(), &TraceReadOptions::default()).unwrap());
    assert!(!finer.whole_seconds && finer.inter_arrival_cv.is_some() && finer.warnings.is_empty());
}

#[test]
fn a_fio_log_that_begins_with_many_files_is_still_found_by_looking() {
    let mut text = String::from("fio version 3 iolog\n");
    (0..300).for_each(|n| text += &format!("0 /f{n} add\n0 /f{n} open\n"));
    text += "5 /f299 read 0 512\n";
    assert_eq!(
        reader(text.as_bytes(), &TraceReadOptions::default()).unwrap().trace_format().word,
        "fio-iolog"
    );
}

#[test]
fn who_declares_columns_means_csv() {
    // Without the declaration this would be a line of the Tencent format.
    let text = "10,8,8,0,7\n";
    assert_eq!(reader(text.as_bytes(), &TraceReadOptions::default()).unwrap().trace_format().word, "tencent");
    let columns = Some("time:s,offset:sectors,bytes,op:1=read,volume".to_owned());
    let options = TraceReadOptions {
        reading: FormatOptions { columns, ..FormatOptions::default() },
        ..TraceReadOptions::default()
    };
    let (found, _) = records(text.as_bytes(), &options).unwrap();
    assert_eq!((found[0].operation, found[0].bytes), (TraceOperation::Write, 8));
}

#[test]
fn a_file_whose_first_line_is_broken_is_still_found_by_looking() {
    let text = "0,8,51\n0,8,512,r,0\n0,16,512,w,1\n0,24,512,w,1\n";
    let error = records(text.as_bytes(), &TraceReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("line 1: opcode is missing: `0,8,51`, read as `spc`"), "{error}");
}
