//! The bus standards, and the values that each standard gives.

use sansim_kernel::Span;
use sansim_schema::words;

words! {
    /// The standard of a bus.
    pub enum BusStandard {
        /// PCI, 32 bits at 33 MHz.
        Pci3233 = "pci-32-33",
        /// PCI, 64 bits at 33 MHz.
        Pci6433 = "pci-64-33",
        /// PCI, 32 bits at 66 MHz.
        Pci3266 = "pci-32-66",
        /// PCI, 64 bits at 66 MHz.
        Pci6466 = "pci-64-66",
        /// PCI-X, 64 bits at 66 MHz.
        PciX66 = "pci-x-66",
        /// PCI-X, 64 bits at 100 MHz.
        PciX100 = "pci-x-100",
        /// PCI-X, 64 bits at 133 MHz.
        PciX133 = "pci-x-133",
        /// PCI-X 2.0, 64 bits twice in each of 133 million clocks a second.
        PciX266 = "pci-x-266",
        /// PCI-X 2.0, 64 bits four times in each of 133 million clocks a second.
        PciX533 = "pci-x-533",
        /// PCI Express 1.x, 2.5 GT/s and 8b/10b on each lane.
        Pcie1 = "pcie-1",
        /// PCI Express 2.x, 5 GT/s and 8b/10b on each lane.
        Pcie2 = "pcie-2",
        /// PCI Express 3.x, 8 GT/s and 128b/130b on each lane.
        Pcie3 = "pcie-3",
        /// PCI Express 4.0, 16 GT/s and 128b/130b on each lane.
        Pcie4 = "pcie-4",
        /// PCI Express 5.0, 32 GT/s and 128b/130b on each lane.
        Pcie5 = "pcie-5",
    }
}

/// The wires that move data.
#[derive(Clone, Copy)]
enum Wires {
    /// Lines that all cards share: bits in parallel, the clock in thirds of a megahertz, data phases in a clock.
    Shared { bits: u64, thirds_of_mhz: u64, phases: u64 },
    /// Lanes of a link: megatransfers per second, bits of data in a code word, and bits of the code word.
    Lanes { mega_transfers: u64, data_bits: u64, coded_bits: u64 },
}

impl BusStandard {
    fn wires(self) -> Wires {
        let shared = |bits, thirds_of_mhz, phases| Wires::Shared { bits, thirds_of_mhz, phases };
        let lanes =
            |mega_transfers, data_bits, coded_bits| Wires::Lanes { mega_transfers, data_bits, coded_bits };
        match self {
            Self::Pci3233 => shared(32, 100, 1),
            Self::Pci6433 => shared(64, 100, 1),
            Self::Pci3266 => shared(32, 200, 1),
            Self::Pci6466 | Self::PciX66 => shared(64, 200, 1),
            Self::PciX100 => shared(64, 300, 1),
            Self::PciX133 => shared(64, 400, 1),
            Self::PciX266 => shared(64, 400, 2),
            Self::PciX533 => shared(64, 400, 4),
            Self::Pcie1 => lanes(2_500, 8, 10),
            Self::Pcie2 => lanes(5_000, 8, 10),
            Self::Pcie3 => lanes(8_000, 128, 130),
            Self::Pcie4 => lanes(16_000, 128, 130),
            Self::Pcie5 => lanes(32_000, 128, 130),
        }
    }

    /// Whether it is PCI Express: a link with lanes of its own for each slot and each direction.
    pub fn has_lanes(self) -> bool {
        matches!(self.wires(), Wires::Lanes { .. })
    }

    /// The rate in bytes per second, in each direction if the bus has two. The rate of PCI Express is for this number of lanes, after line
    /// coding.
    pub fn bandwidth(self, lanes: u32) -> u64 {
        match self.wires() {
            Wires::Shared { bits, thirds_of_mhz, phases } => {
                bits / 8 * thirds_of_mhz * phases * 1_000_000 / 3
            }
            Wires::Lanes { mega_transfers, data_bits, coded_bits } => {
                u64::from(lanes) * mega_transfers * 1_000_000 * data_bits / coded_bits / 8
            }
        }
    }

    /// The time of this number of clock periods; zero for a bus without a common clock.
    fn clocks(self, clocks: u64) -> Span {
        match self.wires() {
            Wires::Shared { thirds_of_mhz, .. } => Span::from_ns_ratio(clocks * 3_000, thirds_of_mhz),
            Wires::Lanes { .. } => Span::ZERO,
        }
    }

    /// Whether a card may make the bus wait for its data.
    pub fn has_wait_states(self) -> bool {
        !self.has_lanes() && !self.is_pci_x()
    }

    fn is_pci_x(self) -> bool {
        matches!(self, Self::PciX66 | Self::PciX100 | Self::PciX133 | Self::PciX266 | Self::PciX533)
    }

    /// The shortest time of a transaction in which no data move. For PCI this time consists of the address, the cycle in which a read turns
    /// the bus round, and the idle cycle after the last data. PCI-X has an attribute phase in addition.
    pub fn transaction_overhead(self) -> Span {
        self.clocks(if self.is_pci_x() { 4 } else { 3 })
    }

    /// The latency timer: 64 clocks, the value that Linux sets where it finds less than 16.
    pub fn latency_timer(self) -> Span {
        self.clocks(64)
    }

    /// The largest number of bytes of data in a packet; none for a bus without packets.
    pub fn packet_bytes(self) -> Option<u64> {
        self.has_lanes().then_some(128)
    }

    /// The bytes of a packet beside its data: framing and sequence number (4 bytes), a header of 4 words, the checksum of the link.
    pub fn packet_overhead(self) -> u64 {
        if self.has_lanes() { 24 } else { 0 }
    }

    /// The number of cards that the bus carries: one on a link, more on a shared bus as the electrical loads allow.
    pub fn card_slot_count(self) -> u32 {
        match self {
            Self::Pci3233 | Self::Pci6433 | Self::PciX66 => 4,
            Self::Pci3266 | Self::Pci6466 | Self::PciX100 => 2,
            _ => 1,
        }
    }
}
