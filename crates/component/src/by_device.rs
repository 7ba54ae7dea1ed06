//! Values by the number of a device, for a component that knows only some of a system's devices.
//!
//! A system of a thousand hosts and a thousand drives has a million pairs of them, of which a workload uses a thousand. So a component
//! keeps values only for the devices that it may reach.

/// Values by the number of a device, in the order of the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByDevice<T> {
    numbers: Vec<u32>,
    values: Vec<T>,
}

impl<T> Default for ByDevice<T> {
    fn default() -> Self {
        Self { numbers: Vec::new(), values: Vec::new() }
    }
}

impl<T> From<Vec<T>> for ByDevice<T> {
    /// The values of the devices from number 0 on.
    fn from(values: Vec<T>) -> Self {
        Self { numbers: (0..values.len() as u32).collect(), values }
    }
}

impl<T> FromIterator<(u32, T)> for ByDevice<T> {
    fn from_iter<I: IntoIterator<Item = (u32, T)>>(pairs: I) -> Self {
        let mut all = Self::default();
        pairs.into_iter().for_each(|(device, value)| all.set(device, value));
        all
    }
}

impl<T> ByDevice<T> {
    /// The place of a device: an index of both lists, or the index at which it would have to be added.
    #[inline]
    fn place(&self, device: u32) -> Result<usize, usize> {
        // Most components reach all devices from one number on.
        let guess = device.wrapping_sub(self.numbers.first().copied().unwrap_or(0)) as usize;
        if self.numbers.get(guess) == Some(&device) {
            return Ok(guess);
        }
        self.numbers.binary_search(&device)
    }

    /// The number of devices with a value.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no device has a value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value of a device.
    #[inline]
    pub fn get(&self, device: u32) -> Option<&T> {
        self.place(device).ok().map(|place| &self.values[place])
    }

    /// The value of a device.
    #[inline]
    pub fn get_mut(&mut self, device: u32) -> Option<&mut T> {
        self.place(device).ok().map(|place| &mut self.values[place])
    }

    /// The value of a device, which is made if there is none.
    #[inline]
    pub fn get_or_insert_with(&mut self, device: u32, make: impl FnOnce() -> T) -> &mut T {
        let place = self.place(device).unwrap_or_else(|place| {
            self.numbers.insert(place, device);
            self.values.insert(place, make());
            place
        });
        &mut self.values[place]
    }

    /// Sets the value of a device.
    pub fn set(&mut self, device: u32, value: T) {
        match self.place(device) {
            Ok(place) => self.values[place] = value,
            Err(place) => {
                self.numbers.insert(place, device);
                self.values.insert(place, value);
            }
        }
    }

    /// The devices with a value, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.numbers.iter().copied().zip(&self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_found_by_their_numbers_whatever_lies_between_them() {
        let mut all: ByDevice<char> = [(70, 'c'), (3, 'a'), (4, 'b')].into_iter().collect();
        let found = |all: &ByDevice<char>| [0, 3, 4, 5, 70, 71].map(|device| all.get(device).copied());
        assert_eq!(found(&all), [None, Some('a'), Some('b'), None, Some('c'), None]);
        *all.get_or_insert_with(5, || 'd') = 'e';
        all.set(3, 'x');
        assert_eq!(
            all.iter().map(|(number, &value)| (number, value)).collect::<Vec<_>>(),
            [(3, 'x'), (4, 'b'), (5, 'e'), (70, 'c')]
        );
        assert_eq!((all.len(), all.is_empty(), all.get_mut(6)), (4, false, None));
        assert_eq!(ByDevice::from(vec!['p', 'q']).get(1), Some(&'q'));
    }
}
