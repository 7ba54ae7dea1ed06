//! The tables of a playback: rows in memory, columns in the file.

use sansim_kernel::Time;

/// The value of a column in a row without such a thing: no request, no frame, an arrival that is not known.
pub const NONE: u32 = u32::MAX;

/// The value of a column of two bytes in a row without such a thing: no station, no component.
pub const NONE_SHORT: u16 = u16::MAX;

/// A time in whole nanoseconds, rounded down.
pub fn ns(at: Time) -> u64 {
    at.ticks() / sansim_kernel::TICKS_PER_NS
}

/// The whole nanoseconds from one time to another, so that spans that lie end to end add up.
pub fn between(from: Time, to: Time) -> u32 {
    u32::try_from(ns(to).saturating_sub(ns(from))).unwrap_or(NONE - 1)
}

/// A row of a table.
pub trait Row: Copy {
    /// The columns: name and type, `u` and the number of bytes. The first column is a time.
    const COLUMNS: &'static [(&'static str, &'static str)];

    /// The time of the first column, in nanoseconds.
    fn at_ns(&self) -> u64;

    /// Sets the time of the first column.
    fn begin_at(&mut self, at_ns: u64);

    /// Writes the rows column by column, with times after `base_ns`; each column begins at a multiple of four bytes.
    fn write(rows: &[Self], base_ns: u64, out: &mut Vec<u8>);
}

fn fill_up(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(4), 0);
}

/// The type of a column by its type in memory.
macro_rules! width {
    (u32) => {
        "u4"
    };
    (u16) => {
        "u2"
    };
    (u8) => {
        "u1"
    };
}

macro_rules! row {
    ($(#[$meta:meta])* $name:ident, $first:literal; $($(#[$doc:meta])* $column:ident: $type:ident),+ $(,)?) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            /// The time of the row in nanoseconds.
            pub at_ns: u64,
            $($(#[$doc])* pub $column: $type,)+
        }

        impl Row for $name {
            const COLUMNS: &'static [(&'static str, &'static str)] =
                &[($first, "u4"), $((stringify!($column), width!($type))),+];

            fn at_ns(&self) -> u64 {
                self.at_ns
            }

            fn begin_at(&mut self, at_ns: u64) {
                self.at_ns = at_ns;
            }

            fn write(rows: &[Self], base_ns: u64, out: &mut Vec<u8>) {
                for row in rows {
                    let after = u32::try_from(row.at_ns.saturating_sub(base_ns)).unwrap_or(NONE - 1);
                    out.extend_from_slice(&after.to_le_bytes());
                }
                $(
                    for row in rows {
                        out.extend_from_slice(&row.$column.to_le_bytes());
                    }
                    fill_up(out);
                )+
            }
        }
    };
}

row! {
    /// Something moves from one station to another, over one link.
    Move, "t0";
    /// The time from the first word to the last at the sender.
    dt: u32,
    /// The time from the first word at the sender to the first word at the receiver.
    arrives: u32,
    /// Payload.
    bytes: u32,
    /// The request, by its number in the file.
    request: u32,
    /// The number of the frame, which is the same on all links.
    frame: u32,
    /// The station that sends.
    from: u16,
    /// The station at the other end of the link, or of the path on a loop.
    to: u16,
    /// The station for which the frame is meant.
    receiver: u16,
    /// The kind, by its place in the index.
    kind: u16,
}

row! {
    /// A lane has another value from this time on.
    Step, "t";
    /// The value.
    value: u32,
    /// The lane, by its place in the index.
    lane: u32,
}

row! {
    /// A block works for a request, or a buffer holds a frame.
    Job, "t0";
    /// The duration.
    dt: u32,
    /// The request, by its number in the file.
    request: u32,
    /// The number of the frame in a buffer.
    frame: u32,
    /// The lane, by its place in the index.
    lane: u32,
}

row! {
    /// A request is in a line of the ledger.
    Dwell, "t0";
    /// The duration.
    dt: u32,
    /// The request, by its number in the file.
    request: u32,
    /// The line, by its place in the header.
    line: u32,
    /// The component, by its place in the header.
    component: u16,
}

row! {
    /// A request, from its issue to its completion.
    RequestRow, "t0";
    /// The duration.
    dt: u32,
    /// The number in the file.
    request: u32,
    /// The request of which it is a part, by its number in the file.
    parent: u32,
    /// The number of the I/O in the tables of the run.
    io: u32,
    /// The bytes of data.
    bytes: u32,
    /// The first block, the lower 32 bits.
    block: u32,
    /// The first block, the upper 32 bits.
    block_high: u32,
    /// The device, by its place in the header.
    device: u16,
    /// The workload, by its place in the header.
    workload: u16,
    /// The sum of [`flag`]s.
    flags: u8,
}

/// The flags of a request.
pub mod flag {
    /// The request is a write.
    pub const WRITE: u8 = 1;
    /// No workload waits for the request.
    pub const BACKGROUND: u8 = 2;
    /// The request has not ended by the end of the chunk.
    pub const OPEN: u8 = 4;
}

/// The rows of a chunk.
#[derive(Debug, Default)]
pub struct Tables {
    /// See [`Move`].
    pub moves: Vec<Move>,
    /// See [`Step`].
    pub steps: Vec<Step>,
    /// See [`Job`].
    pub jobs: Vec<Job>,
    /// See [`Dwell`].
    pub dwells: Vec<Dwell>,
    /// See [`RequestRow`].
    pub requests: Vec<RequestRow>,
}

/// A table of the file: its name and its columns.
pub type TableForm = (&'static str, &'static [(&'static str, &'static str)]);

/// The tables, in the order of the file.
pub const FORM: [TableForm; 5] = [
    ("moves", Move::COLUMNS),
    ("steps", Step::COLUMNS),
    ("jobs", Job::COLUMNS),
    ("dwells", Dwell::COLUMNS),
    ("requests", RequestRow::COLUMNS),
];

impl Tables {
    /// The numbers of rows, in the order of [`FORM`].
    pub fn rows(&self) -> [usize; 5] {
        [self.moves.len(), self.steps.len(), self.jobs.len(), self.dwells.len(), self.requests.len()]
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.moves.clear();
        self.steps.clear();
        self.jobs.clear();
        self.dwells.clear();
        self.requests.clear();
    }

    /// Sorts the rows by time and writes them; returns the time to which the times of the rows are related. No row begins before
    /// `earliest_ns`.
    pub fn write(&mut self, earliest_ns: u64, out: &mut Vec<u8>) -> u64 {
        fn sorted<R: Row>(rows: &mut [R], earliest_ns: u64) -> Option<u64> {
            for row in rows.iter_mut().filter(|row| row.at_ns() < earliest_ns) {
                row.begin_at(earliest_ns);
            }
            rows.sort_by_key(Row::at_ns);
            rows.first().map(Row::at_ns)
        }
        let firsts = [
            sorted(&mut self.moves, earliest_ns),
            sorted(&mut self.steps, earliest_ns),
            sorted(&mut self.jobs, earliest_ns),
            sorted(&mut self.dwells, earliest_ns),
            sorted(&mut self.requests, earliest_ns),
        ];
        let base_ns = firsts.into_iter().flatten().min().unwrap_or(earliest_ns);
        Move::write(&self.moves, base_ns, out);
        Step::write(&self.steps, base_ns, out);
        Job::write(&self.jobs, base_ns, out);
        Dwell::write(&self.dwells, base_ns, out);
        RequestRow::write(&self.requests, base_ns, out);
        base_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_begin_at_multiples_of_four_bytes_and_times_are_after_the_first() {
        let mut tables = Tables::default();
        let step = |at_ns, value| Step { at_ns, value, lane: 7 };
        tables.steps = vec![step(30, 2), step(20, 1)];
        let dwell = Dwell { at_ns: 25, dt: 3, request: 4, line: 5, component: 6 };
        tables.dwells = vec![dwell, Dwell { at_ns: 5, ..dwell }, dwell];
        let mut out = Vec::new();
        assert_eq!(tables.write(10, &mut out), 10);
        let words: Vec<u32> =
            out.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("whole words"))).collect();
        assert_eq!(words[..6], [10, 20, 1, 2, 7, 7]);
        // The row that began before the earliest time begins there; three components take six bytes.
        assert_eq!(words[6..9], [0, 15, 15]);
        assert_eq!(words[18..], [6 | 6 << 16, 6]);
    }

    #[test]
    fn spans_that_lie_end_to_end_add_up() {
        let ticks = sansim_kernel::TICKS_PER_NS;
        let times = [0, ticks / 2, ticks + ticks / 2, 3 * ticks - 1].map(Time);
        let sum: u32 = times.windows(2).map(|pair| between(pair[0], pair[1])).sum();
        assert_eq!(sum, between(times[0], times[3]));
    }
}
