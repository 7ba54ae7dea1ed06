//! An FL_Port: a port on a loop and on a fabric.

use sansim_component::PortKeys;
use sansim_component::component_kind::{ComponentKind, NetworkPort, NetworkPortRole};
use sansim_component::policy::{InitiatorPathKeys, TargetPathKeys};
use sansim_fc::loop_port::{DriveFairness, FcPort, PortParameters};
use sansim_network::FlPortNetwork;
use sansim_schema::table;

use crate::{KindMember, Part};

table! {
    /// A port of a switch that is a port of a loop, too: the ports of that loop can be reached from the fabric, and reach what is there. It
    /// has AL_PA 00 on the loop.
    pub struct FlPortParameters {}
    parts {
        /// How it asks for the loop.
        fairness: DriveFairness;
    }
    tables {
        /// Its port on the loop. In `stations` of the loop it is called `NAME.on_loop`.
        on_loop: PortParameters;
        /// Its port at the switch. In `stations` of the fabric it is called `NAME.on_fabric`.
        on_fabric: PortParameters;
    }
}

impl ComponentKind<Part> for FlPortParameters {
    fn member(&self) -> KindMember {
        let mut member = KindMember::single_part_member::<FlPortNetwork>(());
        // The ports are listed in the order of the ports of the component.
        for (path, port) in [("on_loop", &self.on_loop), ("on_fabric", &self.on_fabric)] {
            member.ports.push(NetworkPort {
                path: path.to_owned(),
                table: path.to_owned(),
                owns: vec![path.to_owned()],
                side: NetworkPortRole::Crossing,
                part: Some(0),
                keys: PortKeys::new(FcPort {
                    port: port.clone(),
                    schedule: self.fairness.arbitration_schedule(),
                }),
                from: InitiatorPathKeys::PLAIN,
                to: TargetPathKeys::PLAIN,
            });
        }
        member
    }
}
