//! Random scenarios, as the text of scenario files: populations, sizes, mixtures, queue depths, duplex, buffers, login
//! credits, schedules, lengths, speeds, bursts, drives and adapters.

use proptest::prelude::*;

/// A number, or in most cases no limit.
fn limits(most: u32) -> impl Strategy<Value = String> {
    prop_oneof![3 => Just("\"unlimited\"".to_owned()), 2 => (1..=most).prop_map(|limit| limit.to_string())]
}

/// The priorities in an adapter, and its limit of commands.
fn orders() -> impl Strategy<Value = String> {
    let orders = prop::sample::select(vec!["fcfs", "fcfs", "xfer-rdy-first", "command-first"]);
    (orders, any::<bool>(), limits(3)).prop_map(|(order, request_first, limit)| {
        format!(
            "processor_order = \"{order}\"\ndma_request_first = {request_first}\ncommands_in_execution = {limit}\n"
        )
    })
}

/// The settings of an adapter, for an initiator or a target, and the number of frames that it fetches ahead.
fn adapters() -> impl Strategy<Value = (u32, String)> {
    let commands = (0u32..20_000, prop::option::of(0u32..20_000)).prop_map(|(read, write)| {
        let write = write.map_or(String::new(), |write| format!("write_command_time = \"{write} ns\"\n"));
        format!("command_time = \"{read} ns\"\n{write}")
    });
    let statuses = (0u32..3000, prop::option::of(1u32..3000)).prop_map(|(response, completion)| {
        let completion = completion.unwrap_or(0);
        format!("response_time = \"{response} ns\"\ncompletion_time = \"{completion} ns\"\n")
    });
    let times = (0u32..3000, commands, 0u32..3000, statuses, 0u32..4000, 0u32..1000, 0u32..3000);
    let choices = (
        prop::sample::select(vec![512u32, 1024, 2048, 2112]),
        1u32..20,
        any::<[bool; 6]>(),
        prop::sample::select(vec![20u32, 200, 1064]),
    );
    (times, choices, orders()).prop_map(|((message, command, ready, response, setup, frame, single), choices, orders)| {
        let (max_payload, outgoing, [round_robin, per_frame, sent, stored, both_ways, own], bandwidth) = choices;
        let pick = |second: bool, one: &'static str, two: &'static str| if second { two } else { one };
        let text = format!(
            "max_payload = \"{max_payload} B\"\noutgoing_buffers = {outgoing}\nmessage_time = \"{message} ns\"\n\
             {command}xfer_rdy_time = \"{ready} ns\"\n{response}\
             dma_bandwidth = \"{bandwidth} MB/s\"\ndma_setup_time = \"{setup} ns\"\nframe_time = \"{frame} ns\"\n\
             single_frame_time = \"{single} ns\"\ndma_order = \"{}\"\ndma_setup_per = \"{}\"\nresponse_start = \"{}\"\n\
             response_circuit = \"{}\"\nburst_done = \"{}\"\ndma_bidirectional = {both_ways}\n{orders}",
            pick(round_robin, "fcfs", "round-robin"),
            pick(per_frame, "sequence", "frame"),
            pick(sent, "fetched", "sent"),
            pick(own, "shared", "own"),
            pick(stored, "received", "stored"),
        );
        (outgoing, text)
    })
}

fn ports() -> impl Strategy<Value = String> {
    let tenancies = (limits(8), any::<bool>(), any::<bool>());
    (1u32..6, 0u32..4, any::<[bool; 4]>(), 1u32..6, 1u32..7, 0u32..2000, tenancies).prop_map(
        |(buffers, login, [full_duplex, after, between, at_once], reaction, delay, cable, (frames, dynamic, all))| {
            // Two of three cables have no length, as in a loop within one cabinet.
            let cable = if cable % 3 == 0 { cable } else { 0 };
            format!(
                "incoming_buffers = {buffers}\nlogin_credit = {}\nfull_duplex = {full_duplex}\n\
                 close_after_frames = {after}\nclose_without_buffer = {at_once}\nready_between_frames = {between}\nframe_reaction = \"{reaction} words\"\ndelay = \"{delay} words\"\n\
                 cable = \"{cable} m\"\nframes_per_tenancy = {frames}\ndynamic_half_duplex = {dynamic}\ncircuit_frames = \"{}\"\n",
                login.min(buffers),
                if all { "all" } else { "head" }
            )
        },
    )
}

/// The port and the adapter of a component. A port that gathers frames waits for at most as many frames as the adapter
/// fetches ahead.
fn ports_and_adapters(name: &'static str) -> impl Strategy<Value = String> {
    (ports(), adapters(), 0u8..6, any::<u32>()).prop_map(move |(port, (outgoing, adapter), kind, share)| {
        let within = match kind {
            0..3 => "\"hold\"".to_owned(),
            3 => "\"close\"".to_owned(),
            _ => (1 + share % outgoing).to_string(),
        };
        format!("[{name}.port]\nwithin_sequence = {within}\n{port}[{name}.adapter]\n{adapter}\n")
    })
}

/// The schedules of a host, including each level of Command-First by itself.
fn schedules() -> impl Strategy<Value = String> {
    (0u8..6, any::<[bool; 4]>()).prop_map(|(kind, [queue, arbitration, preemption, opened])| match kind {
        0 | 1 => "schedule = \"fair\"\n".to_owned(),
        2 => "schedule = \"unfair\"\n".to_owned(),
        3 => format!("schedule = \"command-first\"\ncommand_first_closes_opened = {opened}\n"),
        _ => format!(
            "schedule = \"{}\"\ncommand_first_queue = {queue}\ncommand_first_arbitration = {arbitration}\n\
             command_first_preemption = {preemption}\ncommand_first_closes_opened = {}\n",
            if kind == 4 { "fair" } else { "unfair" },
            preemption && opened
        ),
    })
}

fn hosts(name: &'static str) -> impl Strategy<Value = String> {
    let driver = (0u32..2000, 0u32..2000, 1u32..40);
    (schedules(), driver, ports_and_adapters(name)).prop_map(
        move |(schedule, (arrival, completion, limit), port_and_adapter)| {
            format!(
                "[{name}]\nkind = \"host\"\n{schedule}[{name}.driver]\narrival_time = \"{arrival} ns\"\n\
                 completion_time = \"{completion} ns\"\noutstanding_limit = {limit}\n{port_and_adapter}"
            )
        },
    )
}

fn access_times() -> impl Strategy<Value = String> {
    (0u8..5, 1u32..300, 0u32..300).prop_map(|(kind, one, more)| match kind {
        0 | 1 => format!("\"{one} us\""),
        2 => format!("{{ distribution = \"exponential\", mean = \"{one} us\" }}"),
        3 => format!("{{ distribution = \"uniform\", low = \"{one} us\", high = \"{} us\" }}", one + more),
        _ => format!(
            "{{ distribution = \"normal\", mean = \"{one} us\", deviation = \"{} us\" }}",
            one.div_ceil(3)
        ),
    })
}

fn pieces() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\"whole\"".to_owned()),
        prop::sample::select(vec![2048u32, 3000, 4096, 8192, 65536])
            .prop_map(|bytes| format!("\"{bytes} B\"")),
    ]
}

fn drives(name: &'static str) -> impl Strategy<Value = String> {
    let counts = (1u32..11, 1u32..5, any::<[bool; 2]>(), prop::sample::select(vec![5u32, 50, 1000]));
    // One system in three has a cache, which may be smaller than an I/O.
    let caches = prop::sample::select(vec![0u32, 0, 0, 0, 2112, 10_000, 65_536]);
    let counts = (counts, caches);
    (counts, access_times(), pieces(), pieces(), ports_and_adapters(name)).prop_map(
        move |(((count, concurrency, [fair, after], rate), cache), access, burst, sequence, port_and_adapter)| {
            let (concurrency, cache) = match cache {
                0 => (concurrency, "none".to_owned()),
                bytes => (1, format!("{bytes} B")),
            };
            format!(
                "[{name}]\nkind = \"drives\"\ncount = {count}\nmodel = \"disk\"\naccess_time = {access}\n\
                 transfer_rate = \"{rate} MiB/s\"\nconcurrency = {concurrency}\nburst = {burst}\n\
                 read_sequence = {sequence}\nfair = {fair}\ncache = \"{cache}\"\nwrite_transfer = \"{}\"\n{port_and_adapter}",
                if after { "after-data" } else { "before-data" }
            )
        },
    )
}

fn workloads(name: &'static str, from: &'static str, to: &'static str) -> impl Strategy<Value = String> {
    let sizes = prop_oneof![
        1u32..5000,
        prop::sample::select(vec![512u32, 4096, 10_000, 16_384, 40_000, 40_000, 65_536, 100_000])
    ];
    let fractions = prop::sample::select(vec!["0.0", "0.3", "0.66", "1.0"]);
    let passes = prop::sample::select(vec![0u32, 0, 1, 3, 7]);
    let kinds = (any::<[bool; 2]>(), passes);
    (sizes, fractions, 1u32..5, kinds, 0u32..50).prop_map(move |(size, fraction, depth, kinds, think)| {
        let ([per_drive, sequential], pass) = kinds;
        // One writing workload in two flushes and deallocates.
        let operations = match size % 2 == 0 && fraction != "1.0" {
            true => format!("flush_every = {depth}\ndeallocate_fraction = 0.4\nfua_fraction = 0.3\n"),
            false => String::new(),
        };
        let pass = if per_drive && pass > 0 { format!("ios_per_pass = {pass}\n") } else { String::new() };
        format!(
            "[{name}]\nkind = \"closed\"\nfrom = \"{from}\"\nto = [{to}]\nsize = \"{size} B\"\n\
             read_fraction = {fraction}\nqueue_depth = {depth}\nqueue_depth_per = \"{}\"\nthink_time = \"{} us\"\n\
             pattern = \"{}\"\n{pass}{operations}\n",
            if per_drive { "drive" } else { "all" },
            // Half of the workloads have no think time.
            think.saturating_sub(25),
            if sequential { "sequential" } else { "random" }
        )
    })
}

/// Scenario files with 1 to 20 drives in one or two groups, with passive ports, and with one or two hosts.
/// All I/Os are measured, up to `ios`.
pub fn scenarios(ios: u32) -> impl Strategy<Value = String> {
    let speeds = prop::sample::select(vec!["1GFC", "2GFC", "4GFC", "8GFC"]);
    // A hub repeats without a delay, or there is none; its cable makes the hop.
    let spares = (0u32..30, prop::sample::select(vec!["6 words", "0 ns"]));
    let general = (speeds, any::<[bool; 4]>(), spares, 0u64..1000, ios / 2..ios);
    let hosts = (hosts("host"), hosts("second"));
    let groups = (drives("near"), drives("far"));
    let loads = (
        workloads("main", "host", "\"near\""),
        workloads("spread", "host", "\"near\", \"far\""),
        workloads("other", "second", "\"far\""),
    );
    (general, hosts, groups, loads).prop_map(|(general, (host, second), (near, far), loads)| {
        let (speed, [whole_ns, two_hosts, two_groups, passive], (spares, delay), seed, ios) = general;
        let mut stations = vec!["host", "near"];
        let mut text = String::new();
        if passive {
            stations.insert(1, "spare");
            text += &format!(
                "[spare]\nkind = \"passive\"\ncount = {spares}\nport.delay = \"{delay}\"\nport.cable = \"10 m\"\n\n"
            );
        }
        text = text + &host + &near + &loads.0;
        if two_groups || two_hosts {
            stations.push("far");
            text = text + &far + &loads.1;
        }
        if two_hosts {
            stations.insert(stations.len() - 1, "second");
            text = text + &second + &loads.2;
        }
        let word = if whole_ns && speed == "2GFC" { "19 ns" } else { "exact" };
        format!(
            "[run]\nseed = {seed}\nmeasured_ios = {ios}\nwarm_up = 0\n\n[loop]\nkind = \"arbitrated-loop\"\n\
             speed = \"{speed}\"\nword_time = \"{word}\"\nstations = {stations:?}\n\n{text}"
        )
    })
}
