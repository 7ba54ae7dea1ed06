//! Slow receivers and congestion: receivers that return credit late, the watch that names the nodes and links that cause waits, and the
//! countermeasures.
//!
//! The rule by which culprits and victims are named is in `engine/congestion_attribution.rs`; slow receivers are in
//! `engine/slow_receivers.rs`; the effect of notices and limits on a node is in `engine/rate_limit.rs`; quarantine is in
//! `engine/quarantine.rs`; notices that nodes react to by themselves are in `engine/notices.rs`.

use sansim_kernel::{Span, Time as Instant};
use sansim_schema::idle::IdleKeys;
use sansim_schema::quantities::{ByteRate, Count, CountOr, Dimensioned, Flag, Fraction, NameList, Time};
use sansim_schema::table;

/// A period may be a microsecond to ten seconds.
const PERIOD: Time = Time::between(Span::from_us(1), Span::from_s(10));

/// A delay may be up to ten seconds.
const DELAY: Time = Time::between(Span::ZERO, Span::from_s(10));

/// A limit may be a kilobyte to a terabyte per second.
const LIMIT: ByteRate = ByteRate { range: (1_000, 1_000_000_000_000) };

/// A time in which damaged frames are counted may be a microsecond to an hour.
const ERROR_TIME: Time = Time::between(Span::from_us(1), Span::from_s(3600));

/// A number of damaged frames, or none.
const ERRORS: CountOr<u64> = Count::<u64>::between(1, 1_000_000).or("off");

/// The list of ports of nodes.
const MEMBERS: NameList = NameList { example: r#"["drives[0]"]"# };

table! {
    /// Nodes that give the credit of their buffers back late, or for a while not at all.
    pub struct SlowReceiver {
        /// Members, by the names of stations: of a group all, `"drives"`, or one, `"drives[3]"`.
        members: Vec<String> = MEMBERS, required r#"["drives[0]"]"#, source "";
        /// Time from the empty buffer of a node to its R_RDY, for one frame after the other.
        frame_time: Span = DELAY, default r#""0 ns""#, source "ours: what is left out takes no time";
        /// Period of the stalls of a node: at the end of each period it returns no credit for `stalls_for`.
        stalls_every: Option<Span> = PERIOD.or("never"), default r#""never""#, source "none";
        /// For how long then.
        stalls_for: Span = DELAY, default r#""0 ns""#, source "ours: what is left out takes no time";
    }
    idle(of_no_stall)
}

impl SlowReceiver {
    /// The duration of stalls has no effect at a receiver that never stalls.
    fn of_no_stall(&self, idle: &mut IdleKeys) {
        idle.mark_idle_unless(
            self.stalls_every.is_some(),
            &["stalls_for"],
            "it never stalls (`stalls_every`)",
        );
    }
}

table! {
    /// Nodes whose switch takes no more from them than a rate: an ingress rate limit.
    pub struct IngressLimit {
        /// Members, by the names of stations: of a group all, `"host"`, or one, `"drives[3]"`.
        members: Vec<String> = MEMBERS, required r#"["host"]"#, source "";
        /// Bytes of payload per second of each of them: a frame begins when that of the one before it has passed at this rate.
        rate: u64 = LIMIT, required r#""100 MB/s""#, source "";
    }
}

table! {
    /// Detection of the nodes and links that keep others waiting, and countermeasures.
    #[derive(Copy)]
    pub struct CongestionParameters {
        /// Whether culprits and victims are found and named.
        watch: bool = Flag, default "false", source "ours: a switch that does nothing of the kind";
        /// A port is congested if its frames had no credit for this share of a time; a link that carries more than it can is congested if
        /// others wait for it for this share. Assumed: the operators of switches set it.
        stalled_share: f64 = Fraction, default "0.1", source "ours: assumed, a tenth";
        /// A link carries as much as it can if its line is taken for this share of the time. Assumed.
        busy_share: f64 = Fraction, default "0.9", source "ours: assumed, nine tenths";
        /// Period at whose end the ports to nodes are checked for quarantine, notices and signals.
        period: Span = PERIOD, default r#""100 ms""#, source "lpfc: a fabric's period of congestion signals";
        /// How long a frame for a node waits in the node's own switch before it is discarded: a hold time of the edge.
        edge_hold_time: Option<Span> = PERIOD.or("unlimited"), default r#""unlimited""#, source "none";
        /// Whether the frames to a node go by a virtual channel of their own, the last of `channels`, from when the port to it was found
        /// congested.
        quarantine: bool = Flag, default "false", source "ours: a switch that does nothing of the kind";
        /// Bytes of payload per second, at most, that each node sends to a node that withholds credit according to a congestion notice.
        notice_rate: Option<u64> = LIMIT.or("off"), default r#""off""#, source "none";
        /// Bytes of data per second, at most, that a node asks for by its commands of reads and by its FCP_XFER_RDY when congestion signals
        /// report that its own port withholds credit.
        signal_rate: Option<u64> = LIMIT.or("off"), default r#""off""#, source "none";
        /// Whether every other node is sent a notice (FPIN, peer congestion) at the end of each period in which the port to a node was congested.
        /// The adapters of hosts react by their `congestion_profile`.
        notify_peers: bool = Flag, default "false", source "FC-LS-5, FPIN; Linux, include/uapi/scsi/fc/fc_els.h";
        /// Whether the node itself is sent a notice (FPIN, congestion) then.
        notify_node: bool = Flag, default "false", source "FC-LS-5, FPIN; Linux, include/uapi/scsi/fc/fc_els.h";
        /// Frames of a node that come in damaged at its switch within `link_error_time`, at which every node is sent a notice (FPIN, link integrity).
        /// Hosts react by `driver.marginal_paths`. The default policy of Cisco's port monitor counts 5.
        link_errors: Option<u64> = ERRORS, default r#""off""#, source "FC-LS-5, FPIN; Cisco MDS 9000, port monitor";
        /// Time in which they are counted.
        link_error_time: Span = ERROR_TIME, default r#""60 s""#, source "Cisco MDS 9000 NX-OS Interfaces guide OL-29284-01, port monitor";
    }
    idle(of_nobody)
}

impl CongestionParameters {
    /// The keys of congestion have no effect if no switch watches for it.
    fn of_nobody(&self, idle: &mut IdleKeys) {
        let why = "no switch looks for congestion (`watch`, `quarantine`, `notice_rate`, `signal_rate`, `notify_peers`, `notify_node`)";
        let looks = self.watch || self.checks_ports();
        idle.mark_idle_unless(looks, &["stalled_share", "busy_share", "period"], why);
        let why = "no switch reports damaged frames (`link_errors`)";
        idle.mark_idle_unless(self.link_errors.is_some(), &["link_error_time"], why);
    }
}

impl CongestionParameters {
    /// Nothing is watched, and no countermeasure is active.
    pub const NONE: Self = Self {
        watch: false,
        stalled_share: 0.1,
        busy_share: 0.9,
        period: Span::from_ms(100),
        edge_hold_time: None,
        quarantine: false,
        notice_rate: None,
        signal_rate: None,
        notify_peers: false,
        notify_node: false,
        link_errors: None,
        link_error_time: Span::from_s(60),
    };

    /// Whether ports to nodes are checked at the end of every period.
    pub fn checks_ports(&self) -> bool {
        self.quarantine || self.notifies_nodes() || self.notify_peers || self.notify_node
    }

    /// Whether nodes limit their rates because of a congested port: the nodes that send to its node, or its node.
    pub fn notifies_nodes(&self) -> bool {
        self.notice_rate.is_some() || self.signal_rate.is_some()
    }
}

/// The behaviour of a node that returns credit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CreditReturn {
    /// The time that the node needs for a frame.
    pub frame_time: Span,
    /// The interval at which the node stalls, and the duration of a stall, if it stalls.
    pub stalls: Option<(Span, Span)>,
}

impl CreditReturn {
    /// Whether the node returns credit at once, as a usual node does.
    pub fn returns_credit_at_once(&self) -> bool {
        self.frame_time.is_zero() && self.stalls.is_none()
    }

    /// The time at which the credit of a buffer is returned that is empty now, if the credit before it was
    /// returned at `last`.
    pub fn credit_return_time(&self, now: Instant, last: Instant) -> Instant {
        let at = now.max(last) + self.frame_time;
        let Some((every, lasts)) = self.stalls else { return at };
        let into = at.ticks() % every.ticks();
        if into >= every.ticks() - lasts.ticks().min(every.ticks()) {
            at + Span(every.ticks() - into)
        } else {
            at
        }
    }
}

impl SlowReceiver {
    /// The behaviour with which the receiver returns credit.
    pub fn credit_return(&self) -> CreditReturn {
        let stalls = self.stalls_every.map(|every| (every, self.stalls_for)).filter(|of| !of.1.is_zero());
        CreditReturn { frame_time: self.frame_time, stalls }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_takes_its_time_for_each_frame_and_stands_at_the_end_of_every_period() {
        let drain = CreditReturn { frame_time: Span(10), stalls: Some((Span(100), Span(30))) };
        assert_eq!(drain.credit_return_time(Instant(5), Instant::ZERO), Instant(15));
        assert_eq!(drain.credit_return_time(Instant(6), Instant(15)), Instant(25), "one after another");
        assert_eq!(drain.credit_return_time(Instant(59), Instant(25)), Instant(69));
        assert_eq!(drain.credit_return_time(Instant(60), Instant(25)), Instant(100), "it stands from 70 on");
        assert_eq!(drain.credit_return_time(Instant(61), Instant(100)), Instant(110));
        let usual = CreditReturn::default();
        assert!(usual.returns_credit_at_once());
        assert_eq!(usual.credit_return_time(Instant(61), Instant(7)), Instant(61));
    }
}
