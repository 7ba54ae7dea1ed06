//! The protocol of the nodes of an Ethernet: TCP or RDMA. Each is a folder of its own, and knows frames and notices only.

use super::frames::Frames;
use crate::rdma::RdmaEndpoints;
use crate::tcp::{TcpEndpoints, meter as of_tcp};
use sansim_component::{Context, LeftoverFindings, Message};
use sansim_fabric::ethernet::{EthernetNotice, EthernetSwitches};
use sansim_kernel::{Span, Time};

sansim_schema::words! {
    /// The protocol of nodes.
    pub enum EthernetTransport {
        /// TCP, by the software of nodes.
        Tcp = "tcp",
        /// RDMA (RoCEv2), by adapters.
        Rdma = "rdma",
    }
}

/// The nodes with their protocol.
#[derive(Clone, Debug)]
pub enum Transport {
    /// TCP.
    Tcp(Box<TcpEndpoints>),
    /// RDMA.
    Rdma(Box<RdmaEndpoints>),
}

impl Transport {
    /// The side of each node: 0 for an initiator, 1 for a target.
    pub(super) fn sides(&self) -> Vec<usize> {
        match self {
            Self::Tcp(tcp) => tcp.nodes.iter().map(|node| node.side).collect(),
            Self::Rdma(rdma) => rdma.nodes.iter().map(|node| node.side).collect(),
        }
    }

    /// Gives each node whose protocol has rates that of its link.
    pub(super) fn set_rates(&mut self, switches: &EthernetSwitches) {
        let rate = |node: usize| switches.rate(switches.node_port(node as u16));
        if let Self::Rdma(rdma) = self {
            (0..).zip(&mut rdma.nodes).for_each(|(number, node)| node.rate = rate(number));
        }
    }

    /// Handles a timer.
    pub(super) fn due(&mut self, cx: &mut Context<'_>, frames: &mut Frames, what: u8, number: usize) {
        match self {
            Self::Tcp(tcp) => tcp.due(cx, frames, what, number),
            Self::Rdma(rdma) => rdma.due(cx, frames, what, number),
        }
    }

    /// Handles a message of a node or of its processors.
    pub(super) fn receive(&mut self, cx: &mut Context<'_>, frames: &mut Frames, port: u16, message: Message) {
        match self {
            Self::Tcp(tcp) => tcp.receive(cx, frames, port, message),
            Self::Rdma(rdma) => rdma.receive(cx, frames, port, message),
        }
    }

    /// Handles a notice of the switches.
    pub(super) fn notice(&mut self, cx: &mut Context<'_>, frames: &mut Frames, notice: EthernetNotice) {
        match (self, notice) {
            (Self::Tcp(tcp), EthernetNotice::Left(frame)) => tcp.left(cx, frames, frame),
            (Self::Tcp(tcp), EthernetNotice::Arrived(frame)) => tcp.arrived(cx, frames, frame),
            (Self::Tcp(tcp), EthernetNotice::Lost(frame)) => tcp.lost(frame),
            (Self::Rdma(rdma), EthernetNotice::Left(frame)) => rdma.left(cx, frames, frame),
            (Self::Rdma(rdma), EthernetNotice::Arrived(frame)) => rdma.arrived(cx, frames, frame),
            (Self::Rdma(rdma), EthernetNotice::Lost(frame)) => rdma.lost(frame),
        }
    }

    /// The frames of a node that wait for its port, or are on it.
    pub(super) fn waiting_frames(&self, node: u16) -> u32 {
        match self {
            Self::Tcp(tcp) => {
                let node = &tcp.nodes[usize::from(node)];
                node.out.len() as u32 + node.sending.count_ones()
            }
            Self::Rdma(rdma) => {
                let node = &rdma.nodes[usize::from(node)];
                node.unsent_frames as u32 + node.control.len() as u32
            }
        }
    }

    /// The jobs of a node's software.
    pub(super) fn waiting_jobs(&self, node: u16) -> u32 {
        match self {
            Self::Tcp(tcp) => tcp.nodes[usize::from(node)].jobs.len() as u32,
            Self::Rdma(_) => 0,
        }
    }

    /// The bytes that a node's senders may have in flight by their congestion windows.
    pub(super) fn congestion_windows(&self, node: u16) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.congestion_windows_of(node),
            Self::Rdma(_) => 0,
        }
    }

    /// The bytes per second at which a node's senders may send by their rates.
    pub(super) fn rates(&self, node: u16) -> u64 {
        match self {
            Self::Tcp(_) => 0,
            Self::Rdma(rdma) => rdma.rate_of(node),
        }
    }

    /// The time in which the software of a node was at work.
    pub(super) fn software_time(&self, now: Time, node: u16) -> Span {
        match self {
            Self::Tcp(tcp) => tcp.nodes[usize::from(node)].software_work_time(now),
            Self::Rdma(_) => Span::ZERO,
        }
    }

    /// The interrupts at a node.
    pub(super) fn interrupts(&self, node: u16) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.nodes[usize::from(node)].interrupts,
            Self::Rdma(_) => 0,
        }
    }

    /// A count, by the number of its meter.
    pub(super) fn count(&self, meter: usize) -> u64 {
        match self {
            Self::Tcp(tcp) => match meter {
                of_tcp::DATA_FRAMES => tcp.counts.data_frames,
                of_tcp::ACKS => tcp.counts.acks,
                of_tcp::AGAIN => tcp.counts.again,
                of_tcp::TIME_OUTS => tcp.counts.time_outs,
                of_tcp::BYTES => tcp.counts.bytes,
                _ => 0,
            },
            Self::Rdma(rdma) => match meter {
                of_tcp::DATA_FRAMES => rdma.counts.data_packets,
                of_tcp::ACKS => rdma.counts.acknowledgements,
                of_tcp::AGAIN => rdma.counts.again,
                of_tcp::TIME_OUTS => rdma.counts.time_outs,
                of_tcp::BYTES => rdma.counts.bytes,
                super::catalogue::meter::NOTICES => rdma.counts.notices,
                _ => 0,
            },
        }
    }

    /// The most bytes of data of a frame.
    pub(super) fn data_bytes(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.segment_bytes(),
            Self::Rdma(rdma) => rdma.payload_bytes(),
        }
    }

    /// Reports what is left at the end of a run.
    pub(super) fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        match self {
            Self::Tcp(tcp) => tcp.leftovers(leftovers),
            Self::Rdma(rdma) => rdma.leftovers(leftovers),
        }
    }
}
