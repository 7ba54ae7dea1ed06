//! The per-I/O table as an Arrow stream.
//!
//! The records of a run become one buffer per column. Every consumer that speaks the Arrow PyCapsule interface (polars,
//! pyarrow, duckdb, pandas) takes these very buffers: no value is copied on the way to Python, however often.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, RecordBatch, RecordBatchIterator, UInt32Array, UInt64Array,
};
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use sansim_observe::ledger::Segment;
use sansim_system::measure::IoRecord;

/// A table whose columns other libraries read in place.
#[pyclass(frozen, module = "sansim._core")]
pub struct Table {
    batch: RecordBatch,
}

impl Table {
    /// The table of some I/Os, a row each, in their order.
    pub fn new(records: &[IoRecord]) -> Result<Self, ArrowError> {
        let floats = |value: &dyn Fn(&IoRecord) -> f64| -> ArrayRef {
            Arc::new(Float64Array::from_iter_values(records.iter().map(value)))
        };
        let integers = |value: fn(&IoRecord) -> u32| -> ArrayRef {
            Arc::new(UInt32Array::from_iter_values(records.iter().map(value)))
        };
        let write: ArrayRef = Arc::new(BooleanArray::from_iter(records.iter().map(|io| Some(io.write))));
        let longs = |value: fn(&IoRecord) -> u64| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(records.iter().map(value)))
        };
        let mut columns = vec![
            ("io".to_owned(), longs(|io| io.io)),
            ("workload".to_owned(), integers(|io| io.workload)),
            ("slot".to_owned(), integers(|io| io.slot)),
            ("drive".to_owned(), integers(|io| io.drive)),
            ("write".to_owned(), write),
            ("lba".to_owned(), longs(|io| io.lba)),
            ("bytes".to_owned(), longs(|io| io.bytes)),
            ("issued_ns".to_owned(), floats(&|io| (io.completed.as_ns_f64()) - io.response.as_ns_f64())),
            ("completed_ns".to_owned(), floats(&|io| io.completed.as_ns_f64())),
            ("response_time_ns".to_owned(), floats(&|io| io.response.as_ns_f64())),
        ];
        for (index, segment) in Segment::ALL.iter().enumerate() {
            columns.push((format!("{}_ns", segment.name()), floats(&|io| io.spent[index].as_ns_f64())));
        }
        // A record is of a complete I/O, so no column has gaps.
        let columns = columns.into_iter().map(|(name, array)| (name, array, false));
        Ok(Self { batch: RecordBatch::try_from_iter_with_nullable(columns)? })
    }
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
