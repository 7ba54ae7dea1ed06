//! The tables of a run as Arrow streams: the columns of the tables of I/Os, tenancies and samples.
//!
//! The results of a run are stored in one buffer per column and batch of rows. Every consumer that supports the Arrow PyCapsule interface
//! (polars, pyarrow, duckdb, pandas) reads these buffers in place: no value is copied between Rust and Python, however often a table is
//! read.
//!
//! A run whose results go to a folder writes its I/Os and tenancies to files in Arrow's IPC format during the run ([`Spill`]), so memory
//! holds only one batch of each. [`SpilledRows`] reads such a file.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::ops::Range;
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::builder::StringBuilder;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, RecordBatch, RecordBatchIterator, StringViewArray, UInt32Array,
    UInt64Array,
};
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use sansim_kernel::Time;
use sansim_observe::names::SystemNames;
use sansim_observe::paths::Path;
use sansim_observe::tenancy::Tenancy;
use sansim_request::{LedgerLine, Operation};
use sansim_scenario::graph::Device;
use sansim_simulator::counted::{IoRecord, Records};
use sansim_simulator::rows::{BATCH, RowReceiver};
use sansim_simulator::samples::Samples;

/// A table whose columns other libraries read in place.
#[pyclass(frozen, module = "sansim._core")]
pub struct Table {
    schema: SchemaRef,
    /// The batches of rows: at least one, which is empty if the table is empty.
    batches: Vec<RecordBatch>,
}

/// The columns of a batch: all have the same length and no gaps.
pub(crate) type Columns = Vec<(String, ArrayRef)>;

impl Table {
    /// A table with this number of rows; `columns` makes the columns of each batch.
    pub(crate) fn new(
        rows: usize,
        mut columns: impl FnMut(Range<usize>) -> Columns,
    ) -> Result<Self, ArrowError> {
        let begins = (0..rows.max(1)).step_by(BATCH);
        let batch = |begin: usize| batch_of(columns(begin..(begin + BATCH).min(rows)));
        let batches = begins.map(batch).collect::<Result<Vec<_>, _>>()?;
        let schema = batches.first().map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema);
        Ok(Self { schema, batches })
    }

    /// A table of the measured I/Os, one row each, in order of completion, with a column for each line of the time ledger.
    pub fn ios(records: &Records, names: &SystemNames, devices: &[Device]) -> Result<Self, ArrowError> {
        Self::new(records.len(), |range| ios(records, range, names, devices))
    }

    /// A table of the tenancies of the loops, one row each, in order of time.
    pub fn tenancies(rows: &[Tenancy], names: &SystemNames) -> Result<Self, ArrowError> {
        Self::new(rows.len(), |range| tenancies(&rows[range.clone()], range.start as u64, names))
    }

    /// A table of the paths of chosen I/Os, with a row for each dwell in a segment, in order of I/O and time.
    pub fn paths(paths: &[Path], names: &SystemNames) -> Result<Self, ArrowError> {
        let stay = |io: u64, (line, entered, left): (LedgerLine, Time, Time)| {
            let (place, segment) = names.place_and_segment(line);
            (io, names.places[place].name.as_str(), segment.name, entered, left)
        };
        let stays: Vec<_> =
            paths.iter().flat_map(|path| path.dwells().map(|stayed| stay(path.io, stayed))).collect();
        Self::new(stays.len(), |range| {
            let stays = &stays[range];
            vec![
                ("io".to_owned(), longs(stays.iter().map(|stay| stay.0))),
                ("place".to_owned(), texts(stays.iter().map(|stay| stay.1))),
                ("segment".to_owned(), texts(stays.iter().map(|stay| stay.2))),
                ("entered_ns".to_owned(), floats(stays.iter().map(|stay| stay.3.as_ns_f64()))),
                ("left_ns".to_owned(), floats(stays.iter().map(|stay| stay.4.as_ns_f64()))),
            ]
        })
    }

    /// A table of the samples, with a row for each sample and quantity, in order of time.
    pub fn samples(samples: &Samples, names: &SystemNames) -> Result<Self, ArrowError> {
        let mut batches = Vec::new();
        let mut long = LongForm::default();
        samples.quantities(names, &mut |at, component, quantity, value| {
            long.at.push(at.as_ns_f64());
            long.component.append_value(component);
            long.quantity.append_value(quantity);
            long.value.push(value);
            if long.at.len() == BATCH {
                batches.push(std::mem::take(&mut long).into_columns());
            }
        });
        if !long.at.is_empty() || batches.is_empty() {
            batches.push(long.into_columns());
        }
        let rows = batches.iter().map(|columns| columns[0].1.len()).sum();
        let mut batches = batches.into_iter();
        Self::new(rows, |_| batches.next().unwrap_or_default())
    }
}

/// The columns of some measured I/Os.
fn ios(records: &Records, range: Range<usize>, names: &SystemNames, devices: &[Device]) -> Columns {
    let device = |io: &IoRecord| devices[io.device as usize].name.as_str();
    let lines: Vec<String> = (0..names.ledger_line_count() as u32)
        .map(|line| format!("{}_ns", names.line_name(LedgerLine(line))))
        .collect();
    let rows = &records.rows[range.clone()];
    let workload = |io: &IoRecord| names.workloads[io.workload as usize].name.as_str();
    let host = |io: &IoRecord| names.workloads[io.workload as usize].host.as_str();
    let stream =
        |io: &IoRecord| names.workloads[io.workload as usize].streams[io.stream as usize].name.as_str();
    let station = |io: &IoRecord| names.stations[io.drive as usize].name.as_str();
    let floats = |value: fn(&IoRecord) -> f64| floats(rows.iter().map(value));
    let integers = |value: fn(&IoRecord) -> u32| integers(rows.iter().map(value));
    let longs = |value: fn(&IoRecord) -> u64| longs(rows.iter().map(value));
    let flags = |value: fn(&IoRecord) -> bool| -> ArrayRef {
        Arc::new(BooleanArray::from_iter(rows.iter().map(|io| Some(value(io)))))
    };
    // The column has no value for an I/O without a direction.
    let directed = |io: &IoRecord| matches!(io.operation, Operation::Read | Operation::Write);
    let writes = rows.iter().map(|io| directed(io).then_some(io.operation == Operation::Write));
    let writes: ArrayRef = Arc::new(BooleanArray::from_iter(writes));
    let mut columns = vec![
        ("io".to_owned(), longs(|io| io.io)),
        ("workload".to_owned(), texts(rows.iter().map(workload))),
        ("stream".to_owned(), texts(rows.iter().map(stream))),
        ("host".to_owned(), texts(rows.iter().map(host))),
        ("slot".to_owned(), integers(|io| io.slot)),
        ("drive".to_owned(), integers(|io| io.drive)),
        ("station".to_owned(), texts(rows.iter().map(station))),
        ("device".to_owned(), texts(rows.iter().map(device))),
        ("operation".to_owned(), texts(rows.iter().map(|io| io.operation.word()))),
        ("write".to_owned(), writes),
        ("failed".to_owned(), flags(|io| io.failed)),
        ("lba".to_owned(), longs(|io| io.lba)),
        ("bytes".to_owned(), longs(|io| io.bytes)),
        ("issued_ns".to_owned(), floats(|io| (io.completed - io.response).as_ns_f64())),
        ("completed_ns".to_owned(), floats(|io| io.completed.as_ns_f64())),
        ("response_time_ns".to_owned(), floats(|io| io.response.as_ns_f64())),
    ];
    let mut spent = vec![vec![0.0; rows.len()]; lines.len()];
    for (row, number) in range.enumerate() {
        for stay in records.dwells_of_io(number) {
            spent[stay.line.0 as usize][row] += stay.spent.as_ns_f64();
        }
    }
    columns.extend(lines.iter().cloned().zip(spent.into_iter().map(column)));
    columns
}

/// The columns of some tenancies, the first of which has this number.
fn tenancies(rows: &[Tenancy], first: u64, names: &SystemNames) -> Columns {
    let name = |station: usize| names.stations[station].name.as_str();
    let network = |row: &Tenancy| {
        names.stations[row.station].port.map_or("", |(network, _)| names.networks[network].name.as_str())
    };
    let numbers = longs(first..first + rows.len() as u64);
    let times = |value: fn(&Tenancy) -> Time| floats(rows.iter().map(|row| value(row).as_ns_f64()));
    let integers = |value: fn(&Tenancy) -> u32| integers(rows.iter().map(value));
    let longs = |value: fn(&Tenancy) -> u64| longs(rows.iter().map(value));
    vec![
        ("tenancy".to_owned(), numbers),
        ("loop".to_owned(), texts(rows.iter().map(network))),
        ("station".to_owned(), texts(rows.iter().map(|row| name(row.station)))),
        ("arbitration_began_ns".to_owned(), times(|row| row.arbitration_began)),
        ("won_ns".to_owned(), times(|row| row.won)),
        ("ended_ns".to_owned(), times(|row| row.ended)),
        ("circuits".to_owned(), integers(|row| row.circuits)),
        ("peer".to_owned(), texts(rows.iter().map(|row| row.peer.map_or("", name)))),
        ("frames_out".to_owned(), integers(|row| row.frames_out)),
        ("frames_in".to_owned(), integers(|row| row.frames_in)),
        ("bytes_out".to_owned(), longs(|row| row.bytes_out)),
        ("bytes_in".to_owned(), longs(|row| row.bytes_in)),
    ]
}

/// A batch of rows with these columns.
fn batch_of(columns: Columns) -> Result<RecordBatch, ArrowError> {
    // Flushes and deallocations have no direction; of a decision not all is known, and its features are those of one decision.
    let columns = columns.into_iter().map(|(name, array)| {
        let may_lack = matches!(&*name, "write" | "named" | "outcome")
            || name.starts_with("decision.")
            || name.starts_with("candidate.");
        (name, array, may_lack)
    });
    RecordBatch::try_from_iter_with_nullable(columns)
}

/// The columns of a long table while it grows.
#[derive(Default)]
struct LongForm {
    at: Vec<f64>,
    component: StringBuilder,
    quantity: StringBuilder,
    value: Vec<f64>,
}

impl LongForm {
    fn into_columns(self) -> Columns {
        let Self { at, mut component, mut quantity, value } = self;
        vec![
            ("at_ns".to_owned(), column(at)),
            ("component".to_owned(), Arc::new(component.finish())),
            ("quantity".to_owned(), Arc::new(quantity.finish())),
            ("value".to_owned(), column(value)),
        ]
    }
}

/// The files to which a run writes its rows while it is running, in Arrow's IPC format. After the first error nothing more is written to
/// the files.
pub struct Spill<'a> {
    names: &'a SystemNames,
    devices: &'a [Device],
    ios: FileWriter<BufWriter<File>>,
    tenancies: FileWriter<BufWriter<File>>,
    /// The number of tenancies that have been written.
    written: u64,
    error: Option<ArrowError>,
}

impl<'a> Spill<'a> {
    /// Creates the files `ios.arrow` and `tenancies.arrow` in a folder.
    pub fn create(
        folder: &FilePath,
        names: &'a SystemNames,
        devices: &'a [Device],
    ) -> Result<Self, ArrowError> {
        let file = |name: &str, columns| {
            let schema = batch_of(columns)?.schema();
            FileWriter::try_new(BufWriter::new(File::create(folder.join(name))?), &schema)
        };
        let ios = file("ios.arrow", ios(&Records::default(), 0..0, names, devices))?;
        let tenancies = file("tenancies.arrow", tenancies(&[], 0, names))?;
        Ok(Self { names, devices, ios, tenancies, written: 0, error: None })
    }

    /// Completes the files.
    pub fn finish(mut self) -> Result<(), ArrowError> {
        self.error.map_or(Ok(()), Err)?;
        self.ios.finish()?;
        self.tenancies.finish()
    }
}

impl RowReceiver for Spill<'_> {
    fn take_ios(&mut self, records: &Records, range: Range<usize>) {
        if self.error.is_none() {
            let batch = batch_of(ios(records, range, self.names, self.devices));
            self.error = batch.and_then(|batch| self.ios.write(&batch)).err();
        }
    }

    fn take_tenancies(&mut self, rows: &[Tenancy]) {
        if self.error.is_none() {
            let batch = batch_of(tenancies(rows, self.written, self.names));
            self.error = batch.and_then(|batch| self.tenancies.write(&batch)).err();
            self.written += rows.len() as u64;
        }
    }
}

/// A file that [`Spill`] wrote, read one batch of rows at a time, so that no more than a batch is in memory.
#[pyclass(frozen, module = "sansim._core")]
pub struct SpilledRows {
    reader: Mutex<FileReader<BufReader<File>>>,
}

/// The error of the operating system, or another error as a text.
fn unreadable(error: ArrowError) -> PyErr {
    match error {
        ArrowError::IoError(_, error) => error.into(),
        other => PyOSError::new_err(other.to_string()),
    }
}

impl SpilledRows {
    /// The reader. An earlier panic leaves it usable, because each access sets its position first.
    fn reader(&self) -> MutexGuard<'_, FileReader<BufReader<File>>> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl SpilledRows {
    /// Opens a file; raises OSError if it cannot be read.
    #[new]
    fn open(file: PathBuf) -> PyResult<Self> {
        let reader = FileReader::try_new_buffered(File::open(file)?, None).map_err(unreadable)?;
        Ok(Self { reader: Mutex::new(reader) })
    }

    /// The number of batches.
    fn __len__(&self) -> usize {
        self.reader().num_batches()
    }

    /// A table of the rows of a batch; beyond the last batch the table has no rows. Raises OSError if the file cannot be read.
    fn batch(&self, py: Python<'_>, number: usize) -> PyResult<Table> {
        py.detach(|| {
            let mut reader = self.reader();
            let schema = reader.schema();
            if number >= reader.num_batches() {
                return Ok(Table { batches: vec![RecordBatch::new_empty(schema.clone())], schema });
            }
            reader.set_index(number).map_err(unreadable)?;
            let batches = reader.next().into_iter().collect::<Result<_, _>>().map_err(unreadable)?;
            Ok(Table { schema, batches })
        })
    }
}

fn column(values: Vec<f64>) -> ArrayRef {
    Arc::new(Float64Array::from(values))
}

fn floats(values: impl Iterator<Item = f64>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(values))
}

pub(crate) fn integers(values: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(UInt32Array::from_iter_values(values))
}

pub(crate) fn longs(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(values))
}

pub(crate) fn texts<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringViewArray::from_iter_values(values))
}

pub(crate) fn flags(values: impl Iterator<Item = bool>) -> ArrayRef {
    Arc::new(values.map(Some).collect::<BooleanArray>())
}

#[pymethods]
impl Table {
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns, in order.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Exports the table by the Arrow PyCapsule interface. A requested schema is ignored, which the rules of the interface permit.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = self.batches.clone().into_iter().map(Ok);
        let batches = RecordBatchIterator::new(batches, self.schema.clone());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
