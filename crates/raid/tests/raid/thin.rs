//! Random writes, reads and deletions of volumes on demand, compared with the content that hosts wrote.

use proptest::prelude::*;
use sansim_raid::volume::VolumeSpread;
use sansim_raid::{ThinPool, ThinVolumeParameters};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug)]
enum Step {
    Write { volume: usize, offset: u64, bytes: u64 },
    Delete { volume: usize },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..3_usize, 0..120_u64, 1..30_u64)
            .prop_map(|(volume, offset, bytes)| Step::Write { volume, offset, bytes }),
        1 => (0..3_usize).prop_map(|volume| Step::Delete { volume }),
    ]
}

/// The groups' bytes, each with the number of the write that it holds.
type Medium = HashMap<(u32, u64), usize>;

proptest! {
    #[test]
    fn what_was_written_is_read_no_two_bytes_share_a_place_and_chunks_are_free_or_taken(
        chunk in 1..12_u64,
        free in prop::collection::vec((0..9_u64, 0..90_u64), 1..4),
        striped in prop::collection::vec((any::<bool>(), prop::option::of(0..3_u32)), 3),
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let arrangement = |striped| if striped { VolumeSpread::Striped } else { VolumeSpread::Concatenated };
        let volumes: Vec<ThinVolumeParameters> = striped
            .iter()
            .map(|&(striped, on)| ThinVolumeParameters { capacity: 160, arrangement: arrangement(striped), on })
            .collect();
        let mut pool = ThinPool::new(chunk, &free, &volumes);
        let all: u64 = free.iter().map(|(_, bytes)| bytes / chunk).sum();
        let (mut medium, mut content) = (Medium::new(), HashMap::<(usize, u64), usize>::new());
        for (number, &step) in steps.iter().enumerate() {
            match step {
                Step::Write { volume, offset, bytes } => {
                    let before = pool.clone();
                    if pool.take_for_range(volume, offset, bytes) {
                        let mut at = offset;
                        for extent in pool.extents_of_range(volume, offset, bytes) {
                            let (start, room) = free[extent.group as usize];
                            prop_assert!(extent.offset >= start && extent.offset + extent.bytes <= start + room);
                            prop_assert!(volumes[volume].on.is_none_or(|on| on == extent.group));
                            for byte in 0..extent.bytes {
                                medium.insert((extent.group, extent.offset + byte), number);
                                content.insert((volume, at), number);
                                at += 1;
                            }
                        }
                        prop_assert_eq!(at, offset + bytes, "all of it has a place");
                    } else {
                        prop_assert_eq!(pool.free_chunks(), before.free_chunks(), "a refused write takes nothing");
                    }
                }
                Step::Delete { volume } => {
                    pool.return_all(volume);
                    content.retain(|(of, _), _| *of != volume);
                    prop_assert!(pool.extents_of_range(volume, 0, 160).is_empty());
                }
            }
            prop_assert_eq!(pool.free_chunks() + pool.taken_chunks(), all, "chunks are free or taken");
        }
        for (&(volume, offset), &number) in &content {
            let extents = pool.extents_of_range(volume, offset, 1);
            prop_assert_eq!(extents.len(), 1);
            prop_assert_eq!(medium.get(&(extents[0].group, extents[0].offset)), Some(&number));
        }
    }
}
