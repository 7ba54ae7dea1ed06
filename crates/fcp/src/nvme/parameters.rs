//! The keys of NVMe over Fabrics.

use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Count, Flag, Size};
use sansim_schema::{codes, table};

table! {
    /// NVMe over Fabrics (`protocol = "nvme"`). Both ends of a network agree on these keys, so all its adapters have the same.
    #[derive(Copy, Eq)]
    pub struct NvmeParameters {
        /// Entries of the submission queue of an initiator at a target. On Fibre Channel a queue that is 90 % full has long responses. It does
        /// not limit the commands in flight: the driver does.
        queue_size: u32 = Count::<u32>::between(16, 1024), default "128", source "Linux, drivers/nvme/host/fabrics.h, NVMF_DEF_QUEUE_SIZE";
        /// On Fibre Channel: one of so many responses is long (ERSP, 32 bytes), and says how far the submission queue is; others are short
        /// (RSP, 12 bytes) if the command succeeded.
        ersp_ratio: u32 = Count::<u32>::between(1, 1023), follows "`queue_size` / 5" |_context| queue_size / 5, source "Linux, drivers/nvme/host/fc.c, ersp_ratio of Create Connection";
        /// On Fibre Channel: largest sequence of data that a target sends, or asks for by one XFER_RDY.
        largest_sequence: u64 = Size::between(512, 1 << 31), default r#""256 KiB""#, source "Linux, drivers/nvme/target/fc.c, NVMET_FC_MAX_SEQ_LENGTH";
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

impl NvmeParameters {
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
