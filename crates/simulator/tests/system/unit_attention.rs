//! CHECK CONDITION with sense data, and unit attention conditions after a reset.

use crate::common::text::{assert_adds_up, assert_reference_agrees, run};
use sansim_kernel::Span;

/// Two hosts and two disks on a loop; the adapter of a disk fails and is repaired.
fn system(disk: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = 400
        warm_up = 0
        [loop]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["one", "other", "disks"]
        [one]
        kind = "host"
        no_way_time = "unlimited"
        [other]
        kind = "host"
        no_way_time = "unlimited"
        [disks]
        kind = "drives"
        count = 2
        access_time = "1 ms"
        transfer_rate = "200 MB/s"
        {disk}
        [load]
        kind = "closed"
        from = "one"
        to = ["disks"]
        size = "4 KiB"
        queue_depth = 3
        read_fraction = 0.5
        [more]
        kind = "closed"
        from = "other"
        to = ["disks"]
        size = "4 KiB"
        queue_depth = 3
        [[event]]
        at = "20 ms"
        do = "fail"
        what = "disks[0].adapter"
        [[event]]
        at = "40 ms"
        do = "repair"
        what = "disks[0].adapter"
        "#
    )
}

#[test]
fn after_a_reset_each_host_gets_one_check_condition_of_the_device() {
    let met = |disk: &str| {
        let result = run(&system(disk));
        assert_adds_up(&result);
        assert_eq!(result.summary.failed_ios, 0);
        ["one", "other"].map(|host| {
            let errors = result.summary.errors.hosts.value_named(host);
            errors.map_or((0, 0), |errors| (errors.check_condition, errors.retries))
        })
    };
    assert_eq!(met("adapter.unit_attention = true"), [(1, 1), (1, 1)]);
    assert_eq!(met("adapter.unit_attention = true\nadapter.sense_data = \"18 B\""), [(1, 1), (1, 1)]);
    assert_eq!(met(""), [(0, 0), (0, 0)]);
}

#[test]
fn both_loops_say_the_same_of_unit_attention() {
    assert_reference_agrees(&system("adapter.unit_attention = true\nadapter.sense_data = \"20 B\""));
}

#[test]
fn sense_data_lengthen_a_failed_response_by_their_words_and_no_other() {
    // A read of a disk that answers every command with CHECK CONDITION takes FCP_CMND and FCP_RSP.
    let time = |keys: &str| {
        let text = format!(
            "[run]\nmeasured_ios = 20\nwarm_up = 0\n[loop]\nkind = \"arbitrated-loop\"\nspeed = \"1GFC\"\nstations = [\"host\", \"disk\"]\n\
             [host]\nkind = \"host\"\ndriver.retries = 0\n[disk]\nkind = \"drives\"\naccess_time = \"1 ms\"\ntransfer_rate = \"200 MB/s\"\n{keys}\n\
             [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"disk\"]\nsize = \"4 KiB\"\n"
        );
        run(&text).ios.rows.iter().map(|io| io.response).max().expect("I/Os")
    };
    // A word of 1GFC is 40 bits at 1.0625 GBd.
    let word = Span(640 * 33);
    let fails = "errors.check_condition = 1.0";
    // 18 bytes of sense data and 2 fill bytes are 5 words.
    assert_eq!(time(&format!("{fails}\nadapter.sense_data = \"18 B\"")), time(fails) + word * 5);
    assert_eq!(time("adapter.sense_data = \"18 B\""), time(""));
}
