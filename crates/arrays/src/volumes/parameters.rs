//! The keys of volumes over devices.

use super::space::{Space, VolumePlace};
use sansim_raid::volume::{PoolError, VolumeParameters, VolumeSpace, VolumeSpread};
use sansim_raid::{ThinPool, ThinVolumeParameters, Volume, VolumePool};
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
        /// The space that a volume on write takes at a time, from what the other volumes leave.
        chunk: u64 = Size { range: (4096, 1 << 30), step: 512 }, default r#""64 KiB""#, source "lvmthin(7): the least and usual size of a chunk";
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
        let is_on_write =
            self.volumes.iter().any(|volume| volume.described.volume.space == VolumeSpace::OnWrite);
        idle.mark_idle_unless(is_on_write, &["chunk"], "no volume takes its space on write (`volumes`)");
        let is_striped = self.arrangement == VolumeSpread::Striped;
        idle.mark_idle_unless(
            !equal || is_striped,
            &["stripe_unit"],
            "equal volumes are not striped (`arrangement`)",
        );
    }

    /// The volumes on devices of these capacities in bytes, up to the first that cannot be made, with the reason. Volumes on write share
    /// what the others leave.
    pub fn make_volumes(&self, behind: &[u64]) -> (Space, Option<PoolError>) {
        // Blocks are not divided.
        let behind: Vec<u64> = behind.iter().map(|bytes| bytes / 512 * 512).collect();
        let mut pool = VolumePool::new(&behind);
        let mut made: Vec<Option<Volume>> = Vec::new();
        let mut add = |volume: Result<Volume, PoolError>| volume.map(|volume| made.push(Some(volume))).err();
        if self.volumes.is_empty() {
            let one = self.equal_volume(&behind);
            let fault = (0..self.equal_volumes).find_map(|_| add(pool.allocate_volume(&one)));
            return (Space::at_once(made.into_iter().flatten().collect()), fault);
        }
        let fault = self.volumes.iter().find_map(
            |NamedValue { described: VolumeEntry { on, volume }, .. }| match *on {
                Some(group) if group as usize >= behind.len() => {
                    Some(PoolError::NoSuchGroup { group, groups: behind.len() as u32 })
                }
                _ if volume.space == VolumeSpace::OnWrite => {
                    made.push(None);
                    None
                }
                None => pool.allocate_volume(volume).map(|volume| made.push(Some(volume))).err(),
                Some(group) => {
                    let bytes = volume.size.unwrap_or_else(|| pool.free_bytes_of_group(group));
                    pool.allocate_slice(group, bytes).map(|volume| made.push(Some(volume))).err()
                }
            },
        );
        let free = pool.free_ranges();
        let on_write = |entry: &VolumeEntry| ThinVolumeParameters {
            capacity: entry.volume.size.unwrap_or_else(|| self.room_on_write(entry.on, &free)),
            arrangement: entry.volume.arrangement,
            on: entry.on,
        };
        let mut thin = Vec::new();
        let places = made.into_iter().zip(&self.volumes).map(|(made, entry)| match made {
            Some(volume) => VolumePlace::AtOnce(volume),
            None => {
                thin.push(on_write(&entry.described));
                VolumePlace::OnWrite(thin.len() - 1)
            }
        });
        let places = places.collect();
        (Space::new(places, ThinPool::new(self.chunk, &free, &thin)), fault)
    }

    /// The bytes that a volume on write finds in the pool, in whole chunks.
    fn room_on_write(&self, on: Option<u32>, free: &[(u64, u64)]) -> u64 {
        let of_group = |&(_, bytes): &(u64, u64)| bytes / self.chunk.max(1) * self.chunk;
        match on {
            Some(group) => free.get(group as usize).map_or(0, of_group),
            None => free.iter().map(of_group).sum(),
        }
    }

    /// Each of the equal volumes, as large as possible. A striped volume has whole stripes, and the end of its last row is unused, so not
    /// every share of the free space can be used.
    fn equal_volume(&self, behind: &[u64]) -> VolumeParameters {
        let (arrangement, stripe) = (self.arrangement, self.stripe_unit.max(512));
        let of = |size: u64| VolumeParameters {
            size: Some(size),
            space: VolumeSpace::AtOnce,
            arrangement,
            stripe_unit: self.stripe_unit,
        };
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
        let empty = (0..made.volumes()).find(|&volume| made.room(volume) == 0);
        let number = if fault.is_some() { Some(made.volumes()) } else { empty };
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
