//! SCSI and NVMe over networks: the two ends of an exchange, and the adapters that have them.
//!
//! An [`adapter::Adapter`] is an [`initiator::Initiator`] or a [`target::Target`], which have the same blocks in different
//! roles. Each end has a record of its own of every exchange ([`exchange`]); the record contains only data about the other end
//! that have come in a frame. The messages are those of FCP unless [`protocol`] says otherwise: [`nvme`], [`iscsi`], or for networks of
//! other simulators the protocol of two messages ([`two_message`]). Data may come with the command of a write (`data_with_command`), and
//! have headers in a stream of bytes (`stream_headers`), whose content observers can have ([`stream_content`]). Frames that are lost may be sent
//! again (`recovery`); commands may be ended together (`task_management`), and wait when a fabric reports congestion (`notices`).
#![forbid(unsafe_code)]

pub mod adapter;
mod crc32c;
mod data_with_command;
pub mod dma;
pub mod exchange;
mod first_burst;
pub mod initiator;
pub mod iscsi;
mod login;
mod notices;
pub mod nvme;
pub mod protocol;
mod recovery;
pub mod server;
pub mod stream_content;
mod stream_headers;
pub mod target;
mod target_access;
mod target_status;
mod task_management;
pub mod two_message;
pub mod unit;
mod unit_sizes;

pub use initiator::Initiator;
pub use target::Target;
