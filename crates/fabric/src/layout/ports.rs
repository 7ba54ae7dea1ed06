//! The ports of switches, with what is at the other end of each.

use super::{FabricEnd, FabricLayout};
use sansim_kernel::Span;

/// A port of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchPort {
    /// The switch.
    pub switch: u16,
    /// Its number there.
    pub number: u16,
    /// Its link.
    pub link: usize,
    /// Whether it is the first end of that.
    pub first_end: bool,
    /// The device at the other end.
    pub to: FabricEnd,
    /// Time of a word.
    pub word: Span,
}

impl FabricLayout {
    /// The ports of all switches, switch by switch; at each those to other switches first.
    pub fn switch_ports(&self) -> Vec<SwitchPort> {
        let mut ports: Vec<SwitchPort> = Vec::new();
        let mut count = vec![0; self.switches.len()];
        for (number, link) in self.links.iter().enumerate() {
            for (at, to, first_end) in
                [(link.ends[0], link.ends[1], true), (link.ends[1], link.ends[0], false)]
            {
                if let FabricEnd::Switch(switch) = at {
                    let of_switch = &mut count[usize::from(switch)];
                    let word = link.rules.word;
                    ports.push(SwitchPort { switch, number: *of_switch, link: number, first_end, to, word });
                    *of_switch += 1;
                }
            }
        }
        ports.sort_by_key(|port| (port.switch, port.number));
        ports
    }
}
