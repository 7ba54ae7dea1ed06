//! Test code for the data that a job of the array may use: blocks that it has read since it was planned, data of its host, and values
//! calculated from both.

use super::*;

impl DiskArray {
    /// Contents of the slots, now or after the rebuild.
    pub(in crate::array) fn note_units(&mut self, number: u32) {
        let (layout, health) = (&self.array.layout, &self.array.health);
        let level = layout.raid_level();
        let job = &mut self.jobs[number as usize];
        job.plans += 1;
        job.units.clear();
        let members = 0..layout.member_count();
        for slot in
            members.flat_map(|member| (0..layout.rows_per_member()).map(move |row| MemberRow { member, row }))
        {
            let Some(unit) = health.unit_held(layout, slot) else { continue };
            if let Some(to) = health.rebuild_destination(level, slot) {
                job.units.insert(to, unit);
            }
            job.units.entry(slot).or_insert(unit);
        }
    }
}

impl World {
    /// Records the blocks that a job has read.
    pub(super) fn gather(&mut self, one: &Pending, values: &[u8]) {
        if one.job == LOOK {
            return;
        }
        let component = &self.bench.component;
        let Some(of) = component.part_of.get(&one.part) else { return };
        let strip = self.layout().stripe_unit_bytes() / BLOCK_BYTES;
        let gathered = self.gathered.entry(one.job).or_default();
        let plans = component.jobs[one.job as usize].plans;
        if gathered.0 != plans {
            *gathered = (plans, BTreeMap::new());
        }
        for (block, value) in (one.first as u64..).zip(values) {
            let slot = MemberRow { member: of.member, row: block / strip };
            if let Some(&unit) = component.jobs[one.job as usize].units.get(&slot) {
                gathered.1.insert((unit.stripe, unit.position, block % strip), *value);
            }
        }
    }

    /// The value of a block of a unit as a job may know it: read, or calculated from its reads.
    pub(super) fn known(&self, job: u32, unit: StripeUnit, within: u64) -> Option<u8> {
        let now = self.bench.component.jobs[job as usize].plans;
        self.found(job, unit, within, |plans| plans == now)
    }

    /// The value of a block of a unit from the reads of those plans of a job for which the condition is true.
    pub(super) fn found(
        &self,
        job: u32,
        unit: StripeUnit,
        within: u64,
        at: impl Fn(u32) -> bool,
    ) -> Option<u8> {
        let component = &self.bench.component;
        let layout = &component.array.layout;
        let (data, checks) = (layout.raid_level().data_units(), layout.erasure_code().checks());
        let gathered = self.gathered.get(&job);
        let gathered = gathered.filter(|(plans, _)| at(*plans));
        let read = |position: u32| Some(*gathered?.1.get(&(unit.stripe, position, within))?);
        if matches!(layout.erasure_code(), ErasureCode::Copies(_)) {
            return (0..data + checks).find_map(read);
        }
        read(unit.position).or_else(|| {
            let known: Vec<(u32, u8)> =
                (0..data + checks).filter_map(|position| Some((position, read(position)?))).collect();
            (known.len() >= data as usize)
                .then(|| galois::encode(unit.position, &galois::solve(data, &known)))
        })
    }

    /// The data of a host that a job writes to a block.
    pub(super) fn new_of(&self, job: u32, unit: StripeUnit, within: u64) -> Option<u8> {
        let component = &self.bench.component;
        let layout = &component.array.layout;
        let its = &component.jobs[job as usize];
        if !matches!(its.task, Task::Write | Task::Finish) || !its.mending.is_empty() {
            return None;
        }
        let strip = layout.stripe_unit_bytes() / BLOCK_BYTES;
        let offset =
            unit.stripe * (layout.stripe_bytes() / BLOCK_BYTES) + u64::from(unit.position) * strip + within;
        let bytes = its.offset / BLOCK_BYTES..(its.offset + its.bytes) / BLOCK_BYTES;
        if !bytes.contains(&offset) {
            return None;
        }
        let (first, content) = self.written_by.get(&job)?;
        content.get((offset as usize).checked_sub(*first)?).copied()
    }

    /// The content that a job writes into a slot.
    pub(super) fn content(&self, job: u32, slot: MemberRow, within: u64) -> u8 {
        let component = &self.bench.component;
        let layout = &component.array.layout;
        let level = layout.raid_level();
        let its = &component.jobs[job as usize];
        let unit = its.units.get(&slot).copied();
        // If no unit belongs into the slot, a value is written that a read would find to be wrong.
        let Some(unit) = unit else { return 0xEE };
        let data = level.data_units();
        let is_copy = matches!(layout.erasure_code(), ErasureCode::Copies(_));
        let position = if is_copy { 0 } else { unit.position };
        let of = |position: u32| StripeUnit { position, ..unit };
        if position < data {
            let new = self.new_of(job, of(position), within);
            return new.or_else(|| self.known(job, unit, within)).expect("what is written is known");
        }
        let all: Option<Vec<u8>> = (0..data)
            .map(|unit| self.new_of(job, of(unit), within).or_else(|| self.known(job, of(unit), within)))
            .collect();
        if let Some(all) = all {
            return galois::encode(position, &all);
        }
        let old = self.known(job, unit, within).expect("the old check is known");
        (0..data).fold(old, |check, unit| {
            let Some(new) = self.new_of(job, of(unit), within) else { return check };
            let old = self.known(job, of(unit), within).expect("what is replaced is known");
            check ^ galois::times(galois::coefficient(position, data, unit), old ^ new)
        })
    }
}
