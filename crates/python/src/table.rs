//! The tables of a run as Arrow streams: I/Os, tenancies, samples.
//!
//! What a run leaves becomes one buffer per column. Every consumer that speaks the Arrow PyCapsule interface (polars,
//! pyarrow, duckdb, pandas) takes these very buffers: no value is copied on the way to Python, however often.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, RecordBatch, RecordBatchIterator, StringViewArray, UInt32Array,
    UInt64Array,
};
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use sansim_kernel::Time;
use sansim_observe::ledger::Segment;
use sansim_observe::observer::Names;
use sansim_observe::paths::Path;
use sansim_observe::tenancies::Tenancy;
use sansim_system::counted::IoRecord;
use sansim_system::samples::Sample;

/// A table whose columns other libraries read in place.
#[pyclass(frozen, module = "sansim._core")]
pub struct Table {
    batch: RecordBatch,
}

impl Table {
    /// A table of these columns, all of the same length and without gaps.
    fn new(columns: Vec<(String, ArrayRef)>) -> Result<Self, ArrowError> {
        let columns = columns.into_iter().map(|(name, array)| (name, array, false));
        Ok(Self { batch: RecordBatch::try_from_iter_with_nullable(columns)? })
    }

    /// The measured I/Os, a row each, in order of completion.
    pub fn ios(records: &[IoRecord], names: &Names) -> Result<Self, ArrowError> {
        let station = |io: &IoRecord| names.stations[io.drive as usize].name.as_str();
        let floats = |value: &dyn Fn(&IoRecord) -> f64| floats(records.iter().map(value));
        let integers = |value: fn(&IoRecord) -> u32| integers(records.iter().map(value));
        let longs = |value: fn(&IoRecord) -> u64| longs(records.iter().map(value));
        let write: ArrayRef = Arc::new(BooleanArray::from_iter(records.iter().map(|io| Some(io.write))));
        let mut columns = vec![
            ("io".to_owned(), longs(|io| io.io)),
            ("workload".to_owned(), integers(|io| io.workload)),
            ("slot".to_owned(), integers(|io| io.slot)),
            ("drive".to_owned(), integers(|io| io.drive)),
            ("station".to_owned(), texts(records.iter().map(station))),
            ("write".to_owned(), write),
            ("lba".to_owned(), longs(|io| io.lba)),
            ("bytes".to_owned(), longs(|io| io.bytes)),
            ("issued_ns".to_owned(), floats(&|io| (io.completed - io.response).as_ns_f64())),
            ("completed_ns".to_owned(), floats(&|io| io.completed.as_ns_f64())),
            ("response_time_ns".to_owned(), floats(&|io| io.response.as_ns_f64())),
        ];
        for (index, segment) in Segment::ALL.iter().enumerate() {
            columns.push((format!("{}_ns", segment.name()), floats(&|io| io.spent[index].as_ns_f64())));
        }
        Self::new(columns)
    }

    /// The tenancies of the loop, a row each, in their order.
    pub fn tenancies(rows: &[Tenancy], names: &Names) -> Result<Self, ArrowError> {
        let name = |station: usize| names.stations[station].name.as_str();
        let times = |value: fn(&Tenancy) -> Time| floats(rows.iter().map(|row| value(row).as_ns_f64()));
        let integers = |value: fn(&Tenancy) -> u32| integers(rows.iter().map(value));
        let longs = |value: fn(&Tenancy) -> u64| longs(rows.iter().map(value));
        Self::new(vec![
            ("tenancy".to_owned(), self::longs(0..rows.len() as u64)),
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
        ])
    }

    /// The ways of chosen I/Os, a row for each stay in a segment, in order of I/O and time.
    pub fn paths(paths: &[Path]) -> Result<Self, ArrowError> {
        let stays: Vec<_> = paths.iter().flat_map(|path| path.stays().map(|stay| (path.io, stay))).collect();
        Self::new(vec![
            ("io".to_owned(), longs(stays.iter().map(|(io, _)| *io))),
            ("segment".to_owned(), texts(stays.iter().map(|(_, stay)| stay.0.name()))),
            ("entered_ns".to_owned(), floats(stays.iter().map(|(_, stay)| stay.1.as_ns_f64()))),
            ("left_ns".to_owned(), floats(stays.iter().map(|(_, stay)| stay.2.as_ns_f64()))),
        ])
    }

    /// The samples, a row for each sample and quantity, in order of time.
    pub fn samples(samples: &[Sample], names: &Names) -> Result<Self, ArrowError> {
        let mut long = LongForm::default();
        let mut before = None;
        for sample in samples {
            sample.quantities(before, names, &mut |component, quantity, value| {
                long.at.push(sample.at.as_ns_f64());
                long.component.append_value(component);
                long.quantity.append_value(quantity);
                long.value.push(value);
            });
            before = Some(sample);
        }
        let LongForm { at, mut component, mut quantity, value } = long;
        Self::new(vec![
            ("at_ns".to_owned(), floats(at.into_iter())),
            ("component".to_owned(), Arc::new(component.finish())),
            ("quantity".to_owned(), Arc::new(quantity.finish())),
            ("value".to_owned(), floats(value.into_iter())),
        ])
    }
}

/// The columns of a long table while it grows.
#[derive(Default)]
struct LongForm {
    at: Vec<f64>,
    component: StringBuilder,
    quantity: StringBuilder,
    value: Vec<f64>,
}

fn floats(values: impl Iterator<Item = f64>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(values))
}

fn integers(values: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(UInt32Array::from_iter_values(values))
}

fn longs(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(values))
}

fn texts<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringViewArray::from_iter_values(values))
}

#[pymethods]
impl Table {
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// Names of the columns, in order.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The Arrow PyCapsule interface. By its rules a requested schema may be ignored, and is.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let schema = self.batch.schema();
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
