//! A sparse map from small numbers to small numbers: it needs memory only for the keys that are set.
//!
//! Keys are divided into groups of 256. A group has a bit for each key and the values of the keys that are set, in the order of keys, so a
//! value is found by counting bits. A value needs 4 bytes and at most an eighth more once there are a few; an empty group needs 56 bytes.

/// The number of keys of a group.
const KEYS: u32 = 256;

#[derive(Clone, Debug, Default)]
struct Group {
    set: [u64; 4],
    values: Vec<u32>,
}

impl Group {
    /// Whether a key is set, and the number of set keys before it.
    fn rank(&self, key: u32) -> (bool, usize) {
        let (word, bit) = ((key / 64) as usize, key % 64);
        let before = self.set[..word].iter().map(|word| word.count_ones()).sum::<u32>();
        let below = (self.set[word] & ((1 << bit) - 1)).count_ones();
        (self.set[word] >> bit & 1 == 1, (before + below) as usize)
    }
}

/// The number of values by which a group with `values` values grows: by an eighth, and by 8 or 16 bytes, as allocators give multiples of
/// these.
fn growth(values: usize) -> usize {
    (values / 8).max(if values < 16 { 2 } else { 4 })
}

/// A sparse map from small numbers to small numbers: it needs memory only for the keys that are set.
#[derive(Clone, Debug)]
pub struct SparseMap {
    groups: Vec<Group>,
    len: u64,
}

impl SparseMap {
    /// A map without values, for `keys` keys from 0.
    pub fn new(keys: u32) -> Self {
        Self { groups: vec![Group::default(); keys.div_ceil(KEYS) as usize], len: 0 }
    }

    /// The value of a key, if it is set.
    #[inline]
    pub fn value_of_key(&self, key: u32) -> Option<u32> {
        let group = &self.groups[(key / KEYS) as usize];
        if group.values.is_empty() {
            return None;
        }
        let (set, rank) = group.rank(key % KEYS);
        set.then(|| group.values[rank])
    }

    /// Sets the value of a key.
    pub fn set_value(&mut self, key: u32, value: u32) {
        let group = &mut self.groups[(key / KEYS) as usize];
        let key = key % KEYS;
        let (set, rank) = group.rank(key);
        if set {
            group.values[rank] = value;
            return;
        }
        if group.values.len() == group.values.capacity() {
            group.values.reserve_exact(growth(group.values.len()));
        }
        group.values.insert(rank, value);
        group.set[(key / 64) as usize] |= 1 << (key % 64);
        self.len += 1;
    }

    /// The number of keys that are set.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether no key is set.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes of memory: without any value, and for the values.
    pub fn memory_bytes(&self) -> (u64, u64) {
        let values: usize = self.groups.iter().map(|group| group.values.capacity()).sum();
        ((self.groups.len() * size_of::<Group>()) as u64, (values * size_of::<u32>()) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_kernel::RandomStream;
    use std::collections::BTreeMap;

    #[test]
    fn it_has_what_was_set_last_whatever_the_order() {
        let mut random = RandomStream::new(1, "sparse");
        let (mut map, mut plain) = (SparseMap::new(3_000), BTreeMap::new());
        for _ in 0..5_000 {
            let (key, value) = (random.draw_below(3_000) as u32, random.next_u64() as u32);
            map.set_value(key, value);
            plain.insert(key, value);
            let asked = random.draw_below(3_000) as u32;
            assert_eq!(map.value_of_key(asked), plain.get(&asked).copied());
        }
        assert_eq!(map.len(), plain.len() as u64);
        assert!((0..3_000).all(|key| map.value_of_key(key) == plain.get(&key).copied()));
    }

    #[test]
    fn a_value_takes_four_bytes_and_an_eighth_more_at_most_once_groups_have_a_few() {
        let mut map = SparseMap::new(1 << 16);
        assert_eq!(map.memory_bytes(), ((1 << 8) * 56, 0));
        (0..1 << 16).step_by(4).for_each(|key| map.set_value(key, 7));
        let (_, values) = map.memory_bytes();
        assert!(values <= map.len() * 9 / 2, "{values} bytes for {}", map.len());
    }
}
