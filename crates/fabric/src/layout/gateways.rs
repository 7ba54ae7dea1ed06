//! The gateways at both ends of a link that accelerates writes: a port of each of the two switches.
//!
//! Source: Cisco MDS 9000, I/O Accelerator: a module of a switch at each site, to which switches redirect the frames of exchanges that are
//! accelerated. The rule by which gateways answer is in `sansim_network`; here they are nodes that no station is, behind all others.
//!
//! Assumptions: the port of a gateway has the speed of the fabric, no length and no losses, and as many buffers as a port of a switch.

use super::losses::LinkLosses;
use super::{FabricLayout, LinkEndDevice, LinkPlan, NodePlan};
use crate::class_2::ServiceClass;
use crate::layout::topology::GivenLink;
use crate::parameters::FabricParameters;
use sansim_fc::cable::CableLength;
use sansim_pdu::Address;
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::table::NamedValue;

/// The address of the first gateway. No station has an address of domain 255.
const FIRST: u32 = 0xFF_F800;

/// The two gateways of a link that accelerates writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkGateways {
    /// The numbers of the gateways among the nodes.
    pub nodes: [u16; 2],
    /// For each switch the end of the link on whose side it is.
    pub end_of_switch: Vec<usize>,
    /// The bytes of data that each gateway can hold.
    pub room_bytes: u64,
}

impl FabricParameters {
    /// The link that accelerates writes, and the room of its gateways in bytes.
    fn accelerating_link(&self) -> Option<(&NamedValue<GivenLink>, u64)> {
        self.links.iter().find_map(|link| Some((link, link.described.write_acceleration?)))
    }

    /// For each switch the end of a link on whose side it is; none if there is another path between the ends.
    fn sides_of_link(&self, link: &str) -> Option<Vec<usize>> {
        let number = |name: &str| self.switches.iter().position(|switch| switch.name == name);
        let ends = |one: &GivenLink| Some([number(&one.from)?, number(&one.to)?]);
        let own = self.links.iter().find(|one| one.name == link)?;
        let [near, far] = ends(&own.described)?;
        let others: Vec<[usize; 2]> =
            self.links.iter().filter(|one| one.name != link).filter_map(|one| ends(&one.described)).collect();
        let mut is_near = vec![false; self.switches.len()];
        is_near[near] = true;
        loop {
            let next = others.iter().find(|[one, other]| is_near[*one] != is_near[*other]);
            let Some(&[one, other]) = next else { break };
            (is_near[one], is_near[other]) = (true, true);
        }
        (!is_near[far]).then(|| is_near.iter().map(|&near| usize::from(!near)).collect())
    }

    /// Checks that one link accelerates writes at most, that it is the only path between the sites, and that frames go in class 3.
    pub(crate) fn check_acceleration(&self, keys: &mut Keys<'_, '_>) {
        let Some((link, _)) = self.accelerating_link() else { return };
        let key = format!("links.{}.write_acceleration", link.name);
        if !keys.all_readable(&[&key, "class"]) {
            return;
        }
        let second = self
            .links
            .iter()
            .find(|other| other.name != link.name && other.described.write_acceleration.is_some());
        if let Some(second) = second {
            let key = format!("links.{}.write_acceleration", second.name);
            let message = format!("`links.{}` accelerates writes already", link.name);
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(&key), message)
                .with_label("a second link with gateways")
                .with_help("let one link of the fabric accelerate writes");
            keys.report(&key, fault);
        } else if self.class == ServiceClass::Class2 {
            let message =
                "gateways would have to acknowledge the frames of class 2 that they answer for others";
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(&key), message)
                .with_label("given in class 2")
                .with_help(format!("use {} = \"class-3\"", keys.full_path("class")));
            keys.report(&key, fault);
        } else if link.described.from != link.described.to && self.sides_of_link(&link.name).is_none() {
            let message = format!(
                "`{}` and `{}` have another path than this link, on which frames would miss the gateways",
                link.described.from, link.described.to
            );
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(&key), message)
                .with_label("must be the only link between two sites")
                .with_help("make parallel links one link with `count`, or leave acceleration out");
            keys.report(&key, fault);
        }
    }
}

impl FabricLayout {
    /// Adds the gateways of the link that accelerates writes, if there is one, behind all nodes and links.
    pub fn add_gateways(&mut self, parameters: &FabricParameters) -> Option<LinkGateways> {
        let (link, room_bytes) = parameters.accelerating_link()?;
        let end_of_switch = parameters.sides_of_link(&link.name)?;
        let number = |name: &str| self.switches.iter().position(|switch| switch == name);
        let ends = [number(&link.described.from)?, number(&link.described.to)?];
        let lossless = LinkLosses { frame_loss: Some(0.0), ready_loss: Some(0.0), bb_sc_n: Some(0) };
        let rules = parameters.link_rules(CableLength::default(), None, &lossless);
        let nodes = ends.map(|switch| {
            let node = self.nodes.len() as u16;
            let ends = [LinkEndDevice::Switch(switch as u16), LinkEndDevice::Node(node)];
            self.links.push(LinkPlan { ends, rules });
            let address = Address::new(FIRST + u32::from(node));
            self.nodes.push(NodePlan::new(Some(switch as u16), address, parameters.switch.buffers));
            node
        });
        Some(LinkGateways { nodes, end_of_switch, room_bytes })
    }
}
