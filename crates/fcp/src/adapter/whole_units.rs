//! Units in a stream of bytes are whole: what an adapter hands over while it fetches a unit of data waits behind that unit.
//!
//! An adapter hands data over in parts, as the DMA fetches them. On Fibre Channel a frame of another exchange may go between two of
//! them; in a stream of bytes (NVMe/TCP, iSCSI) and in a message of RDMA nothing can, because a receiver finds the begin of a unit by the
//! length of the one before. Units for another end have a stream of their own.
//!
//! Source: Linux, `drivers/nvme/target/tcp.c` and `host/tcp.c`: a queue sends the units of a command one after the other. Assumption: a unit
//! whose exchange is aborted ends with the parts that have been handed over, where a real end would send it whole.

use super::{Adapter, ExchangeUse, NETWORK};
use crate::exchange::ExchangeId;
use sansim_component::{Context, LeftoverFindings, Message};
use sansim_pdu::{Address, Pdu, PduKind};
use std::collections::VecDeque;

/// The units of data that an adapter has begun to hand over, and what waits behind them.
#[derive(Clone, Debug, Default)]
pub(super) struct WholeUnits {
    /// The exchange of the unit that has been begun for each other end.
    open: Vec<(Address, ExchangeId)>,
    waiting: VecDeque<Pdu>,
}

impl WholeUnits {
    /// The exchange whose unit is open for an end.
    fn open_for(&self, end: Address) -> Option<ExchangeId> {
        self.open.iter().find(|&&(other, _)| other == end).map(|&(_, id)| id)
    }

    /// Reports what is left at the end of a run.
    pub(super) fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("units left behind a unit that is not whole", self.waiting.len() as u64);
    }
}

impl<R: ExchangeUse> Adapter<R> {
    /// Hands a unit over to a stream, or keeps it until the unit before it is whole.
    pub(crate) fn hand_to_stream(&mut self, cx: &mut Context<'_>, unit: Pdu) {
        if self.may_follow(&unit) {
            self.append_to_stream(cx, unit);
        } else {
            self.whole_units.waiting.push_back(unit);
        }
    }

    /// Whether a unit continues the open unit of its stream, or no unit is open there.
    fn may_follow(&self, unit: &Pdu) -> bool {
        let mine = if R::INITIATES { unit.originator } else { unit.responder };
        let continues = |open| unit.kind == PduKind::Data && open == mine;
        self.whole_units.open_for(unit.destination).is_none_or(continues)
    }

    fn append_to_stream(&mut self, cx: &mut Context<'_>, unit: Pdu) {
        let is_open = unit.kind == PduKind::Data && !self.ends_unit(&unit);
        let was_open = self.whole_units.open_for(unit.destination).is_some();
        cx.send(NETWORK, Message::Send(unit));
        if is_open && !was_open {
            let mine = if R::INITIATES { unit.originator } else { unit.responder };
            self.whole_units.open.push((unit.destination, mine));
        } else if was_open && !is_open {
            self.close_unit_for(cx, unit.destination);
        }
    }

    /// Whether a part of data ends the unit of the protocol that it belongs to.
    fn ends_unit(&self, part: &Pdu) -> bool {
        let of_part = self.sequence_part(part);
        self.rules.headers.is_none_or(|headers| headers.is_end_of_unit(of_part))
    }

    /// The unit for an end is whole: what waited behind it follows.
    fn close_unit_for(&mut self, cx: &mut Context<'_>, end: Address) {
        self.whole_units.open.retain(|&(other, _)| other != end);
        while let Some(place) = (0..self.whole_units.waiting.len()).find(|&place| {
            let unit = &self.whole_units.waiting[place];
            unit.destination == end && self.may_follow(unit)
        }) && let Some(unit) = self.whole_units.waiting.remove(place)
        {
            self.append_to_stream(cx, unit);
        }
    }

    /// An exchange is aborted: nothing more of its unit comes.
    pub(super) fn cut_unit_of(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let open = self.whole_units.open.iter().find(|&&(_, open)| open == id).copied();
        if let Some((end, _)) = open {
            self.close_unit_for(cx, end);
        }
    }
}
