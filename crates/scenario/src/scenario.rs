//! A scenario as a whole: reading it from text, and what the components add up to.

use sansim_kernel::Span;

use crate::check;
use crate::codes::Code;
use crate::model::{ArbitratedLoop, Controller, DriveGroup, Fcp, PassiveGroup, Run, Workload};
use crate::not_modelled;
use crate::quantity::{Context, Fault, Quantity, Text};
use crate::reach;
use crate::report::Report;
use crate::source::{COMMAND_LINE, Place, Sources};
use crate::suggest::{nearest, one_of};
use crate::table::{Reader, Sink, TableDoc, Tabular, printable};
use crate::tree::{Entry, Node, Table, Value, apply_override, parse_file};
use crate::values::{Delay, Length};
use sansim_fc::al_pa::AlPa;
use sansim_fc::speed::Speed;

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
    pub fcp: Fcp,
    /// The loop.
    pub arbitrated_loop: ArbitratedLoop,
    /// The initiators, in the order of the file; at least one.
    pub controllers: Vec<Controller>,
    /// The groups of drives, in the order of the file; at least one.
    pub drives: Vec<DriveGroup>,
    /// The groups of ports that only repeat, in the order of the file.
    pub passives: Vec<PassiveGroup>,
    /// The workloads, in the order of the file; at least one.
    pub workloads: Vec<Workload>,
}

/// A component with ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StationRef {
    /// Index in [`Scenario::controllers`].
    Controller(usize),
    /// Index in [`Scenario::drives`].
    Drives(usize),
    /// Index in [`Scenario::passives`].
    Passive(usize),
}

/// One port of the loop with all that its place on the loop decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortSite {
    /// The component it belongs to.
    pub station: StationRef,
    /// Which port of the component it is, from 0.
    pub index: u32,
    /// Its address.
    pub al_pa: AlPa,
    /// From a word entering the port to the same word leaving it.
    pub delay: Span,
    /// Time a signal takes along the cable to the next port downstream.
    pub cable: Span,
}

/// The kinds of components, as they are written in files.
pub(crate) struct Kind {
    pub word: &'static str,
    /// What a component of this kind is, with its article.
    pub noun: &'static str,
    pub describe: fn() -> TableDoc,
}

/// Every kind of component.
pub(crate) const KINDS: &[Kind] = &[
    Kind { word: "arbitrated-loop", noun: "a loop", describe: ArbitratedLoop::describe },
    Kind { word: "controller", noun: "a controller", describe: Controller::describe },
    Kind { word: "drives", noun: "a group of drives", describe: DriveGroup::describe },
    Kind { word: "passive", noun: "a group of passive ports", describe: PassiveGroup::describe },
    Kind { word: "closed", noun: "a workload", describe: Workload::describe },
];

/// The top-level keys that are no components, with their meaning.
pub(crate) const RESERVED: &[(&str, &str)] = &[
    ("title", "One line that names the scenario in results."),
    ("description", "What the scenario is for; any number of lines."),
    ("run", "How long to run and what to measure."),
    ("fcp", "Payload sizes of the information units."),
];

impl Scenario {
    /// Reads a scenario from TOML text. `source` names the text in messages; usually it is the path of the file.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the text.
    pub fn parse(text: &str, source: &str) -> Result<Scenario, Report> {
        Scenario::parse_with(text, source, &[])
    }

    /// [`Scenario::parse`], after some values have been replaced: `("workload.size", "64 KiB")`. A value that is valid
    /// TOML counts as that, any other as text. Keys may be set that the file does not have.
    ///
    /// # Errors
    /// Everything that is wrong with the text and the overrides.
    pub fn parse_with(text: &str, source: &str, overrides: &[(String, String)]) -> Result<Scenario, Report> {
        Scenario::parse_given_by(text, source, overrides, COMMAND_LINE)
    }

    /// [`Scenario::parse_with`], for overrides that were not given with `--set`: messages call their place `given_by`.
    ///
    /// # Errors
    /// Everything that is wrong with the text and the overrides.
    pub fn parse_given_by(
        text: &str,
        source: &str,
        overrides: &[(String, String)],
        given_by: &str,
    ) -> Result<Scenario, Report> {
        let sources = Sources::new(source, text, overrides, given_by);
        let mut sink = Sink::new(&sources);
        let scenario = read_all(&mut sink, text, overrides);
        match scenario {
            Some(scenario) if sink.problems.is_empty() => Ok(scenario),
            _ => {
                let mut problems = sink.problems;
                problems.sort_by_key(|(place, problem)| (*place, problem.code));
                let problems = problems.into_iter().map(|(_, problem)| problem).collect();
                Err(Report { source: source.to_owned(), problems })
            }
        }
    }

    /// Every port in the order in which words pass them, starting with the first station.
    ///
    /// Addresses that are not given are found so: AL_PA 01 to EF in this order to the controllers, then to the drives,
    /// then to the passive ports, each in the order of the loop, leaving out those that are given. 00, the address of a
    /// fabric's port, comes first of all if the loop has 127 ports, and is not used otherwise.
    pub fn ports(&self) -> Vec<PortSite> {
        let mut ports = Vec::new();
        for &station in &self.arbitrated_loop.order {
            let (al_pas, delay, cable) = match station {
                StationRef::Controller(index) => {
                    let port = &self.controllers[index].port;
                    (&port.al_pas, port.delay, port.cable)
                }
                StationRef::Drives(index) => {
                    let port = &self.drives[index].port;
                    (&port.al_pas, port.delay, port.cable)
                }
                StationRef::Passive(index) => {
                    let port = &self.passives[index].port;
                    (&port.al_pas, port.delay, port.cable)
                }
            };
            let cable = self.arbitrated_loop.propagation.delay(cable);
            ports.extend((0..).zip(al_pas).map(|(index, &al_pa)| PortSite {
                station,
                index,
                al_pa,
                delay: delay.span,
                cable,
            }));
        }
        ports
    }

    /// What is allowed and probably not meant, a line each. The simulation is the same with it or without.
    pub fn warnings(&self) -> Vec<String> {
        reach::warning(self).into_iter().collect()
    }

    /// Name of a component with ports.
    pub fn station_name(&self, station: StationRef) -> &str {
        match station {
            StationRef::Controller(index) => &self.controllers[index].name,
            StationRef::Drives(index) => &self.drives[index].name,
            StationRef::Passive(index) => &self.passives[index].name,
        }
    }

    /// What the quantities of this scenario need to know of its loop.
    pub(crate) fn context(&self) -> Context {
        context_of(&self.arbitrated_loop)
    }
}

/// The loop's settings that other components refer to.
fn context_of(arbitrated_loop: &ArbitratedLoop) -> Context {
    Context {
        word_time: arbitrated_loop.word_time(),
        port_delay: arbitrated_loop.port_delay,
        cable: arbitrated_loop.cable,
    }
}

/// A context for the time before the loop is read.
pub(crate) fn first_context() -> Context {
    let port_delay = Delay { span: Span::ZERO, in_words: false };
    Context { word_time: Speed::G1.word_time(), port_delay, cable: Length::from_um(0) }
}

/// Reads everything; what is wrong goes to the sink. `None` if the text is too broken to go on.
fn read_all(sink: &mut Sink<'_>, text: &str, overrides: &[(String, String)]) -> Option<Scenario> {
    let mut faults = Vec::new();
    let mut root = parse_file(text, &mut faults);
    // A broken text makes good keys look missing; only a repeated key leaves the rest as it is.
    let broken = faults.iter().any(|fault| fault.code == Code::Syntax);
    for (index, (key, value)) in overrides.iter().enumerate() {
        let settings = keys_of_settings(&root, key);
        if let Err(mut fault) =
            apply_override(&mut root, sink.sources, index + 1, key.len(), settings.is_some())
        {
            if fault.code == Code::NotATable {
                fault.help = fitting_keys(settings.unwrap_or_default(), text, value);
            }
            faults.push(*fault);
        }
    }
    for fault in faults {
        let key = printable(&fault.key);
        let related = fault.related;
        sink.report_with(
            &key,
            Fault::new(fault.code, fault.place, fault.message).maybe_help(fault.help),
            related,
        );
    }
    if broken {
        return None;
    }
    if root.entries.is_empty() {
        let fault = Fault::new(Code::Empty, Place::FILE, "there is nothing in this file")
            .help("a scenario needs a loop, a controller, drives and a workload; docs/scenario-reference.md has an example");
        sink.report("", fault);
        return None;
    }

    let first = first_context();
    let title = read_text(sink, &root, "title");
    let description = read_text(sink, &root, "description");
    let run = read_reserved(sink, &first, &root, "run");
    let fcp = read_reserved(sink, &first, &root, "fcp");

    let components = components(sink, &root);
    let mut loops = components.iter().filter(|component| component.kind == "arbitrated-loop");
    let arbitrated_loop = loops.next().map(|component| {
        // The loop's delays may be in words of its own word time, so that is found out before, with another sink.
        let word_time = component.read::<ArbitratedLoop>(&mut Sink::new(sink.sources), &first).word_time();
        let own = Context { word_time, ..first.clone() };
        let mut arbitrated_loop: ArbitratedLoop = component.read(sink, &own);
        arbitrated_loop.name = component.name().to_owned();
        arbitrated_loop
    });
    let context = arbitrated_loop.as_ref().map_or(first, context_of);

    let mut controllers: Vec<Controller> = Vec::new();
    let mut drives: Vec<DriveGroup> = Vec::new();
    let mut passives: Vec<PassiveGroup> = Vec::new();
    let mut workloads: Vec<Workload> = Vec::new();
    for component in &components {
        let name = component.name().to_owned();
        match component.kind {
            "controller" => controllers.push(Controller { name, ..component.read(sink, &context) }),
            "drives" => drives.push(DriveGroup { name, ..component.read(sink, &context) }),
            "passive" => passives.push(PassiveGroup { name, ..component.read(sink, &context) }),
            "closed" => workloads.push(Workload { name, ..component.read(sink, &context) }),
            _ => {}
        }
    }
    check::completeness(sink, &components);
    let arbitrated_loop = arbitrated_loop?;
    let mut scenario =
        Scenario { title, description, run, fcp, arbitrated_loop, controllers, drives, passives, workloads };
    check::resolve(sink, &root, &components, &mut scenario);
    Some(scenario)
}

/// Stands for the content of a component that has none.
static NOTHING: Table = Table { entries: Vec::new() };

/// A top-level table with its kind.
pub(crate) struct Component<'r> {
    pub entry: &'r Entry,
    table: &'r Table,
    /// The word of one of [`KINDS`], or empty if the kind is not known.
    pub kind: &'static str,
}

impl Component<'_> {
    pub fn name(&self) -> &str {
        &self.entry.key
    }

    fn read<T: Tabular>(&self, sink: &mut Sink<'_>, context: &Context) -> T {
        let (path, header) = (self.entry.key.as_str(), self.entry.key_place);
        T::read(&mut Reader { sink, context, path, table: Some(self.table), header, also_known: &["kind"] })
    }
}

fn read_text(sink: &mut Sink<'_>, root: &Table, key: &str) -> String {
    let Some(entry) = root.get(key) else { return String::new() };
    Text.read(&entry.node, &first_context()).unwrap_or_else(|faults| {
        for fault in faults {
            sink.report(key, fault);
        }
        String::new()
    })
}

fn read_reserved<T: Tabular>(sink: &mut Sink<'_>, context: &Context, root: &Table, key: &str) -> T {
    Reader { sink, context, path: "", table: Some(root), header: Place::FILE, also_known: &[] }.table(key)
}

/// The top-level tables that are components. What is none, or of no known kind, is reported.
fn components<'r>(sink: &mut Sink<'_>, root: &'r Table) -> Vec<Component<'r>> {
    let mut components = Vec::new();
    for entry in &root.entries {
        let key = entry.key.as_str();
        if RESERVED.iter().any(|(reserved, _)| *reserved == key) {
            continue;
        }
        let shown = printable(key);
        let Value::Table(table) = &entry.node.value else {
            let fault = not_a_component(root, entry);
            sink.report(&shown, fault);
            if matches!(entry.node.value, Value::List(_)) || is_named(root, key) {
                // Its name is known all the same, so that no one else is blamed for using it.
                components.push(Component { entry, table: &NOTHING, kind: "" });
            }
            continue;
        };
        if key.is_empty()
            || !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        {
            let fault = Fault::new(
                Code::BadName,
                entry.key_place,
                format!("`{shown}` cannot be the name of a component"),
            )
            .label("use letters, digits, `-` and `_`");
            sink.report(&shown, fault);
        }
        let kind = read_kind(sink, root, entry, table).unwrap_or("");
        components.push(Component { entry, table, kind });
    }
    components
}

/// Whether any component refers to another one of this name.
fn is_named(root: &Table, name: &str) -> bool {
    let names = |node: &Node| match &node.value {
        Value::List(items) => items.iter().any(|item| item.text() == Some(name)),
        _ => node.text() == Some(name),
    };
    root.entries.iter().any(|entry| match &entry.node.value {
        Value::Table(table) => table
            .entries
            .iter()
            .any(|inner| matches!(inner.key.as_str(), "stations" | "from" | "to") && names(&inner.node)),
        _ => false,
    })
}

/// The kind of a component, or a report.
fn read_kind(sink: &mut Sink<'_>, root: &Table, entry: &Entry, table: &Table) -> Option<&'static str> {
    let words = || KINDS.iter().map(|kind| kind.word);
    let (key, name) = (format!("{}.kind", printable(&entry.key)), printable(&entry.key));
    let Some(kind) = table.get("kind") else {
        // An override of a component that does not exist is a misspelt name, not a component without a kind.
        let fault = if entry.key_place.text > 0 {
            Fault::new(
                Code::UnknownName,
                entry.key_place,
                format!("there is no component `{name}` to set a key of"),
            )
            .label("unknown component")
            .help(did_you_mean_top_level(root, entry))
        } else {
            let near = nearest(&entry.key, RESERVED.iter().map(|(reserved, _)| *reserved));
            let help = match near {
                Some(near) if near != entry.key => {
                    format!("did you mean [{near}]? A component needs a kind: {}", one_of(words()))
                }
                _ => format!("add kind = one of {}", one_of(words())),
            };
            Fault::new(Code::MissingKey, entry.key_place, format!("`{name}` lacks the key `kind`"))
                .label("which kind of component is this?")
                .help(help)
        };
        sink.report(if entry.key_place.text > 0 { &name } else { &key }, fault);
        return None;
    };
    let text = kind.node.text().unwrap_or("").trim();
    let found = words().find(|word| *word == text);
    if found.is_none() {
        let (code, message) = match kind.node.text() {
            Some(text) => (Code::UnknownKind, format!("there is no kind of component `{}`", printable(text))),
            None => (
                Code::WrongType,
                format!("{} stands where the kind of a component is needed", kind.node.noun()),
            ),
        };
        let near = nearest(text, words()).or_else(|| not_modelled::kind_meant(text));
        let fault = not_modelled::fault(text, kind.node.place).unwrap_or_else(|| {
            Fault::new(code, kind.node.place, message)
                .label(format!("must be {}", one_of(words())))
                .maybe_help(near.map(|near| format!("did you mean \"{near}\"?")))
        });
        sink.report(&key, fault);
    }
    found
}

/// A top-level key that holds a value: it belongs into a table, or it is unknown.
fn not_a_component(root: &Table, entry: &Entry) -> Fault {
    let key = printable(&entry.key);
    match &entry.node.value {
        value if !matches!(value, Value::List(_)) && is_named(root, &entry.key) => Fault::new(
            Code::NotATable,
            entry.node.place,
            format!("`{key}` is a component, so a table of settings, not {}", entry.node.noun()),
        )
        .label(format!("the settings stand below [{key}]")),
        Value::List(_) => Fault::new(
            Code::NotATable,
            entry.key_place,
            format!("`{key}` is a list, but a component is a single table"),
        )
        .label(format!("write [{key}], with one pair of brackets"))
        .help("for several equal drives use `count`; for different ones give each group a name"),
        _ => {
            let home = homes_of(root, &entry.key);
            let help = match home.as_slice() {
                [] => did_you_mean_top_level(root, entry),
                homes => format!("did you mean {}?", one_of(homes.iter().map(String::as_str))),
            };
            Fault::new(
                Code::UnknownKey,
                entry.key_place,
                format!("there is no key `{key}` outside of the tables"),
            )
            .label("unknown key")
            .help(help)
        }
    }
}

/// The full paths of keys of this name in the components of the file.
fn homes_of(root: &Table, key: &str) -> Vec<String> {
    let mut homes = Vec::new();
    let reserved = [("run", Run::describe as fn() -> TableDoc), ("fcp", Fcp::describe)];
    for (name, describe) in reserved {
        homes.extend(describe().paths().into_iter().map(|path| format!("{name}.{path}")));
    }
    for entry in &root.entries {
        let Value::Table(table) = &entry.node.value else { continue };
        let word = table.get("kind").and_then(|kind| kind.node.text()).unwrap_or("");
        if let Some(kind) = KINDS.iter().find(|kind| kind.word == word) {
            homes.extend((kind.describe)().paths().into_iter().map(|path| format!("{}.{path}", entry.key)));
        }
    }
    homes.retain(|path| path.rsplit('.').next() == Some(key));
    homes.truncate(4);
    homes
}

/// The keys of the table of settings at a path, in full; `None` if there stands none. An inline table that is a value,
/// as a distribution, is none.
fn keys_of_settings(root: &Table, path: &str) -> Option<Vec<String>> {
    let (top, below) = path.split_once('.').map_or((path, None), |(top, below)| (top, Some(below)));
    let described = match top {
        "run" => Run::describe(),
        "fcp" => Fcp::describe(),
        _ => {
            let Value::Table(table) = &root.get(top)?.node.value else { return None };
            let word = table.get("kind").and_then(|kind| kind.node.text()).unwrap_or("");
            match KINDS.iter().find(|kind| kind.word == word) {
                Some(kind) => (kind.describe)(),
                None => return below.is_none().then(Vec::new),
            }
        }
    };
    let table = match below {
        None => described,
        Some(below) => described.tables.into_iter().find(|(name, _)| *name == below)?.1,
    };
    Some(table.fields.iter().map(|field| format!("{path}.{}", field.name)).collect())
}

/// `did you mean disks.count=4?` for `disks=4`: the keys of a table to which a value could be given.
fn fitting_keys(keys: Vec<String>, text: &str, value: &str) -> Option<String> {
    let takes = |key: &String| {
        let overrides = [(key.clone(), value.to_owned())];
        let wrong = Scenario::parse_with(text, "", &overrides).err();
        wrong.is_none_or(|report| report.problems.iter().all(|problem| problem.key != *key))
    };
    let fitting: Vec<String> =
        keys.into_iter().filter(takes).take(3).map(|key| format!("{key}={value}")).collect();
    (!fitting.is_empty()).then(|| format!("did you mean {}?", one_of(fitting.iter().map(String::as_str))))
}

/// The nearest top-level name, or all of them.
fn did_you_mean_top_level(root: &Table, wrong: &Entry) -> String {
    let names = || {
        let tables = root.entries.iter().filter(|entry| matches!(entry.node.value, Value::Table(_)));
        let tables = tables.filter(|entry| entry.key != wrong.key && entry.key_place.text == 0);
        RESERVED
            .iter()
            .map(|(name, _)| *name)
            .filter(|name| root.get(name).is_none())
            .chain(tables.map(|entry| entry.key.as_str()))
    };
    match nearest(&wrong.key, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here: {}", one_of(names())),
    }
}
