//! Garbage collection in time: each plane copies a victim unit by unit, then erases it, and continues while few blocks are free.

use super::FlashDrive;
use crate::mapping::BlockOwner;
use crate::operations::{Kind, NONE, Operation, Phase};
use sansim_kernel::{TICKS_PER_NS, Time};
use sansim_rules::rules_of_run::set_now_ns;

impl FlashDrive {
    /// The number of free blocks of a plane may have fallen: its garbage collection begins, or precedes hosts.
    pub(super) fn look_after(&mut self, plane: u32, now: Time) {
        let at = plane as usize;
        let begins = self.victims[at].is_none() && self.mapping.wants_collection(plane);
        if begins {
            set_now_ns(now.ticks() / TICKS_PER_NS);
        }
        if begins && let Some(victim) = self.mapping.take_victim(plane, &mut self.random) {
            self.victims[at] = Some((victim, 0));
        }
        let short = self.victims[at].is_some() && self.mapping.is_short_of_free_blocks(plane);
        if short != self.short[at] {
            self.short[at] = short;
            let server = &mut self.servers[self.mapping.layout().server_of_plane(plane) as usize];
            server.short_planes = if short { server.short_planes + 1 } else { server.short_planes - 1 };
        }
        if begins {
            self.copy_next(plane, now);
        }
    }

    /// The next valid unit of the victim of a plane is read; without one the victim is erased.
    fn copy_next(&mut self, plane: u32, now: Time) {
        let Some((victim, from)) = self.victims[plane as usize] else { return };
        let (units, pages, unit_bytes) =
            (self.layout().units, self.layout().pages, self.layout().unit_bytes());
        let operation = &mut self.operations[plane];
        if let Some((place, logical)) = self.mapping.next_valid(victim, from) {
            self.victims[plane as usize] = Some((victim, place + 1));
            (operation.phase, operation.kind) = (Phase::Rest, Kind::Read);
            (operation.logical, operation.unit) = (logical, victim * units + place);
            (operation.pages, operation.moved) = (pages, unit_bytes as u32);
        } else {
            (operation.phase, operation.kind) = (Phase::Itself, Kind::Erase);
            (operation.logical, operation.unit) = (NONE, victim * units);
            (operation.pages, operation.moved) = (1, 0);
        }
        self.wait_for_die(plane, plane, now);
    }

    /// An operation of garbage collection is done, in the plane whose number it has.
    pub(super) fn collection_goes_on(&mut self, plane: u32, now: Time) {
        let Operation { phase, kind, logical, unit, .. } = self.operations[plane];
        match (phase, kind) {
            // The unit is copied unless a host has written it since.
            (Phase::Rest, _) if self.mapping.physical_unit(logical) == Some(unit) => {
                match self.mapping.map_to_new_unit(logical, BlockOwner::Collection) {
                    Some(unit) => self.program(plane, unit, plane, now),
                    None => debug_assert!(false, "hosts leave a free block"),
                }
                self.look_after(plane, now);
            }
            (_, Kind::Erase) => {
                if let Some((victim, _)) = self.victims[plane as usize].take() {
                    self.mapping.erase(victim);
                }
                // Writes may have waited for the erased block.
                self.wake(self.layout().server_of_plane(plane), now);
                self.look_after(plane, now);
                // Folding may have waited for it, too.
                self.fold_plane(plane, now);
            }
            _ => self.copy_next(plane, now),
        }
    }
}
