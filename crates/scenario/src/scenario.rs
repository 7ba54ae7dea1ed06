//! The form of a scenario: which components there are, what they are called and how they are joined.

use std::ops::Deref;

use sansim_describe::quantities::Count;
use sansim_describe::table;
use sansim_fc::al_pa::{AlPa, AlPaChoice};
use sansim_fc::arbitrated_loop::LoopParameters;
use sansim_fc::cable::Length;
use sansim_fc::loop_port::{Fairness, PassivePortParameters, PortParameters, Schedule};
use sansim_fcp::adapter::{AdapterParameters, UnitSizes};
use sansim_host::driver::DriverParameters;
use sansim_host::workload::WorkloadParameters;
use sansim_storage::drive::DriveParameters;

use crate::run::Run;

/// Everything there is to know before a simulation starts. Complete and free of contradictions: it can only be made
/// by parsing.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// One line for people.
    pub title: String,
    /// More for people.
    pub description: String,
    /// How long to run and what to measure.
    pub run: Run,
    /// Sizes of the information units.
    pub fcp: UnitSizes,
    /// The loop.
    pub arbitrated_loop: Named<LoopParameters>,
    /// The initiators, in the order of the file; at least one.
    pub hosts: Vec<Named<Host>>,
    /// The groups of drives, in the order of the file; at least one.
    pub drives: Vec<Named<DriveGroup>>,
    /// The groups of ports that only repeat, in the order of the file.
    pub passives: Vec<Named<PassiveGroup>>,
    /// The workloads, in the order of the file; at least one.
    pub workloads: Vec<Named<WorkloadParameters>>,
    /// The groups on the loop, found among the components, in its order.
    pub on_loop: Vec<OnLoop>,
    /// Whom each of the workloads joins, in their order.
    pub routes: Vec<Route>,
}

/// A component: what it is called, and what was said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T> {
    /// Its name in the scenario.
    pub name: String,
    /// What was described under that name.
    pub described: T,
}

impl<T> Deref for Named<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.described
    }
}

table! {
    /// A computer with its driver and its adapter: it sends the commands.
    pub struct Host {}
    parts {
        /// How it shares the loop with its drives.
        schedule: Schedule;
    }
    tables {
        /// The driver in the operating system.
        driver: DriverParameters;
        /// The port on the loop.
        port: PortParameters;
        /// The adapter.
        adapter: AdapterParameters;
    }
}

table! {
    /// A group of equal drives. Their ports stand side by side on the loop.
    pub struct DriveGroup {
        /// How many drives.
        count: u32 = Count::<u32>::between(0, 1_000_000), default "1", source "";
    }
    parts {
        /// Each of the drives.
        drive: DriveParameters;
        /// How they ask for the loop.
        fairness: Fairness;
    }
    tables {
        /// The port of each drive.
        port: PortParameters;
        /// The adapter of each drive.
        adapter: AdapterParameters;
    }
}

table! {
    /// Ports that take part in the loop but never send anything of their own: they repeat, and add their delay.
    pub struct PassiveGroup {
        /// How many ports; 0 as well, so that a study can begin with none.
        count: u32 = Count::<u32>::between(0, 1_000_000), default "1", source "";
    }
    tables {
        /// Each of the ports.
        port: PassivePortParameters;
    }
}

/// A group with its place on the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnLoop {
    /// The group.
    pub group: GroupRef,
    /// The address of each of its members, whether it was given or found.
    pub al_pas: Vec<AlPa>,
}

/// Whom a workload joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Index in [`Scenario::hosts`].
    pub host: usize,
    /// Indices in [`Scenario::drives`].
    pub drives: Vec<usize>,
}

/// A group: a component with ports, one for each member, side by side on the loop. A host is a group of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupRef {
    /// Index in [`Scenario::hosts`].
    Host(usize),
    /// Index in [`Scenario::drives`].
    Drives(usize),
    /// Index in [`Scenario::passives`].
    Passive(usize),
}

impl Scenario {
    /// Every station of the loop in the order in which words pass them: whose port stands there, and its address.
    ///
    /// Addresses that are not given are found so: AL_PA 01 to EF in this order to the hosts, then to the drives,
    /// then to the passive ports, each in the order of the loop, leaving out those that are given. 00, the address of a
    /// fabric's port, comes first of all if the loop has 127 ports, and is not used otherwise.
    pub fn stations(&self) -> Vec<(GroupRef, AlPa)> {
        let of = |on_loop: &OnLoop| {
            let group = on_loop.group;
            on_loop.al_pas.iter().map(|&al_pa| (group, al_pa)).collect::<Vec<_>>()
        };
        self.on_loop.iter().flat_map(of).collect()
    }

    /// The addresses of the members of a group.
    pub fn al_pas(&self, group: GroupRef) -> &[AlPa] {
        self.on_loop.iter().find(|on_loop| on_loop.group == group).map_or(&[], |on_loop| &on_loop.al_pas)
    }

    /// Name of a group.
    pub fn group_name(&self, group: GroupRef) -> &str {
        match group {
            GroupRef::Host(index) => &self.hosts[index].name,
            GroupRef::Drives(index) => &self.drives[index].name,
            GroupRef::Passive(index) => &self.passives[index].name,
        }
    }

    /// How many members a group has, and so ports.
    pub fn port_count(&self, group: GroupRef) -> u64 {
        match group {
            GroupRef::Host(_) => 1,
            GroupRef::Drives(index) => self.drives[index].count.into(),
            GroupRef::Passive(index) => self.passives[index].count.into(),
        }
    }

    /// What was said of the addresses of a group.
    pub fn al_pa_choice(&self, group: GroupRef) -> &AlPaChoice {
        match group {
            GroupRef::Host(index) => &self.hosts[index].port.al_pa,
            GroupRef::Drives(index) => &self.drives[index].port.al_pa,
            GroupRef::Passive(index) => &self.passives[index].port.al_pa,
        }
    }

    /// The cable behind each port of a group.
    pub fn cable(&self, group: GroupRef) -> Length {
        match group {
            GroupRef::Host(index) => self.hosts[index].port.cable,
            GroupRef::Drives(index) => self.drives[index].port.cable,
            GroupRef::Passive(index) => self.passives[index].port.cable,
        }
    }
}
