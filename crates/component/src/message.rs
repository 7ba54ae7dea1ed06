//! The messages between ports.
//!
//! A port carries one kind of message. A *network* port carries protocol data units between a node and its network; a *block* port carries
//! requests from the initiating component to the server, and their answers; a *bus* port carries transfers; a port at *processors* carries
//! work for them; a port at the *resources* of a controller carries jobs of its modules.
//!
//! A block port does not carry data but progress: `upto` counts bytes from the beginning of the request. In a write the server announces
//! its buffer space, and the initiating component the data that are there; in a read the server announces the data that are there, and the
//! initiating component the data that it has consumed. A server that stores and forwards announces buffer space at once.

use crate::module::ModuleJob;
use crate::task_management::TaskManagement;
use sansim_kernel::{Span, Time};
use sansim_pdu::{Address, Notice, Pdu, RequestTag};
use sansim_request::{RequestId, Status};

/// The kind of message that a port carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PortFlow {
    /// Protocol data units.
    Network,
    /// Requests and their progress.
    Block,
    /// Transfers over a bus.
    Bus,
    /// Work for processors.
    Processors,
    /// Jobs of the modules of a controller.
    Resources,
}

/// A transfer of bytes over a bus, for an adapter or for a poll of a node's processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusTransfer {
    /// The request to which the bytes belong; none for transfers of processors that belong to no single request.
    pub request: Option<RequestId>,
    /// The number of bytes, at least one.
    pub bytes: u64,
    /// The pace of the card, in bytes per second, if it has one of its own.
    pub bytes_per_second: Option<u64>,
    /// Whether the bytes go into memory, and not out of it.
    pub into_memory: bool,
}

/// Work for processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorWork {
    /// The request for which the processors work, which is in their segments until the work is done. None for work of no single request, or
    /// of a request that is elsewhere at the same time: most work that a network leaves to software.
    pub request: Option<RequestId>,
    /// The processor time of the work.
    pub time: Span,
    /// The kind of work.
    pub of: ProcessorWorkKind,
}

/// The kinds of work for processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessorWorkKind {
    /// A submission: a call, which can begin at once.
    Submission,
    /// A completion from this source, which processors have to detect.
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
    /// Network, from the node: no more units of this request come, although the last one that came does not end its sequence. A network without
    /// circuits has nothing to do.
    SequenceEnds(RequestTag),
    /// Network, to the node: a unit has come in.
    Received(Pdu),
    /// Network, to the node: a unit has come in that was sent before the login of its source or of the node was over
    /// ([`Message::PortLeft`]). The node discards it.
    Outdated(Pdu),
    /// Network, to the node: a unit with data has left the outgoing FIFO.
    Left(Pdu),
    /// Network, to the node: the last unit with data of an exchange has been sent entirely; for a component between networks, any unit.
    Sent(Pdu),
    /// Network that transmits whole sequences, to the node: of a sequence that is longer than the outgoing FIFO, enough units have left
    /// that the FIFO has room for the last unit.
    LastUnitFits(Pdu),
    /// Network, to a node that waits for it (`Part::awaits_circuit_end` in `crates/registry`): the circuit of the port is over.
    CircuitEnded,
    /// Network, to the node: the port at this address has left the network. The login with it is over, and with it all exchanges (implicit
    /// logout).
    PortLeft(Address),
    /// Loop, to the node: the loop has been initialised, and the port has kept its address.
    Initialised,
    /// Network, to the node: the network reports congestion, or damaged frames.
    Noticed(Notice),
    /// Block, to the server: a request, and the time since which the device has had it.
    Request(RequestId, Time),
    /// Block, to the server: the data of a write are there up to this byte.
    WriteDataUpTo(RequestId, u64),
    /// Block, to the server: the initiating component has consumed the data of a read up to this byte.
    ReadConsumedUpTo(RequestId, u64),
    /// Block, to the server: the initiating component has released the request.
    Release(RequestId),
    /// Block, to the server: the initiating component aborts the request. The server answers an aborted request with [`Message::Done`] all
    /// the same.
    Abort(RequestId),
    /// Block, to an adapter: an abort of the request has not been answered, so its target is asked to carry out a task management function.
    /// Other components ignore the message; the request is answered as an aborted one.
    Manage(RequestId, TaskManagement),
    /// Block, to the initiating component: the server has buffer space for the data of a write up to this byte.
    WriteCredit(RequestId, u64),
    /// Block, to the initiating component: the data of a read are there up to this byte.
    ReadDataUpTo(RequestId, u64),
    /// Block, to the initiating component: the request is done, and no more data follow.
    Done(RequestId, Status),
    /// Block, to the initiating component: the network has reported that frames come in damaged at an end of the path to this device that
    /// begins at the port.
    PathDamaged(u32),
    /// Bus, from the initiating component: a transfer of bytes for a request. The sender sends no other transfer by this port until this
    /// one is done.
    Transfer(BusTransfer),
    /// Bus, back: bus and card are busy for the request until this time; then the next transfer may follow.
    Granted(Option<RequestId>, Time),
    /// Bus, back: other transfers have the bus now.
    Preempted(Option<RequestId>),
    /// Bus, back: all bytes have been moved.
    Transferred(Option<RequestId>, u64),
    /// Processors, from the component for which they work: a job.
    Work(ProcessorWork),
    /// Processors, back: the work has been done.
    Worked(ProcessorWork),
    /// Resources, from a module: a job is to be done.
    Job(ModuleJob),
    /// Resources, back, for a job without a request: the job is being done now, or waits.
    JobState(ModuleJob, bool),
    /// Resources, back: the job has been done.
    JobDone(ModuleJob),
}

impl Message {
    /// The kind of port that carries the message.
    pub fn port_flow(&self) -> PortFlow {
        match self {
            Self::Send(_)
            | Self::BufferFreed
            | Self::SequenceEnds(_)
            | Self::Received(_)
            | Self::Outdated(_)
            | Self::Left(_)
            | Self::Sent(_)
            | Self::LastUnitFits(_)
            | Self::CircuitEnded
            | Self::PortLeft(_)
            | Self::Initialised
            | Self::Noticed(_) => PortFlow::Network,
            Self::Request(..)
            | Self::WriteDataUpTo(..)
            | Self::ReadConsumedUpTo(..)
            | Self::Release(_)
            | Self::Abort(_)
            | Self::Manage(..)
            | Self::WriteCredit(..)
            | Self::ReadDataUpTo(..)
            | Self::Done(..)
            | Self::PathDamaged(_) => PortFlow::Block,
            Self::Transfer(..) | Self::Granted(..) | Self::Preempted(..) | Self::Transferred(..) => {
                PortFlow::Bus
            }
            Self::Work(_) | Self::Worked(_) => PortFlow::Processors,
            Self::Job(_) | Self::JobState(..) | Self::JobDone(_) => PortFlow::Resources,
        }
    }
}
