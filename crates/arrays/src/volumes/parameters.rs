//! The keys of volumes over devices.

use sansim_raid::volume::{PoolError, VolumeParameters, VolumeSpread};
use sansim_raid::{Volume, VolumePool};
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Count, Size, write_size};
use sansim_schema::table::NamedValue;
use sansim_schema::{codes, table};

/// The number of a device behind.
const DEVICE: Count<u32> = Count::between(0, 1_000_000);

table! {
    /// A volume.
    pub struct VolumeEntry {
        /// The only device on which the volume is, by its number from 0; otherwise the volume is on all devices.
        on: Option<u32> = DEVICE.or("all"), default r#""all""#, source "ours: all of them";
    }
    parts {
        /// The layout of the volume.
        volume: VolumeParameters;
    }
}

table! {
    /// Volumes over devices.
    pub struct VolumesParameters {
        /// Number of equal volumes that share all space, if no volume has a table of its own.
        equal_volumes: u32 = Count::<u32>::between(1, 10_000), default "1", source "ours: one, unless the file says otherwise";
        /// The placement of equal volumes on the devices behind.
        arrangement: VolumeSpread = Choice::<VolumeSpread>::ANY, default r#""concatenated""#, source "lvcreate(8)";
        /// The stripe unit of an equal volume that is striped.
        stripe_unit: u64 = Size { range: (512, 1 << 40), step: 512 }, default r#""64 KiB""#, source "lvcreate(8), --stripesize";
    }
    named {
        /// Each of the volumes, in the order in which they get their space and are numbered.
        volumes: VolumeEntry;
    }
    idle(of_equal_volumes)
    renamed("stripe" to "stripe_unit")
}

impl VolumesParameters {
    /// Marks keys as unused that apply to volumes without tables of their own.
    fn of_equal_volumes(&self, idle: &mut IdleKeys) {
        let equal = self.volumes.is_empty();
        let why = "each volume has a table of its own (`volumes`)";
        idle.mark_idle_unless(equal, &["equal_volumes", "arrangement", "stripe_unit"], why);
        let is_striped = self.arrangement == VolumeSpread::Striped;
        idle.mark_idle_unless(
            !equal || is_striped,
            &["stripe_unit"],
            "equal volumes are not striped (`arrangement`)",
        );
    }

    /// The volumes on devices of these capacities in bytes, up to the first that cannot be made, with the reason.
    pub fn make_volumes(&self, behind: &[u64]) -> (Vec<Volume>, Option<PoolError>) {
        // Blocks are not divided.
        let behind: Vec<u64> = behind.iter().map(|bytes| bytes / 512 * 512).collect();
        let mut pool = VolumePool::new(&behind);
        let mut made = Vec::new();
        let mut add = |volume: Result<Volume, PoolError>| volume.map(|volume| made.push(volume)).err();
        let fault = if self.volumes.is_empty() {
            let one = self.equal_volume(&behind);
            (0..self.equal_volumes).find_map(|_| add(pool.allocate_volume(&one)))
        } else {
            self.volumes.iter().find_map(|NamedValue { described: VolumeEntry { on, volume }, .. }| match *on
            {
                None => add(pool.allocate_volume(volume)),
                Some(group) => {
                    let bytes = volume.size.unwrap_or_else(|| pool.free_bytes_of_group(group));
                    add(pool.allocate_slice(group, bytes))
                }
            })
        };
        (made, fault)
    }

    /// Each of the equal volumes, as large as possible. A striped volume has whole stripes, and the end of its last row is unused, so not
    /// every share of the free space can be used.
    fn equal_volume(&self, behind: &[u64]) -> VolumeParameters {
        let (arrangement, stripe) = (self.arrangement, self.stripe_unit.max(512));
        let of =
            |size: u64| VolumeParameters { size: Some(size), arrangement, stripe_unit: self.stripe_unit };
        let each = VolumePool::new(behind).free_bytes() / u64::from(self.equal_volumes) / 512 * 512;
        if arrangement == VolumeSpread::Concatenated {
            return of(each);
        }
        let fits = |stripes: u64| {
            let mut pool = VolumePool::new(behind);
            (0..self.equal_volumes).all(|_| pool.allocate_volume(&of(stripes * stripe)).is_ok())
        };
        let (mut fit, mut too_many) = (0, each / stripe + 1);
        while too_many - fit > 1 {
            // The largest conceivable size mostly fits, so it is tried first.
            let tried = if fit == 0 && too_many == each / stripe + 1 {
                too_many - 1
            } else {
                fit + (too_many - fit) / 2
            };
            if fits(tried) { fit = tried } else { too_many = tried }
        }
        of((fit * stripe).max(512))
    }

    /// Reports which volume does not fit.
    pub(super) fn check_room(&self, behind: &[u64], keys: &mut Keys<'_, '_>) {
        let (made, fault) = self.make_volumes(behind);
        let empty = made.iter().position(|volume| volume.capacity() == 0);
        let number = if fault.is_some() { Some(made.len()) } else { empty };
        let Some(number) = number else { return };
        let (path, key) = match self.volumes.get(number) {
            Some(NamedValue { name, described }) => {
                let of_device = matches!(fault, Some(PoolError::NoSuchGroup { .. }));
                let key = if of_device || described.volume.size.is_none() { "on" } else { "size" };
                (format!("volumes.{name}"), key)
            }
            None => (String::new(), "equal_volumes"),
        };
        let full = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        if !keys.all_readable(&[&full]) {
            return;
        }
        let (message, help) = match fault {
            Some(PoolError::NoSuchGroup { group, groups }) => (
                format!("there is no device {group} behind it"),
                match groups {
                    0 => "there is none at all".to_owned(),
                    _ => format!("those behind it have the numbers 0 to {}", groups - 1),
                },
            ),
            Some(PoolError::Full { wanted, free }) => (
                format!(
                    "a volume of {} does not fit, {} are left for it",
                    write_size(wanted),
                    write_size(free)
                ),
                "give smaller volumes, or larger devices; the last volume may take \"rest\"".to_owned(),
            ),
            None => (
                "nothing is left for this volume".to_owned(),
                "give those before it a size, or devices that are larger".to_owned(),
            ),
        };
        let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(&full), message)
            .with_label("no room")
            .with_help(help);
        keys.report(&full, fault);
    }
}
