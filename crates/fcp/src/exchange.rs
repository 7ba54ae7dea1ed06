//! Exchanges: an exchange is one SCSI command from its submission to its status, as recorded at one end.

use sansim_component::Context;
use sansim_kernel::{Span, Time};
use sansim_pdu::Address;
pub use sansim_pdu::ExchangeId;
use sansim_request::{RequestId, Status};
use std::collections::VecDeque;

/// The time for which the identifier of an aborted exchange is not reused: a frame of the old exchange may still be in flight, and must not
/// count for a new one. Source: FC-FS, recovery qualifier; R_A_TOV is 10 s.
pub const RESOURCE_ALLOCATION_TIME_OUT: Span = Span::from_ms(10_000);

/// The request of an exchange that is not open.
const NO_REQUEST: RequestId = RequestId(u32::MAX);

/// An exchange as recorded at one end. All that an end records about the other end has come in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The request that the exchange carries.
    pub request: RequestId,
    /// At an initiator: the block port by which the request came, and is answered. At a target this field has
    /// no meaning.
    pub asked_by: u16,
    /// The address of the other end of the exchange.
    pub peer: Address,
    /// The identifier of the exchange at the other end, if that end has assigned one.
    pub other: ExchangeId,
    /// Whether the command is no read: its data, if it has any, go to the target, and its status is made when the device has answered.
    pub write: bool,
    /// The number of bytes of user data (FCP_DL).
    pub bytes: u64,

    /// At the sender: the bytes of data whose frames the DMA is fetching or has fetched.
    pub asked_bytes: u64,
    /// At the sender: the bytes of data handed to the port.
    pub queued_bytes: u64,
    /// The end of the data that may be sent, or have been requested, so far.
    pub sequence_end: u64,
    /// At a target: the end of the data of a write for which the server has room. It counts where data come with commands, or one request asks
    /// for a limited number of bytes.
    pub room: u64,
    /// At a target: the end of the data of a write that have come. It counts like `room`.
    pub data_in: u64,
    /// The number of bursts that have begun.
    pub bursts: u16,
    /// At the sender: the number of the data sequence in progress.
    pub sequence: u16,
    /// At the sender: the number of frames of the sequence that have been handed to the port.
    pub sequence_count: u16,
    /// At the sender: whether the DMA is fetching a frame of the exchange.
    pub fetching: bool,

    /// At the receiver: the bytes of data that the DMA has stored in memory.
    pub stored_bytes: u64,
    /// At the receiver: whether the first frame has claimed the DMA channel; for a write, the first frame of
    /// the present burst.
    pub dma_claimed: bool,
    /// At the receiver: whether the exchange only waits until its data are in memory.
    pub storing: bool,

    /// At the receiver: the bytes of data that are in its frame buffers or have been.
    pub received_bytes: u64,

    /// Whether the command failed.
    pub failed: bool,
    /// The outcome of the command, once it is known.
    pub status: Status,
    /// Whether the exchange is being aborted: no block works on it any more, and received frames of it are
    /// discarded.
    pub aborted: bool,
    /// At an initiator: whether FCP_CMND has been handed to the port.
    pub sent: bool,
    /// At an initiator: whether the host does not want the request any more, and nothing has been sent of it.
    pub unwanted: bool,
    /// At an initiator: whether the host is being notified that the exchange is done.
    pub telling: bool,
    /// At an initiator: whether the target has answered ABTS.
    pub abort_answered: bool,
    /// At an initiator: the number of ABTS that have been sent.
    pub aborts: u8,
    /// Whether the other end has left the network, or the exchange has been given up, so that nothing is sent to it any more.
    pub logged_out: bool,
    /// At a target: whether the command has been taken; it is passed on when its first burst has come.
    pub command_in: bool,
    /// At a target: whether the server has answered the request.
    pub answered: bool,
    /// Whether either end has lost the path between its network and the component behind it since the exchange was opened.
    pub unreachable: bool,
    /// At an initiator: whether the status has arrived.
    pub status_in: bool,
    /// At a target: the time at which the command left its frame buffer. At an initiator that recovers lost frames: the end of the
    /// last sequence of the exchange.
    pub since: Time,
    /// At a target: whether the server has the request.
    pub asked: bool,
    /// At a target: whether the status has been handed to the port.
    pub status_out: bool,
    /// At a target: whether the last data of a read have left, and their circuit is over. This is recorded if FCP_RSP has a
    /// circuit of its own.
    pub data_gone: bool,
    /// Whether lost frames of the exchange are sent again; both ends know that from process login.
    pub retries: bool,
    /// At an initiator: whether the target waits for FCP_CONF. At a target: whether FCP_CONF has come, or is not waited for any more.
    pub confirms: bool,
    /// At a target: whether the exchange is kept for FCP_CONF after its status has been sent.
    pub kept: bool,
    /// Whether task management ends the command: at an initiator whether a function that has been sent may do so.
    pub managed: bool,
    /// At a target: whether its initiator gets no status, because it asked itself for the end of the command.
    pub silent: bool,
}

impl Exchange {
    /// An exchange of which nothing has been sent yet.
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
            room: 0,
            data_in: 0,
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
            aborts: 0,
            logged_out: false,
            command_in: false,
            answered: false,
            unreachable: false,
            status_in: false,
            since: Time::ZERO,
            asked: false,
            status_out: false,
            data_gone: false,
            retries: false,
            confirms: false,
            kept: false,
            managed: false,
            silent: false,
        }
    }
}

/// The open exchanges of one end. The numbers of closed exchanges are reused.
#[derive(Clone, Debug, Default)]
pub struct Exchanges {
    entries: Vec<Exchange>,
    free: Vec<u32>,
    /// The numbers of aborted exchanges, and the times from which on they may be reused.
    resting: VecDeque<(Time, u32)>,
}

impl Exchanges {
    /// Opens an exchange. The record of the request is kept as long as the exchange is open.
    pub fn open_exchange(&mut self, cx: &mut Context<'_>, exchange: Exchange) -> ExchangeId {
        cx.keep_record(exchange.request);
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

    /// Closes an exchange; its number may be given to another exchange.
    pub fn close_exchange(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        cx.release_record(self[id].request);
        self[id].request = NO_REQUEST;
        self.free.push(id.0);
    }

    /// Closes an exchange that was aborted; its number is not reused for a while.
    pub fn close_aborted_exchange(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        cx.release_record(self[id].request);
        self[id].request = NO_REQUEST;
        self.resting.push_back((cx.now + RESOURCE_ALLOCATION_TIME_OUT, id.0));
    }

    /// The exchange that is open for a request. This function looks at all exchanges, so it should be called
    /// seldom.
    pub fn find_exchange(&self, request: RequestId) -> Option<ExchangeId> {
        let place = self.entries.iter().position(|exchange| exchange.request == request);
        place.map(|number| ExchangeId(number as u32))
    }

    /// Whether an exchange with this number is open.
    pub fn is_open(&self, id: ExchangeId) -> bool {
        self.entries.get(id.0 as usize).is_some_and(|exchange| exchange.request != NO_REQUEST)
    }

    /// The open exchanges with the port at an address.
    pub fn open_with(&self, address: Address) -> Vec<ExchangeId> {
        let with = |exchange: &Exchange| exchange.request != NO_REQUEST && exchange.peer == address;
        let numbered = self.entries.iter().enumerate();
        numbered.filter(|(_, exchange)| with(exchange)).map(|(number, _)| ExchangeId(number as u32)).collect()
    }

    /// All open exchanges.
    pub fn open_ones(&self) -> Vec<ExchangeId> {
        let numbered = self.entries.iter().enumerate();
        let open = numbered.filter(|(_, exchange)| exchange.request != NO_REQUEST);
        open.map(|(number, _)| ExchangeId(number as u32)).collect()
    }

    /// Marks the device behind this end as unreachable, for all open exchanges.
    pub fn device_unreachable(&mut self) {
        // Unused numbers get a new exchange when they are opened, so marking them has no effect.
        self.entries.iter_mut().for_each(|exchange| exchange.unreachable = true);
    }

    /// The number of open exchanges.
    pub fn open_exchange_count(&self) -> usize {
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
