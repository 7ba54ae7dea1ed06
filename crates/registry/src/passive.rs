//! Ports that only repeat.

use sansim_component::PortKeys;
use sansim_component::component_kind::{ComponentKind, NetworkPort, NetworkPortRole};
use sansim_component::policy::{InitiatorPathKeys, TargetPathKeys};
use sansim_fc::loop_port::{ArbitrationSchedule, FcPort, PassivePortParameters};
use sansim_schema::quantities::Count;
use sansim_schema::table;

use crate::{KindMember, Part};

table! {
    /// Ports that take part in the loop but never send anything of their own: they repeat, and add their delay.
    pub struct PassiveGroup {
        /// Number of passive ports; it may be 0, so that a study can begin with none.
        count: u32 = Count::<u32>::between(0, 1_000_000), default "1", source "ours: one, unless the file says otherwise";
    }
    tables {
        /// Each of the ports.
        port: PassivePortParameters;
    }
}

impl ComponentKind<Part> for PassiveGroup {
    fn members(&self) -> Option<u32> {
        Some(self.count)
    }

    fn member(&self) -> KindMember {
        let port = NetworkPort {
            path: String::new(),
            table: "port".to_owned(),
            owns: vec!["port".to_owned()],
            side: NetworkPortRole::Passive,
            part: None,
            keys: PortKeys::new(FcPort { port: self.port.as_port(), schedule: ArbitrationSchedule::FAIR }),
            from: InitiatorPathKeys::PLAIN,
            to: TargetPathKeys::PLAIN,
        };
        KindMember { ports: vec![port], ..KindMember::default() }
    }
}
