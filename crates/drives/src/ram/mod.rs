//! A RAM disk: a latency, and a bandwidth that all commands at once share alike.
//!
//! * A command takes the latency, independently of others; then its data are moved. With `n` commands in transfer each gets an `n`th of the
//!   bandwidth (processor sharing). The ledger has the time that its data take alone, and the delay by the others.
//! * All data of a read are available when the read is done. There is room for the data of a write at once, and the time of the write
//!   begins when its data are in.
//! * A flush and a deallocation take the latency.
//!
//! Source: none; the memory of a computer or of a solid-state disk of DRAM. It is an assumption that no command has priority over others.

mod catalogue;
mod parameters;

use catalogue::{CATALOGUE, segment};
pub use parameters::RamDiskParameters;

use crate::awaited::Awaited;
use crate::firmware::FirmwareParameters;
use crate::medium::{CommandOutcome, DriveComponent, Medium, MediumCommand};
use sansim_component::demand::{Demand, DemandBound, DemandContext, RequestClass, TimeDemand};
use sansim_component::{BuildContext, DeviceRole};
use sansim_kernel::{Span, Time, TimeWeighted, Total};
use sansim_schema::catalogue::Catalogue;
use std::collections::VecDeque;

/// A RAM disk as a component.
pub type RamDisk = DriveComponent<Ram>;

/// A command whose data are being moved.
#[derive(Clone, Copy, Debug)]
struct Moved {
    command: MediumCommand,
    /// The transfer time of all data of the command alone, and of the data not yet moved, in ticks.
    all: f64,
    left: f64,
    since: Time,
}

/// A RAM disk: a latency, and a bandwidth that all commands share alike.
#[derive(Clone, Debug)]
pub struct Ram {
    latency: Span,
    bandwidth: u64,
    /// Writes whose data are not in.
    awaited: Awaited<()>,
    /// Commands in their latency, each with its end, in the order in which they came.
    latent: VecDeque<(MediumCommand, Time)>,
    moved: Vec<Moved>,
    /// The time up to which data have been moved.
    as_of: Time,
    /// Pending outcomes of commands, in the order in which they are reported.
    told: VecDeque<(u32, CommandOutcome)>,
    occupied: TimeWeighted,
}

impl Ram {
    /// An idle RAM disk.
    pub fn new(latency: Span, bandwidth: u64) -> Self {
        Self {
            latency,
            bandwidth,
            awaited: Awaited::default(),
            latent: VecDeque::with_capacity(64),
            moved: Vec::with_capacity(64),
            as_of: Time::ZERO,
            told: VecDeque::with_capacity(64),
            occupied: TimeWeighted::new(),
        }
    }

    fn begins(&mut self, now: Time, command: MediumCommand) {
        self.latent.push_back((command, now + self.latency));
        self.told.push_back((command.number, CommandOutcome::Enters(segment::LATENCY)));
    }

    /// Moves the data of all commands up to an instant.
    fn moves(&mut self, now: Time) {
        let span = now.saturating_since(self.as_of).ticks() as f64 / self.moved.len().max(1) as f64;
        self.as_of = self.as_of.max(now);
        for moved in &mut self.moved {
            moved.left -= span;
        }
    }

    /// The time at which the first transfer in progress is done.
    fn moved_next(&self) -> Time {
        let left = self.moved.iter().map(|moved| moved.left).min_by(f64::total_cmp);
        left.map_or(Time::NEVER, |left| {
            let ticks = (left * self.moved.len() as f64).ceil().max(0.0) as u64;
            self.as_of + Span(ticks).min(Span::LONGEST)
        })
    }

    fn count(&mut self, now: Time) {
        self.occupied.set(now, u64::from(!self.moved.is_empty()));
    }
}

impl Medium for Ram {
    type Parameters = RamDiskParameters;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;
    const NO_ANSWER: usize = segment::NO_ANSWER;

    fn demand(
        parameters: &RamDiskParameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        // Data that are moved together share the bandwidth: the mean times are those of exponential service in the order of arrival
        // (Baskett, Chandy, Muntz and Palacios, Journal of the ACM 22(2), 1975).
        let mean_ns = class.bytes / parameters.bandwidth as f64 * 1e9;
        let takes = match around.say {
            DemandBound::Least => TimeDemand::fixed_ns(mean_ns),
            DemandBound::Mean => TimeDemand::from_mean_and_variance(mean_ns, mean_ns * mean_ns),
        };
        let delay_ns = parameters.latency.as_ns_f64();
        Some(Demand { delay_ns, ..Demand::single_server_demand("memory", 1, takes) })
    }

    fn build(parameters: &RamDiskParameters, _cx: &BuildContext<'_, DeviceRole>) -> Self {
        Self::new(parameters.latency, parameters.bandwidth)
    }

    fn firmware(parameters: &RamDiskParameters) -> &FirmwareParameters {
        &parameters.firmware
    }

    fn comes(&mut self, now: Time, command: MediumCommand) {
        if command.write {
            self.awaited.add_awaited_write(command, ());
            self.told.push_back((command.number, CommandOutcome::Room(command.bytes)));
        } else {
            self.begins(now, command);
        }
    }

    fn flush(&mut self, now: Time, number: u32) {
        self.begins(
            now,
            MediumCommand { number, write: true, force_unit_access: false, first_byte: 0, bytes: 0 },
        );
    }

    fn deallocate(&mut self, now: Time, number: u32, bytes: std::ops::Range<u64>) {
        self.begins(
            now,
            MediumCommand {
                number,
                write: true,
                force_unit_access: false,
                first_byte: bytes.start,
                bytes: 0,
            },
        );
    }

    fn data_in(&mut self, now: Time, number: u32, upto: u64) {
        if let Some((command, ())) = self.awaited.data_arrived(number, upto) {
            self.begins(now, command);
        }
    }

    fn gives_up(&mut self, now: Time, number: u32) {
        self.moves(now);
        self.awaited.drop_write(number);
        self.latent.retain(|(command, _)| command.number != number);
        self.moved.retain(|moved| moved.command.number != number);
        self.told.retain(|(other, _)| *other != number);
        self.count(now);
    }

    fn fails(&mut self, now: Time) {
        self.awaited.clear_all();
        self.latent.clear();
        self.moved.clear();
        self.told.clear();
        self.count(now);
    }

    fn next(&self) -> Time {
        self.latent.front().map_or(Time::NEVER, |&(_, until)| until).min(self.moved_next())
    }

    fn go_on(&mut self, now: Time, tell: &mut impl FnMut(u32, CommandOutcome)) {
        self.moves(now);
        loop {
            while let Some((number, what)) = self.told.pop_front() {
                tell(number, what);
            }
            // Less than a tick is left of the transfer, which rounding may leave.
            let shared = self.moved.len() as f64;
            if let Some(place) = self.moved.iter().position(|moved| moved.left * shared < 1.0) {
                let Moved { command, all, left, since } = self.moved.remove(place);
                let of = now.saturating_since(since);
                let part = Span((all - left.max(0.0)) as u64).min(of);
                self.told.push_back((
                    command.number,
                    CommandOutcome::Was { segment: segment::TRANSFER, part, of },
                ));
                if !command.write {
                    self.told.push_back((command.number, CommandOutcome::Data(command.bytes)));
                }
                self.told.push_back((command.number, CommandOutcome::Done));
            } else if let Some((command, _)) = self.latent.front().copied().filter(|(_, until)| *until <= now)
            {
                self.latent.pop_front();
                let left = Span::to_move(command.bytes, self.bandwidth).ticks() as f64;
                self.moved.push(Moved { command, all: left, left, since: now });
                self.told.push_back((command.number, CommandOutcome::Enters(segment::SHARED)));
            } else {
                break;
            }
        }
        self.count(now);
    }

    fn gauge(&self, _now: Time, _gauge: usize) -> u32 {
        (self.latent.len() + self.moved.len()) as u32
    }

    fn busy(&self, now: Time, _block: usize) -> Total {
        self.occupied.total(now)
    }

    fn meter(&self, now: Time, _meter: usize) -> Total {
        self.occupied.total(now)
    }
}

#[cfg(test)]
mod tests;
