//! Writes whose data have not arrived: the drive has buffer space for all data of each write at once, and its service begins when the last
//! of them have arrived.

use crate::medium::MediumCommand;
use sansim_schema::catalogue::Segment;

/// The segment of a write whose data have not arrived.
pub(crate) const DRIVE_DATA: Segment =
    Segment::wait("drive_data", "drive data", "The data of a write are in flight to the drive.");

/// Writes whose data have not arrived, each with a value that the medium keeps for it.
#[derive(Clone, Debug)]
pub(crate) struct Awaited<T>(Vec<(MediumCommand, T)>);

impl<T> Default for Awaited<T> {
    fn default() -> Self {
        Self(Vec::with_capacity(64))
    }
}

impl<T> Awaited<T> {
    /// A write comes whose data are awaited.
    pub fn add_awaited_write(&mut self, command: MediumCommand, with: T) {
        self.0.push((command, with));
    }

    /// Notes the data of a write up to this byte. Returns the write if all of its data have come.
    pub fn data_arrived(&mut self, number: u32, upto: u64) -> Option<(MediumCommand, T)> {
        let is_complete =
            |(command, _): &(MediumCommand, T)| command.number == number && command.bytes == upto;
        let place = self.0.iter().position(is_complete)?;
        Some(self.0.swap_remove(place))
    }

    /// Drops a write that is no longer wanted.
    pub fn drop_write(&mut self, number: u32) {
        self.0.retain(|(command, _)| command.number != number);
    }

    /// Drops all awaited writes.
    pub fn clear_all(&mut self) {
        self.0.clear();
    }
}
