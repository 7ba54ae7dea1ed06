//! A group of drives, each with one or several adapters, or attached directly to its initiator. The group is the same for every kind of
//! drive.

use sansim_component::announced::AnnouncedProperties;
use sansim_component::component_kind::{
    CheckedRequest, ComponentKind, EventAction, NetworkPortRole, PartList,
};
use sansim_drives::drive::DriveParameters;
use sansim_drives::grouped::DriveGroupKeys;
use sansim_fc::loop_port::{DriveFairness, PortParameters};
use sansim_fcp::adapter::AdapterParameters;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::Count;
use sansim_schema::{codes, table};

use crate::adapters::{TargetAdapter, check_gathering, join, of_an_only, one_or_several};
use crate::{KindMember, Part};

table! {
    /// A group of equal drives. Their ports stand side by side on the loop.
    pub struct EqualDriveGroup<D: DriveGroupKeys> {
        /// How many drives.
        count: u32 = Count::<u32>::between(0, 1_000_000), default "1", source "ours: one, unless the file says otherwise";
    }
    parts {
        /// How they ask for the loop.
        fairness: DriveFairness;
        /// The queue depth that each drive announces to hosts.
        announced: AnnouncedProperties;
        /// Each of the drives. It has tables of its own, which stand behind all keys.
        drive: D;
    }
    tables {
        /// The port of each drive.
        port: PortParameters;
        /// The adapter of each drive.
        adapter: AdapterParameters;
    }
    named {
        /// Where each drive has several adapters, as one with two ports on two loops has: each of them, in place of `port` and
        /// `adapter`. In `stations` it is called `DRIVES.adapters.NAME`.
        adapters: TargetAdapter;
    }
    checks(check_gathering)
}

/// A group of the drives that are described by an access time and a transfer rate.
pub type DriveGroup = EqualDriveGroup<DriveParameters>;

impl<D: DriveGroupKeys> EqualDriveGroup<D> {
    fn check_gathering(&self, keys: &mut Keys<'_, '_>) {
        check_gathering(keys, &self.port, &self.adapter, "adapter");
    }

    /// Whether a request fits on a drive.
    fn check_room(&self, request: &CheckedRequest<'_>, keys: &mut Keys<'_, '_>) {
        let capacity = self.drive.capacity();
        if request.bytes <= capacity || !keys.all_readable(&[D::LARGER]) {
            return;
        }
        let (bytes, name) = (request.bytes, keys.path());
        let fault = Diagnostic::new(
            codes::CONTRADICTION,
            request.place,
            format!("an I/O of {bytes} B is larger than a drive of `{name}`"),
        )
        .with_label(format!("the drives hold {capacity} B each"))
        .with_help(format!("give a smaller size, or a larger {}", keys.full_path(D::LARGER)));
        keys.report_elsewhere(request.key, fault, None);
    }
}

impl<D: DriveGroupKeys> ComponentKind<Part> for EqualDriveGroup<D>
where
    Part: PartList<D::Drive>,
{
    fn members(&self) -> Option<u32> {
        Some(self.count)
    }

    fn member(&self) -> KindMember {
        let adapters = one_or_several(
            &self.port,
            self.adapter.clone(),
            &self.adapters,
            &self.fairness.arbitration_schedule(),
            TargetAdapter::as_adapter,
        );
        let drive = adapters.len();
        let mut member = KindMember { serves: Some(drive), ..KindMember::default() };
        for adapter in adapters {
            join(&mut member, adapter, NetworkPortRole::Target, drive);
        }
        member.add_part::<D::Drive>(String::new(), self.drive.clone());
        member.unused.extend(of_an_only(vec!["port", "adapter"], "adapters", &self.adapters));
        member
    }

    fn presents(&self, _: &[u64]) -> Vec<u64> {
        vec![self.drive.capacity()]
    }

    fn announces(&self) -> AnnouncedProperties {
        self.announced
    }

    fn check_request(&self, request: &CheckedRequest<'_>, keys: &mut Keys<'_, '_>) {
        self.check_room(request, keys);
        self.drive.check_request(request, keys);
    }

    fn fails_by_itself(&self) -> bool {
        self.drive.fails_by_itself()
    }

    fn actions(&self) -> &'static [EventAction] {
        &[EventAction::Fail, EventAction::Repair, EventAction::Slow, EventAction::Unreadable]
    }
}
