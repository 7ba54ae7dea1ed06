//! Exchanges: one SCSI command from its submission to its status, as both ends know it.

use sansim_fc::al_pa::AlPa;
use sansim_fc::frame::ExchangeId;
use sansim_kernel::Time;

/// Bytes of a logical block.
pub const BLOCK_BYTES: u64 = 512;

/// Where an exchange is inside the adapter, for the time ledger: in the queue of a block, or in its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterStage {
    /// Behind other messages or interrupts.
    MessageQueue,
    /// Message to the adapter, or interrupt from it.
    Message,
    /// Waiting until fewer commands are in execution.
    CommandLimit,
    /// Waiting for the main processor.
    ProcessorQueue,
    /// Main processor: a command.
    Command,
    /// Main processor: FCP_XFER_RDY.
    TransferReady,
    /// Main processor: FCP_RSP.
    Response,
    /// Waiting for room among the outgoing buffers.
    OutgoingBuffer,
    /// In the DMA queue.
    DmaQueue,
    /// DMA.
    Dma,
    /// Queue of the port.
    Port,
    /// FCP_RSP is ready and waits for the circuit of the data to end.
    Circuit,
    /// Waiting for the incoming frame process.
    IncomingQueue,
    /// Incoming frame process.
    Incoming,
    /// Waiting for the single frame transfer.
    SingleFrameQueue,
    /// Single frame transfer.
    SingleFrame,
    /// The drive is to provide the next data of a read.
    Drive,
}

/// One SCSI command on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Address of the initiator.
    pub initiator: AlPa,
    /// Address of the target.
    pub target: AlPa,
    /// Write (data go to the target) or read.
    pub write: bool,
    /// Bytes of user data.
    pub bytes: u64,
    /// First logical block of the data on the drive.
    pub lba: u64,
    /// Number of the I/O in order of issue, for observers.
    pub io: u64,
    /// FCP_BURST_LEN: the most that one FCP_XFER_RDY asks for, or the size of one data sequence of a read.
    pub burst_bytes: u64,
    /// When the command frame was taken from the target's buffer.
    pub command_received: Time,
    /// Data of which the sender's DMA has been asked for the frames.
    pub asked_bytes: u64,
    /// Data handed to the sending port.
    pub queued_bytes: u64,
    /// End of the data sequence in progress.
    pub sequence_end: u64,
    /// Data received and, by DMA, in the memory of the receiver.
    pub stored_bytes: u64,
    /// Data of which the reception is complete in the receiver's frame buffers.
    pub received_bytes: u64,
    /// The first frame of the present sequence has claimed the DMA channel.
    pub dma_claimed: bool,
    /// A read's last data have left, and the circuit in which they did is over. Kept by targets that send FCP_RSP in a
    /// circuit of its own.
    pub data_gone: bool,
    /// FCP_RSP has been handed to the initiator's host.
    pub status_in: bool,
    /// Frames of this exchange between the queue of one port and the buffer of the other.
    pub frames_under_way: u32,
    /// Those of them of which the first word has left.
    pub frames_on_wire: u32,
    /// The sender's DMA is fetching a frame of this exchange.
    pub fetching: bool,
    /// All that is waited for is that received data get into memory.
    pub storing: bool,
    /// Where the exchange is; while frames are under way, where what follows them is.
    pub stage: AdapterStage,
}

impl Exchange {
    /// A command that has gone nowhere yet.
    pub fn new(initiator: AlPa, target: AlPa, write: bool, bytes: u64, burst_bytes: u64) -> Self {
        Self {
            initiator,
            target,
            write,
            bytes,
            lba: 0,
            io: 0,
            burst_bytes,
            command_received: Time::ZERO,
            asked_bytes: 0,
            queued_bytes: 0,
            sequence_end: 0,
            stored_bytes: 0,
            received_bytes: 0,
            dma_claimed: false,
            data_gone: false,
            status_in: false,
            frames_under_way: 0,
            frames_on_wire: 0,
            fetching: false,
            storing: false,
            stage: AdapterStage::Message,
        }
    }

    /// Logical blocks that the data fill, the last one perhaps in part.
    pub fn blocks(&self) -> u64 {
        self.bytes.div_ceil(BLOCK_BYTES)
    }
}

/// All exchanges that are open. Numbers are used again after [`ExchangeTable::close`].
#[derive(Clone, Debug, Default)]
pub struct ExchangeTable {
    entries: Vec<Exchange>,
    free: Vec<u32>,
}

impl ExchangeTable {
    /// Opens an exchange.
    pub fn open(&mut self, exchange: Exchange) -> ExchangeId {
        if let Some(number) = self.free.pop() {
            self.entries[number as usize] = exchange;
            return ExchangeId(number);
        }
        self.entries.push(exchange);
        ExchangeId((self.entries.len() - 1) as u32)
    }

    /// Closes an exchange; its number may be given to another.
    pub fn close(&mut self, id: ExchangeId) {
        self.free.push(id.0);
    }

    /// Exchanges open now.
    pub fn open_count(&self) -> usize {
        self.entries.len() - self.free.len()
    }
}

impl std::ops::Index<ExchangeId> for ExchangeTable {
    type Output = Exchange;
    fn index(&self, id: ExchangeId) -> &Exchange {
        &self.entries[id.0 as usize]
    }
}

impl std::ops::IndexMut<ExchangeId> for ExchangeTable {
    fn index_mut(&mut self, id: ExchangeId) -> &mut Exchange {
        &mut self.entries[id.0 as usize]
    }
}
