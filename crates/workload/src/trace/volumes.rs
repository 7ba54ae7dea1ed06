//! The volumes of a trace, each of which is a stream in results.
//!
//! A replay reads its file once, in order, and finds a volume only when its first request comes; results that are counted per volume need
//! all volumes before. The volumes that results list are therefore those that `only` names; without `only` the file is read once before,
//! when a system is built from the scenario.

use sansim_schema::Json;
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::quantities::{FileName, NamedFile};
use sansim_schema::quantity::Quantity;
use sansim_schema::tree::ValueNode;
use sansim_trace::{Trace, TraceOperation, TraceReadOptions, VolumeNaming};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The most volumes that are listed separately. A trace with more is one stream: a summary of thousands is of no use, and the counts of a
/// stream need up to 30 kB.
pub const MOST: usize = 256;

/// The file of a trace, and the volumes that were found by reading it once. All copies of a `TraceFile` share the found volumes.
#[derive(Clone, Debug)]
pub struct TraceFile {
    /// The file that the scenario names.
    pub named: NamedFile,
    apart: Arc<OnceLock<SeparateVolumes>>,
}

impl PartialEq for TraceFile {
    fn eq(&self, other: &Self) -> bool {
        self.named == other.named
    }
}

impl TraceFile {
    /// The volumes that results list separately; `find` is called only the first time.
    pub fn separate_volumes(&self, find: impl FnOnce(&Path) -> SeparateVolumes) -> &SeparateVolumes {
        self.apart.get_or_init(|| find(&self.named.path))
    }
}

impl From<NamedFile> for TraceFile {
    fn from(named: NamedFile) -> Self {
        Self { named, apart: Arc::default() }
    }
}

/// The volumes that results list separately.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeparateVolumes {
    /// The volumes, by the numbers of their streams; none if the trace is one stream.
    pub volumes: Vec<String>,
    /// Whether there are more than [`MOST`] volumes.
    pub too_many: bool,
}

impl SeparateVolumes {
    /// The list of these volumes; empty if there are too many. A trace of one volume is one stream.
    fn of(volumes: Vec<String>) -> Self {
        let too_many = volumes.len() > MOST;
        Self { volumes: if too_many || volumes.len() < 2 { Vec::new() } else { volumes }, too_many }
    }

    /// The volumes of these names, in their order.
    pub fn volumes_named(names: &[String]) -> Self {
        let mut volumes = Vec::new();
        names.iter().for_each(|name| add(&mut volumes, name));
        Self::of(volumes)
    }

    /// The volumes that have requests to replay, in the order of their first requests. Where the file cannot be read on, the search ends;
    /// the replay will end there too, and report why.
    pub fn volumes_with_requests(path: &Path, options: &TraceReadOptions) -> Self {
        let mut volumes = Vec::new();
        let Ok(mut trace) = Trace::open_file(path, options) else { return Self::default() };
        if trace.trace_format().holds.names == VolumeNaming::One {
            return Self::default();
        }
        let mut is_known = Vec::new();
        while let Ok(Some(record)) = trace.next_record() {
            if record.bytes == 0 && record.operation != TraceOperation::Flush {
                continue;
            }
            let number = record.volume as usize;
            if is_known.len() <= number {
                is_known.resize(number + 1, false);
            }
            if !std::mem::replace(&mut is_known[number], true) {
                add(&mut volumes, trace.volume_names_so_far().volume_name(record.volume));
                if volumes.len() > MOST {
                    break;
                }
            }
        }
        Self::of(volumes)
    }

    /// The stream of a volume, from 0; none if the volume was not found before.
    pub fn stream(&self, volume: &str) -> Option<u32> {
        if self.volumes.is_empty() {
            return Some(0);
        }
        let told = told(volume);
        self.volumes.iter().position(|known| *known == told).map(|number| number as u32)
    }
}

/// Adds a volume, unless it is in the list.
fn add(volumes: &mut Vec<String>, volume: &str) {
    let told = told(volume);
    if !volumes.contains(&told) {
        volumes.push(told);
    }
}

/// The name of a volume as results show it: control characters are replaced, so that none reaches a terminal.
fn told(volume: &str) -> String {
    if volume.is_empty() { "-".to_owned() } else { volume.replace(char::is_control, "\u{fffd}") }
}

/// The name of a file of a trace; see [`FileName`].
pub struct TraceFileName;

impl Quantity for TraceFileName {
    type Value = TraceFile;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<TraceFile, Vec<Diagnostic>> {
        FileName.read(node, context).map(TraceFile::from)
    }

    fn write(&self, value: &TraceFile, context: &Facts) -> String {
        FileName.write(&value.named, context)
    }

    fn placeholder(&self) -> TraceFile {
        FileName.placeholder().into()
    }

    fn describe(&self) -> String {
        FileName.describe()
    }

    fn schema(&self) -> Json {
        FileName.schema()
    }
}
