//! The choice of the next operation of a server, and of the operations that one multi-plane command carries out.

use super::FlashDrive;
use crate::operations::{List, NONE, Operation};
use sansim_kernel::Time;

/// The number of reads waiting for a die that are considered for a multi-plane command with the first.
const LOOKED_AT: u32 = 32;

/// An operation that a server may do next.
#[derive(Clone, Copy)]
pub(super) enum Waiting {
    Read,
    /// A program in this plane is next.
    Program(u32),
    Collection,
    Folding,
}

impl FlashDrive {
    /// The next operation of a server: reads, then programs, then garbage collection, so hosts get between its page moves, then folding of the
    /// SLC cache; garbage collection comes first where a plane has too few free blocks, or where it is not preemptible; only reads while an operation is
    /// interrupted. The order is that of MQSim (`TSU_Priority_OutOfOrder`, `GC_is_in_urgent_mode`).
    pub(super) fn next_of(&self, number: u32) -> Option<Waiting> {
        let server = &self.servers[number as usize];
        let collects = !server.collections.is_empty();
        if collects && server.short_planes > 0 && server.interrupted.is_none() {
            Some(Waiting::Collection)
        } else if !server.reads.is_empty() {
            Some(Waiting::Read)
        } else if server.interrupted.is_some() {
            None
        } else if server.programs > 0
            && let Some(plane) = self.next_program(number)
        {
            Some(Waiting::Program(plane))
        } else if collects {
            Some(Waiting::Collection)
        } else {
            (!server.folds.is_empty()).then_some(Waiting::Folding)
        }
    }

    /// The plane of a server with the program that has waited longest, among planes that have room.
    fn next_program(&self, number: u32) -> Option<u32> {
        let first = |plane: u32| {
            let line = &self.programs[plane as usize];
            let begins =
                line.first_program() != NONE && (!line.needs_room || self.mapping.host_has_room(plane));
            begins.then_some((line.since, plane))
        };
        self.layout().planes_of_server(number).filter_map(first).min().map(|(_, plane)| plane)
    }

    /// The next operations of a server, removed from their lists: one, with the operations of other planes that a multi-plane command
    /// carries out with it linked behind it.
    pub(super) fn take_next(&mut self, number: u32, now: Time) -> Option<u32> {
        loop {
            let waiting = self.next_of(number)?;
            let server = &mut self.servers[number as usize];
            let first = match waiting {
                Waiting::Read => server.reads.pop(&self.operations)?,
                Waiting::Collection => server.collections.pop(&self.operations)?,
                Waiting::Folding => server.folds.pop(&self.operations)?,
                Waiting::Program(plane) => self.take_program(number, plane)?,
            };
            self.operations[first].next = NONE;
            if self.operations[first].trimmed {
                // A trim has made the operation obsolete.
                self.ends_waiting(first, now);
                self.part_done(first, now);
                continue;
            }
            let server = &self.servers[number as usize];
            match waiting {
                _ if !self.rules.multi_plane => {}
                Waiting::Folding => {
                    self.servers[number as usize].folds = self.add_planes(first, server.folds);
                }
                Waiting::Program(_) => self.add_programs(number, first),
                Waiting::Read => self.servers[number as usize].reads = self.add_planes(first, server.reads),
                Waiting::Collection => {
                    self.servers[number as usize].collections = self.add_planes(first, server.collections);
                }
            }
            return Some(first);
        }
    }

    /// Removes the first program of a plane; a write of a host gets its physical unit.
    fn take_program(&mut self, number: u32, plane: u32) -> Option<u32> {
        let first = self.programs[plane as usize].pop(&self.operations)?;
        self.servers[number as usize].programs -= 1;
        let operation = &mut self.operations[first];
        if operation.is_write() && !operation.trimmed {
            operation.unit = self.mapping.map_for_host(operation.logical)?;
        }
        Some(first)
    }

    /// Links to a program the first programs of other planes of its die that go to the same page.
    fn add_programs(&mut self, number: u32, first: u32) {
        let planes = self.layout().planes_per_die;
        let Operation { plane, unit, .. } = self.operations[first];
        if unit == NONE {
            return;
        }
        let mut last = first;
        let die = plane / planes * planes;
        for other in (die..die + planes).filter(|other| *other != plane) {
            let line = &self.programs[other as usize];
            let fits = line.first_program() != NONE
                && line.needs_room
                && self.mapping.next_host_place(other)
                    == Some((self.layout().is_slc_unit(unit), self.layout().position_in_block(unit)));
            if fits && let Some(added) = self.take_program(number, other) {
                self.operations[added].next = NONE;
                self.operations[last].next = added;
                last = added;
            }
        }
    }

    /// Links to an operation those of its list that do the same on the same page of other planes of its die. Returns the remaining list.
    fn add_planes(&mut self, first: u32, mut list: List) -> List {
        let planes = self.layout().planes_per_die;
        let Operation { plane, unit, kind, pages, .. } = self.operations[first];
        if unit == NONE {
            return list;
        }
        let (mut last, mut previous) = (first, NONE);
        for _ in 0..LOOKED_AT {
            let at = if previous == NONE { list.head } else { self.operations[previous].next };
            if at == NONE {
                break;
            }
            let operation = &self.operations[at];
            let fits = operation.plane / planes == plane / planes
                && (operation.kind, operation.pages) == (kind, pages)
                && operation.unit != NONE
                && self.layout().position_in_block(operation.unit) == self.layout().position_in_block(unit)
                && self.layout().is_slc_unit(operation.unit) == self.layout().is_slc_unit(unit)
                && !self.has_plane(first, operation.plane);
            if !fits {
                previous = at;
                continue;
            }
            list.remove_after(&mut self.operations, previous);
            self.operations[at].next = NONE;
            self.operations[last].next = at;
            last = at;
        }
        list
    }

    /// Whether one of the operations from this one on is in a plane.
    fn has_plane(&self, mut at: u32, plane: u32) -> bool {
        while at != NONE {
            if self.operations[at].plane == plane {
                return true;
            }
            at = self.operations[at].next;
        }
        false
    }
}
