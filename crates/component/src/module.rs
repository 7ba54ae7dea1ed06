//! The jobs of the modules of a storage controller for its resources: its processors, bridge, system bus and memory, which they share.
//!
//! A module requests a [`ModuleJob`] at its port to the resources, with [`Message::ModuleJob`](crate::Message). If the job is for a
//! request, the request is in segments of the resources until it is done; if not, the module is notified whether the job runs or waits.

use sansim_kernel::Span;
use sansim_request::RequestId;

/// The modules: Wang 2005, figures 3.3 and 3.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Module {
    /// Accepting a command of a host.
    Command,
    /// Requesting the data of a write from a host, in an in-band appliance.
    SetUp,
    /// Detecting that the request for the data of a write has been sent. A job `SetUpSent` belongs to no request, for the data may come
    /// before.
    SetUpSent,
    /// Data of a host are moved between an adapter on the front bus and the memory.
    Data,
    /// Looking up a request in the cache.
    LookUp,
    /// Mapping a request to the members of an array.
    Mapping,
    /// Calculating checks or lost data.
    Xor,
    /// Passing a command for a drive to the driver of an adapter.
    InternalCommand,
    /// Moving data of a drive between an adapter on an I/O bus and the memory.
    InternalData,
    /// Accepting the completion of a drive.
    InternalCompletion,
    /// Answering a host.
    Completion,
    /// Sending data or a request to the other controller of a pair: mirrored or forwarded.
    Link,
    /// Work that a network leaves to software: sending or receiving a frame, or the interrupt for some. The work of a network comes as
    /// [`ProcessorWork`](crate::ProcessorWork).
    Network,
}

/// A job that a module requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleJob {
    /// The request of the job; its record is kept until the job is done. None if the module records the time itself.
    pub request: Option<RequestId>,
    /// The module that does the job.
    pub module: Module,
    /// Processor time of the job in addition to that of the module.
    pub time: Span,
    /// The bytes of the job.
    pub bytes: u64,
    /// A number that the requesting module chooses. In an in-band appliance, for a job of a request and for [`Module::SetUpSent`], one more
    /// than the port of the adapter that detects the job, or 0 if the job continues in line.
    pub number: u32,
}
