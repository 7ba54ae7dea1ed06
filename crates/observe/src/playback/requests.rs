//! The open requests of a playback: where each is, and since when.

use super::tables::{Dwell, NONE, NONE_SHORT, RequestRow, Tables, between, flag, ns};
use crate::names::{ComponentName, SystemNames};
use sansim_component::ComponentId;
use sansim_kernel::Time;
use sansim_request::{LedgerLine, Operation, Request, RequestId};
use std::collections::HashMap;

/// A request in the system.
#[derive(Clone, Copy, Debug)]
struct OpenRequest {
    row: RequestRow,
    begun: Time,
    line: LedgerLine,
    component: u16,
    since: Time,
    /// The time at which the first child of the present dwell was issued. The dwell may last until a later child begins, which is known
    /// when a child completes.
    forked: Option<Time>,
    is_open: bool,
}

/// The requests of a playback. Numbers of records are used again by later requests; the numbers in the file are not.
#[derive(Debug, Default)]
pub struct OpenRequests {
    slots: Vec<Option<OpenRequest>>,
    issued: u32,
    /// The only member of each place, if the place has one member.
    only: Vec<Option<u16>>,
    /// The members by place and station.
    beside: HashMap<(usize, usize), u16>,
}

impl OpenRequests {
    /// No request yet.
    pub fn new(names: &SystemNames) -> Self {
        let mut only = vec![None; names.places.len()];
        let mut members = vec![0_u32; names.places.len()];
        for (number, component) in names.components.iter().enumerate() {
            members[component.place] += 1;
            only[component.place] = (members[component.place] == 1).then_some(number as u16);
        }
        let at = |(number, component): (usize, &ComponentName)| {
            ((component.place, component.station), number as u16)
        };
        Self { only, beside: names.components.iter().enumerate().map(at).collect(), ..Self::default() }
    }

    fn slot(&mut self, id: RequestId) -> Option<&mut OpenRequest> {
        self.slots.get_mut(id.0 as usize)?.as_mut().filter(|slot| slot.is_open)
    }

    /// The number in the file of the request that has this record.
    pub fn number(&self, id: RequestId) -> u32 {
        let slot = self.slots.get(id.0 as usize).copied().flatten();
        slot.map_or(NONE, |slot| slot.row.request)
    }

    /// The component of a ledger line that another component has shown: the component itself, if the line is its own; the device of the
    /// request, if the line belongs to that; else the member of the line's place at the station of the component, or the only member of the
    /// place.
    fn component(&self, names: &SystemNames, shown_by: ComponentId, line: LedgerLine, device: u32) -> u16 {
        let (place, _) = names.place_and_segment(line);
        let is_it = |&number: &usize| names.components[number].place == place;
        let device = names.devices[device as usize].component;
        if let Some(number) = [shown_by.index(), device].into_iter().find(is_it) {
            return number as u16;
        }
        let station = names.components[shown_by.index()].station;
        self.beside.get(&(place, station)).copied().or(self.only[place]).unwrap_or(NONE_SHORT)
    }

    /// A request is issued.
    pub fn issue(
        &mut self,
        names: &SystemNames,
        now: Time,
        shown_by: ComponentId,
        (id, request): (RequestId, &Request),
        line: LedgerLine,
    ) {
        let place = id.0 as usize;
        if place >= self.slots.len() {
            self.slots.resize(place + 1, None);
        }
        let parent = request.parent.map_or(NONE, |parent| self.number(parent));
        if let Some(parent) = request.parent
            && let Some(parent) = self.slot(parent)
        {
            parent.forked.get_or_insert(now);
        }
        let mut flags = if request.operation == Operation::Write { flag::WRITE } else { 0 };
        if request.origin.background {
            flags |= flag::BACKGROUND;
        }
        let is_of_workload = (request.origin.workload as usize) < names.workloads.len();
        let row = RequestRow {
            at_ns: ns(now),
            dt: 0,
            request: self.issued,
            parent,
            io: u32::try_from(request.number).unwrap_or(NONE),
            bytes: u32::try_from(request.bytes).unwrap_or(NONE),
            block: request.lba as u32,
            block_high: (request.lba >> 32) as u32,
            device: u16::try_from(request.device).unwrap_or(NONE_SHORT),
            workload: if is_of_workload { request.origin.workload as u16 } else { NONE_SHORT },
            flags,
        };
        let component = self.component(names, shown_by, line, request.device);
        self.slots[place] =
            Some(OpenRequest { row, begun: now, line, component, since: now, forked: None, is_open: true });
        self.issued += 1;
    }

    /// A request enters a ledger line.
    pub fn enter(
        &mut self,
        names: &SystemNames,
        now: Time,
        shown_by: ComponentId,
        (id, request): (RequestId, &Request),
        line: LedgerLine,
        tables: Option<&mut Tables>,
    ) {
        let component = self.component(names, shown_by, line, request.device);
        let Some(slot) = self.slot(id) else { return };
        slot.dwell_until(now, tables);
        (slot.line, slot.component) = (line, component);
    }

    /// A request continues, because a child of it is complete: since the child began the request was where the child was.
    pub fn join(&mut self, now: Time, id: RequestId, child: RequestId, tables: Option<&mut Tables>) {
        let Some(Some(OpenRequest { begun, .. })) = self.slots.get(child.0 as usize).copied() else { return };
        let Some(slot) = self.slot(id) else { return };
        slot.dwell_until(begun, tables);
        slot.since = now;
    }

    /// A request is complete.
    pub fn complete(&mut self, now: Time, id: RequestId, tables: Option<&mut Tables>) {
        let Some(slot) = self.slot(id) else { return };
        slot.is_open = false;
        if let Some(tables) = tables {
            slot.dwell_until(now, Some(tables));
            tables.requests.push(RequestRow { dt: between(slot.begun, now), ..slot.row });
        }
    }

    /// The chunk ends: the requests in the system are written with their dwells so far.
    pub fn cut(&mut self, now: Time, tables: &mut Tables) {
        for slot in self.slots.iter_mut().flatten().filter(|slot| slot.is_open) {
            let forked = slot.forked;
            slot.dwell_until(forked.unwrap_or(now), Some(tables));
            slot.forked = forked;
            let (dt, flags) = (between(slot.begun, now), slot.row.flags | flag::OPEN);
            tables.requests.push(RequestRow { dt, flags, ..slot.row });
        }
    }
}

impl OpenRequest {
    /// Ends the present dwell; a dwell without length is left out.
    fn dwell_until(&mut self, until: Time, tables: Option<&mut Tables>) {
        let dt = between(self.since, until);
        if let Some(tables) = tables.filter(|_| dt > 0) {
            let (request, line, component) = (self.row.request, self.line.0, self.component);
            tables.dwells.push(Dwell { at_ns: ns(self.since), dt, request, line, component });
        }
        self.since = until.max(self.since);
        self.forked = None;
    }
}
