//! Zones: the nodes that may talk to each other.
//!
//! Source: FC-SW, FC-GS. A zone is a list of members; two nodes that are in no common zone do not see each other. Without any zone all
//! nodes may reach each other. Real switches enforce zones in hardware; in sansim no frame is sent that zones would not let pass.

use sansim_schema::quantities::NameList;
use sansim_schema::table;
use sansim_schema::table::NamedValue;

/// The list of ports that may reach each other.
const MEMBERS: NameList = NameList { example: r#"["host", "drives[0]"]"# };

table! {
    /// Ports that may talk to each other.
    pub struct FabricZone {
        /// Its members by the names of stations: of a group all, `"drives"`, or one, `"drives[3]"`; of a loop behind an FL_Port its stations.
        members: Vec<String> = MEMBERS, required r#"["host", "drives[0]"]"#, source "FC-GS";
    }
}

impl FabricZone {
    /// Whether a port is in the zone, by its name and the name of its group.
    pub fn contains_port(&self, port: &[&str; 2]) -> bool {
        self.members.iter().any(|member| port.contains(&member.as_str()))
    }
}

/// Whether two ports may reach each other.
pub fn share_a_zone(zones: &[NamedValue<FabricZone>], one: &[&str; 2], other: &[&str; 2]) -> bool {
    zones.is_empty()
        || zones.iter().any(|zone| zone.described.contains_port(one) && zone.described.contains_port(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zones(all: &[&[&str]]) -> Vec<NamedValue<FabricZone>> {
        let zone = |members: &&[&str]| NamedValue {
            name: String::new(),
            described: FabricZone { members: members.iter().map(|&member| member.to_owned()).collect() },
        };
        all.iter().map(zone).collect()
    }

    #[test]
    fn those_in_one_zone_may_talk_and_everybody_where_there_is_none() {
        let [host, first, second] = [["host", "host"], ["drives[0]", "drives"], ["drives[1]", "drives"]];
        assert!(share_a_zone(&[], &host, &first));
        let some = zones(&[&["host", "drives[0]"], &["other", "drives"]]);
        assert!(share_a_zone(&some, &host, &first) && share_a_zone(&some, &first, &host));
        assert!(!share_a_zone(&some, &host, &second));
        assert!(share_a_zone(&some, &first, &second), "a group is in a zone with all its members");
        assert!(!share_a_zone(&zones(&[&[]]), &host, &first), "who is in no zone talks to nobody");
    }
}
