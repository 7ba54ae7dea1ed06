//! The keys of an IP port.

use sansim_fc::loop_port::PortParameters;
use sansim_schema::idle::IdleKeys;
use sansim_schema::quantities::{ByteRate, Choice, Count, Flag, NameList, NamesIfAny, Size};
use sansim_schema::{table, words};

/// The ports to which datagrams are sent.
const TO: NamesIfAny = NamesIfAny(NameList { example: r#"["other"]"# });

/// The rate may be a byte to a terabyte per second.
const RATE: ByteRate = ByteRate { range: (1, 1_000_000_000_000) };

words! {
    /// The arrival process of datagrams.
    pub enum DatagramArrivals {
        /// Poisson arrivals: every moment is equally likely.
        Poisson = "poisson",
        /// Arrivals at equal intervals.
        Deterministic = "deterministic",
    }
}

table! {
    /// A port of a fabric or of a loop that sends IP datagrams, takes those of others, or both: load beside the I/Os. A datagram is a frame of class 3, TYPE 05.
    pub struct IpPortParameters {
        /// The IP ports to which it sends, in turn. Without any it only takes datagrams.
        to: Vec<String> = TO, default "[]", source "none";
        /// Whether each datagram goes to all of these ports, as one frame for their group, which switches copy where the paths part.
        multicast: bool = Flag, default "false", source "Wang 2005, 2.1 (FC-3); FC-FS";
        /// Bytes of datagrams per second that the port sends, as long as workloads have requests.
        rate: u64 = RATE, default r#""10 MB/s""#, source "ours: a load that a link of any speed carries";
        /// Bytes of a datagram with its IP header. Network_Header, LLC and SNAP add 24.
        size: u64 = Size::between(20, 2_088), default r#""1500 B""#, source "RFC 4338; the MTU of Ethernet";
        /// The arrival process of the datagrams.
        arrivals: DatagramArrivals = Choice::<DatagramArrivals>::ANY, default r#""poisson""#, source "ours: independent senders";
        /// Length of the queue of the port in datagrams, the one in transmission included. A datagram that arrives at a queue of this
        /// length is dropped before it becomes a frame.
        queue: u32 = Count::<u32>::between(1, 1_000_000), default "64", source "ours: a small queue";
    }
    tables {
        /// The port of the component at the network.
        port: PortParameters;
    }
    idle(without_a_group)
}

impl IpPortParameters {
    /// Marks `multicast` as unused if there is no one to send to.
    fn without_a_group(&self, idle: &mut IdleKeys) {
        idle.mark_idle_unless(!self.to.is_empty(), &["multicast"], "the port sends to no other (`to`)");
    }
}
