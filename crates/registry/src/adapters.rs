//! The adapters of a component: a single one in tables of its own, or several with names.

use sansim_component::PortKeys;
use sansim_fc::loop_port::{ArbitrationSchedule, FcPort, PortParameters, WithinSequence};
use sansim_fcp::adapter::{AdapterParameters, ResponseCircuit};
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::table::NamedValue;
use sansim_schema::{codes, table};

use sansim_component::component_kind::{NetworkPort, NetworkPortRole, SinglePortKeys};
use sansim_component::policy::{InitiatorPathKeys, TargetPathKeys};
use sansim_fcp::{Initiator, Target};

use crate::{KindMember, Part};

table! {
    /// One of several adapters that ask, with its port.
    pub struct InitiatorAdapter {}
    parts {
        /// The adapter.
        adapter: AdapterParameters;
        /// The paths that begin at it.
        from: InitiatorPathKeys;
    }
    tables {
        /// Its port on the loop.
        port: PortParameters;
    }
    checks(check_gathering)
}

table! {
    /// One of several adapters that serve, with its port.
    pub struct TargetAdapter {}
    parts {
        /// The adapter.
        adapter: AdapterParameters;
        /// The paths that end at it.
        to: TargetPathKeys;
    }
    tables {
        /// Its port on the loop.
        port: PortParameters;
    }
    checks(check_gathering)
}

impl InitiatorAdapter {
    fn check_gathering(&self, keys: &mut Keys<'_, '_>) {
        check_gathering(keys, &self.port, &self.adapter, "");
    }

    pub(crate) fn as_adapter(&self, path: String, schedule: ArbitrationSchedule) -> Adapter<'_> {
        let plain = Adapter::without_path_parameters(path, &self.port, self.adapter.clone(), schedule);
        Adapter { from: self.from, ..plain }
    }
}

impl TargetAdapter {
    fn check_gathering(&self, keys: &mut Keys<'_, '_>) {
        check_gathering(keys, &self.port, &self.adapter, "");
    }

    pub(crate) fn as_adapter(&self, path: String, schedule: ArbitrationSchedule) -> Adapter<'_> {
        let plain = Adapter::without_path_parameters(path, &self.port, self.adapter.clone(), schedule);
        Adapter { to: self.to, ..plain }
    }
}

/// An adapter with all that is needed to make it a part.
pub(crate) struct Adapter<'a> {
    /// The path of the adapter's table; for the only adapter of a component, whose port has a table of its own, `adapter`.
    pub path: String,
    /// The parameters of the adapter's port.
    pub port: &'a PortParameters,
    /// The parameters of the adapter.
    pub adapter: AdapterParameters,
    /// The arbitration schedule of the adapter's port.
    pub schedule: ArbitrationSchedule,
    /// The parameters of the paths that begin at the adapter.
    pub from: InitiatorPathKeys,
    /// The parameters of the paths that end at the adapter; see [`Adapter::from`].
    pub to: TargetPathKeys,
}

impl<'a> Adapter<'a> {
    /// An adapter without parameters of paths.
    pub fn without_path_parameters(
        path: String,
        port: &'a PortParameters,
        adapter: AdapterParameters,
        schedule: ArbitrationSchedule,
    ) -> Self {
        let adapter = adapter.with_generation_times();
        Self { path, port, adapter, schedule, from: InitiatorPathKeys::PLAIN, to: TargetPathKeys::PLAIN }
    }
}

/// The only adapter, if there are no named ones; otherwise the named ones.
pub(crate) fn one_or_several<'a, T>(
    port: &'a PortParameters,
    adapter: AdapterParameters,
    several: &'a [NamedValue<T>],
    schedule: &ArbitrationSchedule,
    as_adapter: impl Fn(&'a T, String, ArbitrationSchedule) -> Adapter<'a>,
) -> Vec<Adapter<'a>> {
    if several.is_empty() {
        return vec![Adapter::without_path_parameters("adapter".to_owned(), port, adapter, schedule.clone())];
    }
    let one = |one: &'a NamedValue<T>| {
        as_adapter(&one.described, format!("adapters.{}", one.name), schedule.clone())
    };
    several.iter().map(one).collect()
}

/// The keys of a single adapter, which have no effect beside those of `several` named ones.
pub(crate) fn of_an_only<T>(
    keys: Vec<&'static str>,
    table: &str,
    several: &[NamedValue<T>],
) -> Option<SinglePortKeys> {
    let instead: Vec<String> = several.iter().map(|one| format!("{table}.{}", one.name)).collect();
    (!several.is_empty()).then_some(SinglePortKeys { what: "adapter", keys, instead })
}

/// Adds an adapter to a member, joined to the part `inner`.
pub(crate) fn join(member: &mut KindMember, adapter: Adapter<'_>, side: NetworkPortRole, inner: usize) {
    let number = match side {
        NetworkPortRole::Initiator => member.add_part::<Initiator>(adapter.path.clone(), adapter.adapter),
        _ => member.add_part::<Target>(adapter.path.clone(), adapter.adapter),
    };
    let only = adapter.path == "adapter";
    member.ports.push(NetworkPort {
        path: if only { String::new() } else { adapter.path.clone() },
        table: if only { "port".to_owned() } else { format!("{}.port", adapter.path) },
        owns: if only { vec!["port".to_owned(), "adapter".to_owned()] } else { vec![adapter.path] },
        side,
        part: Some(number),
        keys: PortKeys::new(FcPort { port: adapter.port.clone(), schedule: adapter.schedule }),
        from: adapter.from,
        to: adapter.to,
    });
    member.joins.push(if side == NetworkPortRole::Initiator { (inner, number) } else { (number, inner) });
}

/// Checks that a port does not wait for more frames than its adapter fetches ahead. The table of the adapter's keys is the current table,
/// or a table within it.
pub(crate) fn check_gathering(
    keys: &mut Keys<'_, '_>,
    port: &PortParameters,
    adapter: &AdapterParameters,
    table: &str,
) {
    let dot = if table.is_empty() { "" } else { "." };
    let (key, buffers_key) = ("port.within_sequence", format!("{table}{dot}outgoing_buffers"));
    let WithinSequence::Gather(frames) = port.within_sequence else { return };
    let buffers = adapter.outgoing_buffers;
    if frames <= buffers || !keys.all_readable(&[key, &buffers_key]) {
        return;
    }
    let fault = Diagnostic::new(
        codes::CONTRADICTION,
        keys.value_position(key),
        format!(
            "a port that waits for {frames} frames waits for ever, for its adapter fetches {buffers} ahead"
        ),
    )
    .with_label(format!("must be at most outgoing_buffers, which is {buffers}"));
    let related =
        keys.written_position(&buffers_key).map(|place| (place, "the frames that are fetched ahead"));
    let help = related.is_none().then(|| {
        format!("set {} to {frames} or more; {buffers} is its default", keys.full_path(&buffers_key))
    });
    keys.report_with(key, fault.with_help_if_given(help), related);
}

impl Part {
    /// Whether the part is an adapter that waits for circuits to end.
    pub fn awaits_circuit_end(&self) -> bool {
        matches!(self, Part::Target(adapter) if adapter.response_circuit == ResponseCircuit::Own)
    }
}

/// The keys of an adapter that have no effect on this side: those for targets only, or for initiators only.
pub fn keys_of_other_side(side: NetworkPortRole) -> &'static [&'static str] {
    match side {
        NetworkPortRole::Initiator => &["response_time", "response_start", "response_circuit", "burst_done"],
        NetworkPortRole::Target => &[
            "request_bytes",
            "xfer_rdy_time",
            "dma_request_first",
            "commands_in_execution",
            "abort_answer_time",
        ],
        NetworkPortRole::Passive | NetworkPortRole::Crossing => &[],
    }
}
