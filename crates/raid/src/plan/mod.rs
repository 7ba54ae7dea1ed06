//! Plans: the accesses to members and the calculations of one request, as a graph.
//!
//! Accesses that are adjacent on a member are merged, so a long read issues one command per member. Reads have no predecessors;
//! calculations wait for the reads that they need, and the writes of a stripe for its calculations, as in Linux md. A plan keeps its memory
//! when it is cleared and planned again.
//!
//! Plans are independent of each other. The component that carries out plans lets only one write at a time work on a stripe
//! (`ArrayLayout::stripes_of`), because each write reads data that the other writes, and no write on rows being rebuilt
//! (`Array::range_touches_rows`, `NumberSweep::range_in_progress`).

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
    /// A check is updated from its old value and from old and new data, in a read-modify-write.
    Update,
    /// A check is calculated from all data of its stripe, in a reconstruct-write.
    Encode,
    /// A lost unit is recovered from as many other units of its stripe as the stripe has data units.
    Recover,
    /// A check is compared with its data, or the copies of a unit with each other.
    Compare,
}

/// The arithmetic of a calculation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithmeticField {
    /// Exclusive or.
    Xor,
    /// GF(256).
    Galois,
}

/// A calculation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calculation {
    /// The kind of the calculation.
    pub what: CalculationKind,
    /// The arithmetic of the calculation.
    pub field: ArithmeticField,
    /// The unit that is calculated.
    pub unit: StripeUnit,
    /// The first byte of the stripe unit that is calculated.
    pub from: u64,
    /// The byte behind the last byte that is calculated.
    pub upto: u64,
    /// The number of input bytes, which determines the time of the calculation.
    pub bytes: u64,
}

/// The action of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanStep {
    /// Reads a range of a member.
    Read(MemberPiece),
    /// Writes a range of a member.
    Write(MemberPiece),
    /// Carries out a calculation.
    Calculate(Calculation),
}

/// An operation, which is a node of the graph of a plan.
#[derive(Clone, Copy, Debug)]
pub struct PlanOperation {
    /// The action of the operation.
    pub action: PlanStep,
    /// The number of predecessors that the operation still waits for.
    waits: u32,
    /// The first of the edges to the operations that wait for this one.
    edge: u32,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    to: u32,
    next: u32,
}

/// The index that means: no edge, no operation.
const NONE: u32 = u32::MAX;

/// The operations of one request. A plan can be made again and again in the same memory, and allocates nothing once it has been as large.
#[derive(Clone, Debug, Default)]
pub struct RequestPlan {
    operations: Vec<PlanOperation>,
    edges: Vec<Edge>,
    /// The number of operations that are not complete.
    left: u32,
    /// The last read and the last write of each member.
    last: Vec<[u32; 2]>,
    /// For the current stripe, the reads and the calculations.
    sources: Vec<u32>,
    sums: Vec<u32>,
    /// The positions of the units of the current stripe, unless all members work.
    places: Vec<Option<MemberRow>>,
    /// Members that have a copy; and, for the first member of such a set, the copy that was chosen.
    copies: Vec<u32>,
    chosen: Vec<u32>,
}

impl RequestPlan {
    /// An empty plan.
    pub fn new() -> Self {
        Self::default()
    }

    /// The operations; [`complete`](Self::complete_operation) takes their places.
    pub fn plan_operations(&self) -> &[PlanOperation] {
        &self.operations
    }

    /// The number of predecessors that an operation still waits for.
    pub fn predecessor_count(&self, operation: u32) -> u32 {
        self.operations[operation as usize].waits
    }

    /// The operations that wait for an operation, the last that was joined first.
    pub fn successors_of(&self, operation: u32) -> impl Iterator<Item = u32> + '_ {
        let mut edge = self.operations[operation as usize].edge;
        std::iter::from_fn(move || {
            let Edge { to, next } = *self.edges.get(edge as usize)?;
            edge = next;
            Some(to)
        })
    }

    /// Adds the operations without predecessors to `ready`.
    pub fn list_first_operations(&self, ready: &mut Vec<u32>) {
        let waits_for_nothing =
            |(place, operation): (u32, &PlanOperation)| (operation.waits == 0).then_some(place);
        ready.extend((0..).zip(&self.operations).filter_map(waits_for_nothing));
    }

    /// Marks an operation as complete, and adds operations that waited only for it to `ready`. [`complete`](Self::complete_operation) must
    /// be called once for each operation.
    pub fn complete_operation(&mut self, operation: u32, ready: &mut Vec<u32>) {
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

    /// The number of bytes that the plan has allocated; for tests of its memory.
    pub fn allocated_bytes(&self) -> usize {
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

    /// Drops all operations, for an array with this many members.
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

    /// Adds an access; an access that continues where the last access of its kind on the member ended is merged into that.
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

    /// Adds a read that calculations of this stripe wait for.
    fn source(&mut self, piece: MemberPiece) {
        let read = self.read(piece);
        self.sources.push(read);
    }

    /// Adds a calculation that waits for the sources.
    fn calculate(&mut self, calculation: Calculation) -> u32 {
        let place = self.add(PlanStep::Calculate(calculation));
        for number in 0..self.sources.len() {
            self.join(self.sources[number], place);
        }
        self.sums.push(place);
        place
    }

    /// Adds a write that waits for the calculations.
    fn write(&mut self, piece: MemberPiece) {
        let place = self.access(true, piece);
        for number in 0..self.sums.len() {
            self.join(self.sums[number], place);
        }
    }

    /// Lets `to` wait for `from`.
    fn join(&mut self, from: u32, to: u32) {
        let edge = self.operations[from as usize].edge;
        // A merged read of several stripes, or a write, waits only once for the same operation.
        if self.edges.get(edge as usize).is_some_and(|edge| edge.to == to) {
            return;
        }
        self.operations[from as usize].edge = self.edges.len() as u32;
        self.edges.push(Edge { to, next: edge });
        self.operations[to as usize].waits += 1;
    }
}
