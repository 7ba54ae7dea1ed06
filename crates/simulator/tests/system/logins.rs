//! Logins, logouts after ABTS without an answer, and resets of adapters: their cost by hand, to the tick, and the laws on random systems.

use crate::common::text::{assert_adds_up, assert_same, away, run};
use crate::random_errors;
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_simulator::RunResult;

/// The ticks from the first word of a frame alone to its last at the other end, on a switch of which every delay is a whole number of
/// nanoseconds: 25 ns for a word, 3 m to the switch, and 150 ns for routing, which begins when the first word has come.
fn message(payload: u64) -> u64 {
    (2 * 15 + 25 + 150 + 25 * payload.div_ceil(4).max(1)) * 561
}

/// PLOGI, LS_ACC, PRLI and LS_ACC.
fn login() -> u64 {
    2 * message(116) + 2 * message(20)
}

const MS: u64 = 1_000_000 * 561;

/// A host and a RAM disk at a switch; one I/O at a time.
fn small(ios: u32, host: &str, drives: &str, events: &str) -> String {
    let adapter = "adapter.request_bytes = \"0 B\"\nadapter.dma_bandwidth = \"1 TB/s\"";
    format!(
        "[run]\nmeasured_ios = {ios}\nwarm_up = 0\n[san]\nkind = \"fabric\"\nprotocol = \"plain\"\nword_time = \"25 ns\"\nspeed = \"1GFC\"\n\
         cable = \"3 m\"\nswitch.buffers = 8\nswitch.routing_delay = \"150 ns\"\nstations = [\"host\", \"drives\"]\n\
         [host]\nkind = \"host\"\n{host}\n{adapter}\n\
         [drives]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"100 GB/s\"\n{drives}\n{adapter}\n\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"drives\"]\nsize = \"2048 B\"\n{events}\n"
    )
}

fn responses(result: &RunResult) -> Vec<u64> {
    assert_adds_up(result);
    result.ios.rows.iter().map(|io| io.response.ticks()).collect()
}

#[test]
fn a_path_that_comes_back_costs_a_login_to_the_tick() {
    let removed = away("drives[0]", 100, 100);
    let of = |login: bool, events: &str| {
        let host = format!("no_way_time = \"unlimited\"\nadapter.login = {login}");
        responses(&run(&small(40, &host, "", events)))
    };
    let [without, with] = [false, true].map(|login| of(login, &removed));
    let more: Vec<u64> = with.iter().zip(&without).map(|(one, other)| one - other).collect();
    assert_eq!(more.iter().filter(|&&more| more > 0).collect::<Vec<_>>(), [&login()]);
    // A run begins with all ports logged in.
    assert_eq!(of(true, ""), of(false, ""));
}

/// Create Association, Connect with its data and three properties; for each I/O queue Create Connection and Connect: messages and answers.
fn association(queues: u64) -> u64 {
    let connect = message(96) + message(12) + message(1024) + message(32);
    let admin = message(1024) + message(56) + connect + 3 * (message(96) + message(32));
    admin + queues * (message(80) + message(40) + connect)
}

#[test]
fn a_path_of_fc_nvme_that_comes_back_costs_a_login_and_an_association_to_the_tick() {
    let removed = away("drives[0]", 100, 100);
    for (keys, queues) in [("", 1), ("adapter.nvme.queues = 3", 3)] {
        let of = |login: bool, events: &str| {
            let nvme = format!("adapter.protocol = \"nvme\"\n{keys}");
            let host = format!("no_way_time = \"unlimited\"\nadapter.login = {login}\n{nvme}");
            responses(&run(&small(40, &host, &nvme, events)))
        };
        let [without, with] = [false, true].map(|login| of(login, &removed));
        let more: Vec<u64> = with.iter().zip(&without).map(|(one, other)| one - other).collect();
        let cost = login() + association(queues);
        assert_eq!(more.iter().filter(|&&more| more > 0).collect::<Vec<_>>(), [&cost]);
        assert_eq!(of(true, ""), of(false, ""));
    }
}

/// NVMe/TCP without frames of its own: an adapter that is repaired has its queues connected again.
#[test]
fn an_adapter_of_nvme_over_tcp_that_is_repaired_connects_its_queues_again() {
    let of = |login: bool, queues: u32| {
        let end = format!("adapter.protocol = \"nvme\"\nadapter.nvme.queues = {queues}");
        let text = small(40, &format!("no_way_time = \"unlimited\"\nadapter.login = {login}\n{end}"), &end, "")
            .replace("kind = \"fabric\"\nprotocol = \"plain\"\nword_time = \"25 ns\"\nspeed = \"1GFC\"\ncable = \"3 m\"\nswitch.buffers = 8\nswitch.routing_delay = \"150 ns\"", "kind = \"tcp\"\nrate = \"1.25 GB/s\"\nmtu = \"9000 B\"");
        let events = crate::common::text::event(100, "fail", "host.adapter")
            + &crate::common::text::event(200, "repair", "host.adapter");
        responses(&run(&(text + &events))).into_iter().max().expect("I/Os")
    };
    let [none, one, two] = [of(false, 1), of(true, 1), of(true, 2)];
    // Five steps and two for each I/O queue, each of which takes more than 60 ns of the line and a microsecond at most.
    let ns = |span: u64| span / 561;
    assert!(ns(one - none) > 7 * 120 && ns(one - none) < 20_000, "{}", ns(one - none));
    assert!(two - one > (one - none) / 7 && two - one < one - none, "{one} {two}");
}

/// The response times, without the first I/O, of a host whose frames the drive loses now and then.
fn with_losses(host: &str) -> Vec<u64> {
    let host = format!("driver.time_out = \"1 ms\"\ndriver.retries = 1000\n{host}");
    let result = run(&small(4000, &host, "adapter.frame_loss = 0.2", ""));
    assert_eq!(result.summary.failed_ios, 0);
    let mut all = responses(&result);
    all.sort_unstable();
    all
}

/// Checks how many I/Os took a time longer than one without losses.
fn assert_costs(all: &[u64], costs: &[(u64, f64)]) {
    for &(cost, share) in costs {
        let count = all.iter().filter(|&&ticks| ticks == all[0] + cost).count() as f64;
        let mean = share * all.len() as f64;
        assert!((count - mean).abs() <= 4.0 * mean.sqrt(), "{count} I/Os cost {cost}, expected {mean}");
    }
}

#[test]
fn a_target_that_does_not_answer_aborts_is_logged_out_and_in_again_to_the_tick() {
    let all = with_losses("adapter.logout_aborts = 1\nadapter.abort_answer_time = \"2 ms\"");
    let abort = message(0) + message(4);
    // FCP_CMND is lost; then ABTS, too, and the command is repeated behind a login.
    assert_costs(&all, &[(0, 0.8), (MS + abort, 0.2 * 0.64), (3 * MS + login(), 0.04 * 0.512)]);
}

#[test]
fn a_logout_that_is_said_costs_a_round_trip_more_to_the_tick() {
    let all = with_losses(
        "adapter.logout_aborts = 1\nadapter.abort_answer_time = \"2 ms\"\nadapter.explicit_logout = true",
    );
    let logout = message(16) + message(4);
    assert_costs(&all, &[(0, 0.8), (3 * MS + logout + login(), 0.04 * 0.4096)]);
    // Without an answer to LOGO the initiator logs in all the same.
    assert_costs(&all, &[(5 * MS + login(), 0.04 * 0.2 * 0.512)]);
}

#[test]
fn a_reset_of_the_adapter_costs_its_waits_and_a_login_to_the_tick() {
    let all = with_losses(
        "driver.escalation = [\"adapter-reset\"]\ndriver.escalation_time = \"2 ms\"\nadapter.reset_time = \"5 ms\"\n\
         adapter.abort_answer_time = \"100 ms\"",
    );
    let abort = message(0) + message(4);
    assert_costs(&all, &[(0, 0.8), (MS + abort, 0.2 * 0.64), (8 * MS + login(), 0.04 * 0.512)]);
}

#[test]
fn a_reset_ends_the_commands_of_the_adapter_at_every_target() {
    // The second drive never answers: its command is aborted, and the reset ends those of the first drive, too.
    let text = r#"
        [run]
        measured_ios = 60
        warm_up = 0
        [san]
        kind = "fabric"
        speed = "8GFC"
        stations = ["host", "drives"]
        [host]
        kind = "host"
        driver.time_out = "50 ms"
        driver.retries = 3
        driver.escalation = ["lun-reset", "adapter-reset"]
        driver.escalation_time = "2 ms"
        adapter.abort_answer_time = "100 ms"
        adapter.reset_time = "1 ms"
        [drives]
        kind = "drives"
        count = 2
        access_time = "3 ms"
        transfer_rate = "400 MB/s"
        adapter.frame_loss = 0.15
        [load]
        kind = "closed"
        from = "host"
        to = ["drives"]
        size = "4 KiB"
        queue_depth = 8
        "#;
    let result = run(text);
    assert_adds_up(&result);
    let errors = &result.summary.errors;
    assert!(errors.hosts.value_named("host").is_some_and(|host| host.task_management > 0));
}

const SYSTEMS: [(&str, &[&str]); 3] = [
    (
        r#"
        [san]
        kind = "fabric"
        speed = "4GFC"
        stations = ["host", "other", "disks"]
        HOSTS
        "#,
        &["host", "disks[0]", "disks"],
    ),
    (
        r#"
        [san]
        kind = "arbitrated-loop"
        speed = "2GFC"
        stations = ["host", "other", "disks"]
        HOSTS
        "#,
        &[],
    ),
    (
        r#"
        [san]
        kind = "fabric"
        speed = "4GFC"
        class = "class-2"
        stations = ["host", "other", "disks"]
        HOSTS
        "#,
        &["disks[1]", "disks"],
    ),
];

const HOSTS: &str = r#"
    [host]
    kind = "host"
    driver.time_out = "12 ms"
    driver.escalation = ESCALATION
    driver.escalation_time = "2 ms"
    adapter.login = true
    adapter.abort_answer_time = "3 ms"
    adapter.logout_aborts = LOGOUT
    adapter.reset_time = "4 ms"
    adapter.frame_loss = LOSS
    [other]
    kind = "host"
    driver.time_out = "15 ms"
    adapter.abort_answer_time = "2 ms"
    adapter.logout_aborts = 2
    adapter.explicit_logout = true
    [disks]
    kind = "drives"
    count = 3
    access_time = "300 us"
    transfer_rate = "200 MB/s"
    errors.no_answer = 0.02
    adapter.frame_loss = LOSS
    [load]
    kind = "closed"
    from = "host"
    to = ["disks"]
    size = "24 KiB"
    read_fraction = 0.5
    queue_depth = 3
    [load-of-other]
    kind = "closed"
    from = "other"
    to = ["disks"]
    size = "8 KiB"
    read_fraction = 0.5
    "#;

/// A system with its escalation, limit of ABTS, loss of frames, and changes: a place in its list, a time, and when it is undone.
#[derive(Clone, Debug)]
struct Case {
    system: usize,
    escalation: &'static str,
    logout: &'static str,
    loss: f64,
    changes: Vec<(usize, u64, u64)>,
    seed: u32,
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let (text, things) = SYSTEMS[case.system];
    let hosts = HOSTS
        .replace("ESCALATION", case.escalation)
        .replace("LOGOUT", case.logout)
        .replace("LOSS", &case.loss.to_string());
    let seed = case.seed;
    let mut text =
        format!("[run]\nseed = {seed}\nmeasured_ios = 120\nwarm_up = 0\n{}\n", text.replace("HOSTS", &hosts));
    for &(thing, at, back) in case.changes.iter().filter(|_| !things.is_empty()) {
        text += &away(things[thing % things.len()], at, back);
    }
    let result = random_errors::run(&text, NetworkModel::Fast)?;
    assert_adds_up(&result);
    prop_assert_eq!(result.summary.ios, 120);
    if things.is_empty() {
        assert_same(&result, &random_errors::run(&text, NetworkModel::Reference)?);
    }
    Ok(())
}

fn cases() -> impl Strategy<Value = Case> {
    let escalation = prop_oneof![
        Just("[]"),
        Just("[\"adapter-reset\"]"),
        Just("[\"lun-reset\", \"target-reset\", \"adapter-reset\"]")
    ];
    let logout = prop_oneof![Just("\"never\""), Just("1"), Just("2")];
    let loss = prop_oneof![Just(0.0), 0.0f64..0.1];
    let changes = prop::collection::vec((0usize..4, 0u64..30_000, 1u64..20_000), 0..3);
    (0..SYSTEMS.len(), escalation, logout, loss, changes, 0u32..100_000).prop_map(
        |(system, escalation, logout, loss, changes, seed)| Case {
            system,
            escalation,
            logout,
            loss,
            changes,
            seed,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(400), max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn nothing_is_lost_or_answered_twice_when_adapters_log_in_again(case in cases()) {
        check(&case)?;
    }
}
