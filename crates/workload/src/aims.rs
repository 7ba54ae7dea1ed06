//! To whom a workload goes.

use sansim_component::Setting;

/// To whom a workload goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aims {
    /// The number of the workload in the system.
    pub workload: u32,
    /// The devices by their numbers in the system.
    pub devices: Vec<u32>,
    /// Logical blocks of each.
    pub capacity_blocks: Vec<u64>,
}

impl Aims {
    /// What a workload is told of where it stands.
    pub fn of(setting: &Setting<'_>) -> Self {
        let (workload, capacity_blocks) = setting.source.clone().unwrap_or_default();
        Self { workload, devices: setting.behind.clone(), capacity_blocks }
    }
}
