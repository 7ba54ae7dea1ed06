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
}

impl Items {
    #[inline]
    pub(crate) fn put(&mut self, item: LinkItem, to: usize, at: Time) -> u32 {
        let pending = Pending { item, to, at };
        if let Some(id) = self.free.pop() {
            self.slots[id as usize] = pending;
            return id;
        }
        self.slots.push(pending);
        (self.slots.len() - 1) as u32
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> LinkItem {
        self.slots[id as usize].item
    }

    #[inline]
    pub(crate) fn remove(&mut self, id: u32) {
        self.slots[id as usize].at = Time::NEVER;
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
