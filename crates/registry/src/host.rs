//! A host: a driver with one adapter or several, or with drives attached to it.

use sansim_bus::BusParameters;
use sansim_component::component_kind::{
    ComponentKind, ComponentReference, NetworkPortRole, ReferenceRelation,
};
use sansim_component::groups::MEMBERS;
use sansim_component::policy::PathParameters;
use sansim_fc::loop_port::{ArbitrationSchedule, PortParameters};
use sansim_fcp::adapter::AdapterParameters;
use sansim_host::driver::DriverParameters;
use sansim_processors::ProcessorParameters;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{NameList, NamesIfAny};
use sansim_schema::{codes, table};

use crate::adapters::{InitiatorAdapter, check_gathering, join, of_an_only, one_or_several};
use crate::buses::{check_buses, join_buses, mark_idle_registers};
use crate::processors::join_processors;
use crate::{KindMember, Part};

const ATTACHED: NamesIfAny = NamesIfAny(NameList { example: r#"["drives"]"# });

const MASKED: NamesIfAny = NamesIfAny(NameList { example: r#"["drives[3]"]"# });

table! {
    /// A computer with its driver and its adapter: it sends the commands.
    pub struct HostKind {
        /// How many equal hosts the table describes. `"one"` is one host with the name of the table; a number makes a group with the members
        /// `NAME[0]`, `NAME[1]` and so on. Each member has a port of its own on every network of the group, and as many of the
        /// attached devices as every other member.
        count: Option<u32> = MEMBERS, default r#""one""#, source "ours: one, as long as nobody says otherwise";
        /// Devices to which the host sends its requests directly, without an adapter or a network. Such devices are on no loop.
        attached: Vec<String> = ATTACHED, default "[]", source "none";
        /// Devices that are hidden from the host though it could reach them (LUN masking): a group or an array with all its units, or one
        /// of them, `"drives[3]"`. Requests of the host to a hidden device are refused.
        masked: Vec<String> = MASKED, default "[]", source "none";
    }
    parts {
        /// How it shares the loop with its drives.
        schedule: ArbitrationSchedule;
        /// Its choice among several paths.
        path: PathParameters;
    }
    tables {
        /// The driver in the operating system.
        driver: DriverParameters;
        /// Its processors.
        processors: ProcessorParameters;
        /// The port on the loop.
        port: PortParameters;
        /// The adapter.
        adapter: AdapterParameters;
    }
    named {
        /// Where it has several adapters: each of them, in place of `port` and `adapter`. In `stations` it is called `HOST.adapters.NAME`.
        adapters: InitiatorAdapter;
        /// The buses by which its adapters get at its memory. Without one each moves data as if it were alone.
        buses: BusParameters;
    }
    checks(check_gathering, check_buses, check_nodes)
    idle(of_no_bus)
}

impl HostKind {
    /// Checks that adapters are at nodes that the host has.
    fn check_nodes(&self, keys: &mut Keys<'_, '_>) {
        let nodes = self.path.numa_nodes;
        for adapter in self.adapters.iter().filter(|adapter| adapter.described.from.numa_node >= nodes) {
            let key = format!("adapters.{}.numa_node", adapter.name);
            if !keys.all_readable(&[&key, "numa_nodes"]) {
                continue;
            }
            let node = adapter.described.from.numa_node;
            let message = format!("there is no node {node}: the host has {nodes}, which are counted from 0");
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(&key), message)
                .with_label("at this node")
                .with_help("give the host more `numa_nodes`");
            keys.report(&key, fault);
        }
    }

    fn check_gathering(&self, keys: &mut Keys<'_, '_>) {
        check_gathering(keys, &self.port, &self.adapter, "adapter");
    }

    /// Marks the bytes of commands as idle at adapters on no bus.
    fn of_no_bus(&self, idle: &mut IdleKeys) {
        mark_idle_registers(idle, &self.member(), &self.buses);
    }

    fn check_buses(&self, keys: &mut Keys<'_, '_>) {
        check_buses(keys, &self.member(), &self.buses);
    }
}

impl ComponentKind<Part> for HostKind {
    fn members(&self) -> Option<u32> {
        self.count
    }

    fn member(&self) -> KindMember {
        let mut member = KindMember::single_part_member::<sansim_host::driver::Host>((
            self.driver.clone(),
            self.path.clone(),
        ))
        .with_request_targets()
        .with_named_initiators();
        let adapters = one_or_several(
            &self.port,
            self.adapter.clone(),
            &self.adapters,
            &self.schedule,
            InitiatorAdapter::as_adapter,
        );
        for adapter in adapters {
            join(&mut member, adapter, NetworkPortRole::Initiator, 0);
        }
        member.unused.extend(of_an_only(vec!["port", "adapter"], "adapters", &self.adapters));
        join_buses(&mut member, &self.buses);
        join_processors(&mut member, &self.processors);
        member
    }

    fn references(&self) -> Vec<ComponentReference<'_>> {
        vec![ComponentReference {
            key: "attached",
            names: &self.attached,
            joins: ReferenceRelation::Attached,
        }]
    }

    fn chooses(&self) -> Option<PathParameters> {
        Some(self.path.clone())
    }

    fn masked(&self) -> &[String] {
        &self.masked
    }
}
