//! The result of a run, as lines of a name and a value or a hash.

use sansim_kernel::{Span, TICKS_PER_NS, Time};
use sansim_observe::names::SystemNames;
use sansim_observe::paths::Path as Way;
use sansim_observe::tenancy::Tenancy;
use sansim_request::{Dwell, LedgerLine};
use sansim_simulator::RunResult;
use sansim_simulator::counted::{IoRecord, Records};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The names that have changed since the recording: the new name, then the recorded name.
pub type Renamed<'a> = &'a [(&'a str, &'a str)];

/// A line of a run's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The parts of the name, with dots between: the output, then the item of the output.
    pub name: String,
    /// The value, or the number of values and their hash.
    pub value: String,
}

impl Line {
    /// A line.
    pub fn new(name: &str, value: &str) -> Self {
        Self { name: name.to_owned(), value: value.to_owned() }
    }

    /// The line with the names with which it was recorded; a number remains unchanged.
    pub fn recorded(self, renamed: Renamed) -> Self {
        let mut name = format!(".{}.", self.name);
        for (now, recorded) in renamed {
            name = name.replace(&format!(".{now}."), &format!(".{recorded}."));
        }
        let text = self.value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        let value = text.map(|text| format!("\"{}\"", recorded_text(&self.name, text, renamed)));
        Self { name: name.trim_matches('.').to_owned(), value: value.unwrap_or(self.value) }
    }
}

/// The recorded text for a text that now occurs under a name.
fn recorded_text<'a>(name: &str, text: &'a str, renamed: Renamed<'a>) -> &'a str {
    let last = name.rsplit('.').next().unwrap_or(name);
    let now = |entry: &str| entry == text || entry.split_once(" = ") == Some((last, text));
    let Some((_, recorded)) = renamed.iter().find(|(entry, _)| now(entry)) else { return text };
    recorded.split_once(" = ").map_or(recorded, |(_, text)| text)
}

/// All results of a run as lines.
pub fn said(result: &RunResult, renamed: Renamed) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut summary = serde_json::to_value(&result.summary).expect("a summary is JSON");
    by_segment(&mut summary);
    figures("figure", &summary, &mut lines);
    lines.retain(|line| !ADDED.iter().any(|added| line.name.starts_with(added)));
    lines.retain(|line| !has_come_to_components(&line.name));
    let station = |number: usize| result.names.stations[number].name.as_str();
    ios(&result.ios, &result.names, &station, &mut lines);
    tenancies(&result.tenancies, &station, &mut lines);
    ways(&result.paths, &result.names, &mut lines);
    samples(result, &mut lines);
    if let Some(trace) = &result.watched.trace {
        let mut all = Column::default();
        let text = String::from_utf8(bytes(&trace.file.path)).expect("a trace is text");
        text.lines().for_each(|line| all.add(line));
        lines.push(all.line("trace"));
    }
    if let Some((capture, counts)) = &result.watched.capture {
        let mut all = Column::default();
        // The file names the version of the application in its head.
        let version = concat!("sansim ", env!("CARGO_PKG_VERSION")).as_bytes();
        let mut file = bytes(&capture.path);
        if let Some(at) = file.windows(version.len()).position(|part| part == version) {
            file[at..at + version.len()].fill(0);
        }
        all.add_bytes(&file);
        lines.push(Line::new("capture.packets", &counts.packets().to_string()));
        lines.push(all.line("capture.file"));
    }
    if let Some(written) = &result.watched.timeline {
        let columns = timeline(&bytes(&written.path), renamed);
        lines.extend(columns.iter().map(|(field, column)| column.line(&format!("timeline.{field}"))));
    }
    lines.into_iter().map(|line| line.recorded(renamed)).collect()
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("the file was written")
}

/// A column of values: their number, and the FNV-1a hash of their texts, each with an end mark.
struct Column {
    count: u64,
    hash: u64,
}

impl Default for Column {
    fn default() -> Self {
        Self { count: 0, hash: 0xcbf2_9ce4_8422_2325 }
    }
}

impl Column {
    fn add(&mut self, value: impl ToString) {
        self.add_bytes(value.to_string().as_bytes());
    }

    fn add_bytes(&mut self, value: &[u8]) {
        self.count += 1;
        for &byte in value.iter().chain(&[0xFF]) {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn line(&self, name: &str) -> Line {
        Line::new(name, &format!("{} x {:016x}", self.count, self.hash))
    }
}

/// The figures of the summary by path, as JSON writes them.
fn figures(name: &str, value: &Value, lines: &mut Vec<Line>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(field, value)| figures(&format!("{name}.{field}"), value, lines));
        }
        Value::Array(values) => {
            for (number, value) in values.iter().enumerate() {
                figures(&format!("{name}.{number}"), value, lines);
            }
        }
        value => lines.push(Line::new(name, &value.to_string())),
    }
}

/// A column of a table.
fn column<T, V: ToString>(lines: &mut Vec<Line>, name: &str, rows: &[T], value: impl Fn(&T) -> V) {
    let mut all = Column::default();
    rows.iter().for_each(|row| all.add(value(row)));
    lines.push(all.line(name));
}

fn time(time: Time) -> u64 {
    time.ticks()
}

fn span(span: Span) -> u64 {
    span.ticks()
}

/// The figures that were added since the record was made.
const ADDED: [&str; 11] = [
    "figure.bounds.",
    "figure.background.",
    "figure.failed_ios",
    "figure.workloads.",
    "figure.hosts.",
    "figure.devices.",
    "figure.device_groups.",
    "figure.under_way",
    "figure.fairness.",
    "figure.warnings",
    "figure.ledger_ns.slowest_percent_exact",
];

/// The figures of components that were added since the record was made.
const ADDED_TO_COMPONENTS: [&str; 4] = [".commands", ".waiting", ".outstanding", ".merged"];

fn has_come_to_components(name: &str) -> bool {
    name.starts_with("figure.components.") && ADDED_TO_COMPONENTS.iter().any(|added| name.ends_with(added))
}

/// Segments that were added since the record was made, and that no I/O of a case enters: timelines name them
/// all the same.
const ADDED_SEGMENTS: [&str; 1] = ["fail_over"];

/// Converts the ledger of a summary to the form in which it was recorded: by segment, all places together. Means are sums of
/// whole ticks divided by a number of I/Os, so the sum of the means is the mean of the summed ticks except for the last bit; it
/// is computed from the ticks again.
fn by_segment(summary: &mut Value) {
    let count = summary["ios"].as_u64().unwrap_or(0).max(1) as f64;
    let percent = (summary["ios"].as_u64().unwrap_or(0)).div_ceil(100).max(1) as f64;
    for (of, count) in [("mean", count), ("slowest_percent", percent)] {
        let Some(lines) = summary["ledger_ns"][of].as_object() else { continue };
        let mut ticks: BTreeMap<String, f64> = BTreeMap::new();
        for (line, ns) in lines {
            let segment = line.rsplit('.').next().unwrap_or(line).to_owned();
            let exact = (ns.as_f64().unwrap_or(0.0) * TICKS_PER_NS as f64 * count).round();
            *ticks.entry(segment).or_default() += exact;
        }
        let means =
            ticks.into_iter().map(|(segment, t)| (segment, Value::from(t / count / TICKS_PER_NS as f64)));
        summary["ledger_ns"][of] = means.collect::<serde_json::Map<String, Value>>().into();
    }
}

/// The table of the measured I/Os by column, with times in ticks. A segment that no I/O entered gives no
/// line.
fn ios<'a>(
    records: &Records,
    names: &SystemNames,
    station: &dyn Fn(usize) -> &'a str,
    lines: &mut Vec<Line>,
) {
    let rows = &records.rows[..];
    column(lines, "ios.io", rows, |row| row.io);
    column(lines, "ios.workload", rows, |row| row.workload);
    column(lines, "ios.slot", rows, |row| row.slot);
    column(lines, "ios.station", rows, |row| station(row.drive as usize));
    column(lines, "ios.write", rows, |row| row.is_write());
    column(lines, "ios.lba", rows, |row| row.lba);
    column(lines, "ios.bytes", rows, |row| row.bytes);
    column(lines, "ios.completed", rows, |row: &IoRecord| time(row.completed));
    column(lines, "ios.response", rows, |row| span(row.response));
    let mut segments: Vec<&str> = (0..names.ledger_line_count())
        .map(|line| names.place_and_segment(LedgerLine(line as u32)).1.name)
        .collect();
    segments.sort_unstable();
    segments.dedup();
    let numbers: Vec<usize> = (0..rows.len()).collect();
    for segment in segments {
        let is_in = |stay: &&Dwell| names.place_and_segment(stay.line).1.name == segment;
        let spent = |row: &usize| {
            records.dwells_of_io(*row).iter().filter(is_in).map(|stay| stay.spent).sum::<Span>()
        };
        if numbers.iter().any(|row| spent(row) != Span::ZERO) {
            column(lines, &format!("ios.spent.{segment}"), &numbers, |row| span(spent(row)));
        }
    }
}

fn tenancies<'a>(rows: &[Tenancy], station: &dyn Fn(usize) -> &'a str, lines: &mut Vec<Line>) {
    column(lines, "tenancies.station", rows, |row| station(row.station));
    column(lines, "tenancies.arbitration_began", rows, |row| time(row.arbitration_began));
    column(lines, "tenancies.won", rows, |row| time(row.won));
    column(lines, "tenancies.ended", rows, |row| time(row.ended));
    column(lines, "tenancies.circuits", rows, |row| row.circuits);
    column(lines, "tenancies.peer", rows, |row| row.peer.map_or("", station));
    column(lines, "tenancies.frames_out", rows, |row| row.frames_out);
    column(lines, "tenancies.frames_in", rows, |row| row.frames_in);
    column(lines, "tenancies.bytes_out", rows, |row| row.bytes_out);
    column(lines, "tenancies.bytes_in", rows, |row| row.bytes_in);
}

/// The paths of the I/Os, with the dwells by segment.
fn ways(ways: &[Way], names: &SystemNames, lines: &mut Vec<Line>) {
    column(lines, "paths.io", ways, |way| way.io);
    let mut stays: BTreeMap<&str, Column> = BTreeMap::new();
    for way in ways {
        for (line, entered, left) in way.dwells() {
            let stay = format!("{} {} {}", way.io, time(entered), time(left));
            stays.entry(names.place_and_segment(line).1.name).or_default().add(stay);
        }
    }
    lines.extend(stays.iter().map(|(segment, column)| column.line(&format!("paths.{segment}"))));
}

/// The samples by quantity, over all components one after the other.
fn samples(result: &RunResult, lines: &mut Vec<Line>) {
    column(lines, "samples.at", &result.samples.rows, |sample| time(sample.at));
    let mut quantities: BTreeMap<String, Column> = BTreeMap::new();
    result.samples.quantities(&result.names, &mut |_, component, quantity, value| {
        let column = quantities.entry(quantity.to_owned()).or_default();
        column.add(component);
        column.add(value);
    });
    lines.extend(quantities.iter().map(|(quantity, column)| column.line(&format!("samples.{quantity}"))));
}

/// The fields of the timeline by their numbers from the outermost inwards, and their names in this file. The
/// numbers are defined in `crates/observe/src/timeline/perfetto.rs`. A field that contains other fields is a
/// message.
const FIELDS: [(&[u64], &str); 28] = [
    (&[8], "time"),
    (&[10], "sequence"),
    (&[11, 3], "event.category"),
    (&[11, 4, 1], "argument.key"),
    (&[11, 4, 2], "argument.flag"),
    (&[11, 4, 3], "argument.number"),
    (&[11, 4, 17], "argument.text"),
    (&[11, 9], "event.type"),
    (&[11, 10], "event.name"),
    (&[11, 11], "event.track"),
    (&[11, 30], "event.value"),
    (&[11, 47], "event.flow"),
    (&[12, 1, 1], "categories.id"),
    (&[12, 1, 2], "categories.text"),
    (&[12, 2, 1], "names.id"),
    (&[12, 2, 2], "names.text"),
    (&[12, 3, 1], "keys.id"),
    (&[12, 3, 2], "keys.text"),
    (&[12, 29, 1], "texts.id"),
    (&[12, 29, 2], "texts.text"),
    (&[13], "flags"),
    (&[59, 58], "clock"),
    (&[60, 1], "track.id"),
    (&[60, 2], "track.text"),
    (&[60, 5], "track.parent"),
    (&[60, 8, 3], "counter.unit"),
    (&[60, 11], "track.order"),
    (&[60, 12], "track.rank"),
];
const EVENT: u64 = 11;
const TRACK_OF_EVENT: u64 = 11;
/// The path of an event's name, and its number.
const NAME: [u64; 2] = [12, 2];
/// The columns that contain numbers of names.
const NUMBERS_OF_NAMES: [&str; 2] = ["names.id", "event.name"];

/// The timeline, a protobuf file, by field: each field is a column with all its values in the file, so that texts and numbers are
/// separate. Events are grouped by track: between two tracks the order of the file has no meaning, and differs between the two loops.
fn timeline(file: &[u8], renamed: Renamed) -> BTreeMap<&'static str, Column> {
    let mut packets: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut added: Vec<u64> = Vec::new();
    fields(file, |_, packet| {
        if let Some(number) = added_name(packet) {
            added.push(number);
            return;
        }
        let mut track = 0;
        fields(packet, |field, event| {
            if field == EVENT {
                fields(event, |field, mut value| {
                    if field == TRACK_OF_EVENT {
                        track = varint(&mut value);
                    }
                });
            }
        });
        packets.push((track, packet.to_vec()));
    });
    packets.sort_by_key(|(track, _)| *track);
    let mut columns = BTreeMap::new();
    for (_, packet) in &packets {
        message(packet, &mut Vec::new(), &Since { renamed, added: &added }, &mut columns);
    }
    columns
}

/// The changes in timelines since the recording: renamed names, and the numbers of the added names.
struct Since<'a> {
    renamed: Renamed<'a>,
    added: &'a [u64],
}

/// The number of the name that a packet defines, if the name was added since the record was made.
fn added_name(packet: &[u8]) -> Option<u64> {
    let (mut number, mut is_added) = (0, false);
    let [outer, inner] = NAME;
    fields(packet, |field, data| {
        if field == outer {
            fields(data, |field, name| {
                if field == inner {
                    fields(name, |field, mut value| match field {
                        1 => number = varint(&mut value),
                        _ => is_added = ADDED_SEGMENTS.iter().any(|added| value == added.as_bytes()),
                    });
                }
            });
        }
    });
    is_added.then_some(number)
}

/// The number of a name without counting the added names, in base 128.
fn recorded_number(mut value: &[u8], added: &[u64]) -> Vec<u8> {
    let number = varint(&mut value);
    let mut number = number - added.iter().filter(|&&other| other < number).count() as u64;
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Adds the fields of a message, and of the messages in it, to their columns. `path` has the numbers of the fields in which
/// the message is.
fn message(data: &[u8], path: &mut Vec<u64>, since: &Since, columns: &mut BTreeMap<&'static str, Column>) {
    fields(data, |field, value| {
        path.push(field);
        if FIELDS.iter().any(|(known, _)| known.len() > path.len() && known.starts_with(path)) {
            message(value, path, since, columns);
        } else {
            let name = FIELDS.iter().find(|(known, _)| known == path).map(|(_, name)| *name);
            let name = name.unwrap_or_else(|| panic!("no name for field {path:?} of the timeline"));
            let text = std::str::from_utf8(value).ok().filter(|_| name.ends_with(".text"));
            let value = text.map_or(value, |text| recorded_text(name, text, since.renamed).as_bytes());
            let column = columns.entry(name).or_default();
            if NUMBERS_OF_NAMES.contains(&name) {
                column.add_bytes(&recorded_number(value, since.added));
            } else {
                column.add_bytes(value);
            }
        }
        path.pop();
    });
}

/// Calls `see` for every field of a message, with its number and its bytes; a number is passed as it is
/// written.
fn fields(mut data: &[u8], mut see: impl FnMut(u64, &[u8])) {
    while !data.is_empty() {
        let tag = varint(&mut data);
        let length = match tag & 7 {
            0 => data.iter().position(|byte| *byte < 0x80).expect("a number ends") + 1,
            1 => 8,
            2 => varint(&mut data) as usize,
            other => panic!("wire type {other} in a timeline"),
        };
        let (value, rest) = data.split_at(length);
        see(tag >> 3, value);
        data = rest;
    }
}

/// A base-128 number.
fn varint(data: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = data[0];
        *data = &data[1..];
        value |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}
