//! Flushes of a workload: one follows so many writes to a device, as `fsync` of fio has it for a file.

/// The writes of a workload to each device since its last flush, and the flushes that are due.
#[derive(Clone, Debug)]
pub(crate) struct FlushPace {
    every: Option<u64>,
    /// The number of writes to each device since its last flush.
    writes: Vec<u64>,
    /// The devices whose flush is due, in the order in which it became due.
    due: Vec<u32>,
}

impl FlushPace {
    /// A flush after each `every` writes to one of this many devices; none without `every`.
    pub fn new(every: Option<u64>, devices: usize) -> Self {
        let writes = if every.is_some() { vec![0; devices] } else { Vec::new() };
        Self { every, writes, due: Vec::new() }
    }

    /// Counts a write to a device.
    #[inline]
    pub fn write_issued(&mut self, device: u32) {
        let Some(every) = self.every else { return };
        let writes = &mut self.writes[device as usize];
        *writes += 1;
        if *writes == every {
            *writes = 0;
            self.due.push(device);
        }
    }

    /// The next device that is to be flushed: this one, or any if none is named.
    #[inline]
    pub fn next_due_device(&mut self, device: Option<u32>) -> Option<u32> {
        let place = self.due.iter().position(|due| device.is_none_or(|device| device == *due))?;
        Some(self.due.remove(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flush_follows_each_third_write_to_its_device() {
        let mut pace = FlushPace::new(Some(3), 2);
        for device in [0, 1, 0, 1] {
            pace.write_issued(device);
        }
        assert_eq!(pace.next_due_device(None), None);
        pace.write_issued(1);
        pace.write_issued(0);
        assert_eq!(pace.next_due_device(Some(0)), Some(0));
        assert_eq!([pace.next_due_device(None), pace.next_due_device(None)], [Some(1), None]);
        let mut never = FlushPace::new(None, 2);
        never.write_issued(1);
        assert_eq!(never.next_due_device(None), None);
    }
}
