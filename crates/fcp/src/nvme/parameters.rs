//! The keys of NVMe over Fabrics.

use sansim_component::UnitTransport;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Count, CountOr, Flag, Size};
use sansim_schema::{codes, table};

/// A number of queues, or as many as are needed.
const QUEUES: CountOr<u32> = Count::<u32>::between(1, 65_535).or("unlimited");

table! {
    /// NVMe over Fabrics (`protocol = "nvme"`). Both ends of a network agree on these keys, so all its adapters have the same.
    #[derive(Copy, Eq)]
    pub struct NvmeParameters {
        /// Entries of a submission queue of an initiator at a target, one fewer of which are usable. On Fibre Channel a queue that is 90 % full has
        /// long responses.
        queue_size: u32 = Count::<u32>::between(16, 1024), default "128", source "Linux, drivers/nvme/host/fabrics.h, NVMF_DEF_QUEUE_SIZE";
        /// I/O queues of a host at a target: the host has as many commands in flight there as they have usable entries, and further ones wait in the
        /// driver. Without a number the driver's limits alone count. Linux has a queue for each processor. Responses are long as if all
        /// commands were in one queue.
        queues: Option<u32> = QUEUES, default r#""unlimited""#, source "Linux, drivers/nvme/host/fc.c, tcp.c, rdma.c: min(online CPUs, queues of the adapter); NVMe, queue full";
        /// On Fibre Channel: one of so many responses is long (ERSP, 32 bytes), and says how far the submission queue is; others are short
        /// (RSP, 12 bytes) if the command succeeded.
        ersp_ratio: u32 = Count::<u32>::between(1, 1023), follows "`queue_size` / 5" |_context| queue_size / 5, source "Linux, drivers/nvme/host/fc.c, ersp_ratio of Create Connection";
        /// On Fibre Channel: largest sequence of data that a target sends, or asks for by one XFER_RDY.
        largest_sequence: u64 = Size::between(512, 1 << 31), default r#""256 KiB""#, source "Linux, drivers/nvme/target/fc.c, NVMET_FC_MAX_SEQ_LENGTH";
        /// On Fibre Channel: most bytes of a write that its initiator sends right behind the command, without XFER_RDY. Both ends agree on it by
        /// PRLI, in units of 512 bytes.
        first_burst: u64 = Size { range: (0, 65_536 * 512), step: 512 }, default r#""0 B""#, source "Linux, drivers/scsi/lpfc/lpfc_attr.c: lpfc_nvme_enable_fb, off by default";
        /// On TCP: largest write whose data are in the capsule of its command. The target asks for the data of a larger one.
        in_capsule: u64 = Size::between(0, 1 << 20), default r#""16 KiB""#, source "Linux, drivers/nvme/target/tcp.c, NVMET_TCP_DEF_INLINE_DATA_SIZE";
        /// On RDMA: largest write whose data are in the capsule of its command. The target reads the data of a larger one from the host.
        rdma_in_capsule: u64 = Size::between(0, 1 << 20), default r#""4 KiB""#, source "Linux, drivers/nvme/target/rdma.c, NVMET_RDMA_DEFAULT_INLINE_DATA_SIZE";
        /// On TCP: most data of one H2CData unit (MAXH2CDATA).
        max_h2c_data: u64 = Size { range: (4096, 1 << 30), step: 4 }, default r#""4 MiB""#, source "Linux, drivers/nvme/target/tcp.c, NVMET_TCP_MAXH2CDATA";
        /// On TCP: whether the last data of a read that succeeds stand for its response (SUCCESS). Hosts and targets agree on that if the submission
        /// queue has no flow control.
        success_flag: bool = Flag, default "false", source "Linux, drivers/nvme/target/tcp.c: only without flow control of the queue, which is on by default";
        /// On TCP: whether headers have a CRC32C of 4 bytes.
        header_digest: bool = Flag, default "false", source "Linux, drivers/nvme/host/tcp.c, hdr_digest";
        /// On TCP: whether data have a CRC32C of 4 bytes.
        data_digest: bool = Flag, default "false", source "Linux, drivers/nvme/host/tcp.c, data_digest";
    }
    checks(check_ratio)
}

/// The keys that have no effect on a network of this form, with the reason.
pub fn keys_of_other_transports(transport: UnitTransport) -> Vec<(&'static str, &'static str)> {
    const FIBRE_CHANNEL: &[&str] = &["ersp_ratio", "largest_sequence", "first_burst"];
    const TCP: &[&str] = &["in_capsule", "max_h2c_data", "success_flag", "header_digest", "data_digest"];
    const RDMA: &[&str] = &["rdma_in_capsule"];
    const QUEUES: &[&str] = &["queue_size", "queues"];
    let has_frames = matches!(transport, UnitTransport::Frames | UnitTransport::Sequences(_));
    let groups = [
        (has_frames, FIBRE_CHANNEL, "it is for Fibre Channel"),
        (transport == UnitTransport::Stream, TCP, "it is for TCP"),
        (transport == UnitTransport::Rdma, RDMA, "it is for RDMA"),
        (!transport.is_on_memory(), QUEUES, "the queues of PCI Express are those of its network"),
    ];
    let others = groups.into_iter().filter(|(applies, ..)| !applies);
    others.flat_map(|(_, keys, why)| keys.iter().map(move |&key| (key, why))).collect()
}

impl NvmeParameters {
    /// The commands for which the queues of a host at a target have entries: a queue is full when its tail is right behind its head.
    pub(crate) fn usable_entries(&self) -> Option<u32> {
        self.queues.map(|queues| queues * (self.queue_size - 1))
    }

    /// Checks that a queue is not over before a response says how far it is.
    fn check_ratio(&self, keys: &mut Keys<'_, '_>) {
        if self.ersp_ratio < self.queue_size || !keys.all_readable(&["ersp_ratio", "queue_size"]) {
            return;
        }
        let message = format!(
            "a long response each {} commands comes too late for a queue of {} entries",
            self.ersp_ratio, self.queue_size
        );
        let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("ersp_ratio"), message)
            .with_label("a target refuses it")
            .with_help("make it less than `queue_size`");
        keys.report("ersp_ratio", fault);
    }
}
