//! Tests that blocks and sectors are one to one, whatever the zones are.

use super::*;
use proptest::prelude::*;

/// A geometry with zones of these cylinders, sectors and shares of spare sectors.
fn geometry(surfaces: u32, described: &[(u32, u32, u32, u32, u32)]) -> DiskGeometry {
    let mut first_cylinder = 0;
    let zones: Vec<Zone> = described
        .iter()
        .map(|&(cylinders, sectors, track_skew, cylinder_skew, spare_sectors)| {
            let zone = Zone { first_cylinder, sectors, track_skew, cylinder_skew, spare_sectors };
            first_cylinder += cylinders;
            zone
        })
        .collect();
    DiskGeometry::new(surfaces, first_cylinder, &zones).expect("a geometry")
}

#[test]
fn tracks_follow_each_other_by_surface_then_by_cylinder_then_by_zone() {
    let geometry = geometry(2, &[(3, 10, 2, 3, 4), (2, 8, 1, 2, 0)]);
    assert_eq!((geometry.blocks(), geometry.cylinders()), (56 + 32, 5));
    let at = |lbn| {
        let place = geometry.position_of_block(lbn);
        (place.cylinder, place.head, place.sector, place.slot, place.sectors, place.left)
    };
    assert_eq!(at(0), (0, 0, 0, 0, 10, 10));
    assert_eq!(at(10), (0, 1, 0, 2, 10, 10));
    assert_eq!(at(20), (1, 0, 0, 5, 10, 10));
    // The last four sectors of the zone are spare.
    assert_eq!(at(55), (2, 1, 5, 7, 10, 1));
    assert_eq!(at(56), (3, 0, 0, 0, 8, 8));
    assert_eq!(geometry.block_at(2, 1, 6), None);
    assert_eq!(
        (geometry.end_of_cylinder(3), geometry.end_of_cylinder(45), geometry.end_of_cylinder(60)),
        (20, 56, 72)
    );
}

#[test]
fn zones_that_make_no_disk_are_refused_with_what_is_wrong() {
    let zone = Zone { first_cylinder: 0, sectors: 10, track_skew: 0, cylinder_skew: 0, spare_sectors: 0 };
    let wrong = |surfaces, cylinders, zones: &[Zone]| {
        DiskGeometry::new(surfaces, cylinders, zones).expect_err("no disk")
    };
    assert!(wrong(0, 5, &[zone]).contains("no surface"));
    assert!(wrong(1, 5, &[]).contains("begins at cylinder 0"));
    assert!(wrong(1, 5, &[Zone { first_cylinder: 1, ..zone }]).contains("begins at cylinder 0"));
    assert!(wrong(1, 5, &[zone, Zone { first_cylinder: 5, ..zone }]).contains("zone 1 begins at cylinder 5"));
    assert!(wrong(1, 5, &[Zone { sectors: 0, ..zone }]).contains("no sectors"));
    assert!(wrong(1, 5, &[Zone { spare_sectors: 50, ..zone }]).contains("50 of them are spare"));
}

proptest! {
    #[test]
    fn blocks_and_sectors_are_one_to_one(
        surfaces in 1_u32..5,
        zones in prop::collection::vec((1_u32..6, 1_u32..20, 0_u32..40, 0_u32..40, 0_u32..1), 1..5),
        spare in 0_u32..20,
    ) {
        let mut zones = zones;
        let (cylinders, sectors) = (zones[0].0, zones[0].1);
        zones[0].4 = spare.min(surfaces * cylinders * sectors - 1);
        let geometry = geometry(surfaces, &zones);
        let mut blocks = Vec::new();
        for cylinder in 0..geometry.cylinders() + 1 {
            for head in 0..surfaces + 1 {
                for sector in 0..21 {
                    if let Some(lbn) = geometry.block_at(cylinder, head, sector) {
                        let place = geometry.position_of_block(lbn);
                        prop_assert_eq!((place.cylinder, place.head, place.sector), (cylinder, head, sector));
                        blocks.push(lbn);
                    }
                }
            }
        }
        // Every block appears once, in the order of the sectors.
        prop_assert_eq!(blocks, (0..geometry.blocks()).collect::<Vec<u64>>());
    }

    #[test]
    fn a_track_has_its_blocks_side_by_side_at_angles_of_their_own(lbn in 0_u64..17_783_240) {
        let data = crate::presets::Preset::St39102lw.preset_data();
        let geometry = DiskGeometry::new(data.surfaces, data.cylinders, &data.zones).expect("a geometry");
        let place = geometry.position_of_block(lbn);
        prop_assert_eq!(geometry.block_at(place.cylinder, place.head, place.sector), Some(lbn));
        for ahead in 1..place.left {
            let next = geometry.position_of_block(lbn + u64::from(ahead));
            prop_assert_eq!((next.cylinder, next.head, next.left), (place.cylinder, place.head, place.left - ahead));
            prop_assert_eq!(next.slot, (place.slot + ahead) % place.sectors);
        }
    }
}
