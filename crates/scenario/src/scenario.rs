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
    /// The stations of the loop, found among the components, in its order.
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

/// A component with its place on the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnLoop {
    /// The component.
    pub station: StationRef,
    /// The address of each of its ports, whether it was given or found.
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

/// A component with ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StationRef {
    /// Index in [`Scenario::hosts`].
    Host(usize),
    /// Index in [`Scenario::drives`].
    Drives(usize),
    /// Index in [`Scenario::passives`].
    Passive(usize),
}

/// One port of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortSite {
    /// The component it belongs to.
    pub station: StationRef,
    /// Which port of the component it is, from 0.
    pub index: u32,
    /// Its address.
    pub al_pa: AlPa,
}

impl Scenario {
    /// Every port in the order in which words pass them, starting with the first station.
    ///
    /// Addresses that are not given are found so: AL_PA 01 to EF in this order to the hosts, then to the drives,
    /// then to the passive ports, each in the order of the loop, leaving out those that are given. 00, the address of a
    /// fabric's port, comes first of all if the loop has 127 ports, and is not used otherwise.
    pub fn ports(&self) -> Vec<PortSite> {
        let of = |OnLoop { station, al_pas }: &OnLoop| {
            let station = *station;
            let site = move |(index, &al_pa)| PortSite { station, index, al_pa };
            (0..).zip(al_pas).map(site).collect::<Vec<PortSite>>()
        };
        self.on_loop.iter().flat_map(of).collect()
    }

    /// The addresses of the ports of a component.
    pub fn al_pas(&self, station: StationRef) -> &[AlPa] {
        self.on_loop.iter().find(|on_loop| on_loop.station == station).map_or(&[], |on_loop| &on_loop.al_pas)
    }

    /// Name of a component with ports.
    pub fn station_name(&self, station: StationRef) -> &str {
        match station {
            StationRef::Host(index) => &self.hosts[index].name,
            StationRef::Drives(index) => &self.drives[index].name,
            StationRef::Passive(index) => &self.passives[index].name,
        }
    }

    /// How many ports a component has.
    pub fn port_count(&self, station: StationRef) -> u64 {
        match station {
            StationRef::Host(_) => 1,
            StationRef::Drives(index) => self.drives[index].count.into(),
            StationRef::Passive(index) => self.passives[index].count.into(),
        }
    }

    /// What was said of the addresses of a component.
    pub fn al_pa_choice(&self, station: StationRef) -> &AlPaChoice {
        match station {
            StationRef::Host(index) => &self.hosts[index].port.al_pa,
            StationRef::Drives(index) => &self.drives[index].port.al_pa,
            StationRef::Passive(index) => &self.passives[index].port.al_pa,
        }
    }

    /// The cable behind each port of a component.
    pub fn cable(&self, station: StationRef) -> Length {
        match station {
            StationRef::Host(index) => self.hosts[index].port.cable,
            StationRef::Drives(index) => self.drives[index].port.cable,
            StationRef::Passive(index) => self.passives[index].port.cable,
        }
    }
}
