//! The facts from which a unit in a stream of bytes is written.

use super::format::StreamFormat;
use super::numbers::{CommandNumbers, SessionNumbers};
use sansim_pdu::Pdu;
use sansim_request::Request;

/// A unit of data, when its last part has been handed over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataUnit {
    /// The last part.
    pub(crate) part: Pdu,
    /// The place of the first byte in the data of the command.
    pub(crate) offset: u32,
    pub(crate) bytes: u64,
    /// Whether the unit has the command, too.
    pub(crate) has_command: bool,
    /// Whether the unit ends its sequence.
    pub(crate) ends_sequence: bool,
}

/// The facts from which a unit is written.
#[derive(Clone, Copy)]
pub(crate) struct UnitFacts<'a> {
    pub(crate) format: &'a StreamFormat,
    pub(crate) request: &'a Request,
    pub(crate) logical_unit: u32,
    pub(crate) numbers: &'a SessionNumbers,
    pub(crate) command: CommandNumbers,
}
