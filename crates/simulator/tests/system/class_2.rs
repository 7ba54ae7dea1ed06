//! Class 2 in whole systems, on fabrics and on loops: every frame is acknowledged, a single I/O is never faster with class 2, and requests whose frames a switch
//! discards are sent again.

use crate::common::figure;
use crate::common::text::{assert_adds_up, assert_reference_agrees, run, scenario};
use sansim_component::NetworkModel;
use sansim_observe::capture::{Capture, CaptureCounts, CaptureOptions, InterfaceCounts, MonitoredPoints};
use sansim_simulator::build;
use sansim_simulator::run::RecordingOptions;

/// Two hosts and four drives at two switches.
fn text(san: &str, load: &str) -> String {
    format!(
        "[run]\nmeasured_ios = 200\nwarm_up = 20\n[san]\nkind = \"fabric\"\nspeed = \"8GFC\"\ntopology = \"given\"\n\
         stations = [\"one\", \"two\", \"drives\"]\nswitches.near.stations = [\"one\", \"two\"]\nswitches.far.stations = [\"drives\"]\n\
         links.between = {{ from = \"near\", to = \"far\", cable = \"300 m\" }}\nswitch.buffers = 4\n{san}\n\
         [one]\nkind = \"host\"\ndriver.time_out = \"20 ms\"\nadapter.abort_answer_time = \"5 ms\"\n\
         [two]\nkind = \"host\"\ndriver.time_out = \"20 ms\"\nadapter.abort_answer_time = \"5 ms\"\n\
         [drives]\nkind = \"drives\"\ncount = 4\nmodel = \"ram\"\ntransfer_rate = \"200 MB/s\"\n\
         [load]\nkind = \"closed\"\nfrom = \"one\"\nto = \"drives\"\n{load}\n\
         [other]\nkind = \"closed\"\nfrom = \"two\"\nto = \"drives\"\n{load}\n"
    )
}

/// The response time of all I/Os of one host at one drive behind two switches, one after another.
fn alone(san: &str, load: &str) -> u64 {
    let result = run(&format!(
        "[run]\nmeasured_ios = 100\n[san]\nkind = \"fabric\"\nspeed = \"8GFC\"\ntopology = \"given\"\nstations = [\"one\", \"drives\"]\n\
         switches.near.stations = [\"one\"]\nswitches.far.stations = [\"drives\"]\n\
         links.between = {{ from = \"near\", to = \"far\", cable = \"300 m\" }}\n{san}\n[one]\nkind = \"host\"\nadapter.dma_bandwidth = \"1064 MB/s\"\n\
         [drives]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"1 GB/s\"\nadapter.dma_bandwidth = \"1064 MB/s\"\n\
         [load]\nkind = \"closed\"\nfrom = \"one\"\nto = \"drives\"\nqueue_depth = 1\n{load}\n"
    ));
    assert_adds_up(&result);
    result.ios.rows.iter().map(|row| row.response.ticks()).sum()
}

/// A run with everything captured.
fn captured(text: &str) -> CaptureCounts {
    let scenario = scenario(text);
    let plan = build::plan_system(&scenario, None, NetworkModel::Fast);
    let names = plan.observer_names();
    let options = CaptureOptions { points: MonitoredPoints::All, ..CaptureOptions::default() };
    let path = std::env::temp_dir().join(format!(
        "sansim-class-2-{}-{:?}.pcapng",
        std::process::id(),
        std::thread::current().id()
    ));
    let capture = Capture::create(&path, &names, options).expect("create");
    let (_, capture) = crate::common::watched(&plan, RecordingOptions::default(), capture).expect("it ends");
    let (written, counts) = capture.finish(true).expect("finish");
    std::fs::remove_file(&written.path).expect("clean up");
    counts
}

#[test]
fn one_io_alone_is_never_faster_and_with_credit_for_its_frames_hardly_slower() {
    for load in ["size = \"2 KiB\"\nread_fraction = 1.0", "size = \"64 KiB\"\nread_fraction = 0.5"] {
        let [class_3, class_2] =
            ["", "class = \"class-2\"\nclass_2.end_to_end_credit = 64"].map(|san| alone(san, load));
        assert!(class_2 >= class_3, "{load}: {class_2} after {class_3}");
        assert!(class_2 <= class_3 + class_3 / 50, "{load}: {class_2} after {class_3}");
        let little = alone("class = \"class-2\"\nclass_2.end_to_end_credit = 1", load);
        assert!(little >= class_2, "{load}: {little} after {class_2}");
    }
}

/// The same nodes on an arbitrated loop.
fn on_loop(keys: &str, load: &str) -> String {
    let fabric = text("", load);
    let nodes = &fabric[fabric.find("[one]").expect("a host")..];
    format!(
        "[run]\nmeasured_ios = 200\nwarm_up = 20\n[loop]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\n\
         stations = [\"one\", \"two\", \"drives\"]\n{keys}\n{nodes}"
    )
}

#[test]
fn every_frame_has_its_ack_at_every_port_that_sees_it() {
    let load = "size = \"16 KiB\"\nread_fraction = 0.5\nqueue_depth = 2";
    every_frame_has_its_ack(&text("class = \"class-2\"", load));
}

#[test]
fn every_frame_on_a_loop_has_its_ack_and_both_models_agree() {
    let load = "size = \"16 KiB\"\nread_fraction = 0.5\nqueue_depth = 2";
    for keys in ["", "\nclass_2.end_to_end_credit = 1"] {
        let text = on_loop(&format!("class = \"class-2\"{keys}"), load);
        assert_adds_up(&run(&text));
        assert_reference_agrees(&text);
        every_frame_has_its_ack(&text);
    }
}

/// A read has two circuits: one for the command, and one for data and status. The host empties a buffer 3 us after a frame has come,
/// when the circuit of the status is over: its ACK takes a circuit more. A port that closes after its frames has no such ACK.
#[test]
fn an_ack_for_a_status_takes_a_circuit_more_unless_the_host_closes_after_its_frames() {
    let circuits = |class: &str, port: &str| {
        let result = run(&format!(
            "[run]\nmeasured_ios = 200\n[loop]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\nclass = \"{class}\"\nstations = [\"one\", \"drives\"]\n\
             [one]\nkind = \"host\"\nadapter.frame_time = \"3 us\"\n{port}\n[drives]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"1 GB/s\"\n\
             [load]\nkind = \"closed\"\nfrom = \"one\"\nto = \"drives\"\nsize = \"16 KiB\"\nread_fraction = 1.0\nqueue_depth = 1\n"
        ));
        assert_adds_up(&result);
        figure(&result.summary, "loop", "tenancies")
    };
    let after_frames = "port.close_after_frames = true";
    assert_eq!(circuits("class-3", ""), 400.0);
    assert_eq!(circuits("class-2", ""), 600.0);
    assert_eq!(circuits("class-2", after_frames), 400.0);
}

fn every_frame_has_its_ack(text: &str) {
    let counts = captured(text);
    let of = |direction: &str, what: fn(&InterfaceCounts) -> u64| -> u64 {
        counts.interfaces.iter().filter(|interface| interface.name.ends_with(direction)).map(what).sum()
    };
    let frames = |one: &InterfaceCounts| one.commands + one.transfer_readies + one.data + one.responses;
    assert!(of(" out", frames) > 2_000);
    assert_eq!(of(" out", frames), of(" in", |one| one.link_control));
    assert_eq!(of(" in", frames), of(" out", |one| one.link_control));
    assert_eq!(counts.without_identifier, 0);
}

#[test]
fn what_a_switch_discards_is_told_by_f_bsy_and_asked_for_again_when_its_time_is_out() {
    let load = "size = \"16 KiB\"\nread_fraction = 1.0\nqueue_depth = 1";
    let slow = "node_links.slow = { stations = [\"one\", \"two\"], speed = \"1GFC\" }";
    let san = format!("class = \"class-2\"\nswitch.hold_time = \"120 us\"\n{slow}");
    let counts = captured(&text(&san, load).replace("warm_up = 20", "warm_up = 0"));
    let all = |what: fn(&InterfaceCounts) -> u64| counts.interfaces.iter().map(what).sum::<u64>();
    // A discarded frame appears where it was sent, and not where it should have arrived; the F_BSY about it appears the other way round.
    let of = |way: &str, what: fn(&InterfaceCounts) -> u64| {
        let inner = |name: &str| name.contains(".switches.");
        let ends = counts.interfaces.iter().filter(|one| one.name.ends_with(way) && !inner(&one.name));
        ends.map(what).sum::<u64>()
    };
    let lost = of(" out", |one| one.data) - of(" in", |one| one.data);
    assert!(lost > 0);
    assert!(of(" in", |one| one.link_control) > of(" out", |one| one.link_control));
    assert!(all(|one| one.link_services) > 0, "ABTS, for the I/Os of which one was discarded");
}

#[test]
fn a_link_that_fails_takes_answers_with_it_and_nothing_is_left_at_the_end() {
    let load = "size = \"64 KiB\"\nread_fraction = 0.5\nqueue_depth = 4";
    let events = "[[event]]\nat = \"3 ms\"\nwhat = \"san.links.between\"\ndo = \"fail\"\n\
                  [[event]]\nat = \"5 ms\"\nwhat = \"san.links.between\"\ndo = \"repair\"\n";
    for answer_time in ["1 ms", "10 ms", "2 s"] {
        let san = format!("class = \"class-2\"\nclass_2.answer_time = \"{answer_time}\"");
        let result = run(&format!("{}{events}", text(&san, load).replace("warm_up = 20", "warm_up = 0")));
        assert_adds_up(&result);
        assert!(figure(&result.summary, "san", "lost_frames") > 0.0);
    }
}

#[test]
fn keys_of_class_2_in_class_3_are_refused() {
    let told = |san: &str| {
        sansim_scenario::Scenario::parse_text(&text(san, ""), "a test").expect_err("refused").to_string()
    };
    let text = told("class_2.end_to_end_credit = 2");
    assert!(text.contains("agree on nothing of class 2"), "{text}");
}

#[test]
fn keys_that_exclude_class_2_on_a_loop_are_refused() {
    let told =
        |text: &str| sansim_scenario::Scenario::parse_text(text, "a test").expect_err("refused").to_string();
    let class_2 = "class = \"class-2\"";
    for (keys, what) in [
        ("class_2.end_to_end_credit = 2".to_owned(), "agree on nothing of class 2"),
        (format!("{class_2}\nword_loss = 1e-9"), "damaged words are simulated in class 3 only"),
    ] {
        let told = told(&on_loop(&keys, ""));
        assert!(told.contains(what), "{told}");
    }
    let dynamic = told(
        &on_loop(class_2, "")
            .replace("[two]\nkind = \"host\"", "[two]\nkind = \"host\"\nport.dynamic_half_duplex = true"),
    );
    assert!(dynamic.contains("in class 2 `two` cannot have dynamic_half_duplex"), "{dynamic}");
    let switch = told(&on_loop(class_2, "").replace("arbitrated-loop", "loop-switch"));
    assert!(switch.contains("not at a loop switch"), "{switch}");
}
