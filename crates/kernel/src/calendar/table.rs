//! The table that keeps the pending events themselves, and tells a pending event from one that is gone.
//!
//! A place of the table is used again and again; its generation counts the uses. A handle names a place and the
//! generation it had, so that a handle of an earlier use is recognised. A place whose generation is used up is never used
//! again.

/// Place in the low 32 bits, generation in the high ones.
pub(super) type Handle = u64;

const NONE: u32 = u32::MAX;
/// One generation, in a handle.
const GENERATION: Handle = 1 << 32;

#[derive(Clone, Debug)]
struct Place<E> {
    /// The handle of the event in this place, or of the next one if it is free.
    handle: Handle,
    /// The next place in the list of free ones, if this one is free.
    next_free: u32,
    event: E,
}

#[derive(Clone, Debug)]
pub(super) struct Table<E> {
    places: Vec<Place<E>>,
    first_free: u32,
}

impl<E: Copy> Table<E> {
    pub fn new() -> Table<E> {
        Table { places: Vec::new(), first_free: NONE }
    }

    /// Keeps `event`.
    #[inline(always)]
    pub fn insert(&mut self, event: E) -> Handle {
        match self.places.get_mut(self.first_free as usize) {
            Some(place) => {
                self.first_free = place.next_free;
                place.event = event;
                place.handle
            }
            None => self.grow(event),
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, event: E) -> Handle {
        let handle = self.places.len() as Handle;
        assert!(handle < Handle::from(NONE), "no more than 4294967295 events can be pending");
        self.places.push(Place { handle, next_free: NONE, event });
        handle
    }

    /// Whether the event is pending.
    #[inline(always)]
    pub fn holds(&self, handle: Handle) -> bool {
        self.places.get(handle as u32 as usize).is_some_and(|place| place.handle == handle)
    }

    /// The event, if it is pending.
    pub fn get(&self, handle: Handle) -> Option<E> {
        self.places
            .get(handle as u32 as usize)
            .filter(|place| place.handle == handle)
            .map(|place| place.event)
    }

    /// Takes the event out, if it is pending.
    #[inline(always)]
    pub fn take(&mut self, handle: Handle) -> Option<E> {
        let slot = handle as u32;
        let place = self.places.get_mut(slot as usize).filter(|place| place.handle == handle)?;
        place.handle += GENERATION;
        // The last generation is never given away: a place that reaches it is used up.
        if place.handle >> 32 != Handle::from(u32::MAX) {
            place.next_free = self.first_free;
            self.first_free = slot;
        }
        Some(place.event)
    }

    /// For tests: as if every place had been used `generation` times.
    #[cfg(test)]
    pub fn age(&mut self, generation: u32) {
        for place in &mut self.places {
            place.handle = Handle::from(generation) << 32 | Handle::from(place.handle as u32);
        }
    }
}
