//! What components owe to each other: names that exist, addresses that differ, a loop that is not too long.

mod transfers;

use std::collections::BTreeMap;

use crate::codes::Code;
use crate::model::{Adapter, DriveGroup, Port, Workload};
use crate::not_modelled::PAGE;
use crate::quantity::{Fault, item_place, write_time};
use crate::scenario::{Component, KINDS, Scenario, StationRef};
use crate::source::Place;
use crate::suggest::{nearest, one_of};
use crate::table::{Sink, printable};
use crate::tree::{Node, Table, Value};
use crate::values::{AlPaChoice, DriveModel, PrecisionGoal, QueueDepthPer, WarmUp, WordTime};
use sansim_fc::al_pa::AlPa;
use sansim_fc::loop_port::WithinSequence;

/// Whether every kind of component is there that a simulation cannot do without, and only one loop.
pub(crate) fn completeness(sink: &mut Sink<'_>, components: &[Component<'_>]) {
    // A component whose kind could not be read may be the one that is missing.
    if components.iter().any(|component| component.kind.is_empty()) {
        return;
    }
    let needed = [
        ("arbitrated-loop", "no loop", "loop"),
        ("controller", "no controller", "controller"),
        ("drives", "no drives", "drives"),
        ("closed", "no workload", "workload"),
    ];
    for (word, lacks, example) in needed {
        if !components.iter().any(|component| component.kind == word) {
            let fault = Fault::new(Code::Incomplete, Place::FILE, format!("the scenario has {lacks}"))
                .help(format!("add a table such as [{example}] with kind = \"{word}\""));
            sink.report("", fault);
        }
    }
    let mut loops = components.iter().filter(|component| component.kind == "arbitrated-loop");
    if let Some(first) = loops.next() {
        for another in loops {
            let fault =
                Fault::new(Code::NotBuilt, another.entry.key_place, "this version simulates a single loop")
                    .label("a second loop")
                    .help(format!(
                        "describe each loop in a file of its own for now; {PAGE} lists what is left out"
                    ));
            sink.report_with(another.name(), fault, Some((first.entry.key_place, "the first loop")));
        }
    }
}

/// Where things are written.
struct Places<'r> {
    root: &'r Table,
}

impl<'r> Places<'r> {
    fn node(&self, path: &str) -> Option<&'r Node> {
        let mut table = self.root;
        let mut parts = path.split('.').peekable();
        while let Some(part) = parts.next() {
            let node = &table.get(part)?.node;
            match &node.value {
                _ if parts.peek().is_none() => return Some(node),
                Value::Table(inner) => table = inner,
                _ => return None,
            }
        }
        None
    }

    /// The place of the value, or of the component if the key is left out.
    fn value(&self, path: &str) -> Place {
        self.node(path).map_or_else(|| self.header(path.split('.').next().unwrap_or("")), |node| node.place)
    }

    /// The place of a component's name.
    fn header(&self, component: &str) -> Place {
        self.root.get(component).map_or(Place::FILE, |entry| entry.key_place)
    }

    /// The place of an item of a list.
    fn item(&self, path: &str, index: usize) -> Place {
        self.node(path).map_or_else(|| self.value(path), |node| item_place(node, index))
    }
}

/// Turns names into indices and gives out addresses; reports every contradiction.
pub(crate) fn resolve(
    sink: &mut Sink<'_>,
    root: &Table,
    components: &[Component<'_>],
    scenario: &mut Scenario,
) {
    let places = Places { root };
    length(sink, &places, scenario);
    speed(sink, &places, scenario);
    stations(sink, &places, components, scenario);
    if count_ports(sink, &places, scenario) {
        addresses(sink, &places, scenario);
    }
    for controller in &scenario.controllers {
        credit(
            sink,
            &places,
            &controller.name,
            controller.port.login_credit,
            controller.port.incoming_buffers,
        );
        gathering(sink, &places, &controller.name, &controller.port, &controller.adapter);
    }
    for group in &scenario.drives {
        credit(sink, &places, &group.name, group.port.login_credit, group.port.incoming_buffers);
        gathering(sink, &places, &group.name, &group.port, &group.adapter);
        cache(sink, &places, group);
        transfers::of_cache(sink, &places, group);
        let key = format!("{}.access_time", group.name);
        if group.model == DriveModel::Disk
            && places.node(&key).is_none()
            && sink.are_sound(&[&format!("{}.model", group.name)])
        {
            let fault = Fault::new(
                Code::MissingKey,
                places.header(&group.name),
                format!("`{}` lacks the key `access_time`", group.name),
            )
            .label("a disk needs an access time")
            .help("add access_time = \"2 ms\", or model = \"ram\" for a drive without one");
            sink.report(&key, fault);
        }
    }
    count_workloads(sink, &places, scenario);
    workloads(sink, &places, components, scenario);
}

/// A run has one length: a number of I/Os, a time, or, with a precision, as many I/Os as it takes.
fn length(sink: &mut Sink<'_>, places: &Places<'_>, scenario: &Scenario) {
    let run = &scenario.run;
    let [duration, ios, precision, most, warm_up] =
        ["run.duration", "run.measured_ios", "run.precision", "run.most_ios", "run.warm_up"];
    if !sink.are_sound(&[duration, ios, precision, most, warm_up]) {
        return;
    }
    let contradiction =
        |key: &str, message: String| Fault::new(Code::Contradiction, places.value(key), message);
    let place_of = |key: &str, label: &'static str| places.node(key).map(|node| (node.place, label));
    match (run.duration, run.measured_ios) {
        (Some(_), Some(ios_given)) => {
            let message = format!("the run is to last a given time and to measure {ios_given} I/Os");
            let fault = contradiction(duration, message)
                .label("one of the two says how long it is")
                .help("leave one of them out, or set it to \"none\"");
            sink.report_with(duration, fault, place_of(ios, "the number of I/Os"));
        }
        (None, None) => {
            let fault = contradiction(ios, "the run has no length".to_owned())
                .label("no number of I/Os, and no duration")
                .help("add duration = \"1 s\", or leave measured_ios out for 8000");
            sink.report(ios, fault);
        }
        _ => {}
    }
    if run.duration.is_some() && run.precision != PrecisionGoal::Off {
        let fault = contradiction(
            precision,
            "the run is to last a given time and until it is precise".to_owned(),
        )
        .label("a run with a precision is as long as it takes")
        .help("leave out `duration` (measured_ios and most_ios bound the run), or set precision to \"off\"");
        sink.report_with(precision, fault, place_of(duration, "the given time"));
    }
    if run.duration.is_some() && run.warm_up == WarmUp::Auto {
        let fault = contradiction(warm_up, "where an automatic warm-up ends is known only after the run".to_owned())
            .label("the measured interval could not last a given time")
            .help("set warm_up to a time, such as \"20 ms\", or to a number of I/Os per slot; or measured_ios instead of duration");
        sink.report_with(warm_up, fault, place_of(duration, "the given time"));
    }
    let (PrecisionGoal::Within(_), Some(least)) = (run.precision, run.measured_ios) else { return };
    if run.most_ios >= least {
        return;
    }
    let fault =
        contradiction(most, format!("at most {} I/Os, but {least} are measured at least", run.most_ios))
            .label(format!("must be at least measured_ios, which is {least}"));
    let related = place_of(ios, "the least");
    let help = related
        .is_none()
        .then(|| format!("set measured_ios to {} or less; {least} is its default", run.most_ios));
    sink.report_with(most, fault.maybe_help(help), related);
}

fn speed(sink: &mut Sink<'_>, places: &Places<'_>, scenario: &Scenario) {
    let key = format!("{}.speed", scenario.arbitrated_loop.name);
    let speed = scenario.arbitrated_loop.speed;
    if sink.are_sound(&[&key]) && !speed.has_loop() {
        let fault = Fault::new(
            Code::SpeedNotOnLoop,
            places.value(&key),
            format!("there is no arbitrated loop at {speed}"),
        )
        .label("needs 1GFC, 2GFC, 4GFC or 8GFC")
        .help(format!(
            "from 16GFC on Fibre Channel runs point to point and through switches only; {PAGE} lists what is left out"
        ));
        sink.report(&key, fault);
        return;
    }
    word_time(sink, places, scenario);
}

/// Whether a word time that was given can be that of the speed, rounded.
fn word_time(sink: &mut Sink<'_>, places: &Places<'_>, scenario: &Scenario) {
    let network = &scenario.arbitrated_loop;
    let (key, speed_key) = (format!("{}.word_time", network.name), format!("{}.speed", network.name));
    let WordTime::Given(given) = network.word_time else { return };
    let exact = network.speed.word_time();
    let off = given.ticks().abs_diff(exact.ticks());
    // At 8GFC, where a word takes 4.7 ns, whole ns are 6 % off.
    if off * 10 <= exact.ticks() || !sink.are_sound(&[&key, &speed_key]) {
        return;
    }
    let fault = Fault::new(
        Code::Contradiction,
        places.value(&key),
        format!(
            "a word of {} does not fit {}, at which it takes {:.3} ns",
            write_time(given.ticks()),
            network.speed,
            exact.as_ns_f64()
        ),
    )
    .label("more than 10 % off")
    .help(format!("{key} = \"exact\" follows the speed"));
    sink.report(&key, fault);
}

/// The station with this name.
fn find_station(scenario: &Scenario, name: &str) -> Option<StationRef> {
    let controller = scenario.controllers.iter().position(|controller| controller.name == name);
    let drives = scenario.drives.iter().position(|group| group.name == name);
    let passive = scenario.passives.iter().position(|group| group.name == name);
    controller
        .map(StationRef::Controller)
        .or(drives.map(StationRef::Drives))
        .or(passive.map(StationRef::Passive))
}

/// A name of which no fitting component exists.
fn unknown_name(
    place: Place,
    name: &str,
    components: &[Component<'_>],
    fitting: &[&str],
    needed: &str,
) -> Fault {
    let shown = printable(name);
    let candidates =
        || components.iter().filter(|component| fitting.contains(&component.kind)).map(Component::name);
    let other = components.iter().find(|component| component.name() == name);
    let message = match other.and_then(|other| KINDS.iter().find(|kind| kind.word == other.kind)) {
        Some(kind) => format!("`{shown}` is {}, but {needed} is needed here", kind.noun),
        None => format!("there is no component `{shown}`"),
    };
    let help = match nearest(name, candidates()) {
        Some(near) if near != name => format!("did you mean `{near}`?"),
        _ if candidates().next().is_none() => {
            format!("the scenario has nothing of this kind; {needed} is needed")
        }
        _ => format!("known here: {}", one_of(candidates())),
    };
    Fault::new(Code::UnknownName, place, message).label(format!("needs the name of {needed}")).help(help)
}

fn stations(sink: &mut Sink<'_>, places: &Places<'_>, components: &[Component<'_>], scenario: &mut Scenario) {
    let key = format!("{}.stations", scenario.arbitrated_loop.name);
    if !sink.are_sound(&[&key]) {
        return;
    }
    // The name of a component whose kind could not be read may be right.
    let unread =
        |name: &str| components.iter().any(|component| component.name() == name && component.kind.is_empty());
    let names = scenario.arbitrated_loop.stations.clone();
    let mut order = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let place = places.item(&key, index);
        if let Some(first) = names[..index].iter().position(|other| other == name) {
            let fault =
                Fault::new(Code::NamedTwice, place, format!("`{}` is on the loop twice", printable(name)))
                    .label("named again");
            sink.report_with(&key, fault, Some((places.item(&key, first), "first named here")));
        } else if let Some(station) = find_station(scenario, name) {
            order.push(station);
        } else if !unread(name) {
            let fitting = ["controller", "drives", "passive"];
            sink.report(&key, unknown_name(place, name, components, &fitting, "a component with ports"));
        }
    }
    // With a name that nobody has, whoever is missing here is most likely the one that was meant.
    let all_known = sink.are_sound(&[&key]);
    for component in components {
        let on_loop = names.iter().any(|name| name == component.name());
        if find_station(scenario, component.name()).is_some() && !on_loop && all_known {
            let fault = Fault::new(
                Code::OnNoLoop,
                component.entry.key_place,
                format!("`{}` is on no loop", component.name()),
            )
            .label("has ports, but no place on a loop")
            .help(format!("add \"{}\" to {key}", component.name()));
            sink.report_with(component.name(), fault, Some((places.value(&key), "the stations of the loop")));
        }
    }
    scenario.arbitrated_loop.order = order;
}

/// How many ports a station has.
fn port_count(scenario: &Scenario, station: StationRef) -> u64 {
    match station {
        StationRef::Controller(_) => 1,
        StationRef::Drives(index) => scenario.drives[index].count.into(),
        StationRef::Passive(index) => scenario.passives[index].count.into(),
    }
}

/// Whether there are few enough ports for a loop.
fn count_ports(sink: &mut Sink<'_>, places: &Places<'_>, scenario: &Scenario) -> bool {
    let order = &scenario.arbitrated_loop.order;
    let ports: u64 = order.iter().map(|&station| port_count(scenario, station)).sum();
    let largest = order.iter().copied().max_by_key(|&station| port_count(scenario, station));
    let (true, Some(largest)) = (ports > AlPa::COUNT as u64, largest) else { return true };
    let key = format!("{}.count", scenario.station_name(largest));
    let stations = format!("{}.stations", scenario.arbitrated_loop.name);
    let terms: Vec<String> = order
        .iter()
        .map(|&station| format!("{} in `{}`", port_count(scenario, station), scenario.station_name(station)))
        .collect();
    let terms = if terms.len() > 6 { String::new() } else { format!(": {}", terms.join(", ")) };
    let fault = Fault::new(
        Code::TooManyPorts,
        places.value(&key),
        format!("{ports} ports on a loop that has room for 127"),
    )
    .label("too many")
    .help(format!("leave out {}{terms}", ports - AlPa::COUNT as u64));
    sink.report_with(&key, fault, Some((places.value(&stations), "the stations of the loop")));
    false
}

/// Gives an address to every port.
fn addresses(sink: &mut Sink<'_>, places: &Places<'_>, scenario: &mut Scenario) {
    let order = scenario.arbitrated_loop.order.clone();
    let ports: u64 = order.iter().map(|&station| port_count(scenario, station)).sum();
    let mut taken: BTreeMap<AlPa, Place> = BTreeMap::new();
    for &station in &order {
        let AlPaChoice::These(given) = choice(scenario, station).clone() else { continue };
        let key = format!("{}.port.al_pa", scenario.station_name(station));
        let count = port_count(scenario, station);
        if given.len() as u64 != count {
            let name = scenario.station_name(station);
            let fault = Fault::new(
                Code::Contradiction,
                places.value(&key),
                format!("{} for the {count} ports of `{name}`", counted(given.len())),
            )
            .label("one AL_PA is needed for each port")
            .help("give a list of as many, or \"auto\"");
            sink.report(&key, fault);
        }
        for (index, &address) in given.iter().enumerate() {
            let place = places.item(&key, index);
            if let Some(&first) = taken.get(&address) {
                let fault =
                    Fault::new(Code::DuplicateAlPa, place, format!("AL_PA {address} is given to two ports"))
                        .label("given again")
                        .help("every port of a loop needs an address of its own; \"auto\" finds free ones");
                sink.report_with(&key, fault, Some((first, "first given here")));
            } else {
                taken.insert(address, place);
            }
        }
        *addresses_of(scenario, station) = given;
    }
    let from = if ports == AlPa::COUNT as u64 { 0 } else { 1 };
    let mut free = AlPa::all().filter(|address| address.value() >= from && !taken.contains_key(address));
    let rank = |station: &StationRef| match station {
        StationRef::Controller(_) => 0,
        StationRef::Drives(_) => 1,
        StationRef::Passive(_) => 2,
    };
    let mut by_rank = order;
    by_rank.sort_by_key(rank);
    for station in by_rank {
        if *choice(scenario, station) == AlPaChoice::Auto {
            let count = port_count(scenario, station) as usize;
            *addresses_of(scenario, station) = free.by_ref().take(count).collect();
        }
    }
}

/// `1 AL_PA` or `3 AL_PAs`.
fn counted(addresses: usize) -> String {
    if addresses == 1 { "1 AL_PA".to_owned() } else { format!("{addresses} AL_PAs") }
}

fn choice(scenario: &Scenario, station: StationRef) -> &AlPaChoice {
    match station {
        StationRef::Controller(index) => &scenario.controllers[index].port.al_pa,
        StationRef::Drives(index) => &scenario.drives[index].port.al_pa,
        StationRef::Passive(index) => &scenario.passives[index].port.al_pa,
    }
}

fn addresses_of(scenario: &mut Scenario, station: StationRef) -> &mut Vec<AlPa> {
    match station {
        StationRef::Controller(index) => &mut scenario.controllers[index].port.al_pas,
        StationRef::Drives(index) => &mut scenario.drives[index].port.al_pas,
        StationRef::Passive(index) => &mut scenario.passives[index].port.al_pas,
    }
}

/// A port cannot promise more buffers than it has.
fn credit(sink: &mut Sink<'_>, places: &Places<'_>, name: &str, credit: u32, buffers: u32) {
    let credit_key = format!("{name}.port.login_credit");
    let buffers_key = format!("{name}.port.incoming_buffers");
    if credit <= buffers || !sink.are_sound(&[&credit_key, &buffers_key]) {
        return;
    }
    let fault = Fault::new(
        Code::Contradiction,
        places.value(&credit_key),
        format!("a login credit of {credit} promises more frames than {buffers} buffers can hold"),
    )
    .label(format!("must be at most incoming_buffers, which is {buffers}"));
    let related = places.node(&buffers_key).map(|node| (node.place, "the buffers"));
    let help = related
        .is_none()
        .then(|| format!("set incoming_buffers to {credit} or more; {buffers} is its default"));
    sink.report_with(&credit_key, fault.maybe_help(help), related);
}

/// A port cannot wait for more frames than its adapter fetches ahead.
fn gathering(sink: &mut Sink<'_>, places: &Places<'_>, name: &str, port: &Port, adapter: &Adapter) {
    let (key, buffers_key) =
        (format!("{name}.port.within_sequence"), format!("{name}.adapter.outgoing_buffers"));
    let WithinSequence::Gather(frames) = port.within_sequence else { return };
    let buffers = adapter.outgoing_buffers;
    if frames <= buffers || !sink.are_sound(&[&key, &buffers_key]) {
        return;
    }
    let fault = Fault::new(
        Code::Contradiction,
        places.value(&key),
        format!(
            "a port that waits for {frames} frames waits for ever, for its adapter fetches {buffers} ahead"
        ),
    )
    .label(format!("must be at most outgoing_buffers, which is {buffers}"));
    let related = places.node(&buffers_key).map(|node| (node.place, "the frames that are fetched ahead"));
    let help =
        related.is_none().then(|| format!("set {buffers_key} to {frames} or more; {buffers} is its default"));
    sink.report_with(&key, fault.maybe_help(help), related);
}

/// Whether an I/O fits on a drive.
fn room(sink: &mut Sink<'_>, places: &Places<'_>, workload: &Workload, drives: &DriveGroup) {
    let (size_key, capacity_key) = (format!("{}.size", workload.name), format!("{}.capacity", drives.name));
    if workload.size > drives.capacity && sink.are_sound(&[&size_key, &capacity_key]) {
        let fault = Fault::new(
            Code::Contradiction,
            places.value(&size_key),
            format!("an I/O of {} B is larger than a drive of `{}`", workload.size, drives.name),
        )
        .label(format!("the drives hold {} B each", drives.capacity))
        .help(format!("give a smaller size, or a larger {capacity_key}"));
        sink.report(&size_key, fault);
    }
}

/// In a pass each drive has I/Os of its own.
fn passes(sink: &mut Sink<'_>, places: &Places<'_>, workload: &Workload) {
    let (pass_key, per_key) =
        (format!("{}.ios_per_pass", workload.name), format!("{}.queue_depth_per", workload.name));
    let in_all = workload.queue_depth_per == QueueDepthPer::All;
    if workload.ios_per_pass.is_some() && in_all && sink.are_sound(&[&pass_key, &per_key]) {
        let fault = Fault::new(
            Code::Contradiction,
            places.value(&pass_key),
            "in a pass each drive has I/Os of its own, but here they go to random drives",
        )
        .label("I/Os to each drive")
        .help(format!("set {per_key} = \"drive\", or {pass_key} = \"unlimited\""));
        sink.report_with(&pass_key, fault, Some((places.value(&per_key), "random drives")));
    }
}

/// The cache serves one command at a time.
fn cache(sink: &mut Sink<'_>, places: &Places<'_>, drives: &DriveGroup) {
    let (cache_key, concurrency_key) =
        (format!("{}.cache", drives.name), format!("{}.concurrency", drives.name));
    if drives.cache.is_none() || drives.concurrency == 1 || !sink.are_sound(&[&cache_key, &concurrency_key]) {
        return;
    }
    let fault = Fault::new(
        Code::NotBuilt,
        places.value(&concurrency_key),
        "a drive with a cache works on one command at a time in this version",
    )
    .label(format!("{} commands at a time", drives.concurrency))
    .help(format!("leave out {concurrency_key}, or {cache_key}"));
    sink.report_with(&concurrency_key, fault, Some((places.value(&cache_key), "the cache")));
}

/// Most workloads of a scenario, so that each has a rank of its own among what happens at one moment
/// (`sansim_kernel::Order::RANKS`).
const MOST_WORKLOADS: usize = 10_000;

/// Whether there are few enough workloads.
fn count_workloads(sink: &mut Sink<'_>, places: &Places<'_>, scenario: &Scenario) {
    let Some(first) = scenario.workloads.get(MOST_WORKLOADS) else { return };
    let message = format!("{} workloads, but {MOST_WORKLOADS} are the most", scenario.workloads.len());
    let fault = Fault::new(Code::OutOfRange, places.header(&first.name), message)
        .label("the first that is too many")
        .help("give a workload a larger queue_depth, or several groups of drives to go to");
    sink.report(&first.name, fault);
}

fn workloads(
    sink: &mut Sink<'_>,
    places: &Places<'_>,
    components: &[Component<'_>],
    scenario: &mut Scenario,
) {
    let unread =
        |name: &str| components.iter().any(|component| component.name() == name && component.kind.is_empty());
    for at in 0..scenario.workloads.len() {
        let workload = &scenario.workloads[at];
        let (from_key, to_key) = (format!("{}.from", workload.name), format!("{}.to", workload.name));
        let mut controller = 0;
        if sink.are_sound(&[&from_key]) && !unread(&workload.from) {
            match scenario.controllers.iter().position(|controller| controller.name == workload.from) {
                Some(index) => controller = index,
                None => {
                    let place = places.value(&from_key);
                    sink.report(
                        &from_key,
                        unknown_name(place, &workload.from, components, &["controller"], "a controller"),
                    );
                }
            }
        }
        let mut drives = Vec::new();
        if sink.are_sound(&[&to_key]) {
            for (index, name) in workload.to.iter().enumerate() {
                let place = places.item(&to_key, index);
                let group = scenario.drives.iter().position(|group| group.name == *name);
                if let Some(first) = workload.to[..index].iter().position(|other| other == name) {
                    let fault =
                        Fault::new(Code::NamedTwice, place, format!("`{}` is named twice", printable(name)))
                            .label("named again");
                    sink.report_with(&to_key, fault, Some((places.item(&to_key, first), "first named here")));
                } else if let Some(group) = group {
                    room(sink, places, workload, &scenario.drives[group]);
                    transfers::of_ios(sink, places, workload, &scenario.drives[group]);
                    drives.push(group);
                } else if !unread(name) {
                    sink.report(
                        &to_key,
                        unknown_name(place, name, components, &["drives"], "a group of drives"),
                    );
                }
            }
        }
        let drives_in_all: u64 = drives.iter().map(|&group| u64::from(scenario.drives[group].count)).sum();
        let count_keys: Vec<String> = workload.to.iter().map(|name| format!("{name}.count")).collect();
        let count_keys: Vec<&str> = count_keys.iter().map(String::as_str).collect();
        if drives_in_all == 0 && !drives.is_empty() && sink.are_sound(&count_keys) {
            let fault = Fault::new(
                Code::Contradiction,
                places.value(&to_key),
                format!("`{}` has no drive to go to", workload.name),
            )
            .label("these groups have no drives")
            .help("set their count, or name another group");
            sink.report(&to_key, fault);
        }
        passes(sink, places, workload);
        let workload = &mut scenario.workloads[at];
        workload.controller = controller;
        workload.drives = drives;
    }
}
