//! Simulated members as arrays of bytes, on which plans are carried out with real data.
//!
//! Operations are carried out in any order that the graph allows, and a calculation or a write can use only the results of its
//! predecessors, the new data, and the content of the cache. A plan that forgets a read or an edge cannot be carried out.

use super::galois;
use sansim_kernel::RandomStream;
use sansim_raid::layout::{ErasureCode, MemberPiece, MemberRow, RaidLevel, StripeUnit};
use sansim_raid::plan::{Calculation, CalculationKind};
use sansim_raid::{Array, PlanContext, PlanStep, RequestPlan};
use std::collections::{HashMap, HashSet};

/// A read or write of a range.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    pub offset: u64,
    /// The new data of a write; empty for a read.
    pub new: &'a [u8],
}

/// The expected content of the array, and the cached part of it.
pub struct Reference {
    pub bytes: Vec<u8>,
    pub cached: Vec<bool>,
    pub cached_checks: HashSet<StripeUnit>,
    /// The index of the copy to read.
    pub copy: usize,
}

impl Reference {
    /// A reference of which all bytes are zero and nothing is cached.
    pub fn new(array: &Array) -> Self {
        let capacity = array.layout.capacity() as usize;
        Self {
            bytes: vec![0; capacity],
            cached: vec![false; capacity],
            cached_checks: HashSet::new(),
            copy: 0,
        }
    }

    /// The expected byte of a unit.
    fn byte(&self, array: &Array, unit: StripeUnit, within: u64) -> u8 {
        let of = |position: u32| {
            let start = unit.stripe * array.layout.stripe_bytes()
                + u64::from(position) * array.layout.stripe_unit_bytes();
            self.bytes[(start + within) as usize]
        };
        match array.layout.erasure_code() {
            ErasureCode::Copies(_) => of(0),
            _ => {
                let data: Vec<u8> = (0..array.layout.raid_level().data_units()).map(of).collect();
                galois::encode(unit.position, &data)
            }
        }
    }
}

impl PlanContext for &Reference {
    fn cached(&self, offset: u64, bytes: u64) -> bool {
        (offset..offset + bytes).all(|at| self.cached[at as usize])
    }

    fn cached_check(&self, check: StripeUnit, _: u64, _: u64) -> bool {
        self.cached_checks.contains(&check)
    }

    fn copy(&mut self, members: &[u32], _: u64) -> usize {
        self.copy % members.len()
    }
}

pub struct Disks {
    pub members: Vec<Vec<u8>>,
    random: RandomStream,
}

/// The execution of a plan.
struct Execution<'a> {
    array: &'a Array,
    reference: &'a Reference,
    request: Request<'a>,
    /// Contents of the slots, now or after the rebuild.
    units: HashMap<MemberRow, StripeUnit>,
    /// For each operation its predecessors and its result.
    before: Vec<Vec<u32>>,
    actions: Vec<PlanStep>,
    gave: Vec<Option<Vec<u8>>>,
    differences: usize,
}

impl Disks {
    /// Members that are all zero, which is consistent on every level.
    pub fn new(array: &Array, seed: u64) -> Self {
        let bytes = (array.layout.rows_per_member() * array.layout.stripe_unit_bytes()) as usize;
        let members = vec![vec![0; bytes]; array.layout.member_count() as usize];
        Self { members, random: RandomStream::new(seed, "disks") }
    }

    /// Overwrites the content of a member.
    pub fn spoil(&mut self, member: u32) {
        for byte in &mut self.members[member as usize] {
            *byte = self.random.next_u64() as u8;
        }
    }

    /// Carries out the plan of a read, and returns the data that it found.
    pub fn read(
        &mut self,
        array: &Array,
        reference: &Reference,
        (offset, bytes): (u64, u64),
        plan: &mut RequestPlan,
    ) -> Vec<Option<u8>> {
        let number = plan.plan_operations().len() as u32;
        let execution = self.execute(array, reference, Request { offset, new: &[] }, plan, 0);
        let all: Vec<u32> = (0..number).collect();
        (offset..offset + bytes).map(|at| execution.read(&all, at)).collect()
    }

    /// Carries out a plan except for all writes after the first `writes`, and returns the number of comparisons that failed.
    pub fn carry_out(
        &mut self,
        array: &Array,
        reference: &Reference,
        request: Request<'_>,
        plan: &mut RequestPlan,
        writes: usize,
    ) -> usize {
        self.execute(array, reference, request, plan, writes).differences
    }

    fn execute<'a>(
        &mut self,
        array: &'a Array,
        reference: &'a Reference,
        request: Request<'a>,
        plan: &mut RequestPlan,
        mut writes: usize,
    ) -> Execution<'a> {
        let number = plan.plan_operations().len();
        let mut before = vec![Vec::new(); number];
        for from in 0..number as u32 {
            for to in plan.successors_of(from) {
                before[to as usize].push(from);
            }
        }
        let actions = plan.plan_operations().iter().map(|operation| operation.action).collect();
        let units = units(array);
        let gave = vec![None; number];
        let mut execution =
            Execution { array, reference, request, units, before, actions, gave, differences: 0 };
        let mut ready = Vec::new();
        plan.list_first_operations(&mut ready);
        while !ready.is_empty() {
            let next = ready.swap_remove(self.random.draw_below(ready.len() as u64) as usize);
            match execution.actions[next as usize] {
                PlanStep::Read(piece) => {
                    let range = piece.offset as usize..(piece.offset + piece.bytes) as usize;
                    let read = self.members[piece.member as usize][range].to_vec();
                    execution.gave[next as usize] = Some(read);
                }
                PlanStep::Calculate(calculation) => {
                    let gives = execution.calculate(next, &calculation);
                    execution.gave[next as usize] = Some(gives);
                }
                PlanStep::Write(piece) => {
                    let content = execution.content(next, piece);
                    if writes > 0 {
                        writes -= 1;
                        let range = piece.offset as usize..(piece.offset + piece.bytes) as usize;
                        self.members[piece.member as usize][range].copy_from_slice(&content);
                    }
                }
            }
            plan.complete_operation(next, &mut ready);
        }
        assert!(plan.is_complete(), "every operation has its turn");
        execution
    }
}

/// The content of each slot, now or after the rebuild.
fn units(array: &Array) -> HashMap<MemberRow, StripeUnit> {
    let layout = &array.layout;
    let slots = (0..layout.member_count())
        .flat_map(|member| (0..layout.rows_per_member()).map(move |row| MemberRow { member, row }));
    let mut units = HashMap::new();
    for slot in slots {
        let Some(unit) = array.health.unit_held(layout, slot) else { continue };
        if let Some(to) = array.health.rebuild_destination(layout.raid_level(), slot) {
            units.insert(to, unit);
        }
        units.insert(slot, unit);
    }
    units
}

impl Execution<'_> {
    fn strip(&self) -> u64 {
        self.array.layout.stripe_unit_bytes()
    }

    /// The new value, if the request writes it, to a byte of a data unit.
    fn written(&self, unit: StripeUnit, within: u64) -> Option<u8> {
        let position = match self.array.layout.erasure_code() {
            ErasureCode::Copies(_) => 0,
            _ => unit.position,
        };
        if position >= self.array.layout.raid_level().data_units() {
            return None;
        }
        let offset = self.offset(StripeUnit { position, ..unit }, within);
        let at = offset.checked_sub(self.request.offset)?;
        self.request.new.get(at as usize).copied()
    }

    fn offset(&self, unit: StripeUnit, within: u64) -> u64 {
        unit.stripe * self.array.layout.stripe_bytes() + u64::from(unit.position) * self.strip() + within
    }

    /// The present content of a byte of a unit, from the results of some operations.
    fn known(&self, operations: &[u32], unit: StripeUnit, within: u64) -> Option<u8> {
        let copies = matches!(self.array.layout.erasure_code(), ErasureCode::Copies(_));
        let is_it = |other: &StripeUnit| other == &unit || copies && other.stripe == unit.stripe;
        let given = operations.iter().find_map(|operation| {
            let gave = self.gave[*operation as usize].as_ref()?;
            match self.actions[*operation as usize] {
                PlanStep::Read(piece) => (0..).zip(gave).find_map(|(at, byte)| {
                    let offset = piece.offset + at;
                    let slot = MemberRow { member: piece.member, row: offset / self.strip() };
                    let is_there = offset % self.strip() == within && self.is_valid(slot);
                    (is_there && self.units.get(&slot).is_some_and(is_it)).then_some(*byte)
                }),
                PlanStep::Calculate(Calculation {
                    what: CalculationKind::Recover,
                    unit: of,
                    from,
                    upto,
                    ..
                }) => (is_it(&of) && (from..upto).contains(&within)).then(|| gave[(within - from) as usize]),
                _ => None,
            }
        });
        given.or_else(|| {
            let is_data = copies || unit.position < self.array.layout.raid_level().data_units();
            let is_cached = if is_data {
                let unit = if copies { StripeUnit { position: 0, ..unit } } else { unit };
                self.reference.cached[self.offset(unit, within) as usize]
            } else {
                self.reference.cached_checks.contains(&unit)
            };
            is_cached.then(|| self.reference.byte(self.array, unit, within))
        })
    }

    /// The byte of a slot that one of these reads found.
    fn read_in(&self, operations: &[u32], slot: MemberRow, within: u64) -> Option<u8> {
        let offset = slot.row * self.strip() + within;
        operations.iter().find_map(|operation| match self.actions[*operation as usize] {
            PlanStep::Read(piece) if piece.member == slot.member => {
                let at = offset.checked_sub(piece.offset)?;
                self.gave[*operation as usize].as_ref()?.get(at as usize).copied()
            }
            _ => None,
        })
    }

    /// Whether the content of a slot has its expected value.
    fn is_valid(&self, slot: MemberRow) -> bool {
        let level = self.array.layout.raid_level();
        self.units.get(&slot).is_some_and(|unit| {
            self.array.health.present_slot(level, level.slot(unit.stripe, unit.position)) == Some(slot)
        })
    }

    fn calculate(&mut self, operation: u32, calculation: &Calculation) -> Vec<u8> {
        (calculation.from..calculation.upto).map(|within| self.sum(operation, calculation, within)).collect()
    }

    fn sum(&mut self, operation: u32, calculation: &Calculation, within: u64) -> u8 {
        let before = &self.before[operation as usize];
        let StripeUnit { stripe, position } = calculation.unit;
        let data = self.array.layout.raid_level().data_units();
        let of = |position| StripeUnit { stripe, position };
        let known = |position| self.known(before, of(position), within);
        let positions = data + self.array.layout.erasure_code().checks();
        match calculation.what {
            CalculationKind::Encode => {
                let now = |unit| self.written(of(unit), within).or_else(|| known(unit));
                let data: Vec<u8> = (0..data).map(|unit| now(unit).expect("all data are known")).collect();
                galois::encode(position, &data)
            }
            CalculationKind::Update => {
                (0..data).fold(known(position).expect("the old check is known"), |check, unit| {
                    let Some(new) = self.written(of(unit), within) else { return check };
                    let old = known(unit).expect("what is replaced is known");
                    check ^ galois::times(galois::coefficient(position, data, unit), old ^ new)
                })
            }
            CalculationKind::Recover => {
                let known: Vec<(u32, u8)> = (0..positions)
                    .filter(|other| *other != position)
                    .filter_map(|other| Some((other, known(other)?)))
                    .collect();
                galois::encode(position, &galois::solve(data, &known))
            }
            CalculationKind::Compare
                if matches!(self.array.layout.erasure_code(), ErasureCode::Copies(_)) =>
            {
                let level = self.array.layout.raid_level();
                let there = (0..positions).filter_map(|position| {
                    self.array.health.present_slot(level, level.slot(stripe, position))
                });
                let bytes: Vec<u8> = there
                    .map(|slot| self.read_in(before, slot, within).expect("all copies are read"))
                    .collect();
                self.differences += usize::from(bytes.iter().any(|byte| *byte != bytes[0]));
                0
            }
            CalculationKind::Compare => {
                let all: Vec<u8> = (0..data).map(|unit| known(unit).expect("all data are known")).collect();
                let check = known(position).expect("the check is known");
                self.differences += usize::from(galois::encode(position, &all) != check);
                0
            }
        }
    }

    /// The data of a write operation.
    fn content(&self, operation: u32, piece: MemberPiece) -> Vec<u8> {
        let before = &self.before[operation as usize];
        let byte = |offset: u64| {
            let slot = MemberRow { member: piece.member, row: offset / self.strip() };
            let (unit, within) = (self.units[&slot], offset % self.strip());
            let calculated = || {
                before.iter().find_map(|one| match self.actions[*one as usize] {
                    PlanStep::Calculate(Calculation { unit: of, from, upto, .. }) => {
                        let is_it = of == unit && (from..upto).contains(&within);
                        let gave = self.gave[*one as usize].as_ref().expect("it waits for that");
                        is_it.then(|| gave[(within - from) as usize])
                    }
                    _ => None,
                })
            };
            let content = self.written(unit, within).or_else(calculated);
            content.or_else(|| self.known(before, unit, within)).expect("what is written is known")
        };
        (piece.offset..piece.offset + piece.bytes).map(byte).collect()
    }

    /// The value that a read found at a logical offset.
    fn read(&self, operations: &[u32], offset: u64) -> Option<u8> {
        let (unit, within) = self.array.layout.data_unit_of_offset(offset)?;
        self.known(operations, unit, within)
    }
}
