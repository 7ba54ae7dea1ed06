//! A port with IP behind it.

use sansim_component::PortKeys;
use sansim_component::component_kind::{
    ComponentKind, ComponentReference, NetworkPort, NetworkPortRole, ReferenceRelation,
};
use sansim_component::policy::{InitiatorPathKeys, TargetPathKeys};
use sansim_fc::loop_port::{ArbitrationSchedule, FcPort};
use sansim_network::IpPortComponent;
use sansim_network::ip_port::IpPortParameters;

use crate::{KindMember, Part};

impl ComponentKind<Part> for IpPortParameters {
    fn member(&self) -> KindMember {
        let mut member = KindMember::single_part_member::<IpPortComponent>(self.clone());
        member.ports.push(NetworkPort {
            path: String::new(),
            table: "port".to_owned(),
            owns: vec!["port".to_owned()],
            side: NetworkPortRole::Target,
            part: Some(0),
            keys: PortKeys::new(FcPort { port: self.port.clone(), schedule: ArbitrationSchedule::FAIR }),
            from: InitiatorPathKeys::PLAIN,
            to: TargetPathKeys::PLAIN,
        });
        member
    }

    fn references(&self) -> Vec<ComponentReference<'_>> {
        vec![ComponentReference { key: "to", names: &self.to, joins: ReferenceRelation::Sends }]
    }
}
