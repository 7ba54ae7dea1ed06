//! The keys of workloads of Iometer.

use super::patterns::KnownPattern;
use crate::aims::{FROM, TO};
use crate::devices::DevicesByName;
use sansim_component::groups::WorkloadGroup;
use sansim_component::limits::LimitParameters;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Count, FileName, NamedFile, Text};
use sansim_schema::table;

table! {
    /// The load of an Iometer configuration (`.icf`): its disk workers with their access specifications, one after the other for the run
    /// time that the file says, each at its targets.
    pub struct IometerParameters {
        /// The host that the I/Os go through. From a group of hosts, or from several, there is a workload for each of them.
        from: Vec<String> = FROM, required r#""host""#, source "";
        /// The devices that the I/Os go to: groups, or chosen members: `"drives[3]"` is one of them, `"drives[4..8]"` are members 4 to 7.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
        /// The file.
        file: NamedFile = FileName, required r#""test.icf""#, source "Iometer user guide";
        /// The only access specification that is run, by its name; those that the workers are assigned, if it is left empty.
        specification: String = Text, default r#""""#, source "Iometer user guide";
        /// Maps targets of the workers to devices of `to`: `{ "PHYSICALDRIVE:1" = "disk[3]" }`; the name of a group means all its devices
        /// as one. Without an entry, the n-th target is the n-th device. A worker without targets goes to all devices.
        devices: Vec<(String, String)> = DevicesByName, default "{}", source "none";
    }
    parts {
        /// The number of equal workloads.
        group: WorkloadGroup;
    }
    tables {
        /// How much of it the host lets begin in a time.
        limits: LimitParameters;
    }
    checks(check_file)
}

table! {
    /// A way of access that people know by its name, as a worker of Iometer makes it.
    pub struct AccessPatternParameters {
        /// The host that the I/Os go through. From a group of hosts, or from several, there is a workload for each of them.
        from: Vec<String> = FROM, required r#""host""#, source "";
        /// The devices that the I/Os go to: groups, or chosen members: `"drives[3]"` is one of them, `"drives[4..8]"` are members 4 to 7.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
        /// The access pattern.
        pattern: KnownPattern = Choice::<KnownPattern>::ANY, required r#""file-server""#, source "Iometer access specifications as used by hardware press";
        /// I/Os that are outstanding at each device: 1 is called linear, 4 very light, 8 light, 64 moderate, 256 heavy.
        queue_depth: u32 = Count::<u32>::between(1, 65_536), default "1", source "Iometer access specifications as used by hardware press";
    }
    parts {
        /// The number of equal workloads.
        group: WorkloadGroup;
    }
    tables {
        /// How much of it the host lets begin in a time.
        limits: LimitParameters;
    }
}

impl IometerParameters {
    /// Checks that the file has workers that can be run.
    fn check_file(&self, keys: &mut Keys<'_, '_>) {
        if keys.all_readable(&["file", "specification"])
            && let Err(faults) = self.read()
        {
            crate::faults::report_at(keys, "file", faults);
        }
    }
}
