//! Tests of the text of every message that a person can meet, compared with the files in `tests/messages`.
//!
//! `UPDATE_MESSAGES=1 cargo test -p sansim-scenario --test scenario messages` rewrites the files; read the difference before you
//! keep it.

use crate::common::expect;
use sansim_scenario::Scenario;

/// A correct scenario; each of the cases breaks it in one respect.
const GOOD: &str = r#"title = "Sixteen disks"

[run]
measured_ios = 8000

[loop]
kind = "arbitrated-loop"
speed = "2GFC"
port_delay = "6 words"
stations = ["controller", "drives"]

[controller]
kind = "host"
schedule = "fair"
[controller.port]
al_pa = "01"
incoming_buffers = 3
login_credit = 0
[controller.adapter]
command_time = "43.9 us"

[drives]
kind = "drives"
count = 16
access_time = "2 ms"
transfer_rate = "50 MiB/s"

[workload]
kind = "closed"
from = "controller"
to = ["drives"]
size = "64 KiB"
queue_depth = 1
"#;

/// The good scenario with some texts replaced.
fn broken(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(GOOD.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "the good scenario has no {from:?}");
        text.replacen(from, to, 1)
    })
}

/// Checks a case that is a change of the text.
fn case(name: &str, changes: &[(&str, &str)]) {
    expect(name, Scenario::parse_text(&broken(changes), "case.toml"));
}

/// Checks a case that is made of overrides.
fn set_case(name: &str, overrides: &[(&str, &str)]) {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    expect(name, Scenario::parse_with(GOOD, "case.toml", &overrides));
}

#[test]
fn the_good_scenario_is_good() {
    if let Err(report) = Scenario::parse_text(GOOD, "good.toml") {
        panic!("{report}");
    }
}

#[test]
fn processors_and_limits() {
    let keys = |name: &str, keys: &str| case(name, &[("[drives]\n", &format!("{keys}\n[drives]\n"))]);
    keys(
        "too_many_polling_threads",
        "[controller.processors]\nmodel = \"polling\"\npoll_time = \"1 us\"\nthreads = 2",
    );
    keys("polls_without_a_time", "[controller.processors]\nmodel = \"polling\"");
    keys(
        "interrupts_that_never_wait",
        "[controller.processors]\nmodel = \"interrupts\"\ncoalesced_completions = 4",
    );
    keys("processors_without_a_model", "[controller.processors]\ncount = 4");
    keys("limit_of_size", "[controller.driver.limits]\nbandwidth = \"50 MB\"\nrate = 1000");
}

#[test]
fn keys() {
    case("unknown_key", &[("queue_depth = 1", "quue_depth = 1")]);
    case("unknown_key_of_a_table_within", &[("count = 16", "count = 16\nincoming_buffers = 2")]);
    case("unknown_key_far_off", &[("count = 16", "count = 16\ncolour = \"red\"")]);
    case("removed_key", &[("speed = \"2GFC\"", "speed = \"2GFC\"\nfidelity = \"words\"")]);
    case("unknown_key_at_top_level", &[("title", "seed = 7\ntitle")]);
    case("duplicate_key", &[("count = 16", "count = 16\ncount = 17")]);
    case(
        "missing_keys",
        &[("size = \"64 KiB\"\n", ""), ("speed = \"2GFC\"\n", ""), ("access_time = \"2 ms\"\n", "")],
    );
    case("missing_kind", &[("kind = \"drives\"\n", "")]);
    case("unknown_kind", &[("kind = \"drives\"", "kind = \"drive\"")]);
    case("kind_switch", &[("kind = \"drives\"", "kind = \"switch\"")]);
    case("kind_array", &[("kind = \"drives\"", "kind = \"array\"")]);
    case("kind_fio", &[("kind = \"closed\"", "kind = \"fio\"")]);
    case("kind_ssd", &[("kind = \"drives\"", "kind = \"SSDs\"")]);
    case("kind_hba", &[("kind = \"host\"", "kind = \"hba\"")]);
    case("kind_controller", &[("kind = \"host\"", "kind = \"controller\"")]);
    case("kind_unknown", &[("kind = \"host\"", "kind = \"gizmo\"")]);
    case("list_of_tables", &[("[drives]", "[[drives]]")]);
    case(
        "value_for_a_table",
        &[("[controller.port]\nal_pa = \"01\"\nincoming_buffers = 3\nlogin_credit = 0\n", "port = 1\n")],
    );
    case(
        "value_for_a_component",
        &[
            (
                "[drives]\nkind = \"drives\"\ncount = 16\naccess_time = \"2 ms\"\ntransfer_rate = \"50 MiB/s\"\n",
                "",
            ),
            ("title", "drives = 16\ntitle"),
        ],
    );
    case("bad_component_name", &[("[workload]", "[\"my workload\"]")]);
}

#[test]
fn syntax() {
    case("syntax_unquoted_quantity", &[("\"64 KiB\"", "64 KiB")]);
    case("syntax_unquoted_word", &[("\"fair\"", "fair")]);
    case("syntax_open_bracket", &[("[drives]", "[drives")]);
    case("syntax_open_quote", &[("\"2 ms\"", "\"2 ms")]);
}

#[test]
fn quantities() {
    case("missing_unit", &[("\"64 KiB\"", "65536")]);
    case("missing_unit_in_quotes", &[("\"64 KiB\"", "\"64\"")]);
    case("wrong_unit", &[("\"2 ms\"", "\"64 KiB\"")]);
    case("wrong_unit_for_a_delay", &[("\"6 words\"", "\"10 m\"")]);
    case("unknown_unit", &[("\"64 KiB\"", "\"64 kib\"")]);
    case("unit_of_fio", &[("\"64 KiB\"", "\"4k\"")]);
    case("unit_of_bits", &[("\"50 MiB/s\"", "\"100 Mbps\"")]);
    case("unit_of_bits_or_bytes", &[("\"64 KiB\"", "\"64 kb\"")]);
    case("unit_of_metres", &[("\"64 KiB\"", "\"4m\"")]);
    case("unquoted_unit_of_fio", &[("\"64 KiB\"", "4k")]);
    case("no_number", &[("\"64 KiB\"", "nan")]);
    case("exponent", &[("\"64 KiB\"", "\"1e6 B\"")]);
    case("comma", &[("\"64 KiB\"", "\"1,5 KiB\"")]);
    case("unknown_unit_far_off", &[("\"43.9 us\"", "\"43.9 parsec\"")]);
    case("not_a_number", &[("\"43.9 us\"", "\"fast\"")]);
    case("negative_time", &[("\"43.9 us\"", "\"-1 us\"")]);
    case("too_many_digits", &[("\"43.9 us\"", "\"43.90000000000000000001 us\"")]);
    case("too_long", &[("\"43.9 us\"", "\"5000 s\"")]);
    case("fraction_of_a_byte", &[("\"64 KiB\"", "\"0.3 KiB\"")]);
    case("no_byte", &[("\"64 KiB\"", "\"0 B\"")]);
    case("picoseconds", &[("\"43.9 us\"", "\"37647 ps\"")]);
    case("payload_not_in_words", &[("command_time", "max_payload = \"2047 B\"\ncommand_time")]);
    case("percent", &[("queue_depth = 1", "read_fraction = 66")]);
    case("text_for_a_number", &[("count = 16", "count = \"16\"")]);
    case("text_for_a_switch", &[("login_credit = 0", "full_duplex = \"no\"")]);
    case("unknown_word", &[("\"fair\"", "\"comand-first\"")]);
    case("unknown_speed", &[("\"2GFC\"", "\"3GFC\"")]);
    case("speed_without_unit", &[("\"2GFC\"", "2")]);
    case("word_time", &[("port_delay", "word_time = \"exakt\"\nport_delay")]);
    case("distribution", &[("\"2 ms\"", "{ distribution = \"exponental\", mean = \"2 ms\" }")]);
    case("distribution_keys", &[("\"2 ms\"", "{ distribution = \"uniform\", low = 2, heigh = \"3 ms\" }")]);
    case(
        "distribution_order",
        &[("\"2 ms\"", "{ distribution = \"uniform\", low = \"3 ms\", high = \"2 ms\" }")],
    );
}

#[test]
fn addresses_and_loop() {
    case(
        "duplicate_al_pa",
        &[("transfer_rate", "port.al_pa = \"01\"\ntransfer_rate"), ("count = 16", "count = 1")],
    );
    case("invalid_al_pa", &[("\"01\"", "\"03\"")]);
    case("al_pa_is_no_byte", &[("\"01\"", "\"first\"")]);
    case("al_pa_as_number", &[("\"01\"", "10")]);
    case("al_pa_list_too_short", &[("transfer_rate", "port.al_pa = [\"02\", \"04\"]\ntransfer_rate")]);
    case("ports_128", &[("count = 16", "count = 127")]);
    case("speed_16gfc", &[("\"2GFC\"", "\"16GFC\"")]);
    case("word_time_of_another_speed", &[("\"2GFC\"", "\"8GFC\"\nword_time = \"19 ns\"")]);
    case("size_beyond_capacity", &[("transfer_rate", "capacity = \"32 KiB\"\ntransfer_rate")]);
    case("no_buffers", &[("incoming_buffers = 3", "incoming_buffers = 0")]);
    case("credit_above_buffers", &[("login_credit = 0", "login_credit = 4")]);
    let within = |value: &str| format!("login_credit = 0\nwithin_sequence = {value}");
    case("within_sequence_unknown", &[("login_credit = 0", &within("\"holds\""))]);
    case("within_sequence_quoted", &[("login_credit = 0", &within("\"4\""))]);
    case("within_sequence_above_default_buffers", &[("login_credit = 0", &within("17"))]);
    case("credit_above_default_buffers", &[("incoming_buffers = 3\nlogin_credit = 0", "login_credit = 4")]);
    case("precision_without_unit", &[("measured_ios = 8000", "precision = 0.01")]);
    case("precision_too_fine", &[("measured_ios = 8000", "precision = \"0.001 %\"")]);
    case("duration_without_unit", &[("measured_ios = 8000", "duration = 2")]);
    case("duration_beside_ios", &[("measured_ios = 8000", "measured_ios = 8000\nduration = \"2 s\"")]);
    case("duration_beside_precision", &[("measured_ios = 8000", "duration = \"2 s\"\nprecision = \"1 %\"")]);
    case("duration_beside_auto", &[("measured_ios = 8000", "duration = \"2 s\"\nwarm_up = \"auto\"")]);
    case("no_length", &[("measured_ios = 8000", "measured_ios = \"none\"")]);
    case("warm_up_without_unit", &[("measured_ios = 8000", "measured_ios = 8000\nwarm_up = 2.5")]);
    case("warm_up_unit", &[("measured_ios = 8000", "measured_ios = 8000\nwarm_up = \"20 mb\"")]);
    case("warm_up_word", &[("measured_ios = 8000", "measured_ios = 8000\nwarm_up = \"automatic\"")]);
    case("precision_word", &[("measured_ios = 8000", "precision = \"of\"")]);
    case("precision_of", &[("measured_ios = 8000", "precision = \"1 %\"\nprecision_of = \"p95\"")]);
    case(
        "most_ios_below",
        &[("measured_ios = 8000", "measured_ios = 8000\nprecision = \"1 %\"\nmost_ios = 800")],
    );
    case("most_ios_below_default", &[("measured_ios = 8000", "precision = \"1 %\"\nmost_ios = 800")]);
    case("queue_depth_0", &[("queue_depth = 1", "queue_depth = 0")]);
    case("count_0", &[("count = 16", "count = 0")]);
    case("cache_and_concurrency", &[("count = 16", "cache = \"128 KiB\"\nconcurrency = 2")]);
    case("cache_of_a_word", &[("count = 16", "cache = \"nine\"")]);
    case(
        "passes_to_random_drives",
        &[("queue_depth = 1", "ios_per_pass = 100\nqueue_depth = 4\nqueue_depth_per = \"all\"")],
    );
    case("passes_word", &[("queue_depth = 1", "ios_per_pass = \"unlimitd\"")]);
}

#[test]
fn names() {
    case("unknown_station", &[("[\"controller\", \"drives\"]", "[\"controler\", \"drives\"]")]);
    case(
        "station_twice",
        &[("[\"controller\", \"drives\"]", "[\"controller\", \"drives\", \"controller\"]")],
    );
    case(
        "workload_on_the_loop",
        &[("[\"controller\", \"drives\"]", "[\"controller\", \"drives\", \"workload\"]")],
    );
    case("on_no_loop", &[("[\"controller\", \"drives\"]", "[\"controller\"]")]);
    case("unknown_drives", &[("to = [\"drives\"]", "to = [\"disks\"]")]);
    case("workload_from_drives", &[("from = \"controller\"", "from = \"drives\"")]);
    case("no_drives_named", &[("to = [\"drives\"]", "to = []")]);
    case(
        "two_loops",
        &[(
            "[workload]",
            "[loop2]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\nstations = [\"drives\"]\n\n[workload]",
        )],
    );
    expect("only_a_title", Scenario::parse_text("title = \"nothing yet\"\n", "case.toml"));
}

#[test]
fn transfers_that_outlast_simulated_time() {
    case("transfer_too_long", &[("\"50 MiB/s\"", "\"1 B/s\""), ("\"64 KiB\"", "\"4294967295 B\"")]);
    case("segment_too_long", &[("\"50 MiB/s\"", "\"100 B/s\"\ncache = \"4 GiB\"")]);
}

#[test]
fn several_at_once() {
    case(
        "several_at_once",
        &[
            ("\"64 KiB\"", "65536"),
            ("queue_depth = 1", "quue_depth = 1"),
            ("\"43.9 us\"", "\"43.9 KiB\""),
            ("\"2GFC\"", "\"16GFC\""),
        ],
    );
}

#[test]
fn overrides() {
    set_case("set_unknown_key", &[("workload.sise", "64 KiB")]);
    set_case("set_unknown_component", &[("wrokload.size", "64 KiB")]);
    set_case("set_missing_unit", &[("workload.size", "65536")]);
    set_case("set_wrong_unit", &[("drives.access_time", "64 KiB")]);
    set_case("set_through_a_value", &[("workload.size.x", "1")]);
    set_case("set_value_for_a_component", &[("drives", "4")]);
    set_case("set_word_for_a_component", &[("controller", "fair")]);
    set_case("set_value_for_a_table_within", &[("controller.port", "4")]);
    set_case(
        "set_over_a_distribution",
        &[
            ("drives.access_time", "{ distribution = \"fixed\", value = \"1 ms\" }"),
            ("drives.access_time", "5 msec"),
        ],
    );
    set_case("set_value_for_run", &[("run", "quick")]);
    set_case("set_no_value", &[("workload.size", "")]);
    set_case("set_no_key", &[("", "1")]);
    set_case("set_ports_128", &[("drives.count", "127")]);
    set_case(
        "set_al_pa",
        &[("controller.port.al_pa", "10"), ("drives.count", "1"), ("drives.port.al_pa", "10")],
    );
}

#[test]
fn files() {
    let folder = std::env::temp_dir().join(format!("sansim-scenario-messages-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let load = |name: &str, bytes: Option<&[u8]>| {
        let path = folder.join(name);
        if let Some(bytes) = bytes {
            std::fs::write(&path, bytes).expect("a temporary file");
        }
        let mut report = Scenario::load_file(&path, &[]).expect_err("the case must be refused");
        // The folder has another name in each run.
        let short = |text: &str| text.replace(&folder.display().to_string(), "folder");
        report.source = short(&report.source);
        for problem in &mut report.problems {
            problem.at.source = short(&problem.at.source);
            problem.help = problem.help.as_deref().map(short);
        }
        Err(report)
    };
    expect("file_missing", load("missing.toml", None));
    expect("file_and_folder_missing", load("no/missing.toml", None));
    std::fs::create_dir_all(folder.join("directory.toml")).expect("a temporary folder");
    expect("file_is_a_directory", load("directory.toml", None));
    expect("file_empty", load("empty.toml", Some(b"")));
    expect("file_of_comments", load("comments.toml", Some(b"# nothing yet\n\n")));
    expect("file_not_utf8", load("latin1.toml", Some(b"title = \"a\"\n# caf\xe9\n")));
    expect("file_utf16", load("utf16.toml", Some(b"\xff\xfet\0i\0")));
    expect("file_binary", load("binary.toml", Some(b"\x7fELF\x02\x01\xff\0\0")));
    expect("file_too_large", load("large.toml", Some(&vec![b'\n'; (4 << 20) + 1])));
    std::fs::remove_dir_all(&folder).expect("the temporary folder can be removed");
}

#[test]
fn changes_of_keys() {
    let change = |name: &str, keys: &str| {
        let event = format!("[[event]]\nat = \"1 ms\"\ndo = \"change\"\n{keys}\n");
        expect(name, Scenario::parse_text(&format!("{GOOD}\n{event}"), "case.toml"));
    };
    change("change_without_a_key", "what = \"drives\"");
    change("change_without_a_value", "what = \"workload\"\nkey = \"queue_depth\"");
    change("change_of_a_key_that_stays", "what = \"loop\"\nkey = \"speed\"\nvalue = \"4GFC\"");
    change("change_of_an_unknown_key", "what = \"workload\"\nkey = \"queue_dept\"\nvalue = 4");
    change("change_of_a_key_elsewhere", "what = \"drives\"\nkey = \"cable\"\nvalue = \"3 m\"");
    change("change_beyond_the_range", "what = \"workload\"\nkey = \"queue_depth\"\nvalue = 0");
    change("change_with_another_unit", "what = \"loop\"\nkey = \"cable\"\nvalue = \"3 kB\"");
    change("change_of_one_member", "what = \"drives[1]\"\nkey = \"port.cable\"\nvalue = \"3 m\"");
    change(
        "change_of_an_adapter",
        "what = \"controller.adapter\"\nkey = \"processor_order\"\nvalue = \"fcfs\"",
    );
    change("change_where_no_key_may", "what = \"nothing\"\nkey = \"cable\"\nvalue = \"3 m\"");
    let switch = GOOD.replace("kind = \"arbitrated-loop\"", "kind = \"loop-switch\"");
    let event = "[[event]]\nat = \"1 ms\"\ndo = \"change\"\nwhat = \"drives\"\nkey = \"port.cable\"\nvalue = \"3 m\"\n";
    expect(
        "change_at_a_network_that_stays",
        Scenario::parse_text(&format!("{switch}\n{event}"), "case.toml"),
    );
    let against = "[[event]]\nat = \"1 ms\"\ndo = \"change\"\nwhat = \"controller\"\nkey = \"command_first_preemption\"\nvalue = 3\n";
    expect("change_to_another_type", Scenario::parse_text(&format!("{GOOD}\n{against}"), "case.toml"));
}
