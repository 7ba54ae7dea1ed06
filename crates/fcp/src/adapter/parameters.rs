//! The keys of an adapter, and of the information units it makes.

use super::processor_order::PROCESSOR_ORDER;
use crate::dma::DmaOrder;
use crate::iscsi::IscsiParameters;
use crate::notices::CongestionProfile;
use crate::nvme::NvmeParameters;
use crate::protocol::Protocol;
use sansim_kernel::Span;
use sansim_rules::{RuleName, RuleOf};
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{
    ByteRate, Choice, Count, Dimensioned, Flag, Fraction, OrUnlimited, Size, Time,
};
use sansim_schema::{codes, table, words};

words! {
    /// The order in which the FCP main processor of an adapter takes its tasks.
    pub enum ProcessorOrder {
        /// As they come.
        Fcfs = "fcfs",
        /// FCP_XFER_RDY before all else.
        TransferReadyFirst = "xfer-rdy-first",
        /// Commands before all else.
        CommandFirst = "command-first",
    }
}

words! {
    /// The moment at which the target generates the FCP_RSP of a read.
    pub enum ResponseStart {
        /// When the last data have been fetched by DMA.
        Fetched = "fetched",
        /// When the last data frame has been sent.
        Sent = "sent",
        /// When the server has reported completion, and the last data have been fetched. It is notified when these have been sent.
        Answered = "answered",
    }
}

words! {
    /// The circuit in which the FCP_RSP of a read is sent.
    pub enum ResponseCircuit {
        /// In that of the data, if it is made in time.
        Shared = "shared",
        /// In one of its own, after that of the data.
        Own = "own",
    }
}

words! {
    /// The unit of incoming data for which the overhead of the DMA scheduler is counted once: a sequence or a frame.
    pub enum DmaSetupPer {
        /// Once for each sequence.
        Sequence = "sequence",
        /// Once for each frame.
        Frame = "frame",
    }
}

words! {
    /// The moment at which the data of a write burst count as received.
    pub enum BurstDone {
        /// When the last frame has passed the incoming frame process.
        Received = "received",
        /// When DMA has stored the last byte.
        Stored = "stored",
    }
}

words! {
    /// A generation of adapters, by what the adapter's own processor takes. The times that are written are those of an ISP2200.
    pub enum AdapterGeneration {
        /// As they are written.
        AsWritten = "as-written",
        /// QLogic 2100: half as long again.
        Isp2100 = "isp2100",
        /// QLogic 2200: as they are written.
        Isp2200 = "isp2200",
        /// QLogic 2300: two thirds of them.
        Isp2300 = "isp2300",
    }
}

table! {
    /// The FCP engine, DMA and frame handling of an adapter. Times default to zero: an ideal adapter.
    pub struct AdapterParameters {
        /// The messages of an I/O. All adapters of a network need the same. With `"nvme"` the network decides: FC-NVMe on loops and fabrics,
        /// NVMe/TCP on a network with TCP, where alone `"iscsi"` is.
        protocol: Protocol = Choice::<Protocol>::ANY, default r#""fcp""#, source "FCP-4; FC-NVMe-2; NVMe/TCP; RFC 7143; Molero 2001, 1";
        /// Bytes of a control message with `protocol = "two-message"`.
        control_payload: u64 = Size::between(1, 2112), default r#""20 B""#, source "Molero 2001, 5: eight more buffers for them are at most 1 % of those of 2048 bytes";
        /// Largest data payload of a frame, in bytes. With TCP and RDMA: the data that the adapter fetches, hands over and stores as one part, which
        /// may be larger than a frame of Fibre Channel can be; fewer parts are simulated faster.
        max_payload: u64 = Size { range: (256, 32_768), step: 4 }, default r#""2048 B""#, source "FC-FS; Wang 2005, tables 6.2 and 6.3";
        /// Data frames that the outgoing FIFO holds besides the one being sent; data are fetched by DMA as it empties.
        outgoing_buffers: u32 = Count::<u32>::between(1, 1_000_000), default "16", source "ours: a few frames ahead, see docs/model/adapter.md";
        /// Generation of the adapter: the speed of its processor relative to the times of the other keys. A generation is 40 to 60 % faster
        /// than the one before; the model assumes 50 %. This applies to commands, FCP_XFER_RDY, responses, completions, status reports and frames, not to
        /// buses, DMA and links.
        generation: AdapterGeneration = Choice::<AdapterGeneration>::ANY, default r#""as-written""#, source "Friedman, footnote 5: QLogic 2100, 2200 and 2300";
        /// Time of a message or interrupt through the bus interface, in each direction.
        message_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, 4.3.2";
        /// Bytes of a short command that the driver writes to the memory-mapped registers of an initiator's adapter: the command of an I/O, or
        /// one for a status report, which it reads from as many. A command crosses the bus of the adapter as one transaction at the pace
        /// of the bus, waits for the bus like a transfer of data, and then takes `message_time`. Some registers of 4 bytes are
        /// usual. With none commands cross no bus.
        register_bytes: u64 = Size { range: (0, 4096), step: 4 }, default r#""0 B""#, source "Wang 2005, 3.1.3; ours: the thesis says a few bytes, and its simulator has only a time";
        /// Time after which the driver asks an initiator's adapter for its status report, again and again. It is a command like that of an
        /// I/O: `register_bytes`, `message_time`, `status_time` of the main processor, and a read of the registers. lpfc of Linux asks every 5 s.
        status_interval: Option<Span> = Time::between(Span::from_us(1), Span::LONGEST).or("never"), default r#""never""#, source "Wang 2005, 3.1.4; Linux, LPFC_HB_MBOX_INTERVAL";
        /// Time the main processor takes for a status report.
        status_time: Span = Time::ANY, default r#""0 ns""#, source "ours: what is left out takes no time";
        /// Commands that an initiator's adapter executes at a time, from the message to FCP_CMND in the queue of its port; others
        /// wait in the adapter.
        commands_in_execution: Option<u64> = OrUnlimited::between(1, 1_000_000), default r#""unlimited""#, source "Wang 2005, 3.2.3";
        /// In which order the FCP main processor takes its tasks.
        processor_order: RuleName<ProcessorOrder> = RuleOf::<ProcessorOrder>::decision(&PROCESSOR_ORDER), default r#""fcfs""#, source "Wang 2005, 4.3.2 (fcfs) and 3.4.1 (command-first)" changes;
        /// Time the FCP main processor takes for a command; it executes one at a time.
        command_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, tables 6.2 and 6.3";
        /// Time the FCP main processor takes for the command of a write; a real adapter takes longer for it.
        write_command_time: Span = Time::ANY, follows "`command_time`" |_context| command_time, source "ours: both alike unless they are said to differ";
        /// Size of the description of an I/O that the initiator fetches from the host by DMA, in bytes.
        request_bytes: u64 = Size::between(0, 1 << 20), default r#""64 B""#, source "Wang 2005, 4.3.2";
        /// Time to handle an FCP_XFER_RDY.
        xfer_rdy_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, table 6.2";
        /// Time to generate an FCP_RSP.
        response_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, table 6.3";
        /// Time the FCP main processor takes to complete an exchange. An initiator does so when the status and the data are in memory, and
        /// then notifies the host. A target completes an exchange after its port has accepted FCP_RSP; the next command waits until then.
        /// With `0 ns` the processor takes no part.
        completion_time: Span = Time::ANY, default r#""0 ns""#, source "ours: what is left out takes no time";
        /// From when on the target generates the FCP_RSP of a read: when the last data have been fetched, so that it can follow them in the
        /// same circuit, when the last data frame has been sent, or when the device or the software behind has reported completion: that of
        /// an in-band appliance, which does so when it has found that the data have been sent.
        response_start: ResponseStart = Choice::<ResponseStart>::ANY, default r#""fetched""#, source "Wang 2005, 4.3.2.3";
        /// The circuit in which the FCP_RSP of a read is sent. With a circuit of its own the FCP_RSP is generated during the data transfer
        /// and waits until the circuit of the data is closed.
        response_circuit: ResponseCircuit = Choice::<ResponseCircuit>::ANY, default r#""shared""#, source "Ruwart 1999, table 1";
        /// Rate of a DMA transfer, in bytes per second. 64 bits at 133 MHz are 1064 MB/s (Wang 2005, tables 6.2 and 6.3). With
        /// `"unlimited"` a transfer takes the shortest time there is, 1/561 ns.
        dma_bandwidth: Option<u64> = ByteRate { range: (1, 1_000_000_000_000) }.or("unlimited"), default r#""unlimited""#, source "none: an ideal adapter";
        /// Overhead of the DMA scheduler for each request.
        dma_setup_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, tables 6.2 and 6.3";
        /// In which order DMA requests are taken.
        dma_order: DmaOrder = Choice::<DmaOrder>::ANY, default r#""fcfs""#, source "Wang 2005, tables 6.2 and 6.3";
        /// Whether the request packages of commands go before data in the DMA queue.
        dma_request_first: bool = Flag, default "false", source "Wang 2005, 3.4.1";
        /// How often `dma_setup_time` is paid for incoming data.
        dma_setup_per: DmaSetupPer = Choice::<DmaSetupPer>::ANY, default r#""sequence""#, source "ours: the fewest set-ups";
        /// Whether incoming data have a DMA channel of their own, beside the one for requests and outgoing data.
        dma_bidirectional: bool = Flag, default "false", source "Wang 2005, 4.3.2.2";
        /// When the data of a write burst count as in, so that the target asks for the next burst or makes the status: when
        /// the last frame has been processed, or when the last byte has been stored by DMA.
        burst_done: BurstDone = Choice::<BurstDone>::ANY, default r#""received""#, source "Wang 2005, 4.3.2.3";
        /// Time to process a received frame.
        frame_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, tables 6.2 and 6.3";
        /// Time of a single-frame transfer, by which frames other than data reach the host or the drive.
        single_frame_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, tables 6.2 and 6.3";
        /// Probability that a received frame is damaged, independently for each frame. The adapter discards a damaged frame without a
        /// notification, so hosts need a `driver.time_out`.
        frame_loss: f64 = Fraction, default "0.0", source "FC-FS, class 3";
        /// Bytes of sense data in FCP_RSP with CHECK CONDITION; fixed-format sense data have 18.
        sense_data: Option<u64> = Size { range: (18, 252), step: 1 }.or("none"), default r#""none""#, source "SPC-4, 4.5; FCP-4, FCP_SNS_INFO";
        /// Whether a target, after its adapter has been repaired, answers the first command of each initiator for each device with CHECK
        /// CONDITION: a UNIT ATTENTION condition says that a reset has occurred. Hosts repeat the command.
        unit_attention: bool = Flag, default "false", source "SAM-5, unit attention conditions";
        /// REC_TOV: time without the end of a sequence of an exchange after which an initiator asks the target by REC how far it is, and has lost frames
        /// sent again by SRR. Without it a lost frame costs a `driver.time_out`.
        rec_time_out: Option<Span> = Time::between(Span::from_ns(1), Span::LONGEST).or("never"), default r#""never""#, source "FCP-4, 6.5 and 8.2; Linux, libfc (2 s)";
        /// REC or SRR in turn that may remain without an answer for `rec_time_out` each; then the initiator aborts the exchange.
        rec_retries: u32 = Count::<u32>::between(0, 1000), default "3", source "Linux, libfc, FC_MAX_RECOV_RETRY";
        /// RR_TOV: time for which a target keeps an exchange, with its data, after it has sent FCP_RSP, until FCP_CONF comes. It does so for
        /// initiators that have a `rec_time_out`.
        rr_time_out: Span = Time::between(Span::from_ns(1), Span::LONGEST), default r#""6 s""#, source "FCP-2, three times REC_TOV with RETRY";
        /// Time that an initiator waits for the answer to an ABTS, which aborts an exchange, before it sends another ABTS.
        abort_answer_time: Span = Time::between(Span::from_ns(1), Span::LONGEST), default r#""20 s""#, source "FC-FS, twice R_A_TOV";
        /// ABTS of an exchange in turn without an answer after which an initiator logs its target out: all exchanges with the target are over.
        /// The initiator then logs in again (PLOGI, PRLI), which ends them at the target, and hosts repeat the commands.
        logout_aborts: Option<u64> = Count::<u64>::between(1, 100).or("never"), default r#""never""#, source "FC-FS, recovery qualifier; FC-LS, PLOGI";
        /// Whether an initiator that logs its target out says so to it first (LOGO), which ends the exchanges there, and waits for the answer up to
        /// `abort_answer_time` before it logs in again.
        explicit_logout: bool = Flag, default "false", source "FC-LS, LOGO; Linux, drivers/scsi/libfc/fc_rport.c";
        /// Whether an initiator logs in by PLOGI and PRLI, with NVMe also by an association with its queues, before its first command to a target that has left the network and come back, and to
        /// all targets after it has left the network itself or its adapter has been repaired; and whether it makes sure by ADISC after an
        /// initialisation of its loop that it is still logged in, for which new commands wait. The answer to each is awaited for
        /// `abort_answer_time`.
        login: bool = Flag, default "false", source "FC-LS; FCP-4, 6.3; Linux, drivers/scsi/libfc/fc_rport.c; Hitachi Ultrastar 15K450, 17.3.8";
        /// Time of the reset of an initiator's adapter by the step `"adapter-reset"` of `driver.escalation`. All exchanges of the adapter are
        /// lost; after this time it logs in with the targets, and then the host repeats the commands.
        reset_time: Span = Time::between(Span::from_ns(1), Span::LONGEST), default r#""10 s""#, source "Linux, HOST_RESET_SETTLE_TIME of drivers/scsi/scsi_error.c";
        /// How far an initiator's adapter limits its commands in flight when its fabric reports congestion (`switch.congestion.notify_peers`,
        /// `notify_node`): the writes to the congested port, or its reads if the port is its own. Its driver looks once a second. The limit falls from the most
        /// commands in flight in this minute, and rises again when no notice has come for the event period, and a second.
        congestion_profile: CongestionProfile = Choice::<CongestionProfile>::ANY, default r#""monitor""#, source "Marvell, qla2xxx, qla_scm.c (QLogic adapters); the driver in Linux only counts notices";
        /// Least limit of the commands in flight.
        congestion_least: u32 = Count::<u32>::between(1, 1_000_000), default "1", source "ours: the driver's constant is not public";
    }
    tables {
        /// NVMe over Fabrics.
        nvme: NvmeParameters;
        /// iSCSI.
        iscsi: IscsiParameters;
    }
    checks(check_frame_loss)
    idle(of_other_paths)
}

impl AdapterParameters {
    /// The keys that have no effect under other protocols, or where a step takes no time.
    fn of_other_paths(&self, idle: &mut IdleKeys) {
        let two = self.protocol == Protocol::TwoMessage;
        let fcp = self.protocol == Protocol::Fcp;
        let spoken = format!("adapters speak \"{}\" (`protocol`)", self.protocol);
        idle.mark_idle_unless(two, &["control_payload"], &spoken);
        idle.mark_idle_unless(self.protocol == Protocol::Nvme, &["nvme"], &spoken);
        idle.mark_idle_unless(self.protocol == Protocol::Iscsi, &["iscsi"], &spoken);
        idle.mark_idle_unless(
            self.logout_aborts.is_some(),
            &["explicit_logout"],
            "no target is logged out (`logout_aborts`)",
        );
        idle.mark_idle_unless(
            fcp,
            &["rec_time_out", "rec_retries", "rr_time_out"],
            "only FCP has REC (`protocol`)",
        );
        idle.mark_idle_unless(
            self.protocol != Protocol::Nvme,
            &["sense_data"],
            "NVMe has no sense data (`protocol`)",
        );
        idle.mark_idle_unless(
            !fcp || self.rec_time_out.is_some(),
            &["rec_retries"],
            "no lost frame is asked for (`rec_time_out`)",
        );
        idle.mark_idle_unless(
            self.status_interval.is_some(),
            &["status_time"],
            "the driver asks for no status report (`status_interval`)",
        );
        idle.mark_idle_unless(
            self.congestion_profile != CongestionProfile::Monitor,
            &["congestion_least"],
            "notices limit no commands (`congestion_profile`)",
        );
        let sets_up = self.dma_setup_time > Span::ZERO;
        idle.mark_idle_unless(
            sets_up,
            &["dma_setup_per"],
            "to set up a transfer takes no time (`dma_setup_time`)",
        );
    }

    /// The parameters with the times that follow from the generation of the adapter.
    #[must_use]
    pub fn with_generation_times(self) -> Self {
        // A generation is one and a half times as fast as the generation before it.
        let (times, by) = match self.generation {
            AdapterGeneration::AsWritten | AdapterGeneration::Isp2200 => return self,
            AdapterGeneration::Isp2100 => (3, 2),
            AdapterGeneration::Isp2300 => (2, 3),
        };
        let of =
            |span: Span| Span(span.ticks() / by * times + span.ticks() % by * times / by).min(Span::LONGEST);
        Self {
            generation: AdapterGeneration::AsWritten,
            command_time: of(self.command_time),
            write_command_time: of(self.write_command_time),
            xfer_rdy_time: of(self.xfer_rdy_time),
            response_time: of(self.response_time),
            completion_time: of(self.completion_time),
            frame_time: of(self.frame_time),
            single_frame_time: of(self.single_frame_time),
            status_time: of(self.status_time),
            ..self
        }
    }

    /// The entries of the submission queues of a host at this target, if their number is limited.
    pub fn queue_entries(&self) -> Option<u32> {
        if self.protocol == Protocol::Nvme { self.nvme.usable_entries() } else { None }
    }

    /// The time of the DMA for this number of bytes, without its scheduler.
    pub fn dma_time(&self, bytes: u64) -> Span {
        crate::dma::to_move(bytes, self.dma_bandwidth)
    }

    /// The time of the main processor for a command.
    pub(crate) fn command_takes(&self, write: bool) -> Span {
        if write { self.write_command_time } else { self.command_time }
    }

    /// Checks that not all frames are lost.
    fn check_frame_loss(&self, keys: &mut Keys<'_, '_>) {
        if self.frame_loss < 1.0 || !keys.all_readable(&["frame_loss"]) {
            return;
        }
        let fault = Diagnostic::new(
            codes::OUT_OF_RANGE,
            keys.value_position("frame_loss"),
            "no frame would ever come in",
        )
        .with_label("must be less than 1")
        .with_help("let an [[event]] fail the adapter, if it is to be cut off");
        keys.report("frame_loss", fault);
    }
}
