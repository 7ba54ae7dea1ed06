//! The keys of a bus.

use crate::standard::BusStandard;
use sansim_kernel::Span;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{
    ByteRate, Choice, Count, Flag, NameList, NamesIfAny, OrUnlimited, Size, Time,
};
use sansim_schema::{codes, table, words};

words! {
    /// The order in which waiting cards get their turns.
    pub enum BusArbitration {
        /// All in turn, as PCI asks of an arbiter that it be fair.
        RoundRobin = "round-robin",
        /// The first in the list of cards that waits.
        Fixed = "fixed",
    }
}

const CARDS: NamesIfAny = NamesIfAny(NameList { example: r#"["adapters.a", "adapters.b"]"# });

table! {
    /// A bus between adapters and memory. A transfer goes at the pace of the slower of card and bus.
    pub struct BusParameters {
        /// The standard of the bus. The keys below follow it.
        standard: BusStandard = Choice::<BusStandard>::ANY, required r#""pci-64-66""#, source "PCI Local Bus 2.2; PCI-X 1.0a and 2.0; PCI Express Base 1.0a to 5.0";
        /// Lanes of a link of PCI Express.
        lanes: u32 = Count::<u32>::between(1, 32), follows "`standard`: 8 for PCI Express, else 1" |_context| if standard.has_lanes() { 8 } else { 1 }, source "PCI Express Base 1.0a";
        /// The adapters on it, in the order of their slots, by the paths of their tables: `adapter` for an only one, else `adapters.NAME`;
        /// of a controller `front`, `back`, `fronts.NAME`, `backs.NAME`, and of a `controller` that is inside `COMPONENT.back` and so on.
        /// An only bus without a list has all of them. With PCI Express every slot has a link of its own, so it is a bus of its own here.
        cards: Vec<String> = CARDS, default "[]", source "none";
        /// Most cards. More are an error.
        slots: u32 = Count::<u32>::between(1, 64), follows "`standard`: 4 at 33 MHz and for pci-x-66, 2 at 66 MHz and for pci-x-100, else 1" |_context| standard.card_slot_count(), source "PCI-X 1.0a for pci-x; general knowledge for the loads of PCI";
        /// Peak rate in bytes per second, in each direction if both go at once.
        bandwidth: u64 = ByteRate { range: (1_000, 1_000_000_000_000) }, follows "`standard`, and `lanes` of PCI Express: width times clock, after line coding" |_context| standard.bandwidth(lanes), source "PCI Local Bus 2.2; PCI Express Base: 8b/10b up to 2.x, 128b/130b from 3.0";
        /// Whether transfers into memory and out of it go at once.
        full_duplex: bool = Flag, follows "`standard`: true for PCI Express" |_context| standard.has_lanes(), source "PCI Express Base 1.0a";
        /// If true, a card slower than the bus keeps the bus for a transfer, which runs at the rate of the card. If false, a slow card moves the
        /// content of its buffer at the rate of the bus, and other cards have the bus until the card has more data.
        wait_states: bool = Flag, follows "`standard`: true for PCI" |_context| standard.has_wait_states(), source "Friedman, Scalability; PCI-X 1.0a: no wait states by who asks; PCI Express Base 1.0a: packets are sent whole";
        /// Time of each transaction in which the bus is busy and no data move. The latency of the memory for a read comes on top of the
        /// default.
        transaction_overhead: Span = Time::ANY, follows "`standard`: 3 clocks for PCI, 4 for PCI-X, else 0" |_context| standard.transaction_overhead(), source "PCI Local Bus 2.2, 3.3: address, turnaround, idle; PCI-X 1.0a: attributes";
        /// Time for which a card may continue its transfer while another card waits: the latency timer.
        turn: Span = Time::ANY, follows "`standard`: 64 clocks; of PCI Express a packet" |_context| standard.latency_timer(), source "PCI Local Bus 2.2, 3.5.4; 64 is what Linux sets (pcibios_set_master)";
        /// Most bytes of data in a packet.
        packet_bytes: Option<u64> = OrUnlimited::between(1, 1 << 20), follows "`standard`: 128 for PCI Express, else unlimited" |_context| standard.packet_bytes(), source "PCI Express Base 1.0a: Max_Payload_Size";
        /// Bytes of a packet beside its data.
        packet_overhead: u64 = Size::between(0, 4096), follows "`standard`: 24 B for PCI Express, else 0" |_context| standard.packet_overhead(), source "PCI Express Base 1.0a; Intel AN 855: 5 to 7 words of 4 bytes";
        /// The order in which waiting cards get their turns.
        arbitration: BusArbitration = Choice::<BusArbitration>::ANY, default r#""round-robin""#, source "PCI Local Bus 2.2, 3.4";
    }
    checks(check_lanes)
}

impl BusParameters {
    fn check_lanes(&self, keys: &mut Keys<'_, '_>) {
        if self.standard.has_lanes() || self.lanes == 1 || !keys.all_readable(&["standard", "lanes"]) {
            return;
        }
        let fault = Diagnostic::new(
            codes::CONTRADICTION,
            keys.value_position("lanes"),
            "only PCI Express has lanes".to_owned(),
        )
        .with_label("means nothing here")
        .with_help("leave it out, or choose a standard such as \"pcie-2\"".to_owned());
        keys.report_with(
            "lanes",
            fault,
            keys.written_position("standard").map(|place| (place, "the standard")),
        );
    }
}
