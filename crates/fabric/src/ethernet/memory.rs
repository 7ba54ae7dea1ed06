//! The memory of a switch, which its outputs share: whether there is room for a frame.

use super::parameters::EthernetSwitchParameters;

/// The memory of a switch.
#[derive(Clone, Copy, Debug, Default)]
pub struct SwitchMemory {
    /// The bytes of frames in the memory that may be dropped, and of those that may not.
    pub used: u64,
    /// See [`SwitchMemory::used`].
    pub lossless_used: u64,
    /// The bytes for frames that may be dropped.
    size: Option<u64>,
    of_port: Option<u64>,
    free_share: Option<f64>,
}

impl SwitchMemory {
    /// The memory of a switch, of which `set_aside` bytes are for classes that lose nothing.
    pub fn new(parameters: &EthernetSwitchParameters, set_aside: u64) -> Self {
        Self {
            used: 0,
            lossless_used: 0,
            size: parameters.buffer.map(|size| size.saturating_sub(set_aside)),
            of_port: parameters.port_buffer,
            free_share: parameters.free_share,
        }
    }

    /// Whether there is room for a frame that may be dropped, where so many bytes wait at its output, and so many of these in its
    /// class.
    pub fn has_room(&self, bytes: u64, at_output: u64, in_class: u64) -> bool {
        let free = self.size.map(|size| size.saturating_sub(self.used));
        let threshold = free.zip(self.free_share).map(|(free, share)| (free as f64 * share) as u64);
        self.of_port.is_none_or(|most| at_output + bytes <= most)
            && free.is_none_or(|free| bytes <= free)
            && threshold.is_none_or(|most| in_class + bytes <= most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(buffer: Option<u64>, port_buffer: Option<u64>, free_share: Option<f64>) -> SwitchMemory {
        use crate::switch::SwitchingMode;
        use sansim_kernel::Span;
        let parameters = EthernetSwitchParameters {
            switching: SwitchingMode::StoreAndForward,
            latency: Span::ZERO,
            buffer,
            port_buffer,
            free_share,
            pause_response: Span::ZERO,
            convergence_time: Span::ZERO,
        };
        SwitchMemory::new(&parameters, 0)
    }

    #[test]
    fn one_queue_alone_gets_the_share_of_the_free_memory_that_closes_on_itself() {
        // Choudhury and Hahne: with one active queue and a multiple a, the queue gets a / (1 + a) of the memory.
        for (share, most) in [(1.0, 500_000), (0.5, 333_333), (2.0, 666_666)] {
            let mut memory = memory(Some(1_000_000), None, Some(share));
            while memory.has_room(1, memory.used, memory.used) {
                memory.used += 1;
            }
            assert!(memory.used.abs_diff(most) <= 1, "{} with {share}", memory.used);
        }
    }

    #[test]
    fn the_memory_and_an_output_have_limits() {
        let mut memory = memory(Some(10_000), Some(4_000), None);
        assert!(memory.has_room(4_000, 0, 0) && !memory.has_room(4_001, 0, 0));
        memory.used = 9_000;
        assert!(memory.has_room(1_000, 0, 0) && !memory.has_room(1_001, 0, 0));
    }
}
