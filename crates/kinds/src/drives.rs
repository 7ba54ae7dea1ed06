//! A group of drives, each with one adapter or several, or attached to who asks it.

use sansim_describe::fault::Fault;
use sansim_describe::keys::Keys;
use sansim_describe::quantities::Count;
use sansim_describe::{codes, table};
use sansim_fc::loop_port::{Fairness, PortParameters};
use sansim_fcp::adapter::AdapterParameters;
use sansim_storage::drive::DriveParameters;

use crate::adapters::{NamedAdapter, check_gathering, one_or_several};
use crate::compound::{Action, Compound, Inside, Member, Request, Side};
use crate::part::Part;

table! {
    /// A group of equal drives. Their ports stand side by side on the loop.
    pub struct DriveGroup {
        /// How many drives.
        count: u32 = Count::<u32>::between(0, 1_000_000), default "1", source "";
    }
    parts {
        /// Each of the drives.
        drive: DriveParameters;
        /// How they ask for the loop.
        fairness: Fairness;
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
        adapters: NamedAdapter;
    }
    checks(check_gathering)
}

impl DriveGroup {
    fn check_gathering(&self, keys: &mut Keys<'_, '_>) {
        check_gathering(keys, &self.port, &self.adapter, "adapter");
    }

    /// Whether a request fits on a drive.
    fn check_room(&self, request: &Request<'_>, keys: &mut Keys<'_, '_>) {
        if request.bytes <= self.drive.capacity || !keys.are_sound(&["capacity"]) {
            return;
        }
        let (bytes, name) = (request.bytes, keys.path());
        let fault = Fault::new(
            codes::CONTRADICTION,
            request.place,
            format!("an I/O of {bytes} B is larger than a drive of `{name}`"),
        )
        .label(format!("the drives hold {} B each", self.drive.capacity))
        .help(format!("give a smaller size, or a larger {}", keys.full("capacity")));
        keys.report_elsewhere(request.key, fault, None);
    }

    /// Whether a drive moves it in time.
    fn check_transfer(&self, request: &Request<'_>, keys: &mut Keys<'_, '_>) {
        if !keys.are_sound(&["transfer_rate"]) {
            return;
        }
        let at = (request.key, request.place);
        if let Some(fault) = self.drive.too_long(request.bytes, "an I/O", at, keys.path()) {
            let related = keys.written("transfer_rate").map(|place| (place, "the rate"));
            keys.report_elsewhere(request.key, fault, related);
        }
    }
}

impl Compound for DriveGroup {
    fn members(&self) -> Option<u32> {
        Some(self.count)
    }

    fn member(&self) -> Member {
        let adapters = one_or_several(&self.port, self.adapter, &self.adapters, self.fairness.schedule());
        let drive = adapters.len();
        let mut member = Member { serves: Some(drive), ..Member::default() };
        for adapter in adapters {
            member.join(adapter, Side::Target, drive);
        }
        member.parts.push(Inside { path: String::new(), part: Part::Drive(self.drive) });
        if !self.adapters.is_empty() {
            member.unused = vec!["port", "adapter"];
        }
        member
    }

    fn presents(&self, _: &[u64]) -> Vec<u64> {
        vec![self.drive.capacity]
    }

    fn check_request(&self, request: &Request<'_>, keys: &mut Keys<'_, '_>) {
        self.check_room(request, keys);
        self.check_transfer(request, keys);
    }

    fn actions(&self) -> &'static [Action] {
        &[Action::Fail, Action::Repair]
    }
}
