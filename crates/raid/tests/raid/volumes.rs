//! Tests of volumes on several groups.

use proptest::prelude::*;
use sansim_raid::volume::{GroupExtent, PoolError, VolumeParameters, VolumeSpace, VolumeSpread};
use sansim_raid::{Volume, VolumePool};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use std::collections::HashSet;

fn parameters(size: Option<u64>, striped: bool, stripe: u64) -> VolumeParameters {
    let arrangement = if striped { VolumeSpread::Striped } else { VolumeSpread::Concatenated };
    VolumeParameters { size, space: VolumeSpace::AtOnce, arrangement, stripe_unit: stripe }
}

/// A requested volume: its bytes, whether it is striped, its stripe; or the group of a slice.
type Wish = (u64, bool, u64, Option<u32>);

fn made(pool: &mut VolumePool, wishes: &[Wish]) -> Vec<Volume> {
    let make = |(bytes, striped, stripe, group): &Wish| match group {
        Some(group) => pool.allocate_slice(*group, *bytes),
        None => pool.allocate_volume(&parameters(Some(*bytes), *striped, *stripe)),
    };
    wishes.iter().map(make).filter_map(Result::ok).collect()
}

proptest! {
    #[test]
    fn every_byte_of_every_volume_has_a_place_of_its_own_and_is_found_there(
        capacities in prop::collection::vec(0..200_u64, 1..5),
        wishes in prop::collection::vec((1..150_u64, any::<bool>(), 1..20_u64, prop::option::of(0..4_u32)), 1..6),
    ) {
        let mut pool = VolumePool::new(&capacities);
        let volumes = made(&mut pool, &wishes);
        let mut taken = HashSet::new();
        for volume in &volumes {
            for at in 0..volume.capacity() {
                let extents: Vec<GroupExtent> = volume.extents_of_range(at, 1).collect();
                prop_assert_eq!(extents.len(), 1);
                let GroupExtent { group, offset, bytes } = extents[0];
                prop_assert_eq!(bytes, 1);
                prop_assert!(offset < capacities[group as usize]);
                prop_assert_eq!(volume.logical_offset(group, offset), Some(at));
                prop_assert!(taken.insert((group, offset)), "two bytes on {} at {}", group, offset);
            }
        }
        let free: u64 = capacities.iter().sum::<u64>() - pool.free_bytes();
        prop_assert!(taken.len() as u64 <= free, "what is given out is taken from what is free");
    }

    #[test]
    fn the_extents_of_a_range_are_its_bytes_in_order(
        capacities in prop::collection::vec(50..200_u64, 1..5), striped in any::<bool>(), stripe in 1..20_u64,
        from in 0..300_u64, bytes in 0..300_u64,
    ) {
        let mut pool = VolumePool::new(&capacities);
        let volume = pool.allocate_volume(&parameters(None, striped, stripe)).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let mut at = from;
        for extent in volume.extents_of_range(from, bytes) {
            for byte in 0..extent.bytes {
                prop_assert_eq!(volume.logical_offset(extent.group, extent.offset + byte), Some(at));
                at += 1;
            }
        }
        prop_assert_eq!(at, (from + bytes).min(volume.capacity()).max(from));
    }
}

fn extents(volume: &Volume) -> Vec<(u32, u64, u64)> {
    let triple = |extent: GroupExtent| (extent.group, extent.offset, extent.bytes);
    volume.extents_of_range(0, volume.capacity()).map(triple).collect()
}

#[test]
fn a_concatenated_volume_fills_one_group_after_the_other() {
    let mut pool = VolumePool::new(&[100, 50, 100]);
    let first = pool.allocate_volume(&parameters(Some(120), false, 10)).map(|volume| extents(&volume));
    assert_eq!(first, Ok(vec![(0, 0, 100), (1, 0, 20)]));
    let second = pool.allocate_volume(&parameters(None, false, 10)).map(|volume| extents(&volume));
    assert_eq!(second, Ok(vec![(1, 20, 30), (2, 0, 100)]));
    assert_eq!(pool.free_bytes(), 0);
}

#[test]
fn a_striped_volume_goes_on_over_the_larger_groups_when_the_smallest_is_full() {
    let mut pool = VolumePool::new(&[20, 40]);
    let volume = pool.allocate_volume(&parameters(None, true, 10)).map(|volume| extents(&volume));
    assert_eq!(volume, Ok(vec![(0, 0, 10), (1, 0, 10), (0, 10, 10), (1, 10, 10), (1, 20, 10), (1, 30, 10)]));
}

#[test]
fn several_slices_share_a_group_without_touching() {
    let mut pool = VolumePool::new(&[100, 100]);
    let slices = [30, 50].map(|bytes| pool.allocate_slice(1, bytes).map(|volume| extents(&volume)));
    assert_eq!(slices, [Ok(vec![(1, 0, 30)]), Ok(vec![(1, 30, 50)])]);
    assert_eq!(pool.allocate_slice(1, 21), Err(PoolError::Full { wanted: 21, free: 20 }));
    assert_eq!(pool.allocate_slice(2, 1), Err(PoolError::NoSuchGroup { group: 2, groups: 2 }));
    assert_eq!(pool.free_bytes_of_group(0), 100);
}

#[test]
fn a_volume_that_does_not_fit_takes_nothing_and_says_how_much_there_is() {
    let mut pool = VolumePool::new(&[100, 100]);
    let error = pool.allocate_volume(&parameters(Some(201), false, 10));
    assert_eq!(error, Err(PoolError::Full { wanted: 201, free: 200 }));
    assert_eq!(pool.free_bytes(), 200);
    // Stripes leave a few bytes free on each group.
    assert_eq!(
        pool.allocate_volume(&parameters(Some(200), true, 30)),
        Err(PoolError::Full { wanted: 200, free: 180 })
    );
    assert_eq!(pool.free_bytes(), 200);
    assert_eq!(pool.allocate_volume(&parameters(None, true, 30)).map(|volume| volume.capacity()), Ok(180));
}

#[test]
fn keys_of_volumes_have_readable_defaults() {
    assert_eq!(VolumeParameters::unreadable_defaults(&Facts::default()), Vec::<&str>::new());
}
