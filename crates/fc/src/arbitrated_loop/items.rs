//! Signals and frames on their way from one port to another.

use crate::word::Item;
use sansim_kernel::Time;

/// An item on its way to a port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) item: Item,
    pub(super) to: usize,
    /// When its event is; [`Time::NEVER`] when it is not under way any more.
    pub(super) at: Time,
}

/// Items on their way, by number. Places are used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Items {
    slots: Vec<Pending>,
    free: Vec<u32>,
}

impl Items {
    #[inline]
    pub(super) fn put(&mut self, item: Item, to: usize, at: Time) -> u32 {
        let pending = Pending { item, to, at };
        if let Some(id) = self.free.pop() {
            self.slots[id as usize] = pending;
            return id;
        }
        self.slots.push(pending);
        (self.slots.len() - 1) as u32
    }

    #[inline]
    pub(super) fn get(&self, id: u32) -> Item {
        self.slots[id as usize].item
    }

    #[inline]
    pub(super) fn remove(&mut self, id: u32) {
        self.slots[id as usize].at = Time::NEVER;
        self.free.push(id);
    }

    pub(super) fn pending(&self) -> impl Iterator<Item = &Pending> {
        self.slots.iter().filter(|pending| pending.at < Time::NEVER)
    }

    /// How many.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
