//! The keys of a metadata controller, and the places of volumes that follow from the keys.

use super::super::map::VolumeMap;
use super::super::time_of;
use sansim_kernel::Span;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Count, Dimensioned, Size, Time, write_size};
use sansim_schema::table::NamedValue;
use sansim_schema::{codes, table};

const COUNT: Count<u32> = Count::<u32>::between(1, 1_024);
pub(crate) const SPEED: Count<u64> = Count::<u64>::between(1, 100_000);
pub(crate) const CYCLES: Count<u64> = Count::<u64>::between(0, 1_000_000_000_000);
/// The limits ensure that a lease lasts for a while.
const LEASE: Time = Time::between(Span::from_us(10), Span::from_s(86_400));
const GRACE: Time = Time::between(Span::ZERO, Span::from_s(86_400));
const BYTES: Size = Size { range: (512, 1 << 60), step: 512 };

/// The largest number of lock ranges and of extents of a volume; the controller stores the state of each.
const MOST_RANGES: u64 = 1 << 20;

/// The number of a device that the controller manages.
const DEVICE: Count<u32> = Count::between(0, 1_000_000);

table! {
    /// A virtual volume.
    #[derive(Copy, Eq)]
    pub struct SharedVolume {
        /// How much it holds: that much, or what is left.
        size: Option<u64> = BYTES.or("rest"), default r#""rest""#, source "ours: all space that no other volume has";
        /// The only device on which the volume is, by its number from 0; otherwise the volume is striped over all devices.
        on: Option<u32> = DEVICE.or("all"), default r#""all""#, source "ours: all of them";
        /// Stripe unit of the volume: the bytes that are contiguous on one device; for a volume of files, the size of an extent.
        stripe_unit: u64 = Size { range: (512, 1 << 40), step: 512 }, default r#""64 KiB""#, source "lvcreate(8), --stripesize";
        /// Clients lock ranges of this size of it before they read or write. With "none" one client uses it alone, or its users coordinate
        /// themselves.
        lock_range: Option<u64> = BYTES.or("none"), default r#""none""#, source "none";
        /// The device to which it is moved when its place fails, by its number from 0. The other device reserves the space from the
        /// beginning.
        moves_to: Option<u32> = DEVICE.or("none"), default r#""none""#, source "none";
    }
    renamed("stripe" to "stripe_unit")
}

table! {
    /// The processors of a metadata controller, the costs of its messages, and its volumes. There are no published costs: the source says
    /// that they depend on the product.
    pub struct MetadataControllerParameters {
        /// How many processors it has. Each takes one message at a time.
        processors: u32 = COUNT, default "1", source "ours: one, unless the file says otherwise";
        /// Clock rate of each processor in MHz, which converts cycles to time.
        speed_mhz: u64 = SPEED, required "550", source "";
        /// Cycles to authenticate a client and set up its session.
        set_up_cycles: u64 = CYCLES, required "275000", source "";
        /// Cycles to renew a lease, to take a watch, or the end of a session.
        renewal_cycles: u64 = CYCLES, required "27500", source "";
        /// Cycles to give out a lock, or to take it back.
        lock_cycles: u64 = CYCLES, required "27500", source "";
        /// Cycles to say where an extent is, or where a volume has gone.
        map_cycles: u64 = CYCLES, required "27500", source "";
        /// Time for which a session of a client is valid after it was opened or renewed.
        lease_time: Span = LEASE, required r#""30 s""#, source "";
        /// How long after the end of a lease the controller keeps its locks and accesses reserved, because accesses that were in flight may
        /// still be carried out.
        grace_time: Span = GRACE, default r#""10 s""#, source "FC-FS, R_A_TOV: how long a frame may be in flight";
    }
    named {
        /// Each of the volumes, in the order in which they get their space and are numbered. If none is given, a single volume spans all
        /// devices.
        volumes: SharedVolume;
    }
}

/// The place of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeLocation {
    /// The capacity of the volume in bytes.
    pub bytes: u64,
    /// The size of the lock ranges; 0 without locks.
    pub lock_range: u64,
    /// The usual place of the volume.
    pub home: VolumeMap,
    /// The place of the volume while its usual place has failed.
    pub other: Option<VolumeMap>,
}

/// The reason why a volume has no place.
pub(super) struct NoPlace {
    volume: usize,
    key: &'static str,
    message: String,
}

/// A single volume that fills the whole capacity of the devices.
const ALL: SharedVolume =
    SharedVolume { size: None, on: None, stripe_unit: 64 << 10, lock_range: None, moves_to: None };

impl MetadataControllerParameters {
    /// The volumes that the keys describe.
    pub(super) fn described(&self) -> impl Iterator<Item = SharedVolume> + '_ {
        let all = self.volumes.is_empty().then_some(ALL);
        self.volumes.iter().map(|volume| volume.described).chain(all)
    }

    /// The numbers of the volumes that move when their place fails.
    pub fn volumes_that_move(&self) -> impl Iterator<Item = usize> + '_ {
        self.described().enumerate().filter(|(_, volume)| volume.moves_to.is_some()).map(|(number, _)| number)
    }

    /// The number of volumes.
    pub fn volume_count(&self) -> usize {
        self.described().count()
    }

    /// The place of each volume on devices of these capacities in bytes; volumes without a place are left out.
    pub fn volume_locations(&self, devices: &[u64]) -> Vec<VolumeLocation> {
        self.place(devices).0
    }

    /// The capacity of each volume. For a volume without a place, an error reported elsewhere, the capacity is its configured size.
    pub fn volume_capacities(&self, devices: &[u64]) -> Vec<u64> {
        let placed = self.volume_locations(devices);
        let of_each = self.described().enumerate();
        of_each
            .map(|(number, volume)| {
                placed.get(number).map_or(volume.size.unwrap_or(512), |placed| placed.bytes)
            })
            .collect()
    }

    fn place(&self, devices: &[u64]) -> (Vec<VolumeLocation>, Option<NoPlace>) {
        let mut taken = vec![0; devices.len()];
        let mut placed = Vec::new();
        for (number, volume) in self.described().enumerate() {
            match place_one(&volume, devices, &mut taken) {
                Ok(one) => placed.push(one),
                Err((key, message)) => return (placed, Some(NoPlace { volume: number, key, message })),
            }
        }
        (placed, None)
    }

    /// Reports which volume has no place on devices of these capacities in bytes.
    pub fn check_volume_locations(&self, devices: &[u64], keys: &mut Keys<'_, '_>) {
        let Some(NoPlace { volume, key, message }) = self.place(devices).1 else { return };
        let full = match self.volumes.get(volume) {
            Some(NamedValue { name, .. }) => format!("volumes.{name}.{key}"),
            None => "to".to_owned(),
        };
        if keys.all_readable(&[&full]) {
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(&full), message)
                .with_label("no place")
                .with_help("give smaller volumes, larger devices, or another one");
            keys.report(&full, fault);
        }
    }

    /// The time of this number of processor cycles.
    pub(super) fn time(&self, cycles: u64) -> Span {
        time_of(cycles, self.speed_mhz)
    }
}

/// Allocates the place of a volume from the free bytes of the devices.
fn place_one(
    volume: &SharedVolume,
    devices: &[u64],
    taken: &mut [u64],
) -> Result<VolumeLocation, (&'static str, String)> {
    let count = devices.len() as u32;
    let lanes = match volume.on {
        Some(on) if on >= count => return Err(("on", no_device(on, count))),
        Some(on) => on..on + 1,
        None => 0..count,
    };
    let (places, stripe) = (lanes.start as usize..lanes.end as usize, volume.stripe_unit);
    let offset = taken[places.clone()].iter().copied().max().unwrap_or(0);
    let smallest = devices[places.clone()].iter().copied().min().unwrap_or(0);
    let room = smallest.saturating_sub(offset) / stripe * stripe * u64::from(lanes.end - lanes.start);
    let bytes = volume.size.unwrap_or(room);
    if bytes == 0 || bytes > room {
        let wanted = volume.size.map_or_else(|| "the rest".to_owned(), write_size);
        return Err(("size", format!("there is no room for {wanted}: {} are left", write_size(room))));
    }
    if bytes.div_ceil(stripe) > MOST_RANGES {
        return Err(("stripe_unit", format!("a volume has at most {MOST_RANGES} stripe units")));
    }
    if volume.lock_range.is_some_and(|range| bytes.div_ceil(range) > MOST_RANGES) {
        return Err(("lock_range", format!("a volume has at most {MOST_RANGES} locked ranges")));
    }
    let map = |lanes: std::ops::Range<u32>, offset, version| {
        let (first, lanes) = (lanes.start, lanes.end - lanes.start);
        VolumeMap { first, lanes, stripe, offset, version }
    };
    let rows = bytes.div_ceil(stripe).div_ceil(places.len() as u64);
    taken[places].fill(offset + rows * stripe);
    let home = map(lanes, offset, 0);
    let other = match volume.moves_to {
        None => None,
        Some(to) if to >= count => return Err(("moves_to", no_device(to, count))),
        Some(to) => {
            let (offset, all) = (taken[to as usize], bytes.div_ceil(stripe) * stripe);
            if offset + all > devices[to as usize] {
                let left = write_size(devices[to as usize].saturating_sub(offset));
                return Err(("moves_to", format!("there is no room to move it to: {left} are left")));
            }
            taken[to as usize] = offset + all;
            Some(map(to..to + 1, offset, 0))
        }
    };
    Ok(VolumeLocation { bytes, lock_range: volume.lock_range.unwrap_or(0), home, other })
}

fn no_device(number: u32, count: u32) -> String {
    format!("there is no device {number}, there are {count}")
}
