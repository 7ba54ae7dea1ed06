//! A closed workload. The keys of the kind are those of the workload itself.

use super::{QueueDepthPer, Workload, WorkloadParameters};
use crate::aims::reference_keys;
use sansim_component::component_kind::{ComponentKind, ComponentReference, Member, OfferedLoad, PartList};
use sansim_component::groups::DeviceDivision;
use sansim_component::limits::LimitParameters;

impl<P: PartList<Workload>> ComponentKind<P> for WorkloadParameters {
    fn member(&self) -> Member<P> {
        Member::single_part_member::<Workload>(self.clone()).with_request_targets()
    }

    fn members(&self) -> Option<u32> {
        self.group.count
    }

    fn division(&self) -> DeviceDivision {
        self.group.devices_each
    }

    fn references(&self) -> Vec<ComponentReference<'_>> {
        reference_keys(&self.from, &self.to)
    }

    fn limits(&self) -> LimitParameters {
        self.limits
    }

    fn load(&self) -> Option<OfferedLoad> {
        let depth = u64::from(self.queue_depth);
        let per_device = self.queue_depth_per == QueueDepthPer::Drive;
        Some(OfferedLoad {
            size: self.size,
            size_key: "size",
            read_fraction: self.read_fraction,
            slots_per_device: if per_device { depth } else { 0 },
            slots_in_all: if per_device { 0 } else { depth },
            is_open: false,
            ends: false,
        })
    }
}
