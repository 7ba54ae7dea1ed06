//! Tests of given units, files whose first line is a header, words for operations, and the warnings for a file that is doubtful or empty.

use crate::common::{reader, records};
use sansim_trace::{
    BlktraceAction, FormatOptions, TimeUnit, TraceInfo, TraceOperation, TraceReadOptions, TraceRecord,
};

fn with(word: Option<&str>, reading: FormatOptions) -> TraceReadOptions {
    TraceReadOptions { format: word.map(str::to_owned), reading, ..TraceReadOptions::default() }
}

fn columns(declared: &str) -> TraceReadOptions {
    with(None, FormatOptions { columns: Some(declared.to_owned()), ..FormatOptions::default() })
}

fn found(text: &str, options: &TraceReadOptions) -> Vec<TraceRecord> {
    records(text.as_bytes(), options).unwrap_or_else(|error| panic!("{error}")).0
}

/// The operation, the offset and the length of each record.
fn plain(records: &[TraceRecord]) -> Vec<(TraceOperation, u64, u64)> {
    records.iter().map(|record| (record.operation, record.offset, record.bytes)).collect()
}

/// The warnings for a trace, in one text.
fn told(text: &[u8], options: &TraceReadOptions) -> String {
    let mut trace = reader(text, options).unwrap_or_else(|error| panic!("{error}"));
    TraceInfo::summarise_trace(&mut trace).warnings.join("\n")
}

/// Four requests of MQSim, which counts nanoseconds.
const MQSIM: &str = "900000000 0 264719034 16 0\n900400000 0 197570570 16 1\n900500000 0 93230992 32 0\n900900000 0 93231992 32 1\n";

#[test]
fn whole_times_that_cannot_be_milliseconds_are_doubted_until_the_unit_is_given() {
    let doubt = told(MQSIM.as_bytes(), &TraceReadOptions::default());
    assert!(doubt.contains("whole numbers") && doubt.contains("time_unit"), "{doubt}");
    let ns = with(None, FormatOptions { time_unit: Some(TimeUnit::Nanoseconds), ..FormatOptions::default() });
    assert_eq!(told(MQSIM.as_bytes(), &ns), "");
    assert_eq!(found(MQSIM, &ns).last().map(|record| record.at_ns), Some(900_000));
    // Neither a DiskSim trace nor whole milliseconds that are close together are doubted.
    assert_eq!(told(b"0.5 0 8 8 1\n3000.25 0 16 8 0\n", &TraceReadOptions::default()), "");
    assert_eq!(told(b"0 0 8 8 1\n3 0 16 8 0\n7 0 16 8 0\n", &TraceReadOptions::default()), "");
}

#[test]
fn a_unit_that_is_given_holds_in_every_format() {
    let last = |word: &str, text: &str, unit: TimeUnit| {
        let options = with(Some(word), FormatOptions { time_unit: Some(unit), ..FormatOptions::default() });
        found(text, &options).last().map(|record| record.at_ns)
    };
    // The formats have microseconds; the files have nanoseconds, milliseconds and Windows file times.
    let alibaba = "1,R,0,4096,1577808000000000000\n1,R,0,4096,1577808000000004000\n";
    assert_eq!(last("alibaba", alibaba, TimeUnit::Nanoseconds), Some(4_000));
    assert_eq!(last("alibaba", "1,R,0,4096,10\n1,R,0,4096,14\n", TimeUnit::Milliseconds), Some(4_000_000));
    assert_eq!(last("spc", "0,0,512,r,1000\n0,0,512,w,3500\n", TimeUnit::Microseconds), Some(2_500_000));
    let msr = "128166372003061629,h,0,Read,0,512,10\n128166372003061649,h,0,Read,0,512,10\n";
    assert_eq!(last("msr", msr, TimeUnit::FileTime), Some(2_000), "that of the format");
    assert_eq!(last("tencent", "5,0,8,0,1\n9,0,8,1,1\n", TimeUnit::Milliseconds), Some(4_000_000));
    let csv = with(
        None,
        FormatOptions {
            time_unit: Some(TimeUnit::Seconds),
            columns: Some("time:us,op,offset,bytes".to_owned()),
            ..FormatOptions::default()
        },
    );
    let error = reader(b"1,r,0,512\n", &csv).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("time:us"), "{error}");
}

#[test]
fn rates_that_no_host_has_are_doubted() {
    let trace = |gap: u64| (0..40).map(|k| format!("{},r,{},512\n", k * gap, k * 512)).collect::<String>();
    let of =
        |unit: &str, gap: u64| told(trace(gap).as_bytes(), &columns(&format!("time:{unit},op,offset,bytes")));
    assert!(of("ns", 10).contains("is their unit another one?"));
    assert!(of("s", 120).contains("is their unit another one?"));
    assert_eq!([of("us", 100), of("ms", 100), of("ns", 1_000)], [""; 3]);
    let late = reader(b"1577808000000046,r,0,512\n", &columns("time:s,op,offset,bytes"))
        .and_then(|mut trace| trace.next_record());
    assert!(late.expect_err("too late").to_string().contains("is its unit another one?"));
}

#[test]
fn numbers_of_objects_are_marked_and_can_be_taken_as_numbers_of_blocks() {
    let mut file = Vec::new();
    for k in 0..200_u64 {
        file.extend((k as u32 / 10).to_le_bytes());
        file.extend((42_000_000 + 8 * k).to_le_bytes());
        file.extend(4_096_u32.to_le_bytes());
        file.extend((-1_i64).to_le_bytes());
    }
    assert!(told(&file, &TraceReadOptions::default()).contains("numbers of objects"));
    for unit in [512, 4_096] {
        let blocks = with(None, FormatOptions { offset_unit: Some(unit), ..FormatOptions::default() });
        assert!(!told(&file, &blocks).contains("numbers of objects"));
        let (records, _) = records(&file, &blocks).expect("records");
        let mut places: Vec<u64> = records.iter().map(|record| record.offset / 4_096).collect();
        places.dedup();
        assert_eq!((places.len(), records[0].offset), (200, 42_000_000 * unit));
    }
}

/// The requests have no Q.
const ISSUED: &str = "\
  8,16   1        1     0.000000000   100  D   R 1000 + 8 [app]
  8,16   1        2     0.000500000   100  C   R 1000 + 8 [0]
  8,16   1        3     0.001000000   100  D   W 2000 + 16 [app]
  8,16   1        4     0.001500000   100  C   W 2000 + 16 [0]
";

#[test]
fn a_trace_of_issued_and_completed_events_says_so_and_what_to_set() {
    let why = told(ISSUED.as_bytes(), &TraceReadOptions::default());
    assert!(why.contains("2 issued (D) and 2 completed (C)") && why.contains("action = \"issued\""), "{why}");
    for action in [BlktraceAction::Issued, BlktraceAction::Completed] {
        let options = with(None, FormatOptions { action, ..FormatOptions::default() });
        assert_eq!(found(ISSUED, &options).len(), 2);
        assert_eq!(told(ISSUED.as_bytes(), &options), "");
    }
    let completed: String =
        ISSUED.lines().filter(|line| line.contains("  C ")).map(|line| format!("{line}\n")).collect();
    assert!(told(completed.as_bytes(), &TraceReadOptions::default()).contains("action = \"completed\""));
}

#[test]
fn a_header_and_comments_are_passed_over_in_every_format_of_lines() {
    for (word, text) in [
        (
            "alibaba",
            "device_id,opcode,offset,length,timestamp\n0,R,4096,4096,1577808000000046\n1,W,8192,12288,1577808000000426\n",
        ),
        (
            "tencent",
            "Timestamp,Offset,Size,IOType,VolumeID\n1538323200,12910952,128,0,1063\n1538323200,6338688,8,1,1627\n",
        ),
        (
            "msr",
            "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n128166372003061629,hm,1,Read,2096128,512,1331\n",
        ),
        ("spc", "ASU,LBA,Size,Opcode,Timestamp\n0,20941264,8192,W,0.551706\n0,20939840,8192,w,0.554041\n"),
        ("disksim", "# time device block blocks flags\n0.5 0 8 8 1\n1.5 0 16 8 0\n"),
        ("fiu", "ts pid process lba size op major minor md5\n0 1 a 8 8 W 8 1 ff\n"),
    ] {
        let mut trace = reader(text.as_bytes(), &TraceReadOptions::default()).expect(word);
        let info = TraceInfo::summarise_trace(&mut trace);
        assert_eq!((info.error, info.format.as_str()), (None, word));
        assert_eq!(info.requests, text.lines().count() as u64 - 1, "{word}");
    }
}

#[test]
fn operations_may_be_digits_scsi_codes_or_letters_of_blkparse() {
    let text = "0.0,0,4096,8192,1\n1.5,0,8192,4096,0\n";
    let of = |op: &str| plain(&found(text, &columns(&format!("time:ms,volume,offset,bytes,{op}"))));
    let (read, write) = (TraceOperation::Read, TraceOperation::Write);
    assert_eq!(of("op:1=read"), [(read, 4_096, 8_192), (write, 8_192, 4_096)]);
    assert_eq!(of("op:0=read"), [(write, 4_096, 8_192), (read, 8_192, 4_096)]);
    let error =
        records(text.as_bytes(), &columns("time:ms,volume,offset,bytes,op")).expect_err("which digit reads?");
    assert!(error.to_string().contains("`op:0=read` or `op:1=read`"), "{error}");

    let scsi = "version,time,op,size,lbn\n1,5000000001,2a,512,42000001\n1,5000200000,28,4096,42000002\n";
    let records = found(scsi, &columns("-,time:us,op,bytes,offset:sectors"));
    assert_eq!(
        plain(&records),
        [(write, 512, 42_000_001 * 512), (read, 4_096, 42_000_002 * 512)]
            .map(|(op, bytes, at)| (op, at, bytes))
    );
    assert_eq!(records[1].at_ns, 199_999_000);

    let words = |words: &[&str]| {
        let text: String = words.iter().enumerate().map(|(k, word)| format!("{k},{word},0,512\n")).collect();
        found(&text, &columns("time:us,op,offset,bytes"))
            .iter()
            .map(|record| record.operation)
            .collect::<Vec<_>>()
    };
    let reads = ["R", "Read", "rd", "RS", "RA", "RM", "08", "28", "0x28", "88", "A8", "0X88", "28h"];
    assert_eq!(words(&reads), [read; 13]);
    let writes = ["w", "WRITE", "wr", "WS", "WFS", "WM", "0a", "2a", "2A", "0x2A", "8a", "aa", "8E"];
    assert_eq!(words(&writes), [write; 13]);
    assert_eq!(words(&["D", "DS", "42", "discard"]), [TraceOperation::Trim; 4]);
    assert_eq!(words(&["35", "0x91", "F", "sync"]), [TraceOperation::Flush; 4]);
    // An F before the W is a preflush, an F after it forced unit access; words have neither.
    let flags = |op: &str, bytes: u64| {
        let text = format!("0,{op},0,{bytes}\n");
        let record = found(&text, &columns("time:us,op,offset,bytes"))[0];
        (record.operation, [record.flags.preflush, record.flags.force_unit_access])
    };
    let of = [("FWS", [true, false]), ("WFS", [false, true]), ("fwf", [true, true]), ("WRITE", [false; 2])];
    for (op, expected) in of {
        assert_eq!(flags(op, 512), (write, expected), "{op}");
    }
    assert_eq!(flags("FWS", 0), (TraceOperation::Flush, [false; 2]), "a preflush without data");
}

#[test]
fn columns_may_be_apart_by_blanks_and_tabs_however_they_are_declared() {
    let text = "1 0 48 W\n200   80 8\tW\n15000\t80 8 R\n";
    let wanted =
        [(TraceOperation::Write, 0, 48), (TraceOperation::Write, 80, 8), (TraceOperation::Read, 80, 8)]
            .map(|(op, at, sectors)| (op, at * 512, sectors * 512));
    for declared in ["time:us,offset:sectors,bytes:sectors,op", "time:us offset:sectors bytes:sectors op"] {
        assert_eq!(plain(&found(text, &columns(declared))), wanted, "{declared}");
    }
    for (separator, text) in [(';', "1;0;48;W\n"), ('|', "1|0|48|W\n"), ('\t', "1\t0\t48\tW\n")] {
        assert_eq!(
            plain(&found(text, &columns("time:us,offset:sectors,bytes:sectors,op"))),
            wanted[..1],
            "{separator:?}"
        );
    }
    // A header is skipped here, too.
    let headed = format!("time lba sectors op\n{text}");
    assert_eq!(plain(&found(&headed, &columns("time:us,offset:sectors,bytes:sectors,op"))), wanted);
}

#[test]
fn a_file_without_a_request_says_what_is_in_it() {
    assert!(
        told(b"fio version 2 iolog\nf add\nf open\nf close\n", &TraceReadOptions::default())
            .contains("is a request")
    );
    assert!(
        told(b"time:us,op,offset,bytes\n", &with(Some("csv"), FormatOptions::default()))
            .contains("is a request")
    );
}
