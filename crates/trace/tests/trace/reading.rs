//! Tests of files that become records: compressed or not, broken or not, in order or not.

use crate::common::{gzip, read_all, reader, records, zstd};
use sansim_trace::{
    BackwardsRule, BadLineRule, Trace, TraceError, TraceOperation, TraceReadOptions, TraceRecord, WriteFlags,
};

const MSR: &str = "128166372003061629,usr,0,Read,7014609920,24576,41286\n\
                   128166372016382155,usr,0,Write,1317441536,8192,1963\n\
                   128166372016382155,web,0,Read,4096,512,0\n";

#[test]
fn a_line_of_msr_cambridge_is_a_record_with_its_latency() {
    let (found, volumes) = records(MSR.as_bytes(), &TraceReadOptions::default()).unwrap();
    assert_eq!(volumes, ["usr.0", "web.0"]);
    assert_eq!(
        found,
        [
            TraceRecord {
                at_ns: 0,
                volume: 0,
                operation: TraceOperation::Read,
                offset: 7_014_609_920,
                bytes: 24_576,
                latency_ns: Some(4_128_600),
                flags: WriteFlags::NONE,
            },
            TraceRecord {
                at_ns: 1_332_052_600,
                volume: 0,
                operation: TraceOperation::Write,
                offset: 1_317_441_536,
                bytes: 8_192,
                latency_ns: Some(196_300),
                flags: WriteFlags::NONE,
            },
            TraceRecord {
                at_ns: 1_332_052_600,
                volume: 1,
                operation: TraceOperation::Read,
                offset: 4_096,
                bytes: 512,
                latency_ns: None,
                flags: WriteFlags::NONE,
            },
        ]
    );
}

#[test]
fn a_packed_file_gives_the_same_records() {
    let plain = records(MSR.as_bytes(), &TraceReadOptions::default()).unwrap();
    assert_eq!(records(&gzip(MSR.as_bytes()), &TraceReadOptions::default()).unwrap(), plain);
    assert_eq!(records(&zstd(MSR.as_bytes()), &TraceReadOptions::default()).unwrap(), plain);
}

#[test]
fn members_of_a_gzip_and_frames_of_a_zstd_follow_each_other_in_the_middle_of_a_line() {
    let plain = records(MSR.as_bytes(), &TraceReadOptions::default()).unwrap();
    let (one, two) = MSR.as_bytes().split_at(70);
    assert_eq!(records(&[gzip(one), gzip(two)].concat(), &TraceReadOptions::default()).unwrap(), plain);
    let skipped = [b"\x50\x2a\x4d\x18\x03\0\0\0xyz" as &[u8], &zstd(one), &zstd(two)].concat();
    assert_eq!(records(&skipped, &TraceReadOptions::default()).unwrap(), plain);
}

#[test]
fn windows_line_ends_a_mark_of_the_byte_order_and_a_missing_last_line_end_change_nothing() {
    let plain = records(MSR.as_bytes(), &TraceReadOptions::default()).unwrap();
    let text = format!("\u{feff}{}", MSR.trim_end().replace('\n', "\r\n"));
    assert_eq!(records(text.as_bytes(), &TraceReadOptions::default()).unwrap(), plain);
}

fn many(lines: usize) -> Vec<u8> {
    (0..lines).flat_map(|n| format!("0,{},4096,r,{}.5\n", n * 7_919 % 65_536, n).into_bytes()).collect()
}

#[test]
fn a_gzip_or_zstd_that_is_cut_off_says_where_and_how_many_records_came_before() {
    let text = many(20_000);
    for packed in [gzip(&text), zstd(&text)] {
        for keep in [packed.len() / 2, packed.len() - 1] {
            let options = TraceReadOptions { format: Some("spc".to_owned()), ..TraceReadOptions::default() };
            let mut trace = reader(&packed[..keep], &options).unwrap();
            let (found, error) = read_all(&mut trace);
            let Some(TraceError::Damaged { at_byte, records, .. }) = error else { panic!("{error:?}") };
            assert_eq!(found.len() as u64, records);
            let whole = text[..at_byte as usize].iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(whole, found.len());
            assert!(trace.next_record().is_err(), "it stays an error");
        }
    }
}

#[test]
fn a_checksum_that_does_not_match_is_an_error() {
    let text = many(5_000);
    let mut packed = gzip(&text);
    let length = packed.len();
    packed[length - 6] ^= 1;
    let (found, error) = read_all(&mut reader(&packed, &TraceReadOptions::default()).unwrap());
    assert_eq!(found.len(), 5_000);
    let message = error.unwrap().to_string();
    assert!(message.contains("gzip is damaged") && message.contains("5000 requests"), "{message}");
    let mut packed = zstd(&text);
    let length = packed.len();
    packed[length - 1] ^= 1;
    let (found, error) = read_all(&mut reader(&packed, &TraceReadOptions::default()).unwrap());
    assert_eq!(found.len(), 5_000);
    assert!(error.unwrap().to_string().contains("checksum does not match"));
}

#[test]
fn a_flipped_bit_anywhere_in_what_is_packed_is_never_a_silent_end() {
    let text = many(300);
    let (plain, _) = records(&text, &TraceReadOptions::default()).unwrap();
    for (packed, header) in [(gzip(&text), 10), (zstd(&text), 6)] {
        for at in header..packed.len() {
            let mut broken = packed.clone();
            broken[at] ^= 0x10;
            match reader(
                &broken,
                &TraceReadOptions { on_bad_line: BadLineRule::Count, ..TraceReadOptions::default() },
            ) {
                Err(_) => {}
                Ok(mut trace) => {
                    let (found, error) = read_all(&mut trace);
                    // Bits that only pad a byte of a gzip file have no meaning.
                    assert!(
                        error.is_some() || found == plain,
                        "byte {at}: {} records and no error",
                        found.len()
                    );
                }
            }
        }
    }
}

#[test]
fn a_broken_line_is_fatal_with_its_number_and_text_or_counted() {
    let text = "0,1,512,r,0\n0,1,512\nnonsense \u{1}\n0,1,512,w,1\n0,2,512,x,2\n0,5,512,W,2\n0,6,512,W,2\n0,7,512,W,2\n";
    let options = TraceReadOptions { format: Some("spc".to_owned()), ..TraceReadOptions::default() };
    let mut trace = reader(text.as_bytes(), &options).unwrap();
    let (found, error) = read_all(&mut trace);
    assert_eq!(found.len(), 1);
    assert_eq!(
        error.unwrap().to_string(),
        "t: line 2: opcode is missing: `0,1,512`, read as `spc`; bad lines can also be counted instead of ending the reading"
    );
    let mut trace =
        reader(text.as_bytes(), &TraceReadOptions { on_bad_line: BadLineRule::Count, ..options }).unwrap();
    let (found, error) = read_all(&mut trace);
    assert_eq!((found.len(), error), (5, None));
    let told: Vec<String> = trace.line_counts().examples.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "line 2: opcode is missing: `0,1,512`",
            "line 3: ASU is no whole number: `nonsense \\x01`",
            "line 5: opcode is neither r nor w: `0,2,512,x,2`"
        ]
    );
    assert_eq!((trace.line_counts().bad, trace.line_counts().lines, trace.line_counts().requests), (3, 8, 5));
}

#[test]
fn what_goes_back_in_time_is_sorted_within_the_window_and_clamped_or_refused_beyond() {
    let text = "0,1,512,r,5\n0,2,512,r,7\n0,3,512,r,6\n0,4,512,r,1\n0,5,512,r,8\n";
    let read = |window, on_backwards| {
        let options = TraceReadOptions { window, on_backwards, ..TraceReadOptions::default() };
        let mut trace = reader(text.as_bytes(), &options).unwrap();
        let (found, error) = read_all(&mut trace);
        let times: Vec<u64> = found.iter().map(|record| record.at_ns / 1_000_000_000).collect();
        (times, error.map(|error| error.to_string()), trace.anomalies())
    };
    let (times, error, anomalies) = read(10, BackwardsRule::Fail);
    assert_eq!((times, error), (vec![0, 4, 5, 6, 7], None));
    assert_eq!(
        (anomalies.back.count, anomalies.back.largest_ns, anomalies.clamped.count),
        (2, 6_000_000_000, 0)
    );
    let (times, error, anomalies) = read(0, BackwardsRule::Clamp);
    assert_eq!((times, error), (vec![0, 2, 2, 2, 3], None));
    assert_eq!((anomalies.clamped.count, anomalies.clamped.largest_ns), (2, 6_000_000_000));
    let (times, error, _) = read(0, BackwardsRule::Fail);
    assert_eq!(times, [0, 2]);
    assert!(error.unwrap().contains("request 3 is 1000000000 ns before"));
}

#[test]
fn what_is_odd_is_told_and_given_out() {
    let text = "1,R,0,0,0\n1,R,18446744073709551615,512,2208988800000000\n1,R,0,512,2208988800000000\n";
    let mut trace = reader(text.as_bytes(), &TraceReadOptions::default()).unwrap();
    let (found, error) = read_all(&mut trace);
    assert_eq!((found.len(), error), (3, None));
    let told = trace.anomalies().warning_sentences().join("\n");
    assert!(told.contains("1 requests have no byte"), "{told}");
    assert!(told.contains("1 requests end beyond what 64 bits"), "{told}");
    assert!(told.contains("lasts 70 years, which cannot be right"), "{told}");
    assert!(told.contains("dated from 1970 to 2040"), "{told}");
    assert_eq!(trace.anomalies().equal_times, 1);
}

#[test]
fn a_file_of_no_format_says_what_each_has_against_it() {
    let error = records(b"hello world\n", &TraceReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("looks like none of the formats; its first line is `hello world`"), "{error}");
    assert!(error.contains("spc (ASU,LBA,Size,Opcode,Timestamp[,...]): ASU is no whole number"), "{error}");
    let options = TraceReadOptions { format: Some("mrs".to_owned()), ..TraceReadOptions::default() };
    let error = records(b"hello world\n", &options).unwrap_err().to_string();
    assert!(error.starts_with("there is no trace format `mrs`; there are msr, spc"), "{error}");
}

#[test]
fn what_cannot_be_unpacked_says_what_it_is() {
    let mut tar = vec![0; 600];
    tar[257..262].copy_from_slice(b"ustar");
    for (head, what) in [
        (b"" as &[u8], "it is empty"),
        (b"BZh91AY&SY", "bzip2"),
        (b"\xfd7zXZ\0\0", "xz"),
        (b"PK\x03\x04", "zip archive"),
        (b"\xff\xfe1\0", "UTF-16"),
        (&tar, "tar archive"),
    ] {
        let error = records(head, &TraceReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
    assert!(Trace::open_file("/nowhere".as_ref(), &TraceReadOptions::default()).is_err());
    let error = Trace::open_file("/".as_ref(), &TraceReadOptions::default()).err().unwrap().to_string();
    assert!(error.contains("it is a folder"), "{error}");
}
