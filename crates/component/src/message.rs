//! The messages between ports.
//!
//! A port carries one kind of message. A *network* port carries protocol data units between a node and its network; a *block* port carries
//! requests from the asker to the server, and their answers; a *bus* port carries transfers; a port at *processors* carries work for them;
//! a port at the *resources* of a controller carries jobs of its modules.
//!
//! A block port does not carry data but progress: `upto` counts bytes from the beginning of the request. In a write the server announces
//! its room, and the asker the data that are there; in a read the server announces the data that are there, and the asker the data that it
//! has consumed. A server that stores and forwards announces room at once.

use crate::module::ModuleJob;
use sansim_kernel::{Span, Time};
use sansim_pdu::Pdu;
use sansim_request::{RequestId, Status};

/// The kind of message that a port carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PortFlow {
    /// Protocol data units.
    Network,
    /// Requests.
    Block,
    /// Transfers over a bus.
    Bus,
    /// Work of processors.
    Processors,
    /// Jobs of the modules of a controller.
    Resources,
}

/// Bytes that an adapter, or what processors of a node poll, wants to have moved over its bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusTransfer {
    /// The request that they are for; none of what processors move for no one request.
    pub request: Option<RequestId>,
    /// The number of bytes, at least one.
    pub bytes: u64,
    /// The pace of the card, in bytes per second, if it has one of its own.
    pub bytes_per_second: Option<u64>,
    /// Whether they go into memory, and not out of it.
    pub into_memory: bool,
}

/// Work for processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// The request for which the processors work, which is in their segments until the work is done. None for work of no single request, or
    /// of a request that is elsewhere at the same time: most work that a network leaves to software.
    pub request: Option<RequestId>,
    /// Time of a processor.
    pub time: Span,
    /// The kind of work.
    pub of: WorkOf,
}

/// The kinds of work for processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkOf {
    /// A submission: a call, which can begin at once.
    Submission,
    /// A completion of this source, from which processors have to learn of it.
    Completion(u16),
    /// Work that a network leaves to software: sending a frame, receiving one, or an interrupt for some. It carries the number of the
    /// adapter, as the processors of an appliance number theirs, if the adapter belongs to one.
    Network(Option<u16>),
}

/// A message between two components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Message {
    /// Network, from the node: a protocol data unit to be sent.
    Send(Pdu),
    /// Network, from the node: a buffer of the port is empty again.
    BufferFreed,
    /// Network, to the node: a unit has come in.
    Received(Pdu),
    /// Network, to the node: a unit with data has left the outgoing FIFO.
    Left(Pdu),
    /// Network, to the node: the last unit with data of an exchange has been sent entirely; for a component between networks, any unit.
    Sent(Pdu),
    /// Network that takes whole sequences, to the node: of a sequence that is longer than the outgoing FIFO so many units have left
    /// that it has room for the last.
    LastUnitFits(Pdu),
    /// Network, to a node that waits for it (`Part::hears_ends` in `crates/registry` says which do): the circuit that the port was in is over.
    CircuitEnded,
    /// Block, to the server: a request, and since when the device has had it.
    Request(RequestId, Time),
    /// Block, to the server: the data of a write are there up to this byte.
    WriteDataUpTo(RequestId, u64),
    /// Block, to the server: the asker has consumed the data of a read up to this byte.
    ReadConsumedUpTo(RequestId, u64),
    /// Block, to the server: the asker has released the request.
    Release(RequestId),
    /// Block, to the server: the asker aborts the request. The server answers with [`Message::Done`] all the same.
    Abort(RequestId),
    /// Block, to the asker: the server has buffer space for the data of a write up to this byte.
    WriteCredit(RequestId, u64),
    /// Block, to the asker: the data of a read are there up to this byte.
    ReadDataUpTo(RequestId, u64),
    /// Block, to the asker: nothing more will come.
    Done(RequestId, Status),
    /// Bus, from the asker: a transfer of bytes for a request. The asker sends no other transfer by this port until it is done.
    Transfer(BusTransfer),
    /// Bus, back: bus and card are busy for the request until this time; then the next transfer may follow.
    Granted(Option<RequestId>, Time),
    /// Bus, back: others have it now.
    Preempted(Option<RequestId>),
    /// Bus, back: all bytes have been moved.
    Transferred(Option<RequestId>, u64),
    /// Processors, from the component for which they work: a job.
    Work(Work),
    /// Processors, back: it has been.
    Worked(Work),
    /// Resources, from a module: something is to be done.
    Job(ModuleJob),
    /// Resources, back, of a job for no request: it is at work now, or waits.
    JobState(ModuleJob, bool),
    /// Resources, back: it has been done.
    JobDone(ModuleJob),
}

impl Message {
    /// The kind of port that carries the message.
    pub fn flow(&self) -> PortFlow {
        match self {
            Self::Send(_)
            | Self::BufferFreed
            | Self::Received(_)
            | Self::Left(_)
            | Self::Sent(_)
            | Self::LastUnitFits(_)
            | Self::CircuitEnded => PortFlow::Network,
            Self::Request(..)
            | Self::WriteDataUpTo(..)
            | Self::ReadConsumedUpTo(..)
            | Self::Release(_)
            | Self::Abort(_)
            | Self::WriteCredit(..)
            | Self::ReadDataUpTo(..)
            | Self::Done(..) => PortFlow::Block,
            Self::Transfer(..) | Self::Granted(..) | Self::Preempted(..) | Self::Transferred(..) => {
                PortFlow::Bus
            }
            Self::Work(_) | Self::Worked(_) => PortFlow::Processors,
            Self::Job(_) | Self::JobState(..) | Self::JobDone(_) => PortFlow::Resources,
        }
    }
}
