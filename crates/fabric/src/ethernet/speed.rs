//! The speeds of Ethernet.

use sansim_kernel::Span;
use sansim_schema::words;

words! {
    /// The speed of a link.
    pub enum EthernetSpeed {
        /// 1 Gb/s.
        G1 = "1GbE",
        /// 10 Gb/s.
        G10 = "10GbE",
        /// 25 Gb/s.
        G25 = "25GbE",
        /// 40 Gb/s.
        G40 = "40GbE",
        /// 50 Gb/s.
        G50 = "50GbE",
        /// 100 Gb/s.
        G100 = "100GbE",
        /// 200 Gb/s.
        G200 = "200GbE",
        /// 400 Gb/s.
        G400 = "400GbE",
    }
}

impl EthernetSpeed {
    /// The bytes per second of the MAC (IEEE 802.3), of which a frame takes all, preamble and gap among them.
    pub fn bytes_per_second(self) -> u64 {
        let gigabits = match self {
            Self::G1 => 1,
            Self::G10 => 10,
            Self::G25 => 25,
            Self::G40 => 40,
            Self::G50 => 50,
            Self::G100 => 100,
            Self::G200 => 200,
            Self::G400 => 400,
        };
        gigabits * 125_000_000
    }

    /// The time for which a receiver that corrects errors keeps every bit: that of a block of RS-FEC, 5,280 bits of RS(528,514) at 25 Gb/s and
    /// 100 Gb/s on four lanes, 5,440 bits of RS(544,514) at 50 Gb/s, and two of these, which are interleaved, at 200 and 400 Gb/s. Slower
    /// links have no RS-FEC.
    pub fn correction_time(self) -> Span {
        match self {
            Self::G1 | Self::G10 | Self::G40 => Span::ZERO,
            // 5,280 bits at 25.78125 Gb/s, 5,440 at 53.125 Gb/s, 10,880 at 212.5 and 425 Gb/s.
            Self::G25 => Span::from_ns_ratio(2_048, 10),
            Self::G50 => Span::from_ns_ratio(1_024, 10),
            Self::G100 | Self::G200 => Span::from_ns_ratio(512, 10),
            Self::G400 => Span::from_ns_ratio(256, 10),
        }
    }
}
