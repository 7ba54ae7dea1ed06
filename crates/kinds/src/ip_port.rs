//! A port with IP behind it.

use sansim_component::PortKeys;
use sansim_component::compound::{Compound, Joins, NetworkPort, Reference, Side};
use sansim_component::policy::{AskingEnd, ServingEnd};
use sansim_fc::loop_port::{FcPort, Schedule};
use sansim_network::IpPort;
use sansim_network::ip_port::IpPortParameters;

use crate::{Member, Part};

impl Compound<Part> for IpPortParameters {
    fn member(&self) -> Member {
        let mut member = Member::of::<IpPort>(self.clone());
        member.ports.push(NetworkPort {
            path: String::new(),
            table: "port".to_owned(),
            owns: vec!["port".to_owned()],
            side: Side::Target,
            part: Some(0),
            keys: PortKeys::new(FcPort { port: self.port.clone(), schedule: Schedule::FAIR }),
            from: AskingEnd::PLAIN,
            to: ServingEnd::PLAIN,
        });
        member
    }

    fn references(&self) -> Vec<Reference<'_>> {
        vec![Reference { key: "to", names: &self.to, joins: Joins::Sends }]
    }
}
