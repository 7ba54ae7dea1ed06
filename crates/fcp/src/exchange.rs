//! Exchanges: one SCSI command from its submission to its status, as one end knows it.

use sansim_component::Context;
use sansim_kernel::{Span, Time};
use sansim_pdu::Address;
pub use sansim_pdu::ExchangeId;
use sansim_request::{RequestId, Status};
use std::collections::VecDeque;

/// The time for which the identifier of an aborted exchange is not reused: a frame of the old exchange may still be in flight, and must not count for a new one.
/// Source: FC-FS, recovery qualifier; R_A_TOV is 10 s.
pub const RESOURCE_ALLOCATION_TIME_OUT: Span = Span::from_ms(10_000);

/// The request of an exchange that is not open.
const NO_REQUEST: RequestId = RequestId(u32::MAX);

/// An exchange as one end knows it. Whatever it knows of the other end has come in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The request that it carries.
    pub request: RequestId,
    /// Initiator: the block port by which the request came, and is answered. A target has none.
    pub asked_by: u16,
    /// Address of the other end.
    pub peer: Address,
    /// The identifier of the exchange at the other end, if that has assigned one.
    pub other: ExchangeId,
    /// Write (data go to the target) or read.
    pub write: bool,
    /// Bytes of user data (FCP_DL).
    pub bytes: u64,

    /// Sender: bytes of data whose frames the DMA is fetching or has fetched.
    pub asked_bytes: u64,
    /// Sender: data handed to the port.
    pub queued_bytes: u64,
    /// End of the data that may be sent, or have been requested, so far.
    pub sequence_end: u64,
    /// Bursts that have been begun.
    pub bursts: u16,
    /// Sender: number of the data sequence in progress, and frames of it handed to the port.
    pub sequence: u16,
    /// See [`Exchange::sequence`].
    pub sequence_count: u16,
    /// Sender: the DMA is fetching a frame of it.
    pub fetching: bool,

    /// Receiver: data that are, by DMA, in its memory.
    pub stored_bytes: u64,
    /// Receiver: the first frame has claimed the DMA channel, of a write the first of the present burst.
    pub dma_claimed: bool,
    /// Receiver: all that is waited for is that data get into memory.
    pub storing: bool,

    /// Receiver: data that are in its frame buffers or have been.
    pub received_bytes: u64,

    /// Whether the command failed.
    pub failed: bool,
    /// The outcome of the command, once it is known.
    pub status: Status,
    /// It is being aborted: no block works on with it, and frames of it that come in are thrown away.
    pub aborted: bool,
    /// Initiator: FCP_CMND has been handed to the port.
    pub sent: bool,
    /// Initiator: the host does not want it any more, and nothing has been sent of it.
    pub unwanted: bool,
    /// Initiator: the host is being notified that it is done.
    pub telling: bool,
    /// Initiator: the target has answered ABTS.
    pub abort_answered: bool,
    /// Target: the server has nothing more to say.
    pub answered: bool,
    /// Whether either end has lost the path between its network and the component behind it since the exchange was opened.
    pub unreachable: bool,
    /// Initiator: the status has come in.
    pub status_in: bool,
    /// Target: the time at which the command left its frame buffer.
    pub since: Time,
    /// Target: whether the server has the request.
    pub asked: bool,
    /// Target: the status has been handed to the port.
    pub status_out: bool,
    /// Target: whether the last data of a read have left, and their circuit is over. Recorded if FCP_RSP has a circuit of its own.
    pub data_gone: bool,
}

impl Exchange {
    /// An exchange of which nothing has been sent.
    pub fn new(request: RequestId, peer: Address, write: bool, bytes: u64) -> Self {
        Self {
            request,
            asked_by: 0,
            peer,
            other: ExchangeId::UNASSIGNED,
            write,
            bytes,
            asked_bytes: 0,
            queued_bytes: 0,
            sequence_end: 0,
            bursts: 0,
            sequence: 0,
            sequence_count: 0,
            fetching: false,
            stored_bytes: 0,
            dma_claimed: false,
            storing: false,
            received_bytes: 0,
            failed: false,
            status: Status::Good,
            aborted: false,
            sent: false,
            unwanted: false,
            telling: false,
            abort_answered: false,
            answered: false,
            unreachable: false,
            status_in: false,
            since: Time::ZERO,
            asked: false,
            status_out: false,
            data_gone: false,
        }
    }
}

/// The exchanges that one end has open. Numbers are used again.
#[derive(Clone, Debug, Default)]
pub struct Exchanges {
    entries: Vec<Exchange>,
    free: Vec<u32>,
    /// Numbers of aborted exchanges, and the times from which on they may be used again.
    resting: VecDeque<(Time, u32)>,
}

impl Exchanges {
    /// Opens an exchange. The record of its request is kept as long.
    pub fn open(&mut self, cx: &mut Context<'_>, exchange: Exchange) -> ExchangeId {
        cx.keep(exchange.request);
        if let Some(&(at, number)) = self.resting.front()
            && at <= cx.now
        {
            self.resting.pop_front();
            self.free.push(number);
        }
        if let Some(number) = self.free.pop() {
            self.entries[number as usize] = exchange;
            return ExchangeId(number);
        }
        self.entries.push(exchange);
        ExchangeId((self.entries.len() - 1) as u32)
    }

    /// Closes an exchange; its number may be given to another.
    pub fn close(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        cx.release(self[id].request);
        self[id].request = NO_REQUEST;
        self.free.push(id.0);
    }

    /// Closes one that was aborted; its number rests for a while.
    pub fn close_aborted(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        cx.release(self[id].request);
        self[id].request = NO_REQUEST;
        self.resting.push_back((cx.now + RESOURCE_ALLOCATION_TIME_OUT, id.0));
    }

    /// The exchange that is open for a request. To be asked seldom, for it looks at all.
    pub fn find(&self, request: RequestId) -> Option<ExchangeId> {
        let place = self.entries.iter().position(|exchange| exchange.request == request);
        place.map(|number| ExchangeId(number as u32))
    }

    /// Marks the device behind this end as unreachable, for all open exchanges.
    pub fn lose_all(&mut self) {
        // The numbers that are free are opened anew.
        self.entries.iter_mut().for_each(|exchange| exchange.unreachable = true);
    }

    /// The number of open exchanges.
    pub fn count(&self) -> usize {
        self.entries.len() - self.free.len() - self.resting.len()
    }
}

impl std::ops::Index<ExchangeId> for Exchanges {
    type Output = Exchange;
    fn index(&self, id: ExchangeId) -> &Exchange {
        &self.entries[id.0 as usize]
    }
}

impl std::ops::IndexMut<ExchangeId> for Exchanges {
    fn index_mut(&mut self, id: ExchangeId) -> &mut Exchange {
        &mut self.entries[id.0 as usize]
    }
}
