//! The settings that keys need, special values of keys, and exempt keys.
//!
//! Keys are named by kind and path. `*.PATH` matches a key of any kind whose path ends with PATH.

use crate::listed::Key;

/// Whether a name of these tables is the name of a key.
pub fn is_it(key: &Key, name: &str) -> bool {
    match name.strip_prefix("*.") {
        Some(end) => {
            key.path == end
                || key.path.ends_with(end) && key.path[..key.path.len() - end.len()].ends_with('.')
        }
        None => key.name() == name,
    }
}

/// Whether a table in which a system has no key may still be added to the system.
pub fn is_always_there(_table: &str) -> bool {
    false
}

/// Values to try in addition to the values that follow from the form of a key.
pub const VALUES: &[(&str, &[&str])] = &[
    ("*.word_time", &["\"38 ns\"", "\"50 ns\""]),
    (
        "*.al_pa",
        &[
            "\"E8\"",
            "\"01\"",
            "[\"E8\", \"E4\"]",
            "[\"E8\", \"E4\", \"E2\"]",
            "[\"E8\", \"E4\", \"E2\", \"E1\"]",
        ],
    ),
    ("host.masked", &["[\"drives[0]\"]"]),
    ("*.holds", &["[\"drives\"]", "[\"drives\", \"more\"]", "[\"hub\", \"drives\"]"]),
    ("disks.seek", &["{ form = \"three-point\", single = \"2 ms\", average = \"9 ms\", full = \"18 ms\" }"]),
    ("*.page_order", &["\"WCDP\"", "\"PDWC\""]),
    ("tcp.stacks.NAME.speed_mhz", &["500"]),
    ("*.frame_loss", &["0.02"]),
    ("*.word_loss", &["0.00001"]),
    ("disks.zones", &["[[0, 200, 20, 30, 0]]", "[[0, 300, 50, 60, 0]]", "[[0, 400, 60, 70, 0]]"]),
    ("flash-drives.gc_reserve", &["\"20 %\""]),
    ("fabric.packet_header", &["\"8 B\"", "\"64 B\""]),
    ("*.pair.fails_every", &["\"30 ms\""]),
    ("raid.layout.data", &["2"]),
    ("*.read_ahead.most", &["\"128 KiB\""]),
    ("*.priority", &["0"]),
    ("spc-2-like.limits.rate", &["\"10/s\""]),
    ("spc-2-like.limits.bandwidth", &["\"100 kB/s\""]),
    ("scsi-bus.ids", &["[0, 1, 2, 3, 4, 5, 6]"]),
    ("trace.only", &["[\"usr.0\"]"]),
    ("trace.targets", &["{ \"usr.0\" = 3 }"]),
    ("iometer.specification", &["\"Mix\"", "\"4 KiB; 100% Read; 0% random\""]),
    ("iometer.devices", &["{ \"C: \\\"Vol\\\"\" = \"drives[3]\" }"]),
    ("fio-job.engine", &["\"libaio\""]),
    ("fio-job.devices", &["{ \"/dev/one\" = \"drives[3]\" }"]),
    ("passive.port.al_pa", &["[\"01\", \"02\"]"]),
];

/// The settings that a key needs to have an effect: other keys, relative to the component, or absolute with `/`.
pub const NEEDS: &[(&str, &[(&str, &str)])] = &[
    ("run.precision_of", &[("precision", "\"5 %\"")]),
    ("run.most_ios", &[("precision", "\"0.1 %\""), ("measured_ios", "100")]),
    ("*.burst", &[("./rate", "\"100/s\"")]),
    (
        "*.processor_order",
        &[("./command_time", "\"1 ms\""), ("./xfer_rdy_time", "\"1 ms\""), ("./response_time", "\"1 ms\"")],
    ),
    // The steps of the processor are slower than the drives.
    (
        "*.processor_order",
        &[
            ("./command_time", "\"20 ms\""),
            ("./xfer_rdy_time", "\"20 ms\""),
            ("./response_time", "\"20 ms\""),
        ],
    ),
    ("*.generation", &[("./command_time", "\"50 us\"")]),
    ("*.commands_in_execution", &[("./command_time", "\"50 us\"")]),
    // Received frames are longer than the DMA moves at a time.
    ("*.dma_order", &[("./dma_bandwidth", "\"5 MB/s\""), ("./max_payload", "\"256 B\"")]),
    ("*.dma_request_first", &[("./dma_bandwidth", "\"20 MB/s\"")]),
    ("*.dma_setup_per", &[("./dma_setup_time", "\"20 us\"")]),
    ("*.dma_bidirectional", &[("./dma_bandwidth", "\"20 MB/s\"")]),
    ("*.outgoing_buffers", &[("./dma_bandwidth", "\"20 MB/s\"")]),
    ("*.burst_done", &[("./dma_bandwidth", "\"20 MB/s\"")]),
    ("*.response_start", &[("./response_time", "\"50 us\"")]),
    ("*.response_circuit", &[("./response_time", "\"50 us\"")]),
    ("*.frame_loss", &[("/host.driver.time_out", "\"50 ms\"")]),
    ("*.word_loss", &[("/host.driver.time_out", "\"50 ms\"")]),
    ("*.word_loss", &[("**.driver.time_out", "\"50 ms\"")]),
    ("*.frame_loss", &[("**.driver.time_out", "\"50 ms\"")]),
    ("*.abort_answer_time", &[("**.driver.time_out", "\"10 ms\""), ("./frame_loss", "0.1")]),
    ("*.abort_answer_time", &[("/host.driver.time_out", "\"20 ms\""), ("./frame_loss", "0.05")]),
    // A period counts where something is done about what a switch finds at its end.
    ("fabric.switch.congestion.period", &[("./quarantine", "true")]),
    ("*.no_answer", &[("/host.driver.time_out", "\"50 ms\"")]),
    ("*.control_payload", &[("**.protocol", "\"two-message\"")]),
    (
        "*.command_first_closes_opened",
        &[
            ("./command_first_preemption", "true"),
            ("./command_first_queue", "true"),
            ("./command_first_arbitration", "true"),
        ],
    ),
    (
        "*.command_first_preemption",
        &[("./command_first_queue", "true"), ("./command_first_arbitration", "true")],
    ),
    ("*.within_sequence", &[("../dma_bandwidth", "\"20 MB/s\"")]),
    ("*.within_sequence", &[("adapter.dma_bandwidth", "\"20 MB/s\"")]),
    ("*.request_bytes", &[("./dma_bandwidth", "\"20 MB/s\"")]),
    ("raid.count", &[("layout.level", "\"0\"")]),
    ("raid.read_policy", &[("layout.level", "\"1+0\"")]),
    ("raid.layout.data", &[("layout.data", "2")]),
    ("raid.layout.parity", &[("layout.data", "2")]),
    ("raid.layout.spares", &[("layout.data", "2")]),
    ("raid.layout.permutations", &[("layout.data", "2")]),
    ("raid.layout.permutation_seed", &[("layout.data", "2")]),
    ("raid.busy_wait", &[("/a-drives.errors.busy", "0.3"), ("scrub.every", "\"5 ms\"")]),
    ("raid.scrub.repair", &[("./every", "\"5 ms\""), ("layout.level", "\"1\"")]),
    ("flash-drives.gc_reserve", &[("fill", "2.0"), ("gc_start", "\"10 %\"")]),
    ("mirror.count", &[("read_policy", "\"round-robin\"")]),
    ("*.faults.slow_for", &[("./slow_every", "\"10 ms\"")]),
    ("*.faults.slow_factor", &[("./slow_every", "\"10 ms\"")]),
    ("*.faults.fails_for", &[("./fails_every", "\"10 ms\"")]),
    ("*.queue_depth_for", &[("./queue_depth", "2")]),
    ("host.driver.retries", &[("/drives.errors.busy", "0.3")]),
    ("*.busy_wait", &[("/drives.errors.busy", "0.3")]),
    ("host.driver.queue_ramp_up_time", &[("/drives.queue_limit", "1")]),
    ("host.driver.merge", &[("./outstanding_per_device", "1")]),
    ("host.driver.queue.order", &[("driver.outstanding_per_device", "1")]),
    ("host.driver.queue.read_deadline", &[("driver.outstanding_per_device", "1")]),
    ("host.driver.queue.write_deadline", &[("driver.outstanding_per_device", "1")]),
    ("host.driver.queue.batch", &[("driver.outstanding_per_device", "1")]),
    ("host.driver.queue.read_batches", &[("driver.outstanding_per_device", "1")]),
    ("controller.storage_side_queue.order", &[("at_once", "1")]),
    ("controller.storage_side_queue.read_deadline", &[("at_once", "1")]),
    ("controller.storage_side_queue.write_deadline", &[("at_once", "1")]),
    ("controller.storage_side_queue.batch", &[("at_once", "1")]),
    ("controller.storage_side_queue.read_batches", &[("at_once", "1")]),
    ("controller.internal_queue.order", &[("internal_limit", "1")]),
    ("controller.internal_queue.read_deadline", &[("internal_limit", "1")]),
    ("controller.internal_queue.write_deadline", &[("internal_limit", "1")]),
    ("controller.internal_queue.batch", &[("internal_limit", "1")]),
    ("controller.internal_queue.read_batches", &[("internal_limit", "1")]),
    ("disks.write_room", &[("write_behind", "true")]),
    ("disks.write_segments", &[("write_behind", "true")]),
    ("flash-drives.gc_start", &[("fill", "2.0")]),
    ("flash-drives.gc_reserve", &[("fill", "2.0")]),
    ("flash-drives.gc_hard_limit", &[("fill", "2.0")]),
    ("flash-drives.preemptible_gc", &[("fill", "2.0")]),
    ("flash-drives.separate_copies", &[("fill", "2.0")]),
    ("flash-drives.victim", &[("fill", "2.0")]),
    ("flash-drives.over_provisioning", &[("fill", "2.0")]),
    ("flash-drives.erase_time", &[("fill", "2.0")]),
    ("flash-drives.suspend", &[("fill", "2.0"), ("buffer", "\"none\"")]),
    ("flash-drives.suspend_program_time", &[("fill", "2.0"), ("suspend", "\"erase-and-program\"")]),
    ("flash-drives.suspend_erase_time", &[("fill", "2.0")]),
    ("flash-drives.dirty_limit", &[("buffer", "\"64 KiB\"")]),
    ("raid.scrub.repair", &[("./every", "\"5 ms\"")]),
    ("raid.scrub.step", &[("./every", "\"5 ms\"")]),
    ("raid.scrub.at_once", &[("./every", "\"5 ms\"")]),
    ("raid.scrub.rate", &[("./every", "\"5 ms\"")]),
    ("raid.scrub.rate_under_load", &[("./every", "\"5 ms\"")]),
    ("raid.scrub.idle_after", &[("./every", "\"5 ms\""), ("./rate_under_load", "\"1 MB/s\"")]),
    ("raid.reliability.mttf_h", &[("./mttr_h", "10.0")]),
    ("raid.reliability.mttr_h", &[("./mttf_h", "10000.0")]),
    ("raid.reliability.errors_per_byte", &[("./mttf_h", "10000.0"), ("./mttr_h", "10.0")]),
    ("raid.reliability.failed_at_start", &[("./mttf_h", "10000.0"), ("./mttr_h", "10.0")]),
    ("*.stripe_unit", &[("./arrangement", "\"striped\"")]),
    ("*.stripe_unit", &[("./spread", "\"concatenated\"")]),
    (
        "cache.write.order.first",
        &[("write.destage.low", "\"0 %\""), ("write.destage.high", "\"5 %\""), ("destages_at_once", "1")],
    ),
    ("cache.write.destage.low", &[("write.destage.high", "\"5 %\"")]),
    ("trace.queue_depth", &[("replay", "\"closed\"")]),
    ("cache.write.lag_writes", &[("write.mirroring", "\"asynchronous\"")]),
    ("cache.write.lag_bytes", &[("write.mirroring", "\"asynchronous\"")]),
    ("fabric.ols_time", &[("ready_loss", "0.05"), ("e_d_tov", "\"1 ms\"")]),
    ("fabric.e_d_tov", &[("ready_loss", "0.05")]),
    ("fabric.bb_sc_n", &[("ready_loss", "0.05")]),
    ("fabric.ready_loss", &[("e_d_tov", "\"1 ms\"")]),
    ("fabric.class_2.end_to_end_credit", &[("class", "\"class-2\"")]),
    ("fabric.class_2.answer_time", &[("class", "\"class-2\""), ("frame_loss", "0.05")]),
    ("fabric.floors", &[("topology", "\"floors+\"")]),
    ("fabric.centres", &[("topology", "\"floors+\"")]),
    ("fabric.arms", &[("topology", "\"floors+\"")]),
    ("fabric.leaves", &[("topology", "\"tree\"")]),
    ("fabric.fan_out", &[("topology", "\"tree\"")]),
    ("fabric.uplinks", &[("topology", "\"tree\""), ("fan_out", "2")]),
    ("fabric.roots", &[("topology", "\"tree\"")]),
    ("fabric.cores", &[("topology", "\"core-edge\"")]),
    ("fabric.edges", &[("topology", "\"core-edge\"")]),
    ("fabric.width", &[("topology", "\"mesh\"")]),
    ("fabric.height", &[("topology", "\"mesh\"")]),
    ("fabric.radix", &[("topology", "\"fat-tree\"")]),
    ("fabric.backbone_cable", &[("topology", "\"core-edge\"")]),
    ("fabric.switch.channel", &[("switch.channels", "3")]),
    ("fabric.switch.credit_reserve", &[("switch.channels", "3"), ("switch.buffers", "16")]),
    ("fabric.switch.in_order", &[("routing", "\"adaptive\"")]),
    ("fabric.slow.NAME.stalls_for", &[("./stalls_every", "\"1 ms\"")]),
    ("fabric.slow.NAME.stalls_every", &[("./stalls_for", "\"200 us\"")]),
    ("fabric.switch.control.buffer_size", &[("switch.control.buffers", "2")]),
    ("tcp.duplicate_acks", &[("frame_loss", "0.02")]),
    ("tcp.time_out", &[("frame_loss", "0.1")]),
    ("tcp.stacks.NAME.coalesce_time", &[("./coalesce_frames", "4"), ("./interrupt_cycles", "5000")]),
    ("tcp.stacks.NAME.coalesce_frames", &[("./interrupt_cycles", "50000")]),
    ("loop-switch.splitter_delay", &[("links", "\"star\"")]),
    ("loop-switch.stations_per_driver", &[("links", "\"star\"")]),
    ("*.full_duplex", &[("**.full_duplex", "true")]),
    ("*.dynamic_half_duplex", &[("**.dynamic_half_duplex", "true")]),
    ("*.close_after_frames", &[("../frame_time", "\"20 us\"")]),
    ("*.close_after_frames", &[("adapter.frame_time", "\"20 us\"")]),
    ("*.ready_between_frames", &[("../frame_time", "\"20 us\"")]),
    ("*.ready_between_frames", &[("adapter.frame_time", "\"20 us\"")]),
    ("*.circuit_frames", &[("concurrency", "4")]),
    ("*.circuit_frames", &[("../outgoing_buffers", "64")]),
    ("*.circuit_frames", &[("adapter.outgoing_buffers", "64")]),
    ("*.circuit_frames", &[("../response_time", "\"50 us\"")]),
    ("*.circuit_frames", &[("adapter.response_time", "\"50 us\"")]),
    ("*.relative_throughput", &[("path", "\"service-time\"")]),
    ("host.processors.threads", &[("processors.count", "4")]),
    ("*.coalesced_completions", &[("./coalescing_time", "\"300 us\"")]),
    ("*.other_load.slice", &[("./share", "\"30 %\"")]),
    ("spc-2-like.stripe_unit", &[("test", "\"files-256-mixed\"")]),
    ("metadata-controller.volumes.NAME.moves_to", &[("/disks.capacity", "\"256 MB\"")]),
    ("metadata-controller.volumes.NAME.stripe_unit", &[("./on", "\"all\"")]),
    ("*.abort_answer_time", &[("**.driver.time_out", "\"10 ms\""), ("./frame_loss", "0.3")]),
    ("*.ready_between_frames", &[("../frame_time", "\"1 ms\"")]),
    (
        "flash-drives.gc_reserve",
        &[("fill", "1.0"), ("gc_start", "\"10 %\""), ("over_provisioning", "\"15 %\"")],
    ),
    // The processor step between two other steps takes much less time than these.
    (
        "*.processor_order",
        &[
            ("./command_time", "\"200 us\""),
            ("./xfer_rdy_time", "\"200 us\""),
            ("./response_time", "\"200 us\""),
        ],
    ),
    (
        "*.priority",
        &[("/host.driver.queue.order", "\"priority\""), ("/host.driver.outstanding_per_device", "1")],
    ),
    (
        "flash-drives.commands_first",
        &[("channels", "1"), ("chips", "4"), ("buffer", "\"none\""), ("over_provisioning", "\"80 %\"")],
    ),
    ("raid.scrub.repair", &[("./every", "\"5 ms\""), ("volatile_memory", "true")]),
    ("*.packet_overhead", &[("./packet_bytes", "128")]),
    ("*.wait_states", &[("**.dma_bandwidth", "\"20 MB/s\"")]),
    ("*.error_correction", &[("speed", "\"16GFC\"")]),
    ("trace.action", &[("file", "\"../crates/trace/samples/blkparse.txt\""), ("out_of_range", "\"wrap\"")]),
    (
        "trace.fio_wait",
        &[("file", "\"../crates/trace/samples/fio-iolog-2.log\""), ("out_of_range", "\"wrap\"")],
    ),
    (
        "trace.offset_unit",
        &[("file", "\"../crates/trace/samples/oracle-general.bin\""), ("out_of_range", "\"wrap\"")],
    ),
    ("trace.out_of_range", &[("/drives.capacity", "\"1 MiB\"")]),
    ("spc-2-like.limits.rate", &[("test", "\"files-256-mixed\"")]),
    ("spc-2-like.limits.bandwidth", &[("test", "\"files-256-mixed\"")]),
    ("spc-2-like.limits.burst", &[("test", "\"files-256-mixed\""), ("limits.rate", "\"20/s\"")]),
    ("disks.write_hit_overhead", &[("write_behind", "true")]),
    ("disks.write_hit_overhead_after_read", &[("write_behind", "true")]),
];

/// The settings to try together with a key: first none, then the settings that it needs.
pub fn needs(key: &Key) -> Vec<&'static [(&'static str, &'static str)]> {
    let own = NEEDS.iter().filter(|(name, _)| is_it(key, name)).map(|(_, needs)| *needs);
    std::iter::once(&[][..]).chain(own).collect()
}

/// Keys that change no measured value, and the reason why that is right.
pub const EXEMPT: &[(&str, &str)] = &[
    (
        "loop-switch.word_loss",
        "is idle, and named as such: the words of an arbitrated loop are damaged, not those of a loop switch",
    ),
    ("*.rec_time_out", "acts where single frames are lost: `tests/system/recovery.rs`"),
    ("*.rec_retries", "acts where single frames are lost: `tests/system/recovery.rs`"),
    ("*.rr_time_out", "acts where single frames are lost: `tests/system/recovery.rs`"),
    ("*.sense_data", "acts on CHECK CONDITION alone: `tests/system/unit_attention.rs`"),
    ("*.unit_attention", "acts after a repair: `tests/system/unit_attention.rs`"),
    ("*.escalation", "acts where an abort has no answer: `tests/system/task_management.rs`"),
    ("*.escalation_time", "acts where an abort has no answer: `tests/system/task_management.rs`"),
    ("*.to", "names whom it asks: another name is another system, of which the tests of graphs are"),
    ("*.from", "names the host that the load goes through, or where a link begins; as `to`"),
    ("*.inside", "names the controller of which it is a module; as `to`"),
    ("*.attached", "names devices that are asked straight; as `to`"),
    ("*.stations", "names who stands on a network; as `to`"),
    ("*.members", "names who is meant; as `to`"),
    ("*.cards", "names the adapters on a bus; as `to`"),
    ("*.slots", "limits how many cards a bus may have: one more is an error, and nothing else hangs on it"),
    ("*.file", "names a file: what is read of it is tested where it is read"),
    ("trace.columns", "says how a file is to be read whose columns are not known: tested where it is read"),
    ("trace.format", "says how a file is to be read that `auto` does not recognise: tested where it is read"),
    (
        "trace.bad_lines",
        "says what becomes of a line that is no request, and the file has none: tested where it is read",
    ),
    ("ip-port.port.al_pa", "it stands on fabrics alone, where `check` refuses every AL_PA"),
    ("fl-port.on_fabric.al_pa", "it stands on a fabric, where `check` refuses every AL_PA"),
    (
        "passive.port.al_pa",
        "a passive port only repeats words: no I/O is sent to its address, and it never arbitrates",
    ),
    ("drives.model", "says whether an access time has to be given: nothing else hangs on it"),
    ("fabric.switch.buffer_size", "limits how long a frame may be: a longer one is an error"),
    ("fabric.switch.control.buffer_size", "limits how long a control message may be; as `buffer_size`"),
];

/// Keys that all adapters of a network need alike: each adapter gets the other value.
pub const TOGETHER: &[&str] = &["protocol"];
