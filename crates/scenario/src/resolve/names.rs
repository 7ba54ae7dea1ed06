//! The names in which components refer to each other, and unknown names.

use std::ops::Range;

use sansim_registry::{ComponentCategory, ReferenceRelation};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;
use sansim_schema::source::SourceRange;
use sansim_schema::suggest::{nearest, shortened_for_print, words_in_prose};

use super::{Components, chosen, dotted};

/// All names of a scenario, resolved.
#[derive(Default)]
pub(super) struct Names {
    /// Ports at networks, in the order of the networks and of their lists.
    pub stations: Vec<Stands>,
    /// Components that join each other.
    pub joins: Vec<Join>,
}

/// A resolved name in a list of stations.
pub(super) struct Stands {
    /// The network.
    pub network: usize,
    /// The index of the name in its list.
    pub index: usize,
    /// The component that has the port.
    pub component: usize,
    /// The number of the port in its component.
    pub port: usize,
}

/// A component that names another component, with the relation of both.
#[derive(Clone)]
pub(super) struct Join {
    /// The component that names the other.
    pub from: usize,
    /// The named component.
    pub to: usize,
    /// The relation of both components.
    pub how: ReferenceRelation,
    /// The key that contains the name.
    pub key: &'static str,
    /// The index of the name in the key.
    pub index: usize,
    /// The members that the name chooses; none if the name means all members.
    pub chosen: Option<Range<u32>>,
}

impl Join {
    /// The members that the name means.
    pub fn named_members(&self, components: &Components<'_>) -> Range<u32> {
        self.chosen.clone().unwrap_or(0..components.count(self.to))
    }

    /// The dotted path of the key.
    pub fn key_path(&self, components: &Components<'_>) -> String {
        dotted(components.name(self.from), self.key)
    }

    /// The place of the name in the file.
    pub fn name_position(&self, components: &Components<'_>) -> SourceRange {
        components.places.item_position(&self.key_path(components), self.index)
    }
}

impl Names {
    /// The joins of a component with this relation.
    pub fn joins_with_relation(
        &self,
        component: usize,
        how: ReferenceRelation,
    ) -> impl Iterator<Item = &Join> {
        self.joins_of_component(component).filter(move |join| join.how == how)
    }

    /// The joins by which a component sends requests to devices itself.
    pub fn request_joins(&self, component: usize) -> impl Iterator<Item = &Join> {
        self.joins_of_component(component)
            .filter(|join| join.is_request_join() || join.how == ReferenceRelation::Shares)
    }

    /// The joins by which a component has devices behind it, for its own requests or for those of clients with its leases.
    pub fn device_joins(&self, component: usize) -> impl Iterator<Item = &Join> {
        self.joins_of_component(component).filter(|join| join.is_device_join())
    }

    /// All joins of a component, which are adjacent.
    pub fn joins_of_component(&self, component: usize) -> impl Iterator<Item = &Join> {
        let first = self.joins.partition_point(|join| join.from < component);
        self.joins[first..].iter().take_while(move |join| join.from == component)
    }
}

impl Join {
    /// Whether the naming component sends requests to the named one, as its only user.
    pub fn is_request_join(&self) -> bool {
        matches!(self.how, ReferenceRelation::Attached | ReferenceRelation::Behind)
    }

    /// Whether the naming component makes devices of its own of the named devices.
    pub fn is_device_join(&self) -> bool {
        self.is_request_join() || matches!(self.how, ReferenceRelation::Shares | ReferenceRelation::Manages)
    }
}

/// Resolves all names.
pub(super) fn resolve(sink: &mut ProblemSink<'_>, components: &Components<'_>) -> Names {
    let mut names = Names::default();
    for component in components.numbers() {
        for reference in components.described[component].kind_behaviour().references() {
            let key = dotted(components.name(component), reference.key);
            if !sink.all_readable(&[&key]) {
                continue;
            }
            for (index, name) in reference.names.iter().enumerate() {
                let place = components.places.item_position(&key, index);
                if let Some(first) = reference.names[..index].iter().position(|other| other == name) {
                    let network = components.kind(component).category == ComponentCategory::Network;
                    let twice = if network { "is on the loop twice" } else { "is named twice" };
                    let fault = Diagnostic::new(
                        codes::NAMED_TWICE,
                        place,
                        format!("`{}` {twice}", shortened_for_print(name)),
                    )
                    .with_label("named again");
                    let first = (components.places.item_position(&key, first), "first named here");
                    sink.report_with(&key, fault, Some(first));
                } else if !is_unread(components, name) {
                    let found = match reference.joins {
                        ReferenceRelation::Stations => {
                            station(components, name, place).map(|(other, port)| {
                                names.stations.push(Stands {
                                    network: component,
                                    index,
                                    component: other,
                                    port,
                                });
                            })
                        }
                        how => partner(components, name, place, how).and_then(|(to, chosen)| {
                            let join = Join { from: component, to, how, key: reference.key, index, chosen };
                            let again = named_again(components, &names, &join, place);
                            names.joins.push(join);
                            again.map_or(Ok(()), Err)
                        }),
                    };
                    if let Err(fault) = found {
                        sink.report(&key, *fault);
                    }
                }
            }
        }
    }
    names
}

/// Whether a component with this name has an unreadable kind: then the name may be right.
fn is_unread(components: &Components<'_>, name: &str) -> bool {
    let name = name.split(['.', '[']).next().unwrap_or("");
    components.unread.contains(name)
}

/// The names of a component's ports as lists of stations have them.
fn port_names(components: &Components<'_>, component: usize) -> Vec<String> {
    let ports = components.members[component].ports.iter();
    ports.map(|port| dotted(components.name(component), &port.path)).collect()
}

/// The port with this name.
fn station(
    components: &Components<'_>,
    name: &str,
    place: SourceRange,
) -> Result<(usize, usize), Box<Diagnostic>> {
    let owner = name.split('.').next().unwrap_or("");
    let Some(component) = components.find(owner) else {
        return Err(unknown(components, name, place, ReferenceRelation::Stations));
    };
    let ports = port_names(components, component);
    if let Some(port) = ports.iter().position(|port| port == name) {
        return Ok((component, port));
    }
    if ports.is_empty() {
        return Err(unknown(components, owner, place, ReferenceRelation::Stations));
    }
    let known = words_in_prose(ports.iter().map(String::as_str));
    let message = match ports.len() {
        _ if owner != name => format!("`{owner}` has no port `{}`", shortened_for_print(name)),
        1 => format!("the port of `{owner}` has a name"),
        _ => format!("`{owner}` has several ports"),
    };
    let fault = Diagnostic::new(codes::UNKNOWN_NAME, place, message).with_label("needs the name of a port");
    Err(Box::new(fault.with_help(format!("its ports are {known}"))))
}

/// The categories of components that fit a relation.
fn fitting(how: ReferenceRelation) -> (&'static [ComponentCategory], &'static str) {
    match how {
        ReferenceRelation::Stations => (
            &[
                ComponentCategory::Host,
                ComponentCategory::Device,
                ComponentCategory::Crossing,
                ComponentCategory::Ip,
                ComponentCategory::Passive,
            ],
            "a component with ports",
        ),
        ReferenceRelation::Through => (&[ComponentCategory::Host], "a host"),
        ReferenceRelation::Devices
        | ReferenceRelation::Attached
        | ReferenceRelation::Behind
        | ReferenceRelation::Manages => (&[ComponentCategory::Device], "a device"),
        ReferenceRelation::Shares => (&[ComponentCategory::Device], "a metadata controller"),
        ReferenceRelation::Inside => (&[ComponentCategory::Device], "a controller"),
        ReferenceRelation::Sends => (&[ComponentCategory::Ip], "an IP port"),
    }
}

/// The component with this name, to be joined, and the members that the name chooses, if it chooses some.
fn partner(
    components: &Components<'_>,
    name: &str,
    place: SourceRange,
    how: ReferenceRelation,
) -> Result<(usize, Option<Range<u32>>), Box<Diagnostic>> {
    let (whole, brackets) = match how {
        // Only a workload chooses members; other components name whole groups.
        ReferenceRelation::Devices => chosen::parts_of(name),
        _ => (name, None),
    };
    match components.find(whole) {
        Some(found) if fitting(how).0.contains(&components.kind(found).category) => {
            let members = brackets
                .map(|brackets| chosen::members(components, found, brackets, &shortened_for_print(name)));
            members.transpose().map(|members| (found, members)).map_err(|(message, help)| {
                let fault = Diagnostic::new(codes::UNKNOWN_NAME, place, message);
                Box::new(fault.with_label("needs a group, or members of one").with_help(help))
            })
        }
        _ => Err(unknown(components, whole, place, how)),
    }
}

/// The error of a name some of whose members are also in an earlier name of the same key.
fn named_again(
    components: &Components<'_>,
    names: &Names,
    join: &Join,
    place: SourceRange,
) -> Option<Box<Diagnostic>> {
    let own = join.named_members(components);
    let overlaps = |other: &&Join| {
        let members = other.named_members(components);
        other.to == join.to && other.key == join.key && members.start < own.end && own.start < members.end
    };
    if join.how != ReferenceRelation::Devices {
        return None;
    }
    // A name that occurs twice has been reported.
    names.joins_of_component(join.from).find(overlaps).filter(|other| other.chosen != join.chosen)?;
    let message = format!("some members of `{}` are named twice", components.name(join.to));
    Some(Box::new(
        Diagnostic::new(codes::NAMED_TWICE, place, message).with_label("some of these are named before"),
    ))
}

/// The error of a name for which no fitting component exists.
fn unknown(
    components: &Components<'_>,
    name: &str,
    place: SourceRange,
    how: ReferenceRelation,
) -> Box<Diagnostic> {
    let (categories, needed) = fitting(how);
    let shown = shortened_for_print(name);
    let candidates: Vec<String> = components
        .numbers()
        .filter(|&component| categories.contains(&components.kind(component).category))
        .flat_map(|component| match how {
            ReferenceRelation::Stations => port_names(components, component),
            _ => vec![components.name(component).to_owned()],
        })
        .collect();
    let candidates = || candidates.iter().map(String::as_str);
    let owner =
        name.split('.').next().filter(|owner| *owner != name).and_then(|owner| components.find(owner));
    let message = match (components.find(name), owner) {
        (Some(other), _) => {
            format!("`{shown}` is {}, but {needed} is needed here", components.kind(other).noun)
        }
        (None, Some(owner)) if how != ReferenceRelation::Stations => {
            format!("`{shown}` is a port of `{}`, but {needed} is needed here", components.name(owner))
        }
        _ => format!("there is no component `{shown}`"),
    };
    let help = match nearest(name, candidates()) {
        Some(near) if near != name => format!("did you mean `{near}`?"),
        _ if candidates().next().is_none() => {
            format!("the scenario has nothing of this kind; {needed} is needed")
        }
        _ => format!("known here: {}", words_in_prose(candidates())),
    };
    Box::new(
        Diagnostic::new(codes::UNKNOWN_NAME, place, message)
            .with_label(format!("needs the name of {needed}"))
            .with_help(help),
    )
}
