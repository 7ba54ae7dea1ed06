//! The table that keeps the pending events themselves, and tells a pending event from one that is gone.
//!
//! A place of the table is used again and again; its generation counts the uses, so that a key or a record of an
//! earlier use is recognised. A place whose generation is used up is never used again.

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Place<E> {
    generation: u32,
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

    /// Keeps `event`; answers its place and that place's generation.
    #[inline(always)]
    pub fn insert(&mut self, event: E) -> (u32, u32) {
        let slot = self.first_free;
        match self.places.get_mut(slot as usize) {
            Some(place) => {
                self.first_free = place.next_free;
                place.event = event;
                (slot, place.generation)
            }
            None => self.grow(event),
        }
    }

    #[cold]
    fn grow(&mut self, event: E) -> (u32, u32) {
        let slot = self.places.len();
        assert!(slot < NONE as usize, "no more than 4294967295 events can be pending");
        self.places.push(Place { generation: 0, next_free: NONE, event });
        (slot as u32, 0)
    }

    /// Whether the event of this place and generation is pending.
    #[inline(always)]
    pub fn holds(&self, slot: u32, generation: u32) -> bool {
        self.places.get(slot as usize).is_some_and(|place| place.generation == generation)
    }

    /// Takes the event of this place and generation out, if it is pending.
    #[inline(always)]
    pub fn take(&mut self, slot: u32, generation: u32) -> Option<E> {
        let place = self.places.get_mut(slot as usize).filter(|place| place.generation == generation)?;
        place.generation += 1;
        if place.generation != u32::MAX {
            place.next_free = self.first_free;
            self.first_free = slot;
        }
        Some(place.event)
    }

    /// For tests: as if every place had been used `generation` times.
    #[cfg(test)]
    pub fn age(&mut self, generation: u32) {
        self.places.iter_mut().for_each(|place| place.generation = generation);
    }
}
