//! The signals and frames that are in flight from one port to another.

use crate::word::LinkItem;
use sansim_kernel::Time;

/// An item in flight to a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) item: LinkItem,
    pub(crate) to: usize,
    /// The time of the event at which the item arrives; the time is [`Time::NEVER`] when the item is no
    /// longer in flight.
    pub(crate) at: Time,
}

/// The items in flight, by number. Numbers of items that have arrived are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Items {
    slots: Vec<Pending>,
    free: Vec<u32>,
    /// The number of the first of the slots. Items with smaller numbers were lost when the loop was initialised, and the events of
    /// these items are stale.
    first: u32,
}

impl Items {
    #[inline]
    pub(crate) fn put(&mut self, item: LinkItem, to: usize, at: Time) -> u32 {
        let pending = Pending { item, to, at };
        if let Some(id) = self.free.pop() {
            self.slots[(id - self.first) as usize] = pending;
            return id;
        }
        self.slots.push(pending);
        self.first + (self.slots.len() - 1) as u32
    }

    /// Whether the item with this number was lost.
    #[inline]
    pub(crate) fn is_lost(&self, id: u32) -> bool {
        id < self.first
    }

    /// Loses all items. The events that carry them are stale from now on.
    pub(crate) fn lose_all(&mut self) {
        self.first += self.slots.len() as u32;
        self.clear();
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> LinkItem {
        self.slots[(id - self.first) as usize].item
    }

    #[inline]
    pub(crate) fn remove(&mut self, id: u32) {
        if self.is_lost(id) {
            return;
        }
        self.slots[(id - self.first) as usize].at = Time::NEVER;
        self.free.push(id);
    }

    pub(crate) fn pending(&self) -> impl Iterator<Item = &Pending> {
        self.slots.iter().filter(|pending| pending.at < Time::NEVER)
    }

    /// Removes all items.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
    }

    /// The number of items.
    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
