use proptest::prelude::*;

use super::*;

/// A file as Iometer 2006.07.27 writes it, with a mix of two lines, a bare number as assignment and two targets.
const WHOLE: &str = "Version 2006.07.27 \n\
'TEST SETUP ====================================================================\n\
'Test Description\n\tNight run\n'Run Time\n'\thours      minutes    seconds\n\t1          5          30\n\
'Ramp Up Time (s)\n\t20\n'Default Disk Workers to Spawn\n\tNUMBER_OF_CPUS\n'Record Results\n\tALL\n\
'Worker Cycling\n'\tstart      step       step type\n\t1          1          LINEAR\n\
'Queue Depth Cycling\n'\tstart      end        step       step type\n\t1          32         2          EXPONENTIAL\n\
'Test Type\n\tNORMAL\n'END test setup\n\
'RESULTS DISPLAY ===============================================================\n\
'Bar chart 1 statistic\n\tTotal I/Os per Second\n'END results display\n\
'ACCESS SPECIFICATIONS =========================================================\n\
'Access specification name,default assignment\n\t4 KiB; 100% Read; 0% random,NONE\n\
'size,% of size,% reads,% random,delay,burst,align,reply\n\t4096,100,100,0,0,1,0,0\n\
'Access specification name,default assignment\n\tMix,2\n\
'size,% of size,% reads,% random,delay,burst,align,reply\n\t2048,60,67,100,0,1,0,0\n\t8192,40,0,50,5,10,4096,512\n\
'END access specifications\n\
'MANAGER LIST ==================================================================\n\
'Manager ID, manager name\n\t1,HOST\n'Manager network address\n\t\n'Worker\n\tWorker 1\n'Worker type\n\tDISK\n\
'Default target settings for worker\n\
'Number of outstanding IOs,test connection rate,transactions per connection,use fixed seed,fixed seed value\n\
\t64,DISABLED,1,DISABLED,0\n'Disk maximum size,starting sector,Data pattern\n\t2048,16,0\n\
'End default target settings for worker\n'Assigned access specs\n\tMix\n\t4 KiB; 100% Read; 0% random\n\
'End assigned access specs\n'Target assignments\n'Target\n\tC: \"Vol\"\n'Target type\n\tDISK\n'End target\n\
'Target\n\tD:\n'Target type\n\tDISK\n'End target\n'End target assignments\n'End worker\n'End manager\n\
'END manager list\nVersion 2006.07.27 \n";

fn told(text: &str) -> Vec<(usize, String)> {
    let report = read("load.icf", text).expect_err("mistakes");
    report.problems.iter().map(|problem| (problem.line(), problem.message.clone())).collect()
}

#[test]
fn a_file_of_iometer_is_read_as_a_whole() {
    let icf = read("load.icf", WHOLE).expect("a sound file");
    assert_eq!(icf.version, "2006.07.27");
    assert_eq!((icf.setup.run_time, icf.setup.ramp_up), (Span::from_s(3930), Span::from_s(20)));
    assert_eq!((icf.setup.description.as_str(), icf.setup.test_type.as_str()), ("Night run", "NORMAL"));
    let depths = &icf.setup.cycling[1];
    assert_eq!((depths.what.as_str(), depths.end, depths.exponential), ("queue depth", Some(32), true));
    let (mix, assignment) = &icf.specifications[1];
    assert_eq!((mix.name.as_str(), assignment.as_str(), mix.lines.len()), ("Mix", "2", 2));
    let line = mix.lines[1];
    assert_eq!(
        (line.delay, line.burst, line.align_bytes, line.reply_bytes),
        (Span::from_ms(5), 10, 4096, 512)
    );
    let worker = &icf.workers[0];
    assert_eq!((worker.outstanding, worker.maximum_sectors, worker.starting_sector), (64, 2048, 16));
    assert_eq!(worker.specifications, ["Mix", "4 KiB; 100% Read; 0% random"]);
    assert_eq!(worker.targets, ["C: \"Vol\"", "D:"]);
    assert_eq!((worker.manager.as_str(), worker.kind.as_str()), ("HOST", "DISK"));
    assert_eq!(icf.ignored, []);
}

#[test]
fn sections_may_be_missing_stand_in_any_order_and_be_in_large_letters() {
    let upper = WHOLE.to_ascii_uppercase();
    assert_eq!(read("load.icf", &upper).expect("sound").workers[0].outstanding, 64);
    let (setup, rest) = WHOLE.split_once("'RESULTS").expect("its display");
    let (version, setup) = setup.split_once('\n').expect("lines");
    let turned = format!("'{version}\r\n'RESULTS{rest}{setup}").replace('\n', "\r\n");
    assert_eq!(read("load.icf", &turned).expect("sound"), read("load.icf", WHOLE).expect("sound"));
    let (_, specifications) = WHOLE.split_once("'ACCESS").expect("specifications");
    let (specifications, _) = specifications.split_once("'MANAGER").expect("managers");
    let only = read("load.icf", &format!("Version 1.1.0\n'ACCESS{specifications}")).expect("sound");
    assert_eq!((only.specifications.len(), only.workers.len()), (2, 0));
}

#[test]
fn percentages_that_do_not_total_100_are_refused() {
    let text = WHOLE.replace("8192,40,", "8192,41,");
    assert_eq!(told(&text), [(33, "the percentages of \"Mix\" add up to 101".to_owned())]);
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let text = WHOLE
        .replace("\tMix\n\t4 KiB", "\tMxi\n\t4 KiB")
        .replace("64,DISABLED", "many,DISABLED")
        .replace("2048,60,67,100,0,1,0,0", "2048,60,67,100,0,1,0")
        .replace("\t20\n", "\t-20\n");
    let told = told(&text);
    assert_eq!(told.len(), 5, "{told:?}");
    assert!(told[0].1.contains("-20"));
    assert!(told.iter().any(|(_, message)| message.contains("8 numbers, this one 7")));
    assert!(told.iter().any(|(_, message)| message.contains("\"Mxi\"")));
}

#[test]
fn a_file_of_something_else_says_so() {
    assert!(told("[job]\nrw=read\n").iter().any(|(_, message)| message.contains("is it a file of Iometer?")));
    assert_eq!(told("").len(), 1);
}

#[test]
fn an_unknown_header_is_listed() {
    let text = WHOLE.replace("'Record Results\n", "'Colour of the chart\n");
    let icf = read("load.icf", &text).expect("sound");
    assert_eq!(icf.ignored, [(12, "colour of the chart".to_owned())]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(2_000)) })]
    #[test]
    fn any_bytes_are_read_or_told_with_a_line(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        no_panic(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn a_file_with_a_changed_piece_is_read_or_told_with_a_line(at in 0..WHOLE.len(), length in 0_usize..60, put in "[0-9',a-z\\n\\t-]{0,30}") {
        let end = (at + length).min(WHOLE.len());
        no_panic(&format!("{}{put}{}", &WHOLE[..at], &WHOLE[end..]));
    }
}

fn no_panic(text: &str) {
    if let Err(report) = read("load.icf", text) {
        assert!(!report.problems.is_empty() && report.problems.iter().all(|problem| problem.line() >= 1));
        let _ = report.to_string();
    }
}
