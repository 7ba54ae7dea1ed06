//! The switches and links that the scenario file lists.

use super::{SwitchLinks, TopologyDrawing, TopologyInput};
use crate::layout::losses::LinkLosses;
use sansim_fc::cable::{Cable, CableLength};
use sansim_fc::speed::Speed;
use sansim_schema::quantities::{Choice, ChoiceOr, Count, Dimensioned, Name, NameList, NamesIfAny, Size};
use sansim_schema::table;

/// The list of components attached to a fabric.
pub const STATIONS: NameList = NameList { example: r#"["host", "drives"]"# };
/// The list of components attached to a switch, which may be empty.
pub const SOME_STATIONS: NamesIfAny = NamesIfAny(STATIONS);

/// The speed of a link, if it differs from the speed of the fabric.
pub const OWN_SPEED: ChoiceOr<Speed> = Choice::or("fabric", "That of the fabric");

table! {
    /// One of the switches, where they are given and not drawn by a topology.
    pub struct GivenSwitch {
        /// The components at its ports, of those in `stations` of the fabric; a group with all its members. Those that no switch names are
        /// dealt out, each group from the first switch on.
        stations: Vec<String> = SOME_STATIONS, default "[]", source "none";
    }
}

table! {
    /// One of the links between switches, where they are given.
    pub struct GivenLink {
        /// The switch at one end.
        from: String = Name, required r#""left""#, source "";
        /// The switch at the other.
        to: String = Name, required r#""right""#, source "";
        /// Length of its cable.
        cable: CableLength = Cable, default r#""0 m""#, source "ours: a cable that is left out has no length" changes;
        /// Number of parallel links.
        count: u32 = Count::<u32>::between(1, 64), default "1", source "ours: one, unless the file says otherwise";
        /// Its speed, if it is another than that of the fabric.
        speed: Option<Speed> = OWN_SPEED, default r#""fabric""#, source "ours: links are alike unless one is said to be different" changes;
        /// Room for data in each of two gateways at its ends, which accelerate writes: the near one asks for the data of a write itself, the far
        /// one keeps them until the target asks. Without room a write passes as without gateways, whose ports its frames still pass.
        write_acceleration: Option<u64> = Size { range: (1, 1 << 40), step: 1 }.or("none"), default r#""none""#, source "Cisco MDS 9000, I/O Accelerator";
    }
    parts {
        /// Losses on it.
        losses: LinkLosses;
    }
}

/// Draws the listed switches and links. Links to unknown switches have been reported before.
pub fn draw_topology(parameters: &TopologyInput<'_>) -> TopologyDrawing {
    let mut skeleton = TopologyDrawing::default();
    for switch in parameters.switches {
        skeleton.add_edge_switch(switch.name.clone());
    }
    let find = |name: &str| parameters.switches.iter().position(|switch| switch.name == name);
    for link in parameters.links {
        let link = &link.described;
        let (Some(from), Some(to)) = (find(&link.from), find(&link.to)) else { continue };
        let (from, to) = (from as u16, to as u16);
        skeleton.edges.push(SwitchLinks {
            from,
            to,
            count: link.count,
            cable: Some(link.cable),
            speed: link.speed,
            losses: link.losses,
        });
    }
    skeleton
}
