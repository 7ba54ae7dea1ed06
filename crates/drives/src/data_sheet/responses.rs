//! Response times of a drive by what is asked of it and how much it has to do, as a data sheet or a measurement gives them.
//!
//! Source: Storlite, final report, the disk model: "the disk response time as a function of the disk queue size, the I/O command size,
//! the type of I/O command (read or write), the randomness of the requests" and whether the cache is enabled.
//!
//! Between two queue depths, and between two sizes, the response time is interpolated linearly. A drive with more commands than the largest
//! measured queue depth completes as many per second as at that depth; with fewer commands than the smallest measured depth each command
//! takes as long as at that depth. A command smaller than the smallest measured size takes as long as that size, and for a command larger
//! than the largest size the line through the two largest sizes is extended.

use sansim_kernel::Span;

/// The kind of a command, as far as a data sheet distinguishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandClass {
    /// Whether the command writes.
    pub write: bool,
    /// Whether the command begins where an earlier command ended.
    pub sequential: bool,
    /// The size of the command in bytes.
    pub bytes: u64,
}

/// A line of a data sheet: with `queue_depth` commands of this kind in the drive, each of them takes the time `response`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponsePoint {
    /// The kind of the command.
    pub asked: CommandClass,
    /// The number of commands that the drive had at a time; at least one.
    pub queue_depth: u32,
    /// The time from the arrival of a command to its end.
    pub response: Span,
}

/// The response times of commands of one size, by queue depth.
#[derive(Clone, Debug, PartialEq)]
struct Curve {
    bytes: u64,
    /// Depths in rising order, each with a time in ticks.
    points: Vec<(f64, f64)>,
}

impl Curve {
    fn at(&self, depth: f64) -> f64 {
        let (first, last) = (self.points[0], self.points[self.points.len() - 1]);
        if depth <= first.0 {
            return first.1;
        }
        if depth >= last.0 {
            return last.1 * depth / last.0;
        }
        let above = self.points.partition_point(|(at, _)| *at < depth);
        between(self.points[above - 1], self.points[above], depth)
    }
}

/// The value at `x` on the line through two points.
fn between((x0, y0): (f64, f64), (x1, y1): (f64, f64), x: f64) -> f64 {
    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
}

/// All measured response times of a drive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResponseTable {
    /// Curves by direction and by pattern (random or sequential), each by size in rising order.
    curves: [[Vec<Curve>; 2]; 2],
}

impl ResponseTable {
    /// The response times of these lines, which may be in any order.
    ///
    /// # Errors
    /// The message says why the lines are too few, or which kind of command has two times for the same depth.
    pub fn from_response_points(lines: &[ResponsePoint]) -> Result<Self, String> {
        let mut curves: [[Vec<Curve>; 2]; 2] = Default::default();
        for line in lines {
            let CommandClass { write, sequential, bytes } = line.asked;
            let of = &mut curves[usize::from(write)][usize::from(sequential)];
            let place = of.partition_point(|curve| curve.bytes < bytes);
            if of.get(place).is_none_or(|curve| curve.bytes != bytes) {
                of.insert(place, Curve { bytes, points: Vec::new() });
            }
            let points = &mut of[place].points;
            let depth = f64::from(line.queue_depth.max(1));
            let place = points.partition_point(|(at, _)| *at < depth);
            if points.get(place).is_some_and(|(at, _)| *at == depth) {
                return Err(format!(
                    "{} of {bytes} B at queue depth {depth} have two times",
                    words(write, sequential)
                ));
            }
            points.insert(place, (depth, line.response.ticks() as f64));
        }
        for (write, name) in [(false, "reads"), (true, "writes")] {
            if curves[usize::from(write)].iter().all(Vec::is_empty) {
                return Err(format!("there are no {name}"));
            }
        }
        Ok(Self { curves })
    }

    /// The curves for this kind of command; if only the other pattern (random or sequential) was measured, the curves of the other pattern.
    fn curves(&self, asked: CommandClass) -> &[Curve] {
        let of = &self.curves[usize::from(asked.write)];
        let own = &of[usize::from(asked.sequential)];
        if own.is_empty() { &of[usize::from(!asked.sequential)] } else { own }
    }

    /// The response time of a command while the drive always has this many commands of its kind, in ticks.
    pub fn response_time(&self, asked: CommandClass, queue_depth: u32) -> f64 {
        let (curves, depth) = (self.curves(asked), f64::from(queue_depth));
        let at = |place: usize| (curves[place].bytes as f64, curves[place].at(depth));
        let above = curves.partition_point(|curve| curve.bytes < asked.bytes);
        match (above, curves.len()) {
            // Without a curve the time is unknown; no time is longer.
            (_, 0) => Span::LONGEST.ticks() as f64,
            (0, _) | (_, 1) => at(0).1,
            (above, count) => {
                let last = above.min(count - 1);
                let takes = between(at(last - 1), at(last), asked.bytes as f64);
                // Beyond the largest measured size a line that falls would make large commands take no time.
                if above == count { takes.max(at(last).1) } else { takes }
            }
        }
    }

    /// The least time that a command of `bytes` bytes (of any size, if none is given) takes, whatever else the drive has to do, and the
    /// least time for which the command keeps the drive from serving others, in ticks: with n commands in the drive each is done in T(n),
    /// so the drive completes a command every T(n) / n. Between two depths T(n) / n lies between the values at these depths, and beyond the
    /// last depth T(n) / n is constant, so the measured depths are enough.
    pub fn least_time(&self, write: bool, bytes: Option<u64>) -> (f64, f64) {
        let measured: Vec<&Curve> = self.curves[usize::from(write)].iter().flatten().collect();
        let sizes: Vec<u64> = match bytes {
            Some(bytes) => vec![bytes],
            // Between two sizes the time is interpolated, and beyond the largest size the time is no less than at that size.
            None => measured.iter().map(|curve| curve.bytes).collect(),
        };
        let mut depths: Vec<f64> =
            measured.iter().flat_map(|curve| &curve.points).map(|(depth, _)| *depth).collect();
        depths.push(1.0);
        let (mut alone, mut each) = (f64::INFINITY, f64::INFINITY);
        for bytes in sizes {
            for sequential in [false, true] {
                for &depth in &depths {
                    let takes = self.response_time(CommandClass { write, sequential, bytes }, depth as u32);
                    (alone, each) = (alone.min(takes), each.min(takes / depth));
                }
            }
        }
        (alone, each.min(alone))
    }

    /// Whether the response times cover commands of this size: only a table with several sizes can be extrapolated beyond the largest.
    pub fn covers_command_size(&self, bytes: u64) -> bool {
        [false, true].into_iter().all(|write| {
            [false, true].into_iter().all(|sequential| {
                let curves = self.curves(CommandClass { write, sequential, bytes });
                curves.len() > 1 || bytes <= curves[0].bytes
            })
        })
    }
}

fn words(write: bool, sequential: bool) -> &'static str {
    match (write, sequential) {
        (false, false) => "random reads",
        (false, true) => "sequential reads",
        (true, false) => "random writes",
        (true, true) => "sequential writes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(write: bool, sequential: bool, bytes: u64, queue_depth: u32, us: u64) -> ResponsePoint {
        ResponsePoint {
            asked: CommandClass { write, sequential, bytes },
            queue_depth,
            response: Span::from_us(us),
        }
    }

    fn us(responses: &ResponseTable, asked: CommandClass, depth: u32) -> f64 {
        responses.response_time(asked, depth) / Span::from_us(1).ticks() as f64
    }

    const READ: CommandClass = CommandClass { write: false, sequential: false, bytes: 4096 };

    fn some() -> ResponseTable {
        ResponseTable::from_response_points(&[
            line(false, false, 4096, 16, 20_000),
            line(false, false, 4096, 1, 5_000),
            line(false, false, 65_536, 1, 6_000),
            line(false, false, 65_536, 16, 26_000),
            line(true, true, 4096, 1, 400),
        ])
        .expect("lines")
    }

    #[test]
    fn what_was_measured_is_what_it_says() {
        let responses = some();
        assert_eq!(us(&responses, READ, 1), 5_000.0);
        assert_eq!(us(&responses, READ, 16), 20_000.0);
        assert_eq!(us(&responses, CommandClass { bytes: 65_536, ..READ }, 16), 26_000.0);
    }

    #[test]
    fn between_two_depths_and_two_sizes_times_change_in_proportion() {
        let responses = some();
        assert_eq!(us(&responses, READ, 4), 8_000.0);
        assert_eq!(us(&responses, CommandClass { bytes: 4096 + 30_720, ..READ }, 1), 5_500.0);
        assert_eq!(us(&responses, CommandClass { bytes: 65_536 + 61_440, ..READ }, 1), 7_000.0);
        assert_eq!(us(&responses, CommandClass { bytes: 512, ..READ }, 1), 5_000.0);
    }

    #[test]
    fn with_more_commands_than_were_measured_as_many_are_carried_out_in_a_time() {
        assert_eq!(us(&some(), READ, 32), 40_000.0);
    }

    #[test]
    fn what_was_not_measured_at_random_goes_as_in_sequence() {
        assert_eq!(us(&some(), CommandClass { write: true, ..READ }, 1), 400.0);
    }

    #[test]
    fn a_data_sheet_has_reads_and_writes_and_says_each_thing_once() {
        let twice = [line(true, false, 512, 1, 1), line(true, false, 512, 1, 2)];
        assert_eq!(
            ResponseTable::from_response_points(&twice),
            Err("random writes of 512 B at queue depth 1 have two times".to_owned())
        );
        assert_eq!(ResponseTable::from_response_points(&twice[..1]), Err("there are no reads".to_owned()));
    }

    proptest! {
        /// The property holds if the measured times rise with depth and size.
        #[test]
        fn deeper_queues_and_larger_commands_never_take_less(
            rises in prop::collection::vec(0..1000_u64, 6),
            (depth, deeper) in (1..100_u32, 0..100_u32),
            (bytes, more) in (1..200_000_u64, 0..200_000_u64),
        ) {
            let mut time = 10;
            let mut lines = vec![line(true, false, 512, 1, 1)];
            for (number, rise) in rises.into_iter().enumerate() {
                time += rise;
                lines.push(line(false, false, 4096 << (number / 3), 1 << (2 * (number % 3)), time));
            }
            // The times of the larger size begin where those of the smaller size end.
            let responses = ResponseTable::from_response_points(&lines).expect("lines");
            let asked = CommandClass { bytes, ..READ };
            let here = responses.response_time(asked, depth);
            // Beyond the largest size the extrapolated line may be steeper with a short queue than with a long queue.
            let measured = CommandClass { bytes: bytes.min(8192), ..asked };
            prop_assert!(
                responses.response_time(measured, depth + deeper) >= responses.response_time(measured, depth)
            );
            let larger = CommandClass { bytes: bytes + more, ..asked };
            prop_assert!(responses.response_time(larger, depth) >= here);
        }
    }
}
