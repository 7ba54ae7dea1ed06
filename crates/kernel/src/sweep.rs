//! The order of visits to places on a line: to and fro, as an elevator goes (LOOK), or always upwards and back
//! to the beginning (C-LOOK).
//!
//! Source: Worthington, Ganger, Patt: Scheduling Algorithms for Modern Disk Drives, SIGMETRICS 1994.

/// The index of the item with the least value; among equal values, of the first item. Items without a value are not
/// chosen.
pub fn index_of_least<T, V: PartialOrd>(
    row: impl IntoIterator<Item = T>,
    value: impl Fn(T) -> Option<V>,
) -> Option<usize> {
    let mut least: Option<(V, usize)> = None;
    for (number, one) in row.into_iter().enumerate() {
        if let Some(value) = value(one)
            && least.as_ref().is_none_or(|(best, _)| value < *best)
        {
            least = Some((value, number));
        }
    }
    least.map(|(_, number)| number)
}

/// A key that grows in the order in which a round visits places: upwards from `here`, and after the last place from the first on. The first
/// half of the key is true if the round has to begin again before it reaches the place.
pub fn round_order_key<P: PartialOrd>(there: P, here: P) -> (bool, P) {
    (there < here, there)
}

/// An elevator serves items in one direction as long as there are any, and then turns back. An elevator begins
/// upwards.
#[derive(Clone, Copy, Debug)]
pub struct Elevator {
    upwards: bool,
}

impl Elevator {
    /// An elevator that has not moved yet.
    pub fn new() -> Self {
        Self { upwards: true }
    }

    /// The index of the next item. `places` returns the place of an item and the place of the elevator; an item at the elevator's place
    /// counts for either direction.
    pub fn next<T>(
        &mut self,
        row: impl IntoIterator<Item = T> + Clone,
        places: impl Fn(T) -> (u64, u64),
    ) -> Option<usize> {
        let ahead = |upwards: bool| {
            index_of_least(row.clone(), |one| {
                let (there, here) = places(one);
                let lies_ahead = if upwards { there >= here } else { there <= here };
                lies_ahead.then(|| there.abs_diff(here))
            })
        };
        ahead(self.upwards).or_else(|| {
            self.upwards = !self.upwards;
            ahead(self.upwards)
        })
    }
}

impl Default for Elevator {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equals_the_first_is_the_least_and_what_has_no_value_is_none() {
        assert_eq!(index_of_least([3, 1, 2, 1], Some), Some(1));
        assert_eq!(index_of_least([3, 1, 2], |value| (value > 1).then_some(value)), Some(2));
        assert_eq!(index_of_least([3], |_| None::<u32>), None);
    }

    #[test]
    fn a_round_goes_upwards_and_begins_again_at_the_first() {
        let mut places = [4, 9, 5, 1];
        places.sort_by_key(|&there| round_order_key(there, 5));
        assert_eq!(places, [5, 9, 1, 4]);
    }

    #[test]
    fn an_elevator_turns_when_nobody_is_ahead() {
        let (mut elevator, mut here, mut row) = (Elevator::new(), 5, vec![4, 9, 5, 1, 7]);
        let mut visited = Vec::new();
        while !row.is_empty() {
            here = row.remove(elevator.next(&row, |&there| (there, here)).expect("somebody"));
            visited.push(here);
        }
        assert_eq!(visited, [5, 7, 9, 4, 1]);
        assert_eq!(elevator.next(&[2, 0], |&there| (there, 1)), Some(1), "it went down last");
    }
}
