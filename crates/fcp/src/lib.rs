//! SCSI over Fibre Channel: the two ends of an exchange, and the adapters that have them.
//!
//! An [`adapter::Adapter`] is an [`initiator::Initiator`] or a [`target::Target`], which have the same blocks in different
//! roles. Each end has a record of its own of every exchange ([`exchange`]); the record contains only data about the other end
//! that have come in a frame. For networks of other simulators the same adapters speak another protocol ([`protocol`]), of two
//! messages ([`two_message`]). Frames that are lost may be sent again (`recovery`); commands
//! may be ended together (`task_management`).
#![forbid(unsafe_code)]

pub mod adapter;
pub mod dma;
pub mod exchange;
pub mod initiator;
mod login;
pub mod protocol;
mod recovery;
pub mod server;
pub mod target;
mod task_management;
pub mod two_message;
pub mod unit;

pub use initiator::Initiator;
pub use target::Target;
