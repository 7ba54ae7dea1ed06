//! The jobs of the modules of a storage controller for its resources: its processors, bridge, system bus and memory, which they share.
//!
//! A module requests a [`ModuleJob`] at its port to the resources, with [`Message::ModuleJob`](crate::Message). If the job is for a
//! request, the request is in segments of the resources until it is done; if not, the asker is notified whether the job runs or waits.

use sansim_kernel::Span;
use sansim_request::RequestId;

/// The modules: Wang 2005, figures 3.3 and 3.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Module {
    /// Taking a command of a host.
    Command,
    /// Asking a host for the data of a write, in an in-band appliance.
    SetUp,
    /// The same: finding that this has been sent. It is a job for no request, for the data may come before.
    SetUpSent,
    /// Data of a host are moved between an adapter on the front bus and the memory.
    Data,
    /// Looking up what is in the cache.
    LookUp,
    /// Finding out which members of an array have to be asked.
    Mapping,
    /// Calculating checks or what was lost.
    Xor,
    /// Handing a command for a drive to the driver of an adapter.
    InternalCommand,
    /// Data of a drive, between an adapter on an I/O bus and the memory.
    InternalData,
    /// Taking the completion of a drive.
    InternalCompletion,
    /// Answering a host.
    Completion,
    /// Sending something to the other controller of a pair: what is mirrored, or forwarded.
    Link,
    /// Work that a network leaves to software: sending or receiving a frame, or the interrupt for some. It comes as [`Work`](crate::Work).
    Network,
}

/// A job that a module requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleJob {
    /// The request of the job; its record is kept until the job is done. None if the asking module keeps account itself.
    pub request: Option<RequestId>,
    /// The module.
    pub module: Module,
    /// Time of a processor that is not that of the module.
    pub time: Span,
    /// Bytes that it is about.
    pub bytes: u64,
    /// A number of the one who asks. In an in-band appliance, of a job for a request and of [`Module::SetUpSent`], one more than the port of the adapter that
    /// has it to do, or 0 if it goes on in line.
    pub number: u32,
}
