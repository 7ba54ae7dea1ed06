//! Adapters of components between two networks: those by which hosts reach the component, and those by which it reaches devices. Each
//! adapter may belong to one of several controllers.

use sansim_component::component_kind::{
    DependentFailure, NetworkPortRole, PartList, RandomOutage, SinglePortKeys,
};
use sansim_component::policy::{AccessState, InitiatorPathKeys, TargetPathKeys};
use sansim_component::{Component, ControllerSide};
use sansim_controllers::controller::PairParameters;
use sansim_fc::loop_port::{ArbitrationSchedule, DriveFairness, PortParameters};
use sansim_fcp::adapter::AdapterParameters;
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::Choice;
use sansim_schema::table;
use sansim_schema::table::NamedValue;
use sansim_schema::words::Word;

use crate::adapters::{Adapter, check_gathering, join};
use crate::{KindMember, Part};

table! {
    /// An adapter of a controller on the network of the hosts.
    pub struct HostSideAdapter {
        /// The one of a pair of controllers to which it belongs.
        side: ControllerSide = Choice::<ControllerSide>::ANY, default r#""a""#, source "ours: the first";
    }
    parts {
        /// The adapter.
        adapter: AdapterParameters;
        /// The paths that end at it.
        to: TargetPathKeys;
        /// How its port asks for the loop.
        fairness: DriveFairness;
    }
    tables {
        /// Its port on the loop.
        port: PortParameters;
    }
    checks(check_gathering)
    renamed("half" to "side")
}

table! {
    /// An adapter of a controller on the network of its drives.
    pub struct DeviceSideAdapter {
        /// The one of a pair of controllers to which it belongs.
        side: ControllerSide = Choice::<ControllerSide>::ANY, default r#""a""#, source "ours: the first";
    }
    parts {
        /// The adapter.
        adapter: AdapterParameters;
        /// The paths that begin at it.
        from: InitiatorPathKeys;
        /// How its port asks for the loop.
        schedule: ArbitrationSchedule;
    }
    tables {
        /// Its port on the loop.
        port: PortParameters;
    }
    checks(check_gathering)
    renamed("half" to "side")
}

impl HostSideAdapter {
    fn check_gathering(&self, keys: &mut Keys<'_, '_>) {
        check_gathering(keys, &self.port, &self.adapter, "");
    }

    pub(crate) fn as_adapter(&self, path: String) -> Adapter<'_> {
        let plain = Adapter::without_path_parameters(
            path,
            &self.port,
            self.adapter.clone(),
            self.fairness.arbitration_schedule(),
        );
        Adapter { to: self.to, ..plain }
    }
}

impl DeviceSideAdapter {
    fn check_gathering(&self, keys: &mut Keys<'_, '_>) {
        check_gathering(keys, &self.port, &self.adapter, "");
    }

    pub(crate) fn as_adapter(&self, path: String) -> Adapter<'_> {
        let plain =
            Adapter::without_path_parameters(path, &self.port, self.adapter.clone(), self.schedule.clone());
        Adapter { from: self.from, ..plain }
    }
}

/// The adapters of a component, each with the path of its table.
pub(crate) struct Sides<'a> {
    /// The adapters on networks of the component's initiators.
    pub fronts: Vec<(String, &'a HostSideAdapter)>,
    /// The adapters on networks of the component's devices.
    pub backs: Vec<(String, &'a DeviceSideAdapter)>,
}

impl Sides<'_> {
    /// A member with the component and its adapters, which are joined to it. Returns the number of the component's part, too.
    pub fn member<C: Component>(self, parameters: C::Parameters) -> (KindMember, usize)
    where
        Part: PartList<C>,
    {
        let core = self.fronts.len();
        let mut member = KindMember { asks: Some(core), serves: Some(core), ..KindMember::default() };
        member.unused.extend(of_an_only("front", &self.fronts));
        member.unused.extend(of_an_only("back", &self.backs));
        for (path, front) in self.fronts {
            join(&mut member, front.as_adapter(path), NetworkPortRole::Target, core);
        }
        member.add_part::<C>(String::new(), parameters);
        for (path, back) in self.backs {
            join(&mut member, back.as_adapter(path), NetworkPortRole::Initiator, core);
        }
        (member, core)
    }

    /// The controller to which an adapter belongs.
    pub fn controller_of_adapter(&self, adapter: &str) -> ControllerSide {
        self.halves().find(|(path, _)| *path == adapter).map_or(ControllerSide::A, |(_, half)| half)
    }

    /// The adapters of one controller of several.
    pub fn adapters_of_controller(&self, thing: usize) -> Vec<DependentFailure> {
        let of_it = self.halves().filter(|(_, half)| half.index() == thing);
        of_it.map(|(path, _)| DependentFailure { path: path.to_owned(), thing: None }).collect()
    }

    /// The access state of a device, by its logical unit, through an adapter, if there are several controllers.
    pub fn access_state(&self, pair: &PairParameters, unit: u32, adapter: &str) -> Option<AccessState> {
        let (_, front) = self
            .fronts
            .iter()
            .find(|(path, _)| path == adapter)
            .filter(|_| pair.has_several_controllers())?;
        Some(if front.side == pair.preferred_controller(unit) {
            AccessState::Optimised
        } else {
            AccessState::NonOptimised
        })
    }

    /// Checks that each adapter belongs to an existing controller.
    pub fn check_controller_numbers(&self, pair: &PairParameters, keys: &mut Keys<'_, '_>) {
        // The adapter of a single controller may be assigned to either of two controllers.
        let most = (pair.controllers as usize).max(2);
        for (path, half) in self.halves() {
            let Some((table, name)) = path.split_once('.') else { continue };
            let mut keys = keys.keys_of_inner_table(table);
            let mut keys = keys.keys_of_inner_table(name);
            if half.index() >= most && keys.all_readable(&["side"]) {
                let message =
                    format!("there are {} controllers here, and this is none of them", pair.controllers);
                let last = ControllerSide::EACH[most - 1].word();
                let fault = Diagnostic::new(codes::OUT_OF_RANGE, keys.value_position("side"), message)
                    .with_label("no such controller")
                    .with_help(format!(
                        "the last one is \"{last}\", or say that there are more by `pair.controllers`"
                    ));
                keys.report("side", fault);
            }
        }
    }

    fn halves(&self) -> impl Iterator<Item = (&str, ControllerSide)> {
        let fronts = self.fronts.iter().map(|(path, front)| (path.as_str(), front.side));
        fronts.chain(self.backs.iter().map(|(path, back)| (path.as_str(), back.side)))
    }
}

/// The table of a single adapter, which has no effect beside the tables of several.
fn of_an_only<T>(only: &'static str, adapters: &[(String, T)]) -> Option<SinglePortKeys> {
    let instead: Vec<String> = adapters.iter().map(|(path, _)| path.clone()).collect();
    (instead.first()? != only).then_some(SinglePortKeys { what: "adapter", keys: vec![only], instead })
}

/// The adapters of one side: a single one, or several with names.
pub(crate) fn paths<'a, T>(one: &'a T, name: &str, several: &'a [NamedValue<T>]) -> Vec<(String, &'a T)> {
    if several.is_empty() {
        return vec![(name.to_owned(), one)];
    }
    several.iter().map(|several| (format!("{name}s.{}", several.name), &several.described)).collect()
}

/// The random failures of a pair.
pub(crate) fn outages_of(pair: &PairParameters) -> Vec<RandomOutage> {
    let Some(every) = pair.fails_every.filter(|_| pair.has_several_controllers()) else { return Vec::new() };
    let of = |half: ControllerSide| RandomOutage {
        key: "pair.fails_every",
        thing: half.index(),
        every,
        lasts: pair.fails_for,
    };
    ControllerSide::EACH.into_iter().take(pair.controllers as usize).map(of).collect()
}
