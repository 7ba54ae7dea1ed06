//! The keys of a drive that is described by its data sheet.

use super::{DataSheetDrive, ResponseTable, sheet};
use crate::firmware::FirmwareParameters;
use crate::grouped::DriveGroupKeys;
use sansim_component::component_kind::CheckedRequest;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Count, FileName, NamedFile, Size};
use sansim_schema::{codes, table, words};

words! {
    /// The setting of the cache of a drive.
    pub enum CacheSetting {
        /// The cache is enabled.
        On = "on",
        /// The cache is disabled.
        Off = "off",
    }
}

table! {
    /// A drive that takes as long as its data sheet says, or as was measured.
    pub struct DataSheetParameters {
        /// The data sheet: comma-separated values, the names of the columns first. `operation` (`read`, `write`), `size` (`4 KiB`),
        /// `queue_depth`, and `response_time` (`5.1 ms`) or `iops`; `pattern` (`random`, `sequential`) and `cache` (`on`, `off`) where it
        /// tells these apart.
        file: NamedFile = FileName, required r#""drive.csv""#, source "Storlite final report, disk model";
        /// The cache setting whose lines of the file hold, if the file has a column `cache`.
        cache: CacheSetting = Choice::<CacheSetting>::ANY, default r#""on""#, source "Storlite final report, disk model";
        /// Capacity of a drive, in logical blocks of 512 bytes.
        capacity: u64 = Size { range: (512, 1 << 60), step: 512 }, default r#""64 GiB""#, source "ours: small enough to be filled in a run, large enough for any load";
        /// How many streams of sequential commands the drive tells apart.
        streams: u32 = Count::<u32>::between(1, 1024), default "16", source "ours: assumed, data sheets do not say";
    }
    parts {
        /// Commands that it rejects or fails.
        firmware: FirmwareParameters;
    }
    checks(check_file)
}

impl DataSheetParameters {
    /// The response times in the file.
    ///
    /// # Errors
    /// The sheet cannot be read; each line of the text names a fault.
    pub fn responses(&self) -> Result<ResponseTable, Vec<String>> {
        let named = |why: String| format!("{}: {why}", self.file.name());
        let text = self.file.text().map_err(|why| vec![why])?;
        let setting = if self.cache == CacheSetting::On { "on" } else { "off" };
        let lines = sheet::read_data_sheet_lines(text, setting)
            .map_err(|faults| faults.into_iter().map(named).collect::<Vec<_>>())?;
        ResponseTable::from_response_points(&lines).map_err(|why| vec![named(why)])
    }

    /// Checks that the file has the response times that a drive needs.
    fn check_file(&self, keys: &mut Keys<'_, '_>) {
        if !keys.all_readable(&["file", "cache"]) {
            return;
        }
        for why in self.responses().err().unwrap_or_default() {
            let fault = Diagnostic::new(codes::BAD_VALUE, keys.value_position("file"), why)
                .with_label("in this file");
            keys.report("file", fault);
        }
    }
}

impl DriveGroupKeys for DataSheetParameters {
    type Drive = DataSheetDrive;

    fn fails_by_itself(&self) -> bool {
        self.firmware.faults.fails_every.is_some()
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Whether the file says how long a request of this size takes.
    fn check_request(&self, request: &CheckedRequest<'_>, keys: &mut Keys<'_, '_>) {
        let Ok(responses) = self.responses() else { return };
        if !keys.all_readable(&["file", "cache"]) || responses.covers_command_size(request.bytes) {
            return;
        }
        let message = format!(
            "the data sheet of `{}` does not say how long an I/O of {} B takes",
            keys.path(),
            request.bytes
        );
        let fault = Diagnostic::new(codes::CONTRADICTION, request.place, message)
            .with_label("larger than the only size there")
            .with_help(format!("add lines for another size to {}", self.file.name()));
        keys.report_elsewhere(request.key, fault, None);
    }
}
