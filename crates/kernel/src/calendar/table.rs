//! The table of the pending events that can be cancelled, which distinguishes a pending event from an event that is gone.
//!
//! A place of the table is reused many times; its generation counts the uses. A handle names a place and the generation it had, so that a
//! handle of an earlier use is recognised. A place whose generation is used up is never used again.

/// The name of an event of the table. The handle has two halves instead of one word, so that it needs no padding
/// beside an event of halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Handle {
    place: u32,
    generation: u32,
}

impl Handle {
    /// The handle that never names an event.
    pub const NONE: Handle = Handle { place: NONE, generation: u32::MAX };
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Place<E> {
    /// The generation of the event in this place, or of the next event if the place is free.
    generation: u32,
    /// The next place in the list of free places, if this place is free.
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

    /// Stores `event`.
    #[inline(always)]
    pub fn insert(&mut self, event: E) -> Handle {
        let number = self.first_free;
        match self.places.get_mut(number as usize) {
            Some(place) => {
                self.first_free = place.next_free;
                place.event = event;
                Handle { place: number, generation: place.generation }
            }
            None => self.grow(event),
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, event: E) -> Handle {
        assert!(self.places.len() < NONE as usize, "no more than 4294967295 events can be pending");
        let place = self.places.len() as u32;
        self.places.push(Place { generation: 0, next_free: NONE, event });
        Handle { place, generation: 0 }
    }

    /// The event, if it is pending.
    #[inline(always)]
    pub fn get(&self, Handle { place, generation }: Handle) -> Option<E> {
        let place = self.places.get(place as usize)?;
        (place.generation == generation).then_some(place.event)
    }

    /// Removes and returns the event, if it is pending.
    #[inline(always)]
    pub fn take(&mut self, handle: Handle) -> Option<E> {
        let place = self.places.get_mut(handle.place as usize)?;
        if place.generation != handle.generation {
            return None;
        }
        place.generation += 1;
        // The last generation is never assigned: a place that reaches it is used up.
        if place.generation != u32::MAX {
            place.next_free = self.first_free;
            self.first_free = handle.place;
        }
        Some(place.event)
    }

    /// Sets all places, in tests, to the state after `generation` uses.
    #[cfg(test)]
    pub fn set_generation(&mut self, generation: u32) {
        for place in &mut self.places {
            place.generation = generation;
        }
    }
}
