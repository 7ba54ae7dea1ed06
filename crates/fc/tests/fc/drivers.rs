//! The optical drivers of the arrays that Storlite compares are counted and compared with its claims: "up to 48 %" and "93 %" fewer
//! with a passive star (H-R12, H-R13). The report of Storlite does not say which drivers are counted, nor in which system.

use crate::common::station;
use sansim_fc::arbitrated_loop::LoopStation;
use sansim_fc::drivers::{SwitchCabling, SwitchTopology, driver_count};
use sansim_kernel::Span;

const POINT_TO_POINT: SwitchTopology = SwitchTopology::Switch(SwitchCabling::PointToPoint);
const STAR: SwitchTopology = SwitchTopology::Switch(SwitchCabling::Star);

/// A controller and this number of drives.
fn array(drives: usize) -> Vec<LoopStation> {
    (0..=drives).map(|rank| station(rank, Span(10_560))).collect()
}

#[test]
fn drivers_are_counted_link_by_link() {
    let array = array(30);
    assert_eq!(driver_count(SwitchTopology::Chain, &array, 1), 31, "one from each to the next");
    assert_eq!(driver_count(SwitchTopology::Hub, &array, 1), 62, "one each way");
    assert_eq!(driver_count(POINT_TO_POINT, &array, 1), 62);
    assert_eq!(driver_count(STAR, &array, 1), 32, "one each to the switch, and one of the switch to all");
}

/// By our count the systems of Storlite save 47 to 48 %, a share which grows with the drives towards a half: its "up to 48 %" is reached
/// with 30 drives. A saving of 93 % is impossible with a star in which each drive has a driver of its own: at 30 drives the drivers of the
/// drives alone are 48 %.
#[test]
fn a_star_saves_what_storlite_says_at_thirty_drives_and_never_93_percent() {
    let saved = |drives_there: usize| {
        let array = array(drives_there);
        1.0 - driver_count(STAR, &array, 1) as f64 / driver_count(POINT_TO_POINT, &array, 1) as f64
    };
    let by_drives: Vec<f64> = [14, 16, 20, 24, 30].map(saved).to_vec();
    assert!(by_drives.windows(2).all(|pair| pair[1] > pair[0]), "{by_drives:?}");
    assert!((by_drives[0] - 0.467).abs() < 0.001, "{by_drives:?}");
    assert!((by_drives[4] - 0.484).abs() < 0.001, "{by_drives:?}");
    assert!(saved(126) < 0.5);
}

/// If all stations of an enclosure shared one driver, as only one of them sends at a time, the smallest system of Storlite would save 93 %:
/// 2 of 30 are left. This reading is our own; it says how many stations have to share one driver to give the figure of Storlite.
#[test]
fn storlites_93_percent_need_one_driver_for_some_fifteen_stations() {
    let saved = |drives_there: usize, per_driver: u64| {
        let array = array(drives_there);
        1.0 - driver_count(STAR, &array, per_driver) as f64 / driver_count(POINT_TO_POINT, &array, 1) as f64
    };
    assert!((saved(14, 15) - 0.933).abs() < 0.001);
    assert!(saved(14, 8) < 0.91 && saved(30, 8) < 0.92);
    for drives_there in [14, 16, 20, 24, 30] {
        let by_share: Vec<f64> = [1, 2, 4, 8, 16, 32].map(|share| saved(drives_there, share)).to_vec();
        assert!(by_share.windows(2).all(|pair| pair[1] >= pair[0]), "{by_share:?}");
    }
}
