//! The keys of a network with TCP.

use crate::congestion::CongestionControl;
use crate::stream::StreamRules;
use sansim_kernel::{Span, TICKS_PER_NS};
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{ByteRate, Choice, Count, Dimensioned, Fraction, NameList, Size, Time};
use sansim_schema::table::NamedValue;
use sansim_schema::{codes, table};

/// The components attached to the network.
const STATIONS: NameList = NameList { example: r#"["host", "nas.fronts.a"]"# };

/// The rate may be a kilobyte to a terabyte per second.
const RATE: ByteRate = ByteRate { range: (1_000, 1_000_000_000_000) };
const CYCLES: Count<u64> = Count::<u64>::between(0, 1_000_000_000);
const SPEED: Count<u64> = Count::<u64>::between(1, 100_000);
const IN_ONE: Size = Size::between(1_000, 1 << 20);
const TIMER: Time = Time::between(Span::from_us(1), Span::from_s(60));

/// The least number of bytes of a datagram on Ethernet: shorter datagrams are padded.
pub(super) const LEAST_DATAGRAM: u64 = 46;

table! {
    /// The cost of frames for the software of a node: on the processors of the node, if it has some, else on a dedicated one. Costs are in
    /// cycles, and there are no defaults for them: a step without a number takes no time.
    pub struct SoftwareCostKeys {
        /// The nodes with these costs, by their names in `stations`; each member of a group has a processor of its own.
        members: Vec<String> = STATIONS, required r#"["host"]"#, source "";
        /// Speed of the processor, in MHz. Processors of an appliance say theirs, and it is the same.
        speed_mhz: u64 = SPEED, required "1000", source "";
        /// Cycles of an interrupt. There is none where processors of the node poll.
        interrupt_cycles: u64 = CYCLES, default "0", source "ours: what is left out takes no time";
        /// Cycles for each frame with data that comes in; of frames that come as one (`receive_merging`) for all together.
        receive_cycles: u64 = CYCLES, default "0", source "ours: what is left out takes no time";
        /// Cycles for each frame with data that goes out; of frames that the adapter cuts (`segmentation`) for all together.
        send_cycles: u64 = CYCLES, default "0", source "ours: what is left out takes no time";
        /// Cycles for each acknowledgement without data, sent or received.
        ack_cycles: u64 = CYCLES, default "0", source "ours: what is left out takes no time";
        /// Cycles for each KiB of data, sent or received: copies and check sums.
        cycles_per_kib: u64 = CYCLES, default "0", source "ours: what is left out takes no time";
        /// Bytes that the software hands over at once, which the adapter cuts into frames (TSO): those of one connection that may be sent at
        /// the same time.
        segmentation: Option<u64> = IN_ONE.or("none"), default r#""none""#, source "ours: a frame at a time; Linux: up to 65536";
        /// Bytes of successive frames of one connection that the adapter reports at once and the software takes as one (LRO, GRO). An adapter reports
        /// several frames at once by `coalesce_frames`.
        receive_merging: Option<u64> = IN_ONE.or("none"), default r#""none""#, source "ours: a frame at a time; Linux: up to 65536";
        /// Frames for which an adapter interrupts once.
        coalesce_frames: u32 = Count::<u32>::between(1, 1_024), default "1", source "ours: an adapter that does not wait for more";
        /// How long it waits for so many, from the first on.
        coalesce_time: Span = TIMER, default r#""100 us""#, source "assumed; means nothing with one frame for each interrupt";
    }
}

impl SoftwareCostKeys {
    /// Whether any job takes time of a processor.
    pub fn takes_processor_time(&self) -> bool {
        let costs = [
            self.interrupt_cycles,
            self.receive_cycles,
            self.send_cycles,
            self.ack_cycles,
            self.cycles_per_kib,
        ];
        costs.iter().any(|&cycles| cycles > 0)
    }

    /// The key that makes adapters interrupt, if one does.
    pub fn interrupt_key(&self) -> Option<&'static str> {
        if self.interrupt_cycles > 0 {
            return Some("interrupt_cycles");
        }
        (self.coalesce_frames > 1).then_some("coalesce_frames")
    }

    /// The time of this number of cycles of the node's processor.
    pub fn time_of_cycles(&self, cycles: u64) -> Span {
        let ticks = u128::from(cycles) * 1_000 * u128::from(TICKS_PER_NS) / u128::from(self.speed_mhz);
        Span(u64::try_from(ticks).unwrap_or(u64::MAX)).min(Span::LONGEST)
    }
}

table! {
    /// The parameters of connections of TCP.
    pub struct TcpConnectionParameters {
        /// Bytes of the headers of IP and TCP.
        headers: u64 = Size::between(40, 120), default r#""40 B""#, source "RFC 791, RFC 793: 20 each without options";
        /// Bytes that the storage protocol adds to each of its messages: commands, answers, and data units of up to `max_payload` of the
        /// adapters.
        message_header: u64 = Size::between(0, 4_096), default r#""0 B""#, source "RFC 7143: 48 for iSCSI";
        /// Most bytes of a connection in flight, in each direction.
        window: u64 = Size::between(576, 1 << 30), default r#""65535 B""#, source "RFC 793, without window scaling";
        /// Segments for which the receiver sends an acknowledgement.
        ack_every: u32 = Count::<u32>::between(1, 1_024), default "2", source "RFC 1122, 4.2.3.2";
        /// Longest delay of an acknowledgement of fewer segments.
        delayed_ack: Span = TIMER, default r#""200 ms""#, source "RFC 1122, 4.2.3.2: less than 500 ms; 4.4BSD";
        /// Time without an acknowledgement after which the sender sends again; doubled each time that nothing comes, up to 60 s. It is not
        /// adapted to the round trip.
        time_out: Span = TIMER, default r#""1 s""#, source "RFC 6298, 2.4: the least";
        /// Least time-out where it follows the round trip (RFC 6298); Linux has 200 ms. Without it the time-out stays `time_out`. It should exceed
        /// `delayed_ack`, or senders time out before an acknowledgement that is delayed.
        least_time_out: Option<Span> = TIMER.or("none"), default r#""none""#, source "ours: the time-out of the scenario";
        /// Congestion control of senders. Without it only `window` limits the bytes in flight.
        congestion_control: CongestionControl = Choice::<CongestionControl>::ANY, default r#""none""#, source "ours: the coarsest model; Linux has cubic";
        /// Segments with which the congestion window of a connection begins, and begins again after idle time longer than the time-out.
        initial_window: u32 = Count::<u32>::between(1, 1_000), default "10", source "RFC 6928";
        /// Acknowledgements that say nothing new, after which the sender sends again without waiting.
        duplicate_acks: u32 = Count::<u32>::between(1, 1_000_000), default "3", source "RFC 5681, 3.2";
    }
}

impl TcpConnectionParameters {
    /// The rules of streams whose segments have at most this number of bytes.
    pub fn stream_rules(&self, segment: u64) -> StreamRules {
        StreamRules {
            segment,
            window: self.window,
            ack_every: self.ack_every,
            duplicates: self.duplicate_acks,
            congestion: self.congestion_control,
            initial_segments: self.initial_window,
            time_out: self.time_out,
            least_time_out: self.least_time_out,
        }
    }

    /// Checks that a segment fits into the window. `table` is the path of these keys within the table of the network, with its dot.
    pub fn check_window(&self, keys: &mut Keys<'_, '_>, format: FrameFormat, table: &str) {
        let [window, headers] = ["window", "headers"].map(|key| format!("{table}{key}"));
        if self.window >= format.max_segment_bytes() || !keys.all_readable(&[&window, "mtu", &headers]) {
            return;
        }
        let message = format!("a segment of {} bytes never fits", format.max_segment_bytes());
        let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(&window), message)
            .with_label("smaller than a segment")
            .with_help("make it larger, or mtu smaller");
        keys.report(&window, fault);
    }
}

/// The bytes of a frame that carries a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameFormat {
    /// The bytes of a datagram at most.
    pub mtu: u64,
    /// The bytes of the headers in a datagram.
    pub headers: u64,
    /// The bytes of a frame beside its datagram.
    pub frame_overhead: u64,
}

impl FrameFormat {
    /// The most bytes of data in a segment.
    pub fn max_segment_bytes(&self) -> u64 {
        self.mtu - self.headers
    }

    /// The bytes of a frame with this number of bytes of data, with all that it takes on a link.
    pub fn frame_bytes(&self, bytes: u64) -> u64 {
        (bytes + self.headers).max(LEAST_DATAGRAM) + self.frame_overhead
    }
}

table! {
    /// A switched network on which nodes speak TCP: of the traffic of files, or of blocks. It is an Ethernet (`kind = "ethernet"`) of one
    /// switch that stores frames.
    pub struct TcpParameters {
        /// Rate of the link of each node, in bytes per second, either way.
        rate: u64 = RATE, required r#""125 MB/s""#, source "IEEE 802.3: 125 MB/s for gigabit Ethernet";
        /// Bytes of a datagram at most: IP header, TCP header and data.
        mtu: u64 = Size::between(576, 65_535), default r#""1500 B""#, source "RFC 894; Friedman, SANs vs. NAS";
        /// Bytes of a frame beside its datagram: header, check sequence, preamble, gap.
        frame_overhead: u64 = Size::between(0, 256), default r#""38 B""#, source "IEEE 802.3: 14 + 4 + 8 + 12";
        /// Latency of the switch: from the last byte of a frame at its input to the first byte at a free output link.
        latency: Span = Time::between(Span::ZERO, Span::from_s(10)), default r#""0 ns""#, source "ours: what is left out takes no time";
        /// Share of frames that are lost, each by itself.
        frame_loss: f64 = Fraction, default "0.0", source "ours: nothing is lost unless it is said";
        /// Buffer of the switch for the frames to each node, with all that they take on a link. A frame for which there is no room is lost.
        buffer: Option<u64> = Size::between(1_538, 1 << 40).or("unlimited"), default r#""unlimited""#, source "ours: nothing is lost unless it is said";
        /// Bytes in such a buffer above which the switch marks a frame with data that comes (ECN), if senders have congestion control.
        mark_above: Option<u64> = Size::between(0, 1 << 40).or("none"), default r#""none""#, source "ours: RFC 3168 leaves it to the switch";
        /// The components at it.
        stations: Vec<String> = STATIONS, required r#"["host", "nas.fronts.a"]"#, source "";
    }
    parts {
        /// The connections.
        connections: TcpConnectionParameters;
    }
    named {
        /// The costs of the software of nodes. Nodes that are in none take no time.
        stacks: SoftwareCostKeys;
    }
    checks(check_window, check_loss, check_members, check_marks)
}

impl TcpParameters {
    /// The bytes of a frame.
    pub fn frame_format(&self) -> FrameFormat {
        let Self { mtu, frame_overhead, .. } = *self;
        FrameFormat { mtu, headers: self.connections.headers, frame_overhead }
    }

    /// The time of a frame with this number of bytes of data on a link.
    pub fn frame_time(&self, bytes: u64) -> Span {
        Span::to_move(self.frame_format().frame_bytes(bytes), self.rate)
    }

    /// The time of four bytes on a link.
    pub fn word_time(&self) -> Span {
        Span::to_move(4, self.rate)
    }

    /// The software of a node.
    pub fn node_software(&self, listed: &str) -> Option<&NamedValue<SoftwareCostKeys>> {
        self.stacks.iter().find(|stack| stack.described.members.iter().any(|member| member == listed))
    }

    fn check_window(&self, keys: &mut Keys<'_, '_>) {
        self.connections.check_window(keys, self.frame_format(), "");
    }

    /// Checks that not all frames are lost.
    fn check_loss(&self, keys: &mut Keys<'_, '_>) {
        check_frame_loss(keys, self.frame_loss);
    }

    /// Checks that senders heed marks, and that a buffer has room for a frame.
    fn check_marks(&self, keys: &mut Keys<'_, '_>) {
        if !keys.all_readable(&["mark_above", "congestion_control", "buffer", "mtu"]) {
            return;
        }
        if self.mark_above.is_some() && self.connections.congestion_control == CongestionControl::Unlimited {
            let fault = Diagnostic::new(
                codes::CONTRADICTION,
                keys.value_position("mark_above"),
                "no sender heeds the marks of the switch",
            )
            .with_label("means nothing")
            .with_help("give `congestion_control`, for example \"dctcp\"");
            keys.report("mark_above", fault);
        }
        let frame = self.mtu + self.frame_overhead;
        if let Some(buffer) = self.buffer
            && buffer < frame
        {
            let message = format!("a frame of {frame} bytes never fits");
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("buffer"), message)
                .with_label("smaller than a frame")
                .with_help("make it larger, or mtu smaller");
            keys.report("buffer", fault);
        }
    }

    fn check_members(&self, keys: &mut Keys<'_, '_>) {
        check_stack_members(keys, &self.stations, &self.stacks);
    }
}

/// Checks that not all frames are lost (`frame_loss`).
pub fn check_frame_loss(keys: &mut Keys<'_, '_>, frame_loss: f64) {
    if frame_loss < 1.0 || !keys.all_readable(&["frame_loss"]) {
        return;
    }
    let fault = Diagnostic::new(
        codes::OUT_OF_RANGE,
        keys.value_position("frame_loss"),
        "no frame would ever come in",
    )
    .with_label("must be less than 1");
    keys.report("frame_loss", fault);
}

/// Checks that each node has at most one stack, and is a station of its network.
pub fn check_stack_members(
    keys: &mut Keys<'_, '_>,
    stations: &[String],
    stacks: &[NamedValue<SoftwareCostKeys>],
) {
    if !keys.all_readable(&["stations", "stacks"]) {
        return;
    }
    for (number, stack) in stacks.iter().enumerate() {
        let key = format!("stacks.{}.members", stack.name);
        for member in &stack.described.members {
            let again = stacks[..number].iter().any(|other| other.described.members.contains(member));
            let (message, label) = if !stations.contains(member) {
                (format!("`{member}` is not among the stations"), "nobody here")
            } else if again {
                (format!("`{member}` has the software of another table already"), "again")
            } else {
                continue;
            };
            let fault =
                Diagnostic::new(codes::CONTRADICTION, keys.value_position(&key), message).with_label(label);
            keys.report(&key, fault);
        }
    }
}
