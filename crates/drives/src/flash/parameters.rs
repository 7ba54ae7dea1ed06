//! The keys of a flash drive.

use super::FlashStorage;
use crate::firmware::FirmwareParameters;
use crate::grouped::DriveGroupKeys;
use sansim_component::component_kind::CheckedRequest;
use sansim_flash::FlashParameters;
use sansim_flash::drive::LONGEST_COMMAND;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Number, Percentage, Share};
use sansim_schema::{codes, table};

table! {
    /// A flash drive.
    pub struct FlashDriveParameters {
        /// How much of the drive was written before the run, in order from its beginning. Reads of unwritten data take no time in the
        /// flash.
        precondition: Share = Percentage { range: (0, 1_000_000) }, default r#""100 %""#, source "SNIA PTS, preconditioning; MQSim, Initial_Occupancy_Percentage";
        /// How many times its capacity was overwritten in random order after that, in no simulated time: with 2 or more garbage collection
        /// is in its steady state.
        fill: f64 = Number::between(0.0, 100.0), default "0.0", source "SNIA PTS, preconditioning";
    }
    parts {
        /// The flash, and the controller before it.
        flash: FlashParameters;
        /// Commands that it rejects or fails.
        firmware: FirmwareParameters;
    }
}

impl DriveGroupKeys for FlashDriveParameters {
    type Drive = FlashStorage;

    const LARGER: &'static str = "blocks";

    fn fails_by_itself(&self) -> bool {
        self.firmware.faults.fails_every.is_some()
    }

    fn capacity(&self) -> u64 {
        self.flash.capacity()
    }

    /// Whether a request is no longer than a command of the drive may be.
    fn check_request(&self, request: &CheckedRequest<'_>, keys: &mut Keys<'_, '_>) {
        if request.bytes <= LONGEST_COMMAND {
            return;
        }
        let message = format!("an I/O of {} B is longer than commands of a flash drive", request.bytes);
        let fault = Diagnostic::new(codes::OUT_OF_RANGE, request.place, message)
            .with_label(format!("at most {LONGEST_COMMAND} B"))
            .with_help("give a smaller size");
        keys.report_elsewhere(request.key, fault, None);
    }
}
