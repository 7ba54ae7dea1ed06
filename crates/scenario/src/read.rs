//! Reading a scenario from text.

use std::path::Path;

use sansim_schema::codes;
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::quantities::Text;
use sansim_schema::quantity::Quantity;
use sansim_schema::reader::Reader;
use sansim_schema::report::ProblemReport;
use sansim_schema::sink::ProblemSink;
use sansim_schema::source::{COMMAND_LINE, SourceRange, SourceTexts};
use sansim_schema::suggest::words_in_prose;
use sansim_schema::table::Tabular;
use sansim_schema::tree::{Table, TreeFault, Value, parse_file};

use crate::change::find_changes;
use crate::component::components;
use crate::event::ScenarioEvent;
use crate::graph::Graph;
use crate::grid;
use crate::reserved::is_reserved;
use crate::resolve;
use crate::scenario::Scenario;
use crate::settings::{apply_override, keys_of_settings};
use crate::surroundings::read_components;
use crate::template;

impl Scenario {
    /// Reads a scenario from TOML text. `source` names the text in messages; usually it is the path of the file.
    ///
    /// # Errors
    /// All problems of the text, in its order.
    pub fn parse_text(text: &str, source: &str) -> Result<Scenario, ProblemReport> {
        Scenario::parse_with(text, source, &[])
    }

    /// Parses a scenario as [`Scenario::parse_text`], after some values have been replaced: `("workload.size", "64 KiB")`. A value that is valid
    /// TOML is used as TOML, any other as text. Keys may be set that the file does not have.
    ///
    /// # Errors
    /// All problems of the text and the overrides.
    pub fn parse_with(
        text: &str,
        source: &str,
        overrides: &[(String, String)],
    ) -> Result<Scenario, ProblemReport> {
        Scenario::parse_given_by(text, source, overrides, COMMAND_LINE)
    }

    /// Parses a scenario as [`Scenario::parse_with`], for overrides that were not given with `--set`: messages call their place `given_by`.
    ///
    /// # Errors
    /// All problems of the text and the overrides.
    pub fn parse_given_by(
        text: &str,
        source: &str,
        overrides: &[(String, String)],
        given_by: &str,
    ) -> Result<Scenario, ProblemReport> {
        Scenario::parse_in(Path::new(""), text, source, overrides, given_by)
    }

    /// Parses a scenario as [`Scenario::parse_given_by`], for a text that names files relative to a folder.
    ///
    /// # Errors
    /// All problems of the text and the overrides.
    pub fn parse_in(
        folder: &Path,
        text: &str,
        source: &str,
        overrides: &[(String, String)],
        given_by: &str,
    ) -> Result<Scenario, ProblemReport> {
        let sources = SourceTexts::new(source, text, overrides, given_by);
        let mut sink = ProblemSink::new(&sources);
        let scenario = read_all(&mut sink, text, overrides, folder);
        match scenario {
            Some(scenario) if sink.is_empty() => Ok(scenario),
            _ => Err(sink.into_report(source)),
        }
    }
}

/// Reads everything; problems go to the sink. `None` if the text is too broken to be read further.
fn read_all(
    sink: &mut ProblemSink<'_>,
    text: &str,
    overrides: &[(String, String)],
    folder: &Path,
) -> Option<Scenario> {
    let mut faults = Vec::new();
    let mut root = parse_file(text, &mut faults);
    // A broken text makes good keys look missing; only after a repeated key the rest is read.
    let broken = faults.iter().any(|fault| fault.code == codes::SYNTAX);
    let mut given = Overrides { text, overrides, faults };
    // Overrides of keys that exist only after templates and grids are expanded are applied then.
    let (now, later): (Vec<usize>, Vec<usize>) = (0..overrides.len()).partition(|&index| {
        let top = overrides[index].0.split('.').next().unwrap_or("").trim();
        !(root.get("templates").is_some() || root.entries.iter().any(grid::is_grid))
            || root.get(top).is_some()
            || is_reserved(top)
    });
    given.apply(sink, &mut root, &now);
    let is_empty = root.entries.is_empty();
    let expanded = if broken { None } else { template::expand(sink, &mut root) };
    let expanded = expanded.and_then(|()| grid::expand(sink, &mut root));
    given.apply(sink, &mut root, &later);
    for fault in given.faults {
        sink.report_tree(fault);
    }
    if broken {
        return None;
    }
    if is_empty {
        let fault = Diagnostic::new(codes::EMPTY, SourceRange::FILE, "there is nothing in this file")
            .with_help("a scenario needs a host, drives and a workload, and mostly a loop; docs/scenario-reference.md has an example");
        sink.report("", fault);
        return None;
    }
    expanded?;

    crate::format::check(sink, &root);
    let title = read_text(sink, &root, "title");
    let description = read_text(sink, &root, "description");
    let run = read_reserved(sink, &root, "run");
    let fcp = read_reserved(sink, &root, "fcp");
    let mut events = read_events(sink, &root);

    let tables = components(sink, &root);
    let mut described = read_components(sink, &tables, folder);
    described.sort_by_key(|component| component.kind_of_component().category);
    resolve::completeness(sink, &tables);
    let graph = Graph::default();
    let mut scenario =
        Scenario { title, description, run, fcp, components: described, events: Vec::new(), graph };
    scenario.graph = resolve::resolve(sink, &root, &tables, &scenario, &events);
    if sink.is_empty() && scenario.graph.events.iter().any(|event| event.change.is_some()) {
        find_changes(sink, &root, folder, &mut scenario, &events);
    }
    events.sort_by_key(|event| event.at);
    scenario.events = events;
    Some(scenario)
}

/// Overrides, and the problems found before keys are interpreted.
struct Overrides<'a> {
    text: &'a str,
    overrides: &'a [(String, String)],
    faults: Vec<TreeFault>,
}

impl Overrides<'_> {
    /// Applies the overrides with these numbers to the tree.
    fn apply(&mut self, sink: &ProblemSink<'_>, root: &mut Table, which: &[usize]) {
        for &index in which {
            let (key, value) = &self.overrides[index];
            // Only another table may replace a table of settings.
            let is_table = value.trim_start().starts_with('{');
            let settings = if is_table { None } else { keys_of_settings(root, key) };
            if let Err(mut fault) =
                apply_override(root, sink.sources(), index + 1, key.len(), settings.is_some())
            {
                if fault.code == codes::NOT_A_TABLE {
                    fault.help = fitting_keys(settings.unwrap_or_default(), self.text, value);
                }
                self.faults.push(*fault);
            }
        }
    }
}

/// The list of `[[event]]`, in the order of the file.
fn read_events(sink: &mut ProblemSink<'_>, root: &Table) -> Vec<ScenarioEvent> {
    let Some(entry) = root.get("event") else { return Vec::new() };
    let Value::List(items) = &entry.node.value else {
        let fault = Diagnostic::new(
            codes::NOT_A_TABLE,
            entry.key_place,
            format!("`event` is a list of tables, not {}", entry.node.noun_in_prose()),
        )
        .with_label("write [[event]], with two pairs of brackets");
        sink.report("event", fault);
        return Vec::new();
    };
    let mut events = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let path = format!("event[{index}]");
        let Value::Table(table) = &item.value else {
            sink.report(&path, Diagnostic::wrong_type(item, "a table, below [[event]]"));
            continue;
        };
        let (context, header) = (&Facts::default(), item.place);
        let mut reader = Reader { sink, context, path: &path, table: Some(table), header, also_known: &[] };
        events.push(ScenarioEvent::read(&mut reader));
    }
    events
}

fn read_text(sink: &mut ProblemSink<'_>, root: &Table, key: &str) -> String {
    let Some(entry) = root.get(key) else { return String::new() };
    Text.read(&entry.node, &Facts::default()).unwrap_or_else(|faults| {
        for fault in faults {
            sink.report(key, fault);
        }
        String::new()
    })
}

fn read_reserved<T: Tabular>(sink: &mut ProblemSink<'_>, root: &Table, key: &str) -> T {
    let context = &Facts::default();
    let mut file =
        Reader { sink, context, path: "", table: Some(root), header: SourceRange::FILE, also_known: &[] };
    file.read_table(key, T::read)
}

/// The suggestion `did you mean disks.count=4?` for `disks=4`: the keys of a table to which a value could be assigned.
fn fitting_keys(keys: Vec<String>, text: &str, value: &str) -> Option<String> {
    let takes = |key: &String| {
        let overrides = [(key.clone(), value.to_owned())];
        let wrong = Scenario::parse_with(text, "", &overrides).err();
        wrong.is_none_or(|report| report.problems.iter().all(|problem| problem.key != *key))
    };
    let fitting: Vec<String> =
        keys.into_iter().filter(takes).take(3).map(|key| format!("{key}={value}")).collect();
    (!fitting.is_empty())
        .then(|| format!("did you mean {}?", words_in_prose(fitting.iter().map(String::as_str))))
}
