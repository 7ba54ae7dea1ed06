//! The demand of a request at an array: the accesses and calculations of its plan, while all members work.
//!
//! The number of accesses depends on the offset in a stripe at which the request begins. The mean demand is taken over [`SAMPLES`] equally
//! spaced beginnings in a stripe. The least demand is the minimum over the sampled beginnings and over beginnings, ends and middles at the
//! edges of stripe units, if all requests are of one size; else it follows from the code alone.

use super::RaidParameters;
use sansim_component::Module;
use sansim_component::demand::{
    ChildDestination, ChildVisit, Demand, DemandBound, DemandContext, DemandServer, RequestClass,
    ResourceJobDemand, TimeDemand,
};
use sansim_raid::layout::ErasureCode;
use sansim_raid::plan::{ArithmeticField, PlanStep};
use sansim_raid::{Array, RequestPlan};
use sansim_request::BLOCK_BYTES;

/// The number of sampled beginnings in a stripe.
const SAMPLES: u64 = 64;

/// The work of a plan, added up.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    reads: f64,
    read_bytes: f64,
    largest_read: f64,
    writes: f64,
    written_bytes: f64,
    largest_write: f64,
    calculations: f64,
    calculated_bytes: f64,
    engine_ns: f64,
}

impl Work {
    fn each(self, other: Self, of: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            reads: of(self.reads, other.reads),
            read_bytes: of(self.read_bytes, other.read_bytes),
            largest_read: of(self.largest_read, other.largest_read),
            writes: of(self.writes, other.writes),
            written_bytes: of(self.written_bytes, other.written_bytes),
            largest_write: of(self.largest_write, other.largest_write),
            calculations: of(self.calculations, other.calculations),
            calculated_bytes: of(self.calculated_bytes, other.calculated_bytes),
            engine_ns: of(self.engine_ns, other.engine_ns),
        }
    }

    fn of(plan: &RequestPlan, parameters: &RaidParameters) -> Self {
        let mut work = Self::default();
        for operation in plan.plan_operations() {
            match operation.action {
                PlanStep::Read(piece) => {
                    work.reads += 1.0;
                    work.read_bytes += piece.bytes as f64;
                    work.largest_read = work.largest_read.max(piece.bytes as f64);
                }
                PlanStep::Write(piece) => {
                    work.writes += 1.0;
                    work.written_bytes += piece.bytes as f64;
                    work.largest_write = work.largest_write.max(piece.bytes as f64);
                }
                PlanStep::Calculate(calculation) => {
                    let rate = match calculation.field {
                        ArithmeticField::Xor => parameters.xor_bandwidth,
                        ArithmeticField::Galois => parameters.galois_bandwidth,
                    };
                    let bytes = calculation.bytes as f64;
                    work.calculations += 1.0;
                    work.calculated_bytes += bytes;
                    work.engine_ns += rate.map_or(0.0, |rate| bytes / rate as f64 * 1e9);
                }
            }
        }
        work
    }

    /// The least work for requests of any size, from the code alone: every byte is stored once, with its redundancy. A large request has a
    /// part on every member, and these parts run in parallel.
    fn least(array: &Array, class: &RequestClass, members: usize) -> Self {
        let largest = class.bytes / members.max(1) as f64;
        if !class.write {
            return Self { reads: 1.0, read_bytes: class.bytes, largest_read: largest, ..Self::default() };
        }
        let (writes, times) = match array.layout.erasure_code() {
            ErasureCode::None => (1.0, 1.0),
            ErasureCode::Copies(copies) => (1.0 + f64::from(copies), 1.0 + f64::from(copies)),
            ErasureCode::Parity => (2.0, 1.0),
            ErasureCode::DoubleParity => (3.0, 1.0),
        };
        Self { writes, written_bytes: times * class.bytes, largest_write: largest, ..Self::default() }
    }

    fn as_demand(&self, class: &RequestClass, around: &DemandContext<'_>, copies: u32) -> Demand {
        let mut demand = Demand::default().with_job(Module::Mapping, class.bytes);
        let visit = |write: bool, times: f64, bytes: f64, largest_bytes: f64, step: u8| ChildVisit {
            class: RequestClass {
                write,
                bytes: bytes / times,
                is_of_one_size: class.is_of_one_size && largest_bytes * times == bytes,
                sequential: false,
                ..*class
            },
            times,
            largest_bytes,
            to: ChildDestination::Different,
            alike: if write { copies } else { 1 },
            step,
            in_background: false,
        };
        if self.reads > 0.0 {
            demand.visits.push(visit(false, self.reads, self.read_bytes, self.largest_read, 0));
        }
        if self.writes > 0.0 {
            demand.visits.push(visit(true, self.writes, self.written_bytes, self.largest_write, 1));
        }
        if self.calculations == 0.0 {
            return demand;
        }
        if around.is_inside {
            let (bytes, time_ns) =
                (self.calculated_bytes / self.calculations, self.engine_ns / self.calculations);
            demand.jobs.push(ResourceJobDemand {
                module: Module::Xor,
                times: self.calculations,
                bytes,
                time_ns,
            });
        } else {
            let takes = TimeDemand::fixed_ns(self.engine_ns);
            demand.servers.push(DemandServer { name: "calculation", servers: 1, queues: 1, takes });
        }
        demand
    }
}

/// The work of a request of this many bytes that begins at an offset, as the array carries it out: the parts of a write one by one.
fn work_at(
    array: &Array,
    parameters: &RaidParameters,
    class: &RequestClass,
    from: u64,
    bytes: u64,
) -> Option<Work> {
    let mut plan = RequestPlan::new();
    if !class.write {
        array.plan_read(from, bytes, &mut (), &mut plan).ok()?;
        return Some(Work::of(&plan, parameters));
    }
    let mut work = Work::default();
    for part in super::warm::parts_of_write(array, from, from + bytes) {
        if part.is_empty() {
            continue;
        }
        array.plan_write(part.start, part.end - part.start, &mut (), &mut plan).ok()?;
        let part = Work::of(&plan, parameters);
        let largest = (work.largest_read.max(part.largest_read), work.largest_write.max(part.largest_write));
        work = work.each(part, |one, other| one + other);
        (work.largest_read, work.largest_write) = largest;
    }
    Some(work)
}

/// The demand of a request at an array while all members work.
pub(super) fn of(
    parameters: &RaidParameters,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Option<Demand> {
    let array = parameters.array(around.behind_bytes).ok()?;
    let copies = match array.layout.erasure_code() {
        ErasureCode::Copies(further) => 1 + further,
        _ => 1,
    };
    if around.say == DemandBound::Least && !class.is_of_one_size {
        return Some(Work::least(&array, class, around.behind_bytes.len()).as_demand(class, around, copies));
    }
    let bytes = (class.bytes as u64).max(1);
    let (strip, stripe) = (array.layout.stripe_unit_bytes(), array.layout.stripe_bytes());
    let blocks = stripe / BLOCK_BYTES;
    let mut places: Vec<u64> =
        (0..SAMPLES.min(blocks)).map(|place| place * blocks / SAMPLES.min(blocks) * BLOCK_BYTES).collect();
    if around.say == DemandBound::Least {
        let edges = (0..stripe / strip).map(|unit| unit * strip);
        let half = (bytes / 2).next_multiple_of(BLOCK_BYTES);
        places.extend(edges.flat_map(|edge| {
            [edge, (edge + stripe - bytes % stripe) % stripe, (edge + stripe - half % stripe) % stripe]
        }));
    }
    let works = places.iter().filter_map(|&place| work_at(&array, parameters, class, place, bytes));
    let (mut count, mut sum): (f64, Option<Work>) = (0.0, None);
    for work in works {
        count += 1.0;
        sum = Some(sum.map_or(work, |sum| {
            sum.each(work, if around.say == DemandBound::Least { f64::min } else { |one, other| one + other })
        }));
    }
    let sum = sum?;
    let work = if around.say == DemandBound::Least { sum } else { sum.each(sum, |one, _| one / count) };
    let less_because = (around.say == DemandBound::Mean && parameters.memory.is_some())
        .then_some("the memory of an array limits the requests that it works on");
    Some(Demand { less_because, ..work.as_demand(class, around, copies) })
}
