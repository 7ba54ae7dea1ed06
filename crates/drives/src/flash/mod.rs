//! A flash drive: [`sansim_flash::FlashDrive`] behind its firmware.
//!
//! The crate `sansim-flash` models dies, channels, buffer and garbage collection; this module moves the data of commands.
//!
//! * All data of a read are available when the read is done. There is room for the data of a write at once, and the write reaches the flash
//!   drive when its data are in.
//! * The time of a command in each segment is known when the command is done: it is the time of its last page. The segments of a flash
//!   command are entered into the ledger when the command is done.
//! * A flush is answered when the buffer has programmed the writes that were acknowledged before, and a write with forced unit access when it
//!   is programmed itself; both need not wait with `power_loss_protection`. A
//!   deallocation when its units are unmapped, which takes the time of the controller.
//! * An aborted command is carried out, but not answered. After a failure the drive still has the content of its buffer.
//! * Before the run the flash drive is filled in no time: first in order (`precondition`), then at random (`fill`). Neither the filling
//!   before the run nor a functional warm-up is counted in the results.
//!
//! Assumption: the link of the drive comes on top of a network before it; `link_rate = "unlimited"` removes the link.

mod catalogue;
mod demand;
mod parameters;

use catalogue::{CATALOGUE, block, meter, segment, stock};
pub use parameters::FlashDriveParameters;

use crate::awaited::Awaited;
use crate::firmware::FirmwareParameters;
use crate::medium::{CommandOutcome, DriveComponent, Medium, MediumCommand};
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::{BuildContext, DeviceRole, StockLevel};
use sansim_flash::{CommandKind, CommandTimeParts, CompletedCommand, FlashDrive, FlashWrites};
use sansim_kernel::{RandomStream, Span, Time, Total};
use sansim_schema::catalogue::Catalogue;
use std::collections::VecDeque;
use std::ops::Range;

/// A flash drive as a component.
pub type FlashStorage = DriveComponent<FlashMedium>;

/// A flash drive as the medium of a drive.
#[derive(Clone, Debug)]
pub struct FlashMedium {
    /// The flash drive; none if its parameters are invalid.
    flash: Option<FlashDrive>,
    /// The writes made before the run, in no time.
    before: FlashWrites,
    /// Whether the drive has been warmed up and has had no command since.
    is_warm: bool,
    /// Writes whose data are not in.
    awaited: Awaited<()>,
    /// Commands in the flash drive, each with an identifier that is never used again.
    in_work: Vec<(u64, MediumCommand)>,
    names: u64,
    completed: Vec<CompletedCommand>,
    /// Pending outcomes of commands, in the order in which they are reported.
    told: VecDeque<(u32, CommandOutcome)>,
    filling: Option<Filling>,
    fault: Option<String>,
}

/// The random writes still to be made, in no time, before the run begins.
#[derive(Clone, Debug)]
struct Filling {
    random: RandomStream,
    unit_bytes: u64,
    units: u64,
    /// The number of writes that are still to be made, and the number of all writes of the filling.
    left: u64,
    all: u64,
}

/// The number of writes that [`Medium::prepare`] makes in one call, which takes some milliseconds.
const WRITES_OF_A_PART: u64 = 1 << 14;

impl FlashMedium {
    /// A flash drive that is filled in order as configured, and is to be filled at random by [`Medium::prepare`]. The victims of garbage
    /// collection and the pages written to fill the drive are drawn from random streams whose names begin with `stream`.
    pub fn new(parameters: &FlashDriveParameters, seed: u64, stream: &str) -> Self {
        let random = |what: &str| RandomStream::new(seed, &format!("{stream}/{what}"));
        let (mut fault, mut filling) = (None, None);
        let mut flash = FlashDrive::new(&parameters.flash, random("victims"));
        if let Ok(flash) = &mut flash {
            let bytes =
                u128::from(flash.capacity()) * u128::from(parameters.precondition.millionths) / 1_000_000;
            fault = flash.precondition(bytes as u64).err().map(|refused| refused.to_string());
            let unit_bytes = parameters.flash.mapping_unit;
            let units = flash.capacity() / unit_bytes;
            let all = (units as f64 * parameters.fill) as u64;
            filling = (all > 0 && fault.is_none()).then(|| Filling {
                random: random("fill"),
                unit_bytes,
                units,
                left: all,
                all,
            });
        }
        Self {
            fault: fault.or(flash.as_ref().err().map(ToString::to_string)),
            before: flash.as_ref().map(FlashDrive::write_counts).unwrap_or_default(),
            flash: flash.ok(),
            is_warm: false,
            awaited: Awaited::default(),
            in_work: Vec::with_capacity(64),
            names: 0,
            completed: Vec::with_capacity(64),
            told: VecDeque::with_capacity(64),
            filling,
        }
    }

    fn submit(&mut self, now: Time, kind: CommandKind, command: MediumCommand) {
        let Some(flash) = &mut self.flash else { return };
        if std::mem::take(&mut self.is_warm) {
            flash.program_buffered_writes();
            self.before = flash.write_counts();
        }
        self.names += 1;
        let MediumCommand { first_byte, bytes, .. } = command;
        let asked = sansim_flash::FlashCommand { tag: self.names, kind, first_byte, bytes };
        if let Err(refused) = flash.submit_command(now, asked) {
            self.fault = Some(refused.to_string());
        }
        self.in_work.push((self.names, command));
        self.told.push_back((command.number, CommandOutcome::Enters(segment::COMMAND)));
    }
}

/// The time that a command has spent in each segment, in order.
fn parts(spent: &CommandTimeParts) -> [(usize, Span); 9] {
    let CommandTimeParts { controller, link, mapping, buffer, collection, queue, array, channel, transfer } =
        *spent;
    [
        (segment::CONTROLLER, controller),
        (segment::BUFFER, buffer),
        (segment::MAPPING, mapping),
        (segment::COLLECTION, collection),
        (segment::QUEUE, queue),
        (segment::ARRAY, array),
        (segment::CHANNEL_QUEUE, channel),
        (segment::CHANNEL, transfer),
        (segment::LINK, link),
    ]
}

impl Medium for FlashMedium {
    type Parameters = FlashDriveParameters;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;
    const NO_ANSWER: usize = segment::NO_ANSWER;

    fn demand(
        parameters: &FlashDriveParameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        Some(demand::of(parameters, class, around))
    }

    fn build(parameters: &FlashDriveParameters, cx: &BuildContext<'_, DeviceRole>) -> Self {
        Self::new(parameters, cx.seed, &format!("{}/{}", cx.group, cx.member))
    }

    fn firmware(parameters: &FlashDriveParameters) -> &FirmwareParameters {
        &parameters.firmware
    }

    fn prepare(&mut self) -> f64 {
        let (Some(filling), Some(flash)) = (&mut self.filling, &mut self.flash) else { return 1.0 };
        for _ in 0..filling.left.min(WRITES_OF_A_PART) {
            let first_byte = filling.random.draw_below(filling.units) * filling.unit_bytes;
            if let Err(refused) =
                flash.apply_initial_write(CommandKind::Write, first_byte, filling.unit_bytes)
            {
                self.fault = Some(refused.to_string());
                filling.left = 0;
                break;
            }
            filling.left -= 1;
        }
        let share = 1.0 - filling.left as f64 / filling.all as f64;
        if filling.left == 0 {
            self.filling = None;
            self.before = flash.write_counts();
        }
        share
    }

    /// A write passes the buffer, changes the mapping, and causes garbage collection; a read loads the mapping cache. The buffer of the
    /// flash drive is empty at the first command.
    fn warm(&mut self, write: bool, bytes: Range<u64>) {
        let kind = if write { CommandKind::Write } else { CommandKind::Read };
        // An error in the warm-up recurs in the run, and is reported there.
        if let Some(flash) = &mut self.flash {
            flash.apply_warm_up_access(kind, bytes.start, bytes.end - bytes.start).ok();
            self.is_warm = true;
        }
    }

    fn comes(&mut self, now: Time, command: MediumCommand) {
        if command.write {
            self.awaited.add_awaited_write(command, ());
            self.told.push_back((command.number, CommandOutcome::Room(command.bytes)));
        } else {
            self.submit(now, CommandKind::Read, command);
        }
    }

    fn flush(&mut self, now: Time, number: u32) {
        let command =
            MediumCommand { number, write: true, force_unit_access: false, first_byte: 0, bytes: 0 };
        self.submit(now, CommandKind::Flush, command);
    }

    fn deallocate(&mut self, now: Time, number: u32, bytes: Range<u64>) {
        let (first_byte, bytes) = (bytes.start, bytes.end - bytes.start);
        self.submit(
            now,
            CommandKind::Trim,
            MediumCommand { number, write: true, force_unit_access: false, first_byte, bytes },
        );
    }

    fn data_in(&mut self, now: Time, number: u32, upto: u64) {
        if let Some((command, ())) = self.awaited.data_arrived(number, upto) {
            let kind = if command.force_unit_access { CommandKind::ForcedWrite } else { CommandKind::Write };
            self.submit(now, kind, command);
        }
    }

    fn gives_up(&mut self, _now: Time, number: u32) {
        self.awaited.drop_write(number);
        self.in_work.retain(|(_, command)| command.number != number);
        self.told.retain(|(other, _)| *other != number);
    }

    fn fails(&mut self, _now: Time) {
        self.awaited.clear_all();
        self.in_work.clear();
        self.told.clear();
    }

    fn next(&self) -> Time {
        self.flash.as_ref().map_or(Time::NEVER, FlashDrive::next_event)
    }

    fn go_on(&mut self, now: Time, tell: &mut impl FnMut(u32, CommandOutcome)) {
        while let Some((number, what)) = self.told.pop_front() {
            tell(number, what);
        }
        let Some(flash) = &mut self.flash else { return };
        let completed = &mut self.completed;
        flash.advance_to(now, |completion| completed.push(completion));
        for completion in self.completed.drain(..) {
            let Some(place) = self.in_work.iter().position(|(name, _)| *name == completion.tag) else {
                continue;
            };
            let (_, MediumCommand { number, write, bytes, .. }) = self.in_work.swap_remove(place);
            let of = completion.spent.total_time();
            for (segment, part) in parts(&completion.spent) {
                if !part.is_zero() {
                    tell(number, CommandOutcome::Was { segment, part, of });
                }
            }
            if !write {
                tell(number, CommandOutcome::Data(bytes));
            }
            tell(number, CommandOutcome::Done);
        }
    }

    fn gauge(&self, _now: Time, _gauge: usize) -> u32 {
        self.in_work.len() as u32
    }

    fn stock(&self, stock: usize) -> Option<StockLevel> {
        let flash = self.flash.as_ref()?;
        if stock == stock::SLC_CACHE {
            let (level, size) = flash.mapping().slc_bytes();
            let came = flash.write_counts().to_slc * flash.mapping().layout().unit_bytes();
            return (size > 0).then_some(StockLevel {
                level: level as f64,
                came: Some(came as f64),
                from: Some(0.0),
                to: Some(size as f64),
            });
        }
        let space = flash.space_in_use();
        Some(StockLevel {
            level: space.used as f64,
            came: Some(space.written as f64),
            from: None,
            to: Some(space.collected_from as f64),
        })
    }

    fn busy(&self, now: Time, block: usize) -> Total {
        let Some(flash) = &self.flash else { return Total::ZERO };
        if block == block::DIES { flash.planes_busy_time(now) } else { flash.channels_busy_time(now).0 }
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        let Some(flash) = &self.flash else { return Total::ZERO };
        let written = flash.write_counts();
        let before = if self.is_warm { written } else { self.before };
        let (by_hosts, copied) = (written.by_hosts - before.by_hosts, written.copied - before.copied);
        let count = |count: u64| Total(count.into());
        match meter {
            meter::DIES => flash.dies_busy_time(now).0,
            meter::CHANNELS => flash.channels_busy_time(now).0,
            meter::COLLECTING => flash.collection_time(now),
            meter::WRITTEN => count(by_hosts + copied + written.folded - before.folded),
            meter::BY_HOSTS => count(by_hosts),
            meter::ERASES => count(written.erased - before.erased),
            meter::TO_SLC => count(written.to_slc - before.to_slc),
            meter::FOLDED => count(written.folded - before.folded),
            _ => Total::ZERO,
        }
    }

    fn capacity(&self, meter: usize) -> u64 {
        self.flash.as_ref().map_or(1, |flash| match meter {
            meter::DIES | meter::COLLECTING => flash.dies_busy_time(flash.current_time()).1,
            _ => flash.channels_busy_time(flash.current_time()).1,
        })
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone()
    }
}

#[cfg(test)]
mod tests;
