//! The keys of RDMA.

use sansim_kernel::Span;
use sansim_schema::quantities::{ByteRate, Choice, Count, Dimensioned, Fraction, Size, Time};
use sansim_schema::{table, words};

const TIMER: Time = Time::between(Span::from_us(1), Span::from_s(60));
const RATE: ByteRate = ByteRate { range: (1_000, 1_000_000_000_000) };
const PERIOD: Time = Time::between(Span::from_ns(100), Span::from_s(1));

words! {
    /// The congestion control of senders of RDMA.
    pub enum RdmaCongestionControl {
        /// None: a sender sends at the rate of its link, and pauses by priority alone keep switches from dropping.
        Unlimited = "none",
        /// DCQCN: receivers report marks of switches (CNP), and senders lower their rates.
        Dcqcn = "dcqcn",
    }
}

table! {
    /// The rates of senders under DCQCN.
    #[derive(Copy)]
    pub struct DcqcnParameters {
        /// Weight of a report in alpha, the estimate of congestion (g).
        gain: f64 = Fraction, default "0.00390625", source "Zhu 2015: 1/256";
        /// Least time between two reports (CNP) of a receiver for one sender.
        notice_interval: Span = PERIOD, default r#""50 us""#, source "Zhu 2015";
        /// Time without a report after which alpha falls.
        alpha_interval: Span = PERIOD, default r#""55 us""#, source "Zhu 2015";
        /// Time after which the rate rises by a step.
        rate_interval: Span = PERIOD, default r#""55 us""#, source "Zhu 2015";
        /// Bytes after which the rate rises by a step.
        byte_counter: u64 = Size::between(1_000, 1 << 40), default r#""10 MB""#, source "Zhu 2015";
        /// Steps of fast recovery, in which the rate goes half of the way back.
        recovery_steps: u32 = Count::<u32>::between(1, 1_000), default "5", source "Zhu 2015";
        /// Rise of the target rate in a step of additive increase, in bytes per second of payload and headers.
        additive_increase: u64 = RATE, default r#""5 MB/s""#, source "Zhu 2015: 40 Mb/s at 40 Gb/s";
        /// Rise of the target rate in a step of hyper increase, for each step.
        hyper_increase: u64 = RATE, default r#""50 MB/s""#, source "csg-htsim: ten times the additive increase";
        /// Least rate.
        least_rate: u64 = RATE, default r#""12.5 MB/s""#, source "HPCC simulator: 100 Mb/s";
    }
}

table! {
    /// The parameters of connections of RDMA (RoCEv2).
    #[derive(Copy)]
    pub struct RdmaParameters {
        /// Most payload of a packet (path MTU). `"largest"` is the largest that fits into the `mtu` of the network, of 256, 512, 1024, 2048, 4096.
        path_mtu: Option<u64> = Size::between(256, 4_096).or("largest"), default r#""largest""#, source "Linux rxe: 1024 with an MTU of 1500, 4096 with 9000";
        /// Packets of which one asks for an acknowledgement, beside the last of each message.
        ack_every: u32 = Count::<u32>::between(1, 1 << 20), default "256", source "Linux, drivers/infiniband/hw/mlx5/qp.c: log_ack_req_freq 8";
        /// Time without progress after which a sender begins again with the first packet that is not acknowledged.
        time_out: Span = TIMER, default r#""20 ms""#, source "csg-htsim";
        /// Congestion control of senders.
        congestion_control: RdmaCongestionControl = Choice::<RdmaCongestionControl>::ANY, default r#""none""#, source "ours: pauses alone";
    }
    tables {
        /// The rates of senders under DCQCN.
        dcqcn: DcqcnParameters;
    }
    idle(of_no_dcqcn)
}

impl RdmaParameters {
    fn of_no_dcqcn(&self, idle: &mut sansim_schema::idle::IdleKeys) {
        let has_it = self.congestion_control == RdmaCongestionControl::Dcqcn;
        idle.mark_idle_unless(has_it, &["dcqcn"], "senders have no rates (`congestion_control`)");
    }

    /// The most payload of a packet on a network with datagrams of at most `mtu` bytes.
    pub fn payload_bytes(&self, mtu: u64) -> u64 {
        let most = crate::packet::largest_payload(mtu);
        self.path_mtu.unwrap_or_else(|| {
            [4_096, 2_048, 1_024, 512].into_iter().find(|&bytes| bytes <= most).unwrap_or(256)
        })
    }
}
