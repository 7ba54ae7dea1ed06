//! The ports of switches, with the device at the other end of each.

use super::{FabricLayout, LinkEndDevice};
use sansim_fc::link::LinkRules;

/// A port of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchPort {
    /// The switch of the port.
    pub switch: u16,
    /// The number of the port at its switch.
    pub number: u16,
    /// The link of the port.
    pub link: usize,
    /// Whether the port is the first end of its link.
    pub first_end: bool,
    /// The device at the other end of the link.
    pub to: LinkEndDevice,
    /// The rules of the link.
    pub rules: LinkRules,
}

impl FabricLayout {
    /// The ports of all switches, switch by switch; at each switch the ports to other switches come first.
    pub fn switch_ports(&self) -> Vec<SwitchPort> {
        let mut ports: Vec<SwitchPort> = Vec::new();
        let mut count = vec![0; self.switches.len()];
        for (number, link) in self.links.iter().enumerate() {
            for (at, to, first_end) in
                [(link.ends[0], link.ends[1], true), (link.ends[1], link.ends[0], false)]
            {
                if let LinkEndDevice::Switch(switch) = at {
                    let of_switch = &mut count[usize::from(switch)];
                    let rules = link.rules;
                    ports.push(SwitchPort { switch, number: *of_switch, link: number, first_end, to, rules });
                    *of_switch += 1;
                }
            }
        }
        ports.sort_by_key(|port| (port.switch, port.number));
        ports
    }
}
