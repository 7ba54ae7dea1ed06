//! A drive as its data sheet describes it: response times by kind of command and queue depth.
//!
//! Source: Storlite, final report, the disk model. A command that is issued while the drive always has `n` of its kind takes the time that
//! the sheet gives for the queue depth `n`, so the drive completes `n` commands in that time, as the sheet says.
//!
//! * Whenever the number of commands changes, each goes on at the pace of the new number: of a command that takes 8 ms with four commands
//!   in the drive an eighth is done in a millisecond.
//! * A command is sequential if it begins where one of the last `streams` commands ended, and has the same direction.
//! * All data of a read are available when the read is done. There is room for the data of a write at once, and the response time of the
//!   write begins when its data are in.
//!
//! Assumptions: flushes and deallocations, of which a sheet says nothing, take no time; commands of other kinds count as commands of the command's own kind; the time is constant, as a sheet gives only the mean.
//! The times of a network are added to the response time of the sheet.

mod catalogue;
mod demand;
mod parameters;
mod responses;
mod sheet;

use catalogue::{CATALOGUE, segment};
pub use parameters::DataSheetParameters;
pub use responses::{CommandClass, ResponsePoint, ResponseTable};
pub use sheet::read_data_sheet_lines;

use crate::awaited::Awaited;
use crate::firmware::FirmwareParameters;
use crate::medium::{CommandOutcome, DriveComponent, Medium, MediumCommand};
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::{BuildContext, DeviceRole};
use sansim_kernel::{Span, Time, TimeWeighted, Total};
use sansim_schema::catalogue::Catalogue;
use std::collections::VecDeque;

/// A drive that is described by its data sheet.
pub type DataSheetDrive = DriveComponent<DataSheet>;

/// A command that is worked on.
#[derive(Clone, Copy, Debug)]
struct InWork {
    number: u32,
    asked: CommandClass,
    /// The remaining share of its work, from 1 down to 0.
    left: f64,
    /// The service time of the whole command at the present pace, in ticks.
    takes: f64,
}

impl InWork {
    /// The time at which the command is done at this pace; no span is longer than [`Span::LONGEST`], so a long command is looked at again
    /// then.
    fn ends(&self, as_of: Time) -> Time {
        as_of + Span((self.left * self.takes).ceil().max(0.0) as u64).min(Span::LONGEST)
    }

    /// Whether less than a tick of work is left, as rounding may leave some.
    fn is_done(&self) -> bool {
        self.left * self.takes < 1.0
    }
}

/// A drive as its data sheet describes it: response times by kind of command and queue depth.
#[derive(Clone, Debug)]
pub struct DataSheet {
    responses: ResponseTable,
    streams: usize,
    /// The direction and end of each of the last commands, with the latest last.
    ends: VecDeque<(bool, u64)>,
    /// Writes whose data are not in.
    awaited: Awaited<CommandClass>,
    in_work: Vec<InWork>,
    /// The time up to which the commands have been worked on.
    as_of: Time,
    /// Pending notifications, in this order.
    told: VecDeque<(u32, CommandOutcome)>,
    occupied: TimeWeighted,
    /// The reason why there are no response times, if the sheet cannot be read.
    fault: Option<String>,
}

impl DataSheet {
    /// A drive with these response times that follows this many streams.
    pub fn new(responses: ResponseTable, streams: usize) -> Self {
        Self {
            responses,
            streams,
            ends: VecDeque::with_capacity(streams + 1),
            awaited: Awaited::default(),
            in_work: Vec::with_capacity(64),
            as_of: Time::ZERO,
            told: VecDeque::with_capacity(64),
            occupied: TimeWeighted::new(),
            fault: None,
        }
    }

    fn asked(&mut self, command: &MediumCommand) -> CommandClass {
        let before = self.ends.iter().position(|&end| end == (command.write, command.first_byte));
        if let Some(place) = before {
            self.ends.remove(place);
        } else if self.ends.len() == self.streams {
            self.ends.pop_front();
        }
        self.ends.push_back((command.write, command.first_byte + command.bytes));
        CommandClass { write: command.write, sequential: before.is_some(), bytes: command.bytes }
    }

    /// Works on all commands up to now.
    fn work(&mut self, now: Time) {
        let span = now.saturating_since(self.as_of).ticks() as f64;
        self.as_of = now;
        if span > 0.0 {
            for work in &mut self.in_work {
                work.left -= span / work.takes;
            }
        }
    }

    /// The number of commands has changed, so the pace of each command is set anew.
    fn set_pace(&mut self, now: Time) {
        let depth = self.in_work.len() as u32;
        for work in &mut self.in_work {
            work.takes = self.responses.response_time(work.asked, depth).max(1.0);
        }
        self.occupied.set(now, u64::from(depth.min(1)));
    }

    fn begins(&mut self, now: Time, number: u32, asked: CommandClass) {
        self.work(now);
        self.in_work.push(InWork { number, asked, left: 1.0, takes: 1.0 });
        self.set_pace(now);
        self.told.push_back((number, CommandOutcome::Enters(segment::RESPONSE)));
    }
}

impl Medium for DataSheet {
    type Parameters = DataSheetParameters;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;
    const NO_ANSWER: usize = segment::NO_ANSWER;

    fn demand(
        parameters: &DataSheetParameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        demand::of(parameters, class, around)
    }

    fn build(parameters: &DataSheetParameters, _cx: &BuildContext<'_, DeviceRole>) -> Self {
        // The file was read when the scenario was, and may have been removed since.
        let (responses, fault) = match parameters.responses() {
            Ok(responses) => (responses, None),
            Err(faults) => (ResponseTable::default(), Some(faults.join("; "))),
        };
        Self { fault, ..Self::new(responses, parameters.streams as usize) }
    }

    fn firmware(parameters: &DataSheetParameters) -> &FirmwareParameters {
        &parameters.firmware
    }

    /// Records the sequential streams of the warm-up.
    fn warm(&mut self, write: bool, bytes: std::ops::Range<u64>) {
        let (first_byte, bytes) = (bytes.start, bytes.end - bytes.start);
        self.asked(&MediumCommand { number: 0, write, force_unit_access: false, first_byte, bytes });
    }

    fn comes(&mut self, now: Time, command: MediumCommand) {
        let asked = self.asked(&command);
        if command.write {
            self.awaited.add_awaited_write(command, asked);
            self.told.push_back((command.number, CommandOutcome::Room(command.bytes)));
        } else {
            self.begins(now, command.number, asked);
        }
    }

    fn flush(&mut self, _now: Time, number: u32) {
        self.told.push_back((number, CommandOutcome::Done));
    }

    fn deallocate(&mut self, _now: Time, number: u32, _bytes: std::ops::Range<u64>) {
        self.told.push_back((number, CommandOutcome::Done));
    }

    fn data_in(&mut self, now: Time, number: u32, upto: u64) {
        if let Some((_, asked)) = self.awaited.data_arrived(number, upto) {
            self.begins(now, number, asked);
        }
    }

    fn gives_up(&mut self, now: Time, number: u32) {
        self.told.retain(|(other, _)| *other != number);
        self.awaited.drop_write(number);
        self.work(now);
        self.in_work.retain(|work| work.number != number);
        self.set_pace(now);
    }

    fn fails(&mut self, now: Time) {
        self.awaited.clear_all();
        self.in_work.clear();
        self.ends.clear();
        self.told.clear();
        self.set_pace(now);
    }

    fn next(&self) -> Time {
        self.in_work.iter().map(|work| work.ends(self.as_of)).min().unwrap_or(Time::NEVER)
    }

    fn go_on(&mut self, now: Time, tell: &mut impl FnMut(u32, CommandOutcome)) {
        while let Some((number, what)) = self.told.pop_front() {
            tell(number, what);
        }
        self.work(now);
        // If several commands are done at the same moment, the command that came first is reported first.
        while let Some(place) = self.in_work.iter().position(InWork::is_done) {
            let done = self.in_work.remove(place);
            self.set_pace(now);
            if !done.asked.write {
                tell(done.number, CommandOutcome::Data(done.asked.bytes));
            }
            tell(done.number, CommandOutcome::Done);
        }
    }

    fn gauge(&self, _now: Time, _gauge: usize) -> u32 {
        self.in_work.len() as u32
    }

    fn busy(&self, now: Time, _block: usize) -> Total {
        self.occupied.total(now)
    }

    fn meter(&self, now: Time, _meter: usize) -> Total {
        self.occupied.total(now)
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone()
    }
}

#[cfg(test)]
mod tests;
