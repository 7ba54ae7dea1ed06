//! Events that act on components from outside during a simulation: a list of `[[event]]`.

use sansim_kernel::Span;
use sansim_registry::EventAction;
use sansim_schema::idle::IdleKeys;
use sansim_schema::quantities::{AnyValue, Choice, Flag, LONGEST, Name, Number, Size, Text, Time};
use sansim_schema::table;
use sansim_schema::words::Word as _;

/// The range of the times of events: from the beginning to a day later.
const AT: Time = Time { range: (0, 24 * LONGEST) };

/// The largest factor of slowness: such a drive does hardly anything any more.
const MOST_SLOW: f64 = 1_000.0;

table! {
    /// An event that acts on a component, on one member of a group, or on an adapter or another thing of either. Drives, adapters, and
    /// `battery`, `partner` and `power` of caches can fail and be repaired; drives and adapters can be slow, adapters silent, and some bytes of drives unreadable. Ports on
    /// loops and fabrics, switches, and links between these can be removed and added, and loops initialised. Some keys of components can be
    /// changed; several changes at one moment take effect one after the other.
    pub struct ScenarioEvent {
        /// The simulated time of the event. Events at one moment happen in the order of the file.
        at: Span = AT, required r#""20 ms""#, source "";
        /// The action.
        r#do: EventAction = Choice::<EventAction>::ANY, required r#""fail""#, source "";
        /// The component, the member or the part on which the event acts: `"drives[1]"`, `"host.adapters.a"`, `"drives[1].adapters.b"`,
        /// `"cache.battery"`.
        what: String = Name, required r#""drives[1]""#, source "";
        /// With `do = "slow"`: the factor by which every service of the component takes longer after the event.
        factor: f64 = Number::between(1.0, MOST_SLOW), default "10.0", source "ours: the default of `slow_factor`";
        /// With `do = "slow"` of an adapter: time for which each command that it receives waits besides, or each status at an initiator. Any
        /// number wait at once.
        delay: Span = Time::ANY, default r#""0 ns""#, source "ours: no delay, unless the file says otherwise";
        /// With `do = "unreadable"`: the first byte that cannot be read any more.
        first_byte: u64 = Size { range: (0, 1 << 60), step: 512 }, default r#""0 B""#, source "ours: the first there is";
        /// With `do = "unreadable"`: the number of bytes, from `first_byte` on, that cannot be read any more. A sector has 512.
        bytes: u64 = Size { range: (512, 1 << 60), step: 512 }, default r#""512 B""#, source "ours: one sector";
        /// With `do = "change"`: the key of the component that changes, such as `"links.trunk.cable"`. A key that may change says so in its
        /// description.
        key: String = Text, default r#""""#, source "ours: no other action names a key";
        /// With `do = "change"`: the value of the key from then on, as in the table of the component.
        value: String = AnyValue, default r#""""#, source "ours: no other action names a value";
        /// With `do = "remove"` or `"add"`: whether the loop is initialised (LIP), as it is when a port is pulled out or plugged in. If
        /// `false`, the port is bypassed by LPB, or enabled by LPE, and no LIP follows.
        initialise: bool = Flag, default "true", source "FC-AL; Seagate Fibre Channel Interface Manual, rev. D, 5.4.2.1";
    }
    idle(of_other_actions)
}

impl ScenarioEvent {
    /// Marks keys as unused that belong to other actions.
    fn of_other_actions(&self, idle: &mut IdleKeys) {
        idle.mark_idle_unless(
            self.r#do == EventAction::Slow,
            &["factor", "delay"],
            "nothing becomes slow by it (`do = \"slow\"`)",
        );
        let why = "no bytes become unreadable by it (`do = \"unreadable\"`)";
        idle.mark_idle_unless(self.r#do == EventAction::Unreadable, &["first_byte", "bytes"], why);
        let why = "no key changes by it (`do = \"change\"`)";
        idle.mark_idle_unless(self.r#do == EventAction::Change, &["key", "value"], why);
        idle.mark_idle_unless(
            matches!(self.r#do, EventAction::Remove | EventAction::Add),
            &["initialise"],
            "no port leaves a loop or comes back by it (`do = \"remove\"`, `do = \"add\"`)",
        );
    }

    /// An action on a target, without a time yet.
    pub(crate) fn of(action: EventAction, what: &str) -> Self {
        let (at, what) = (Span::ZERO, what.to_owned());
        let (key, value) = (String::new(), String::new());
        Self {
            at,
            r#do: action,
            what,
            factor: 1.0,
            delay: Span::ZERO,
            first_byte: 0,
            bytes: 0,
            key,
            value,
            initialise: true,
        }
    }

    /// The event in a few words, for observers and messages: `fail drives[1]`, `change san.links.trunk.cable`.
    pub fn in_words(&self) -> String {
        let (action, what) = (self.r#do.word(), &self.what);
        match self.r#do {
            EventAction::Change => format!("{action} {what}.{} to {}", self.key, self.value),
            _ => format!("{action} {what}"),
        }
    }
}
