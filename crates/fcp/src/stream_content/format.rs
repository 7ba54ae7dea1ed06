//! The form of the units of an adapter in a stream of bytes.

use crate::adapter::AdapterParameters;
use crate::crc32c::crc32c;
use crate::protocol::Protocol;
use crate::stream_headers::StreamHeaders;
use crate::{iscsi, nvme};
use sansim_component::UnitTransport;

/// The protocol of a stream, of those whose units a standard fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamProtocol {
    NvmeTcp,
    NvmeRdma,
    Iscsi,
}

/// The form of the units of an adapter on a network that carries streams of bytes. Both ends of a connection have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamFormat {
    pub(crate) protocol: StreamProtocol,
    pub(crate) headers: StreamHeaders,
    pub(crate) header_digest: bool,
    pub(crate) data_digest: bool,
    /// Whether the last data of a read have its status.
    pub(crate) status_in_data: bool,
    /// Whether data that come with a command are in its unit.
    pub(crate) immediate_data: bool,
    /// The entries of a submission queue.
    pub(crate) queue_size: u32,
}

impl AdapterParameters {
    /// The form of the adapter's units at a network of this form; none for units that no standard fixes, and on networks of frames.
    pub fn stream_format(&self, transport: UnitTransport) -> Option<StreamFormat> {
        let Self { nvme, iscsi, protocol, .. } = self;
        let queue_size = nvme.queue_size;
        match (protocol, transport) {
            (Protocol::Nvme, UnitTransport::Stream) => Some(StreamFormat {
                protocol: StreamProtocol::NvmeTcp,
                headers: nvme::tcp::headers(nvme),
                header_digest: nvme.header_digest,
                data_digest: nvme.data_digest,
                status_in_data: nvme.success_flag,
                immediate_data: true,
                queue_size,
            }),
            (Protocol::Nvme, UnitTransport::Rdma) => Some(StreamFormat {
                protocol: StreamProtocol::NvmeRdma,
                headers: nvme::rdma::HEADERS,
                header_digest: false,
                data_digest: false,
                status_in_data: false,
                immediate_data: true,
                queue_size,
            }),
            (Protocol::Iscsi, UnitTransport::Stream) => Some(StreamFormat {
                protocol: StreamProtocol::Iscsi,
                headers: iscsi::headers(iscsi),
                header_digest: iscsi.header_digest,
                data_digest: iscsi.data_digest,
                status_in_data: iscsi.status_in_data,
                immediate_data: iscsi.immediate_data,
                queue_size,
            }),
            _ => None,
        }
    }
}

impl StreamFormat {
    /// The port of TCP at which a target of the protocol listens. Source: IANA, nvme (4420) and iscsi-target (3260).
    pub fn target_port(&self) -> u16 {
        match self.protocol {
            StreamProtocol::NvmeTcp | StreamProtocol::NvmeRdma => 4420,
            StreamProtocol::Iscsi => 3260,
        }
    }

    /// The most data of a unit of a sequence.
    pub(super) fn most(&self, write: bool, with_command: bool) -> u64 {
        if with_command { self.headers.most_with_command } else { self.headers.most[usize::from(!write)] }
    }

    /// Appends the digest of a header to it.
    pub(super) fn finish_header(&self, header: &mut Vec<u8>) {
        if self.header_digest {
            let digest = crc32c(header, 0);
            header.extend_from_slice(&digest.to_le_bytes());
        }
    }
}
