//! The result of resolving a correct scenario.

use crate::common::{al_pas, drives, file, host, load, network, owned, passive, stations, workload};
use sansim_fc::al_pa::AlPa;
use sansim_fc::delay::Delay;
use sansim_fc::loop_port::{FcPort, LoopSharing, PortParameters};
use sansim_fc::speed::Speed;
use sansim_kernel::Distribution;
use sansim_kernel::Span;
use sansim_scenario::{PrecisionFigure, Scenario, WarmUp};
use sansim_schema::document::{self, Document, TableEntry, TomlContent, TomlItem};

fn base(overrides: &[(&str, &str)]) -> Scenario {
    load("wang-2005-base.toml", overrides)
}

fn refused(overrides: &[(&str, &str)]) -> String {
    let result = Scenario::load_file(file("wang-2005-base.toml"), &owned(overrides));
    result.expect_err("the overrides must be refused").to_string()
}

#[test]
fn the_base_system_has_the_constants_of_the_thesis() {
    let scenario = base(&[]);
    let arbitrated_loop = network(&scenario, "loop");
    assert_eq!(arbitrated_loop.speed, Speed::G2);
    assert_eq!(arbitrated_loop.word_time, Some(Span::from_ns(19)));
    assert_eq!(arbitrated_loop.port_delay, Delay { span: Span::from_ns(33), in_words: false });
    let order: Vec<&str> = stations(&scenario, 0).iter().map(|(name, _)| *name).collect();
    assert_eq!((order.len(), order[0], order[1], order[16]), (17, "controller", "drives[0]", "drives[15]"));

    let host = host(&scenario, "controller");
    assert_eq!(host.schedule.schedule, LoopSharing::Fair);
    assert!(!host.schedule.command_first_queue.is(true));
    assert_eq!(host.adapter.command_time, Span::from_ns(43_900));
    assert_eq!(host.adapter.dma_setup_time, Span::from_ns(15_500));
    assert_eq!(host.adapter.dma_bandwidth, Some(1_064_000_000));
    assert_eq!(host.driver.outstanding_limit, 255);
    assert_eq!(host.port.incoming_buffers, 3);

    let drives = drives(&scenario, "drives");
    assert_eq!((drives.count, drives.port.incoming_buffers), (16, 2));
    assert_eq!(drives.drive.access_time, Distribution::Fixed(Span::from_ms(2)));
    assert_eq!(drives.drive.transfer_rate, 50_000 * 1024);
    assert_eq!((drives.drive.burst, drives.drive.read_sequence), (None, None));

    let workload = workload(&scenario, "workload");
    let graph = &scenario.graph;
    let (route, all): (_, Vec<usize>) = (&graph.routes[0], (0..16).collect());
    assert_eq!((graph.parts[route.host].name.as_str(), &route.devices), ("controller", &all));
    assert_eq!((workload.size, workload.read_fraction, workload.queue_depth), (64 << 10, 1.0, 1));
    assert_eq!(scenario.run.warm_up, WarmUp::IosPerSlot(10));
    assert_eq!(scenario.fcp.command_payload, 28);
}

#[test]
fn every_scenario_file_of_the_repository_is_correct() {
    let folder = std::fs::read_dir(file("")).expect("the scenarios");
    let mut files = 0;
    for path in folder
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension() == Some("toml".as_ref()))
    {
        let scenario = Scenario::load_file(&path, &[]).unwrap_or_else(|report| panic!("{report}"));
        assert_eq!(
            Scenario::parse_text(&scenario.to_toml(), "resolved").as_ref(),
            Ok(&scenario),
            "{}",
            path.display()
        );
        files += 1;
    }
    assert!(files >= 4);
}

#[test]
fn a_key_of_an_only_stream_is_none_beside_streams_that_have_names() {
    let text = std::fs::read_to_string(file("oltp-and-backup.toml")).expect("a text");
    let (before, after) = text.split_once("kind = \"synthetic\"\n").expect("the workload");
    let text = format!("{before}kind = \"synthetic\"\nsize = \"4 KiB\"\n{after}");
    let report = Scenario::parse_text(&text, "case").expect_err("of which stream?").to_string();
    assert!(
        report.contains("oltp.size is that of an only stream, but `oltp` has several that have names"),
        "{report}"
    );
    assert!(
        report.contains("write what it says into `oltp.streams.queries` or `oltp.streams.log`"),
        "{report}"
    );
    assert_eq!(report.matches("error[").count(), 1, "{report}");
}

#[test]
fn the_keys_of_the_published_study_can_be_set() {
    let scenario = base(&[
        ("workload.size", "16KiB"),
        ("workload.read_fraction", "0.66"),
        ("workload.queue_depth", "4"),
        ("drives.count", "126"),
        ("drives.access_time", "500 us"),
        ("controller.schedule", "command-first"),
    ]);
    let workload = workload(&scenario, "workload");
    assert_eq!((workload.size, workload.read_fraction, workload.queue_depth), (16 << 10, 0.66, 4));
    assert_eq!(drives(&scenario, "drives").count, 126);
    assert_eq!(drives(&scenario, "drives").drive.access_time, Distribution::Fixed(Span::from_us(500)));
    let host = host(&scenario, "controller");
    assert_eq!(host.schedule.schedule, LoopSharing::CommandFirst);
    assert!(
        host.schedule.command_first_queue.is(true)
            && host.schedule.command_first_arbitration.is(true)
            && host.schedule.command_first_preemption.is(true)
    );
}

#[test]
fn each_level_of_command_first_can_be_switched_by_itself() {
    let scenario =
        base(&[("controller.schedule", "command-first"), ("controller.command_first_preemption", "false")]);
    let host = host(&scenario, "controller");
    assert!(
        host.schedule.command_first_queue.is(true)
            && host.schedule.command_first_arbitration.is(true)
            && !host.schedule.command_first_preemption.is(true)
    );
    assert_eq!(Scenario::parse_text(&scenario.to_toml(), "resolved"), Ok(scenario));
}

#[test]
fn overrides_of_every_form_work() {
    let scenario = base(&[
        ("drives.port.incoming_buffers", "1"),
        ("run.seed", "7"),
        ("run.warm_up", "auto"),
        ("title", "2005"),
        ("controller.port.al_pa", "10"),
        ("drives.access_time", "{ distribution = \"normal\", mean = \"2 ms\", deviation = \"0.5 ms\" }"),
        ("workload.to", "drives"),
        ("spare.kind", "passive"),
        ("spare.count", "3"),
        ("loop.stations", "[\"controller\", \"spare\", \"drives\"]"),
        ("loop.cable", " 10 m "),
    ]);
    assert_eq!(drives(&scenario, "drives").port.incoming_buffers, 1);
    assert_eq!((scenario.run.seed, scenario.run.warm_up), (7, WarmUp::Auto));
    assert_eq!(scenario.title, "2005");
    assert_eq!(al_pas(&scenario, "controller"), [0x10]);
    let (mean, deviation) = (Span::from_ms(2), Span::from_us(500));
    assert_eq!(drives(&scenario, "drives").drive.access_time, Distribution::Normal { mean, deviation });
    assert_eq!(passive(&scenario, "spare").count, 3);
    assert_eq!(network(&scenario, "loop").cable.as_m_f64(), 10.0);
}

#[test]
fn the_last_of_two_overrides_of_a_key_counts() {
    let scenario = base(&[("workload.size", "1 KiB"), ("workload.size", "2 KiB")]);
    assert_eq!(workload(&scenario, "workload").size, 2048);
}

#[test]
fn an_override_is_checked_like_the_file() {
    assert!(refused(&[("workload.size", "65536")]).contains("write \"65536 B\""));
    assert!(refused(&[("drives.count", "127")]).contains("128 ports"));
    assert!(refused(&[("drives.port.login_credit", "3")]).contains("incoming_buffers, which is 2"));
}

#[test]
fn stations_stand_in_the_order_of_the_loop_with_delay_and_cable() {
    let scenario = load("long-loop.toml", &[("drive.port.cable", "1 km"), ("drive.port.delay", "100 ns")]);
    assert_eq!(stations(&scenario, 0), [("controller", 0x01), ("drive[0]", 0x02)]);
    let (host, drive) = (&host(&scenario, "controller").port, &drives(&scenario, "drive").port);
    let along = |port: &PortParameters| network(&scenario, "loop").propagation.propagation_time(port.cable);
    assert_eq!((along(host), along(drive)), (Span::from_us(250), Span::from_us(5)));
    let delays = (Speed::G2.word_time() * 6, Span::from_ns(100));
    assert_eq!((host.delay.span, drive.delay.span), delays);
}

#[test]
fn addresses_go_to_hosts_then_drives_then_passive_ports() {
    let scenario = base(&[
        ("loop.stations", "[\"spare\", \"drives\", \"controller\"]"),
        ("spare.kind", "passive"),
        ("drives.count", "3"),
        ("drives.port.al_pa", "[\"01\", \"EF\", \"02\"]"),
    ]);
    assert_eq!(al_pas(&scenario, "controller"), [0x04]);
    assert_eq!(al_pas(&scenario, "drives"), [0x01, 0xef, 0x02]);
    assert_eq!(al_pas(&scenario, "spare"), [0x08]);
}

#[test]
fn a_full_loop_uses_every_address() {
    let scenario = base(&[("drives.count", "126")]);
    let mut addresses: Vec<u8> = stations(&scenario, 0).iter().map(|&(_, al_pa)| al_pa).collect();
    assert_eq!(addresses[0], 0x00);
    addresses.sort();
    addresses.dedup();
    assert_eq!(addresses.len(), AlPa::COUNT);
    // With one port fewer, address 00 stays reserved for a fabric that does not exist.
    assert_eq!(stations(&base(&[("drives.count", "125")]), 0)[0].1, 0x01);
}

#[test]
fn words_follow_the_speed_even_in_the_resolved_file() {
    let set = [("loop.word_time", "exact"), ("loop.port_delay", "2 words"), ("drives.port.delay", "114 ns")];
    let resolved = base(&set).to_toml();
    let faster = Scenario::parse_with(&resolved, "resolved", &[("loop.speed".to_owned(), "4GFC".to_owned())]);
    let faster = faster.unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(host(&faster, "controller").port.delay.span, Speed::G4.word_time() * 2);
    assert_eq!(drives(&faster, "drives").port.delay.span, Span::from_ns(114));
}

#[test]
fn the_schedule_of_the_resolved_file_can_be_changed() {
    let resolved = base(&[]).to_toml();
    let set = [("controller.schedule".to_owned(), "command-first".to_owned())];
    let changed =
        Scenario::parse_with(&resolved, "resolved", &set).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(changed, base(&[("controller.schedule", "command-first")]));
}

#[test]
fn a_ram_drive_needs_no_access_time() {
    let scenario = load("long-loop.toml", &[]);
    assert_eq!(drives(&scenario, "drive").drive.access_time, Distribution::Fixed(Span::from_us(10)));
    let text = scenario.to_toml().replace("access_time = \"10 us\"\n", "");
    let without = Scenario::parse_text(&text, "ram").unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(drives(&without, "drive").drive.access_time, Distribution::Fixed(Span::ZERO));
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_are_fine() {
    let text = std::fs::read_to_string(file("wang-2005-base.toml")).expect("the base system");
    let text = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(Scenario::parse_text(&text, "windows"), Ok(base(&[])));
}

#[test]
fn the_speed_of_an_override_is_shown_on_one_line() {
    // A value with a line break must not look like two lines of a file.
    let report = refused(&[("workload.size", "1\n2")]);
    assert!(report.contains("command line"), "{report}");
}

#[test]
fn a_precision_is_read_exactly_and_its_bounds_follow_the_length() {
    let off = base(&[]);
    assert_eq!((off.run.precision, off.run.precision_of), (None, PrecisionFigure::ResponseTime));
    assert_eq!(Some(off.run.most_ios), off.run.measured_ios.map(|ios| 100 * ios));
    let scenario =
        base(&[("run.precision", "0.25%"), ("run.precision_of", "p99.9"), ("run.most_ios", "50000")]);
    let share = scenario.run.precision.expect("a share");
    assert_eq!((share.millionths, share.fraction()), (2_500, 0.0025));
    assert_eq!((scenario.run.precision_of, scenario.run.most_ios), (PrecisionFigure::P99_9, 50_000));
    assert!(scenario.to_toml().contains("precision = \"0.25 %\""));
    assert_eq!(Scenario::parse_text(&scenario.to_toml(), "resolved"), Ok(scenario));
    // A resolved scenario has every key; without a precision, the limit of I/Os has no effect.
    let set = [("run.measured_ios".to_owned(), "1000000000".to_owned())];
    assert!(Scenario::parse_with(&off.to_toml(), "resolved", &set).is_ok());
}

/// The warnings for a medium, a speed and a length of all cables.
fn warned(medium: &str, speed: &str, cable: &str) -> Vec<String> {
    base(&[
        ("loop.medium", medium),
        ("loop.speed", speed),
        ("loop.word_time", "exact"),
        ("loop.cable", cable),
    ])
    .setting_warnings()
}

#[test]
fn a_cable_that_is_longer_than_its_medium_carries_is_warned_of() {
    let cases = [
        ("copper", "1GFC", "25 m", "25.1 m"),
        ("multi-mode", "1GFC", "500 m", "501 m"),
        ("multi-mode", "2GFC", "300 m", "301 m"),
        ("multi-mode", "4GFC", "150 m", "151 m"),
        ("multi-mode", "8GFC", "50 m", "51 m"),
        ("single-mode", "8GFC", "10 km", "10.1 km"),
        ("fibre", "1GFC", "10 km", "11 km"),
    ];
    for (medium, speed, carried, longer) in cases {
        assert_eq!(warned(medium, speed, carried), Vec::<String>::new(), "{medium} {speed} {carried}");
        let lines = warned(medium, speed, longer);
        assert_eq!(lines.len(), 1, "one line for all cables");
        assert!(lines[0].contains(&format!("({longer}) than the {carried}")), "{}", lines[0]);
        assert!(!lines[0].contains('\n'));
    }
    assert_eq!(warned("extended", "4GFC", "1000 km"), Vec::<String>::new());
}

#[test]
fn every_medium_but_copper_delays_as_fibre_does() {
    let delay = |medium: &str| network(&base(&[("loop.medium", medium)]), "loop").propagation.ps_per_m;
    for medium in ["fibre", "multi-mode", "single-mode", "extended"] {
        assert_eq!(delay(medium), 5_000, "{medium}");
    }
    assert_eq!(delay("copper"), 4_300);
}

#[test]
fn microseconds_per_kilometre_are_nanoseconds_per_metre() {
    for (written, ps_per_m) in [("5 us/km", 5_000), ("4.9 us/km", 4_900), ("5 ns/m", 5_000)] {
        let scenario = base(&[("loop.propagation", written), ("loop.cable", "3 km")]);
        assert_eq!(network(&scenario, "loop").propagation.ps_per_m, ps_per_m, "{written}");
        // A cable of 3 km delays by as many ns as 3 m by ps.
        for station in &scenario.graph.loops[0].stations {
            let delay = network(&scenario, "loop").propagation.propagation_time(
                station.port.keys_of_protocol::<FcPort>().expect("a port of a loop").port.cable,
            );
            assert_eq!(delay, Span::from_ns(3 * ps_per_m), "{written}");
        }
        let resolved = scenario.to_toml();
        let line = format!("propagation = \"{} ns/m\"", ps_per_m as f64 / 1e3);
        assert!(resolved.contains(&line), "{resolved}");
        assert_eq!(Scenario::parse_text(&resolved, "resolved"), Ok(scenario));
    }
}

#[test]
fn a_run_is_as_long_as_its_duration_or_its_number_of_ios() {
    let timed = base(&[("run.measured_ios", "none"), ("run.duration", "2.5 s"), ("run.warm_up", "20 ms")]);
    assert_eq!((timed.run.measured_ios, timed.run.duration), (None, Some(Span::from_ms(2_500))));
    assert_eq!(timed.run.warm_up, WarmUp::Until(Span::from_ms(20)));
    let text = timed.to_toml();
    assert!(text.contains("duration = \"2.5 s\"") && text.contains("warm_up = \"20 ms\""), "{text}");
    assert_eq!(Scenario::parse_text(&text, "resolved"), Ok(timed));
    // Neither the duration nor the number of I/Os is given.
    let counted = Scenario::parse_text(&base(&[("run.measured_ios", "8000")]).to_toml(), "resolved")
        .expect("a scenario");
    assert_eq!((counted.run.measured_ios, counted.run.duration), (Some(8_000), None));
    let text = counted.to_toml().replace("duration = \"none\"", "duration = \"1 s\"");
    assert_eq!(Scenario::parse_text(&text, "resolved").expect("a scenario").run.measured_ios, None);
}

#[test]
fn a_run_that_is_mostly_left_out_is_warned_of() {
    let warnings = |depth: &str, ios: &str, warm_up: &str| {
        base(&[("workload.queue_depth", depth), ("run.measured_ios", ios), ("run.warm_up", warm_up)])
            .setting_warnings()
    };
    let found = warnings("65536", "100", "20");
    let slots = u64::from(drives(&base(&[]), "drives").count) * 65_536;
    let [line] = found.as_slice() else { panic!("{found:?}") };
    assert!(line.contains("for 100 that are measured") && line.contains("run.warm_up = 20"), "{line}");
    assert_eq!(line.split(' ').next().map(|count| count.replace(',', "")), Some((40 * slots).to_string()));
    for (depth, ios, warm_up) in [
        ("65536", "100", "20 ms"),
        ("65536", "100", "auto"),
        ("65536", "100000000", "20"),
        ("32", "100", "20"),
    ] {
        assert_eq!(warnings(depth, ios, warm_up), Vec::<String>::new(), "{depth} {ios} {warm_up}");
    }
}

#[test]
fn how_much_there_is_to_simulate_is_known_before() {
    let frames = |set: &[(&str, &str)]| base(set).estimated_frame_count();
    let small = [("run.measured_ios", "1000"), ("run.warm_up", "0"), ("workload.size", "4 KiB")];
    // A read has a command, a response, and two frames of data.
    assert_eq!(frames(&small), Some(4_000.0));
    assert_eq!(frames(&[small[0], small[1], small[2], ("workload.read_fraction", "0.0")]), Some(5_000.0));
    assert_eq!(frames(&[small[0], small[1], ("workload.size", "64 KiB")]), Some(34_000.0));
    let slots = base(&[]).ios_in_flight() as f64;
    assert_eq!(frames(&[small[0], small[2], ("run.warm_up", "10")]), Some(4_000.0 + 80.0 * slots));
    assert_eq!(frames(&[small[0], small[2], ("run.warm_up", "auto")]), Some(8_000.0 + 4.0 * slots));
    assert_eq!(frames(&[("run.measured_ios", "none"), ("run.duration", "1 s")]), None);
}

/// The keys of a file that do not hold a table of settings, with their values.
fn leaves(members: &[TableEntry], path: &str) -> Vec<(String, String)> {
    let each = members.iter().flat_map(|TableEntry { key, item, .. }| {
        let key = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match &item.content {
            TomlContent::Table(inner) => leaves(inner, &key),
            _ => vec![(key, told(item))],
        }
    });
    each.collect()
}

fn told(item: &TomlItem) -> String {
    match &item.content {
        TomlContent::List(items) => items.iter().map(told).collect::<Vec<_>>().join(", "),
        content => format!("{content:?}"),
    }
}

#[test]
fn a_resolved_scenario_is_there_as_data_with_the_values_that_only_follow_another() {
    for name in ["wang-2005-base.toml", "four-disks.toml", "two-nodes.toml"] {
        let scenario = load(name, &[("run.seed", "77")]);
        let (text, settings) = (scenario.to_toml(), scenario.effective_settings());
        let (follow, stand): (Vec<_>, Vec<_>) =
            settings.iter().partition(|setting| setting.follows.is_some());
        let values: Vec<(String, String)> = stand
            .iter()
            .flat_map(|setting| {
                let content = document::value(&setting.toml).expect("a value is TOML");
                let (key, item) = (setting.key.clone(), TomlItem { content, range: (0, 0) });
                leaves(&[TableEntry { key, key_range: (0, 0), item }], "")
            })
            .collect();
        let file = Document::parse(&text, name).expect("what is written can be read");
        assert_eq!(values, leaves(file.root(), ""), "{name}");
        assert!(values.contains(&("run.seed".to_owned(), "Integer(77)".to_owned())));
        assert!(values.contains(&("workload.kind".to_owned(), "Text(\"closed\")".to_owned())));
        // A value that follows another key is the effective one: writing it changes nothing.
        assert!(!follow.is_empty());
        for setting in follow {
            let (table, key) = setting.key.rsplit_once('.').expect("a key of a table");
            let line = format!("# {key} = {}   (follows ", setting.toml);
            let start = text.find(&format!("[{table}]\n")).expect("its table is in the file");
            assert!(text[start..].contains(&line), "{name}: {line}");
            let written = load(name, &[("run.seed", "77"), (&setting.key, &setting.toml)]);
            assert_eq!(written, scenario, "{name}: {}", setting.key);
        }
    }
}
