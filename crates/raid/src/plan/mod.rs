//! Plans: the accesses to members and calculations of one request, as a graph.
//!
//! Accesses that are next to each other on a member are one, so a long read asks every member once. Reads wait for nothing,
//! calculations for the reads that they need, and the writes of a stripe for its calculations, as in Linux md. A plan keeps its
//! memory when it is made anew.
//!
//! Plans are independent of each other. The component that carries them out lets one write at a time work on a stripe (`ArrayLayout::stripes_of`),
//! because each reads data that the other writes, and none on rows being rebuilt (`Array::touches`, `NumberSweep::window`).

mod read;
mod rebuild;
mod scrub;
mod stripe;
mod view;
mod write;

pub use view::PlanContext;

use crate::layout::{MemberPiece, MemberRow, StripeUnit};

/// The kind of a calculation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalculationKind {
    /// A check from its old value and from old and new data: of a read-modify-write.
    Update,
    /// A check from all data of its stripe: of a reconstruct-write.
    Encode,
    /// A lost unit from as many others of its stripe as that has data units.
    Recover,
    /// Whether a check, or the copies of a unit, are what they should be.
    Compare,
}

/// In which arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Exclusive or.
    Xor,
    /// GF(256).
    Galois,
}

/// A calculation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calculation {
    /// Its kind.
    pub what: CalculationKind,
    /// In which arithmetic.
    pub field: Field,
    /// The unit that is calculated.
    pub unit: StripeUnit,
    /// The bytes of the strip that come out: from this one.
    pub from: u64,
    /// Up to this one, which is not among them.
    pub upto: u64,
    /// How many bytes go in: what its time depends on.
    pub bytes: u64,
}

/// The action of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanStep {
    /// Reads a range of a member.
    Read(MemberPiece),
    /// Writes a range of a member.
    Write(MemberPiece),
    /// Calculates.
    Calculate(Calculation),
}

/// One node of the graph.
#[derive(Clone, Copy, Debug)]
pub struct PlanOperation {
    /// Its action.
    pub action: PlanStep,
    /// How many others it still waits for.
    waits: u32,
    /// The first of the edges to those that wait for it.
    edge: u32,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    to: u32,
    next: u32,
}

/// No edge, no operation.
const NONE: u32 = u32::MAX;

/// The operations of one request. It can be made anew again and again, and allocates nothing once it has been as large.
#[derive(Clone, Debug, Default)]
pub struct RequestPlan {
    operations: Vec<PlanOperation>,
    edges: Vec<Edge>,
    /// How many operations are not complete.
    left: u32,
    /// The last read and the last write of each member.
    last: Vec<[u32; 2]>,
    /// For the current stripe, the reads and the calculations.
    sources: Vec<u32>,
    sums: Vec<u32>,
    /// Where its units are, unless all members work.
    places: Vec<Option<MemberRow>>,
    /// Members that have a copy; and of a member that is the first of such, which one was chosen.
    copies: Vec<u32>,
    chosen: Vec<u32>,
}

impl RequestPlan {
    /// One with nothing to do.
    pub fn new() -> Self {
        Self::default()
    }

    /// The operations; [`complete`](Self::complete) takes their places.
    pub fn operations(&self) -> &[PlanOperation] {
        &self.operations
    }

    /// How many others an operation still waits for.
    pub fn waits(&self, operation: u32) -> u32 {
        self.operations[operation as usize].waits
    }

    /// The operations that wait for one, the last that was joined first.
    pub fn waiting_for(&self, operation: u32) -> impl Iterator<Item = u32> + '_ {
        let mut edge = self.operations[operation as usize].edge;
        std::iter::from_fn(move || {
            let Edge { to, next } = *self.edges.get(edge as usize)?;
            edge = next;
            Some(to)
        })
    }

    /// Adds the operations that wait for nothing to `ready`.
    pub fn begin(&self, ready: &mut Vec<u32>) {
        let waits_for_nothing =
            |(place, operation): (u32, &PlanOperation)| (operation.waits == 0).then_some(place);
        ready.extend((0..).zip(&self.operations).filter_map(waits_for_nothing));
    }

    /// Marks an operation as complete, and adds operations that waited only for it to `ready`. It must be called once for each.
    pub fn complete(&mut self, operation: u32, ready: &mut Vec<u32>) {
        self.left -= 1;
        let mut edge = self.operations[operation as usize].edge;
        while let Some(&Edge { to, next }) = self.edges.get(edge as usize) {
            let waiting = &mut self.operations[to as usize];
            waiting.waits -= 1;
            if waiting.waits == 0 {
                ready.push(to);
            }
            edge = next;
        }
    }

    /// Whether all operations are complete.
    pub fn is_complete(&self) -> bool {
        self.left == 0
    }

    /// How many bytes it has room for without allocating; for tests of that.
    pub fn room(&self) -> usize {
        self.operations.capacity() * size_of::<PlanOperation>()
            + self.edges.capacity() * size_of::<Edge>()
            + self.last.capacity() * size_of::<[u32; 2]>()
            + self.places.capacity() * size_of::<Option<MemberRow>>()
            + (self.sources.capacity()
                + self.sums.capacity()
                + self.copies.capacity()
                + self.chosen.capacity())
                * size_of::<u32>()
    }

    /// Forgets everything, for an array of so many members.
    pub(crate) fn clear(&mut self, members: u32) {
        self.operations.clear();
        self.edges.clear();
        self.left = 0;
        self.last.clear();
        self.last.resize(members as usize, [NONE; 2]);
        self.chosen.clear();
    }

    fn add(&mut self, action: PlanStep) -> u32 {
        let place = self.operations.len() as u32;
        self.operations.push(PlanOperation { action, waits: 0, edge: NONE });
        self.left += 1;
        place
    }

    /// An access; what goes on where the last one of its kind on the member ended belongs to that.
    fn access(&mut self, write: bool, piece: MemberPiece) -> u32 {
        let last = self.last[piece.member as usize][usize::from(write)];
        if let Some(operation) = self.operations.get_mut(last as usize)
            && let PlanStep::Read(before) | PlanStep::Write(before) = &mut operation.action
            && before.offset + before.bytes == piece.offset
        {
            before.bytes += piece.bytes;
            return last;
        }
        let place = self.add(if write { PlanStep::Write(piece) } else { PlanStep::Read(piece) });
        self.last[piece.member as usize][usize::from(write)] = place;
        place
    }

    fn read(&mut self, piece: MemberPiece) -> u32 {
        self.access(false, piece)
    }

    /// A read that calculations of this stripe wait for.
    fn source(&mut self, piece: MemberPiece) {
        let read = self.read(piece);
        self.sources.push(read);
    }

    /// A calculation that waits for the sources.
    fn calculate(&mut self, calculation: Calculation) -> u32 {
        let place = self.add(PlanStep::Calculate(calculation));
        for number in 0..self.sources.len() {
            self.join(self.sources[number], place);
        }
        self.sums.push(place);
        place
    }

    /// A write that waits for the calculations.
    fn write(&mut self, piece: MemberPiece) {
        let place = self.access(true, piece);
        for number in 0..self.sums.len() {
            self.join(self.sums[number], place);
        }
    }

    /// Lets `to` wait for `from`.
    fn join(&mut self, from: u32, to: u32) {
        let edge = self.operations[from as usize].edge;
        // A read of several stripes that are one, or a write: it waits once.
        if self.edges.get(edge as usize).is_some_and(|edge| edge.to == to) {
            return;
        }
        self.operations[from as usize].edge = self.edges.len() as u32;
        self.edges.push(Edge { to, next: edge });
        self.operations[to as usize].waits += 1;
    }
}
