//! Folding: each plane empties its SLC cache block by block, while its die has nothing else to do.
//!
//! The valid units of a full block of the SLC cache are read and programmed into other blocks, then the block is erased. Folding comes
//! behind all other operations of a die, but an operation that has begun is carried out. With `slc_idle_time` folding begins only when the
//! drive has had no command for that time, and pauses when one comes. It leaves hosts and garbage collection the free blocks that hosts
//! leave garbage collection.

use super::FlashDrive;
use crate::agenda::FlashEvent;
use crate::mapping::BlockOwner;
use crate::operations::{Kind, NONE, Operation, Phase, Purpose};
use crate::parameters::FlashParameters;
use sansim_kernel::{Span, Time};

/// The folding of a drive with an SLC cache.
#[derive(Clone, Debug)]
pub(super) struct Folding {
    pub read: Span,
    pub program: Span,
    pub erase: Span,
    /// The time without a command after which folding begins.
    idle: Span,
    /// For each plane the block that is folded, with the position of the next unit.
    victims: Vec<Option<(u32, u32)>>,
    /// The planes whose folding waits, for free blocks or for an idle drive.
    waits: Vec<bool>,
    /// The time at which the last command came or was done.
    last_command: Time,
    /// Whether an event is set at which the drive may have been idle long enough.
    is_watched: bool,
    /// Whether a command has come: a functional warm-up before it may have left full blocks.
    has_begun: bool,
}

impl Folding {
    /// The folding of a drive with these keys; none without an SLC cache.
    pub fn new(parameters: &FlashParameters, planes: u32) -> Option<Self> {
        parameters.slc_cache.map(|_| Self {
            read: parameters.slc_read_time,
            program: parameters.slc_program_time,
            erase: parameters.slc_erase_time,
            idle: parameters.slc_idle_time,
            victims: vec![None; planes as usize],
            waits: vec![false; planes as usize],
            last_command: Time::ZERO,
            is_watched: false,
            has_begun: false,
        })
    }
}

impl FlashDrive {
    /// A command comes or is done.
    #[inline]
    pub(super) fn command_seen(&mut self, now: Time) {
        let Some(folding) = &mut self.folding else { return };
        folding.last_command = now;
        if !std::mem::replace(&mut folding.has_begun, true) {
            self.fold_all_planes(now);
        }
    }

    /// Begins or continues to fold each plane that has a full block.
    fn fold_all_planes(&mut self, now: Time) {
        (0..self.layout().planes).for_each(|plane| self.fold_plane(plane, now));
    }

    /// The SLC cache of a plane may have a full block, or its folding may go on: begins or continues it.
    pub(super) fn fold_plane(&mut self, plane: u32, now: Time) {
        let Some(folding) = &mut self.folding else { return };
        let at = plane as usize;
        if folding.victims[at].is_none() {
            let Some(victim) = self.mapping.take_fold_victim(plane) else { return };
            folding.victims[at] = Some((victim, 0));
        } else if folding.waits[at] && self.mapping.has_room(plane, BlockOwner::Folding) {
            folding.waits[at] = false;
        } else {
            return;
        }
        self.fold_next(plane, now);
    }

    /// Whether the drive has had no command for long enough. If not, an event is set at which it may have had none.
    fn may_fold(&mut self, now: Time) -> bool {
        let has_commands = self.commands.len() > 0;
        let Some(folding) = &mut self.folding else { return false };
        if folding.idle.is_zero() {
            return true;
        }
        let from = if has_commands { now } else { folding.last_command }.saturating_add(folding.idle);
        if from <= now {
            return true;
        }
        if !std::mem::replace(&mut folding.is_watched, true) {
            self.agenda.add_event(from, FlashEvent::Idle);
        }
        false
    }

    /// The drive may have been idle for long enough: goes on with all folding that waits.
    pub(super) fn maybe_idle(&mut self, now: Time) {
        if let Some(folding) = &mut self.folding {
            folding.is_watched = false;
        }
        self.fold_all_planes(now);
    }

    /// The next valid unit of the block that is folded is read; without one the block is erased.
    fn fold_next(&mut self, plane: u32, now: Time) {
        let (at, number) = (plane as usize, self.layout().planes + plane);
        let Some((victim, from)) = self.folding.as_ref().and_then(|folding| folding.victims[at]) else {
            return;
        };
        if !self.may_fold(now) {
            self.fold_waits(plane, from);
            return;
        }
        let (units, pages, unit_bytes) =
            (self.layout().units, self.layout().pages, self.layout().unit_bytes());
        let next = self.mapping.next_valid(victim, from);
        let operation = &mut self.operations[number];
        if let Some((place, logical)) = next {
            (operation.phase, operation.kind) = (Phase::Rest, Kind::Read);
            (operation.logical, operation.unit) = (logical, victim * units + place);
            (operation.pages, operation.moved) = (pages, unit_bytes as u32);
            if let Some(folding) = &mut self.folding {
                folding.victims[at] = Some((victim, place + 1));
            }
        } else {
            (operation.phase, operation.kind) = (Phase::Itself, Kind::Erase);
            (operation.logical, operation.unit) = (NONE, victim * units);
            (operation.pages, operation.moved) = (1, 0);
        }
        self.wait_for_die(number, plane, now);
    }

    /// The folding of a plane waits, with the unit at this position as the next.
    fn fold_waits(&mut self, plane: u32, place: u32) {
        let Some(folding) = &mut self.folding else { return };
        folding.waits[plane as usize] = true;
        if let Some((_, from)) = &mut folding.victims[plane as usize] {
            *from = place;
        }
    }

    /// An operation of folding is done.
    pub(super) fn folding_goes_on(&mut self, number: u32, now: Time) {
        let plane = number - self.layout().planes;
        let Operation { phase, kind, logical, unit, .. } = self.operations[number];
        match (phase, kind) {
            // The unit is moved unless a host has written it since.
            (Phase::Rest, _) if self.mapping.physical_unit(logical) == Some(unit) => {
                match self.mapping.map_to_new_unit(logical, BlockOwner::Folding) {
                    Some(unit) => {
                        self.program(number, unit, plane, now);
                        self.look_after(plane, now);
                    }
                    None => {
                        let place = self.layout().position_in_block(unit);
                        self.fold_waits(plane, place);
                        self.look_after(plane, now);
                    }
                }
            }
            (_, Kind::Erase) => {
                let victim = self.folding.as_mut().and_then(|folding| folding.victims[plane as usize].take());
                if let Some((victim, _)) = victim {
                    self.mapping.erase(victim);
                }
                // Writes may have waited for room.
                self.wake(self.layout().server_of_plane(plane), now);
                self.fold_plane(plane, now);
            }
            _ => self.fold_next(plane, now),
        }
    }

    /// The operations that fold each plane, which have the numbers behind those of garbage collection.
    pub(super) fn add_fold_operations(operations: &mut crate::operations::Operations, planes: u32) {
        for plane in 0..planes {
            let number = operations.add(Operation::new(Purpose::Folding, true, NONE, Time::ZERO));
            debug_assert_eq!(number, planes + plane);
        }
    }

    /// The time of a page of an operation of this kind on a unit.
    pub(super) fn page_time(&self, kind: Kind, unit: u32) -> Span {
        match (&self.folding, kind) {
            (Some(slc), Kind::Read) if self.layout().is_slc_unit(unit) => slc.read,
            (Some(slc), Kind::Program) if self.layout().is_slc_unit(unit) => slc.program,
            (Some(slc), Kind::Erase) if self.layout().is_slc_unit(unit) => slc.erase,
            (_, Kind::Read) => self.rules.read,
            (_, Kind::Program) => self.rules.program,
            (_, Kind::Erase) => self.rules.erase,
        }
    }
}
