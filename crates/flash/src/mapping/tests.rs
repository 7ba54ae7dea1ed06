use super::*;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const KEYS: &str =
    "channels = 2\nchips = 1\ndies = 1\nplanes = 1\nblocks = 8\npages = 4\nover_provisioning = \"100 %\"";

fn filled() -> Mapping {
    let keys = FlashParameters::from_toml(KEYS, &Facts::default()).unwrap();
    let mut mapping = Mapping::new(&keys);
    assert!(mapping.precondition(20));
    (0..10).for_each(|logical| assert!(mapping.map_to_new_unit(logical, BlockOwner::Host).is_some()));
    assert_eq!(mapping.first_inconsistency(), None);
    mapping
}

#[test]
fn what_is_at_home_is_found_by_its_unit_and_the_other_way_round() {
    let mapping = filled();
    let layout = mapping.layout();
    for logical in 0..layout.logical_units() {
        assert_eq!(layout.logical_unit_at_home(layout.home_unit(logical)), u64::from(logical));
    }
    assert_eq!((mapping.physical_unit(15), mapping.physical_unit(20)), (Some(layout.home_unit(15)), None));
    assert_ne!(mapping.physical_unit(9), Some(layout.home_unit(9)));
}

#[test]
fn a_mapping_that_is_wrong_is_told() {
    let wrong: [fn(&mut Mapping); 4] = [
        |mapping| mapping.map.set_value(0, mapping.physical_unit(2).unwrap()),
        |mapping| mapping.map.set_value(12, mapping.physical_unit(14).unwrap()),
        |mapping| mapping.blocks[0].valid += 1,
        |mapping| mapping.planes[1].stale += 1,
    ];
    for wrong in wrong {
        let mut mapping = filled();
        wrong(&mut mapping);
        assert!(mapping.first_inconsistency().is_some());
    }
}

/// A host writes as much as it may between any two copies.
#[test]
fn garbage_collection_always_finds_room_whatever_hosts_write_meanwhile() {
    for (seed, separate) in (0..40).zip([false, true].into_iter().cycle()) {
        let text = KEYS.replace("channels = 2", "channels = 1").replace("100 %", "60 %");
        let text = format!("{text}\nseparate_copies = {separate}");
        let mut mapping = Mapping::new(&FlashParameters::from_toml(&text, &Facts::default()).unwrap());
        let units = u64::from(mapping.layout().logical_units());
        assert!(mapping.precondition(units as u32));
        let mut random = RandomStream::new(seed, "mapping");
        for _ in 0..200 {
            while random.chance(0.9)
                && mapping.map_to_new_unit(random.draw_below(units) as u32, BlockOwner::Host).is_some()
            {
            }
            if !mapping.wants_collection(0) {
                continue;
            }
            let (victim, mut from) = (mapping.take_victim(0, &mut random).unwrap(), 0);
            while let Some((place, logical)) = mapping.next_valid(victim, from) {
                while random.chance(0.7)
                    && mapping.map_to_new_unit(random.draw_below(units) as u32, BlockOwner::Host).is_some()
                {
                }
                if mapping.physical_unit(logical) == Some(victim * mapping.layout().units + place) {
                    assert!(
                        mapping.map_to_new_unit(logical, BlockOwner::Collection).is_some(),
                        "seed {seed}"
                    );
                }
                from = place + 1;
            }
            mapping.erase(victim);
        }
        assert_eq!(mapping.first_inconsistency(), None);
        assert!(mapping.write_counts().erased > 20, "{:?}", mapping.write_counts());
    }
}
