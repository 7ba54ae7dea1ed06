//! Reading a scenario from text.

use sansim_describe::codes;
use sansim_describe::context::Context;
use sansim_describe::fault::Fault;
use sansim_describe::quantities::Text;
use sansim_describe::quantity::Quantity;
use sansim_describe::reader::Reader;
use sansim_describe::report::Report;
use sansim_describe::sink::Sink;
use sansim_describe::source::{COMMAND_LINE, Place, Sources};
use sansim_describe::suggest::one_of;
use sansim_describe::table::Tabular;
use sansim_describe::tree::{Table, parse_file};
use sansim_fc::arbitrated_loop::LoopParameters;
use sansim_fc::delay::WordTime;

use crate::check;
use crate::component::components;
use crate::scenario::Scenario;
use crate::settings::{apply_override, keys_of_settings};

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
            Some(scenario) if sink.is_empty() => Ok(scenario),
            _ => Err(sink.into_report(source)),
        }
    }
}

/// Reads everything; what is wrong goes to the sink. `None` if the text is too broken to go on.
fn read_all(sink: &mut Sink<'_>, text: &str, overrides: &[(String, String)]) -> Option<Scenario> {
    let mut faults = Vec::new();
    let mut root = parse_file(text, &mut faults);
    // A broken text makes good keys look missing; only a repeated key leaves the rest as it is.
    let broken = faults.iter().any(|fault| fault.code == codes::SYNTAX);
    for (index, (key, value)) in overrides.iter().enumerate() {
        let settings = keys_of_settings(&root, key);
        if let Err(mut fault) =
            apply_override(&mut root, sink.sources(), index + 1, key.len(), settings.is_some())
        {
            if fault.code == codes::NOT_A_TABLE {
                fault.help = fitting_keys(settings.unwrap_or_default(), text, value);
            }
            faults.push(*fault);
        }
    }
    for fault in faults {
        sink.report_tree(fault);
    }
    if broken {
        return None;
    }
    if root.entries.is_empty() {
        let fault = Fault::new(codes::EMPTY, Place::FILE, "there is nothing in this file")
            .help("a scenario needs a loop, a host, drives and a workload; docs/scenario-reference.md has an example");
        sink.report("", fault);
        return None;
    }

    let nothing = Context::default();
    let title = read_text(sink, &root, "title");
    let description = read_text(sink, &root, "description");
    let run = read_reserved(sink, &root, "run");
    let fcp = read_reserved(sink, &root, "fcp");

    let components = components(sink, &root);
    let mut loops = components.iter().filter(|component| component.kind == "arbitrated-loop");
    let arbitrated_loop = loops.next().map(|component| {
        // The loop's delays may be in words of its own word time, so that is found out before, with another sink.
        let word_time =
            component.read::<LoopParameters>(&mut Sink::new(sink.sources()), &nothing).word_time();
        component.read_named::<LoopParameters>(sink, &Context::default().with(WordTime(word_time)))
    });
    let context = arbitrated_loop.as_ref().map_or(nothing, |found| found.context());

    let (mut hosts, mut drives, mut passives, mut workloads) = (vec![], vec![], vec![], vec![]);
    for component in &components {
        match component.kind {
            "host" => hosts.push(component.read_named(sink, &context)),
            "drives" => drives.push(component.read_named(sink, &context)),
            "passive" => passives.push(component.read_named(sink, &context)),
            "closed" => workloads.push(component.read_named(sink, &context)),
            _ => {}
        }
    }
    check::completeness(sink, &components);
    let mut scenario = Scenario {
        title,
        description,
        run,
        fcp,
        arbitrated_loop: arbitrated_loop?,
        hosts,
        drives,
        passives,
        workloads,
        on_loop: Vec::new(),
        routes: Vec::new(),
    };
    check::resolve(sink, &root, &components, &mut scenario);
    Some(scenario)
}

fn read_text(sink: &mut Sink<'_>, root: &Table, key: &str) -> String {
    let Some(entry) = root.get(key) else { return String::new() };
    Text.read(&entry.node, &Context::default()).unwrap_or_else(|faults| {
        for fault in faults {
            sink.report(key, fault);
        }
        String::new()
    })
}

fn read_reserved<T: Tabular>(sink: &mut Sink<'_>, root: &Table, key: &str) -> T {
    let context = &Context::default();
    let mut file =
        Reader { sink, context, path: "", table: Some(root), header: Place::FILE, also_known: &[] };
    file.table(key, T::read)
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
