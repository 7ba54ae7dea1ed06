//! From a scenario to a plan: every port, adapter, driver, drive and workload with its numbers.
//!
//! The scenario has been validated, so nothing can fail here.

use crate::plan::{LoopPlan, NodeKind, NodePlan, Plan, WorkloadPlan};
use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::{LoopModel, Station};
use sansim_fc::loop_port::Schedule;
use sansim_fcp::exchange::BLOCK_BYTES;
use sansim_scenario::{GroupRef, Scenario};

/// The plan of a scenario. `seed` replaces the scenario's own.
pub fn plan(scenario: &Scenario, seed: Option<u64>, model: LoopModel) -> Plan {
    let places = scenario.stations();
    let stations = places.iter().map(|&(group, al_pa)| station(scenario, group, al_pa)).collect();
    let nodes = places
        .iter()
        .map(|&(group, _)| NodePlan {
            name: scenario.group_name(group).to_owned(),
            kind: node_kind(scenario, group),
        })
        .collect();
    let first_of = |wanted: GroupRef| places.iter().position(|&(group, _)| group == wanted).unwrap_or(0);
    let mut by_name: Vec<&str> = scenario.workloads.iter().map(|workload| workload.name.as_str()).collect();
    by_name.sort_unstable();
    let workloads = scenario
        .workloads
        .iter()
        .zip(&scenario.routes)
        .map(|(workload, route)| {
            let to: Vec<usize> = route
                .drives
                .iter()
                .flat_map(|&group| {
                    let first = first_of(GroupRef::Drives(group));
                    first..first + scenario.drives[group].count as usize
                })
                .collect();
            WorkloadPlan {
                name: workload.name.clone(),
                rank: by_name.partition_point(|name| *name < workload.name.as_str()) as u16,
                from: first_of(GroupRef::Host(route.host)),
                to,
                parameters: workload.described.clone(),
                capacity_blocks: route
                    .drives
                    .iter()
                    .flat_map(|&group| {
                        let group = &scenario.drives[group];
                        std::iter::repeat_n(group.drive.capacity / BLOCK_BYTES, group.count as usize)
                    })
                    .collect(),
            }
        })
        .collect();
    Plan {
        title: scenario.title.clone(),
        seed: seed.unwrap_or(scenario.run.seed),
        arbitrated_loop: LoopPlan {
            name: scenario.arbitrated_loop.name.clone(),
            parameters: scenario.arbitrated_loop.described.clone(),
            stations,
            model,
        },
        sizes: scenario.fcp,
        nodes,
        workloads,
        run: scenario.run,
    }
}

fn station(scenario: &Scenario, group: GroupRef, al_pa: AlPa) -> Station {
    let (schedule, port) = match group {
        GroupRef::Host(index) => {
            let host = &scenario.hosts[index];
            (host.schedule, host.port.clone())
        }
        GroupRef::Drives(index) => {
            let drives = &scenario.drives[index];
            (drives.fairness.schedule(), drives.port.clone())
        }
        GroupRef::Passive(index) => (Schedule::FAIR, scenario.passives[index].port.as_port()),
    };
    Station { al_pa, schedule, port }
}

fn node_kind(scenario: &Scenario, group: GroupRef) -> NodeKind {
    match group {
        GroupRef::Passive(_) => NodeKind::Passive,
        GroupRef::Host(index) => {
            let host = &scenario.hosts[index];
            NodeKind::Host { adapter: host.adapter, driver: host.driver }
        }
        GroupRef::Drives(index) => {
            let drives = &scenario.drives[index];
            NodeKind::Drive { adapter: drives.adapter, drive: drives.drive }
        }
    }
}
