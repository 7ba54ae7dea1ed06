//! Writes whose data are not in: there is room for all data of each at once, and its time begins when the last of them are in.

use crate::medium::MediumCommand;
use sansim_schema::catalogue::Segment;

/// Where such a write is.
pub(crate) const DRIVE_DATA: Segment =
    Segment::wait("drive_data", "drive data", "The data of a write are on their way into the drive.");

/// Such writes, each with what its medium has found out about it.
#[derive(Clone, Debug)]
pub(crate) struct Awaited<T>(Vec<(MediumCommand, T)>);

impl<T> Default for Awaited<T> {
    fn default() -> Self {
        Self(Vec::with_capacity(64))
    }
}

impl<T> Awaited<T> {
    /// A write comes.
    pub fn comes(&mut self, command: MediumCommand, with: T) {
        self.0.push((command, with));
    }

    /// Its data have come up to this byte of it. Returns it if these are all.
    pub fn data_in(&mut self, number: u32, upto: u64) -> Option<(MediumCommand, T)> {
        let is_complete =
            |(command, _): &(MediumCommand, T)| command.number == number && command.bytes == upto;
        let place = self.0.iter().position(is_complete)?;
        Some(self.0.swap_remove(place))
    }

    /// Nothing more is wanted of one.
    pub fn gives_up(&mut self, number: u32) {
        self.0.retain(|(command, _)| command.number != number);
    }

    /// None is gone on with.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
