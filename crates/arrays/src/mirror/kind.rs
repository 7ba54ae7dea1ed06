//! Mirrors in a scenario: their number, and their devices, which they reach without a network.

use super::{Mirror, MirrorParameters};
use sansim_component::component_kind::{
    ComponentKind, ComponentReference, Member, PartList, ReferenceRelation,
};
use sansim_schema::quantities::{Count, NameList};
use sansim_schema::table;

const TO: NameList = NameList { example: r#"["drives"]"# };

table! {
    /// Several devices with the same data, presented as one of the capacity of the smallest; a copy that fails stays out. With spares,
    /// rebuilds and scrubs it is `kind = "raid"` with `layout.level = "1"`.
    pub struct MirrorGroup {
        /// The groups of devices that hold the copies; they stand on no loop. All their members are copies of one mirror; of a
        /// group of several mirrors each has one member of each group.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
        /// The number of mirrors.
        count: u32 = Count::<u32>::between(0, 1_000_000), default "1", source "ours: one, unless the file says otherwise";
    }
    parts {
        /// Each of the mirrors.
        mirror: MirrorParameters;
    }
}

impl<P: PartList<Mirror>> ComponentKind<P> for MirrorGroup {
    fn members(&self) -> Option<u32> {
        Some(self.count)
    }

    fn member(&self) -> Member<P> {
        Member::single_part_member::<Mirror>(self.mirror.clone())
            .with_request_targets()
            .with_named_initiators()
    }

    fn references(&self) -> Vec<ComponentReference<'_>> {
        vec![ComponentReference { key: "to", names: &self.to, joins: ReferenceRelation::Attached }]
    }

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        behind.iter().copied().min().into_iter().collect()
    }

    fn least_behind(&self) -> usize {
        2
    }
}
