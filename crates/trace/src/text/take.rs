//! Parsing of fields: their values, or the fault of a field.

use crate::fault::LineFault;
use crate::record::VolumeNames;
use crate::text::number;

/// The nanoseconds of a second.
pub(crate) const SECOND: u64 = 1_000_000_000;
/// The bytes of a sector in all formats that count sectors.
pub(crate) const SECTOR: u64 = 512;

/// A field that must be there and not empty.
#[inline]
pub(crate) fn text<'a>(field: Option<&'a [u8]>, what: &'static str) -> Result<&'a [u8], LineFault> {
    match field {
        None => Err(LineFault::new(what, "is missing")),
        Some([]) => Err(LineFault::new(what, "is empty")),
        Some(text) => Ok(text),
    }
}

/// A whole number times `unit`: bytes, sectors, microseconds.
#[inline]
pub(crate) fn whole(field: Option<&[u8]>, unit: u64, what: &'static str) -> Result<u64, LineFault> {
    let text = text(field, what)?;
    match number::whole(text) {
        Some(value) => value.checked_mul(unit).ok_or(LineFault::new(what, "is too large for 64 bits")),
        None => Err(not_a_number(text, what, "is no whole number")),
    }
}

/// A time in `unit` nanoseconds, which may have decimals.
#[inline]
pub(crate) fn time(field: Option<&[u8]>, unit: u64, what: &'static str) -> Result<u64, LineFault> {
    let text = text(field, what)?;
    number::decimal(text, unit).ok_or_else(|| match not_a_number(text, what, "is no number") {
        LineFault { why: "is too large for 64 bits", .. } => TOO_LATE,
        fault => fault,
    })
}

/// The fault of a time that 64 bits cannot hold in nanoseconds.
pub(crate) const TOO_LATE: LineFault =
    LineFault::new("time", "is more than 584 years, which cannot be right: is its unit another one?");

#[cold]
fn not_a_number(text: &[u8], what: &'static str, why: &'static str) -> LineFault {
    let (negative, size) = match text.strip_prefix(b"-") {
        Some(size) => (true, size),
        None => (false, text),
    };
    let numeric = size.first().is_some_and(u8::is_ascii_digit)
        && size.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    match (numeric, negative) {
        (true, true) => LineFault::new(what, "is below zero"),
        (true, false) if size.iter().all(u8::is_ascii_digit) => {
            LineFault::new(what, "is too large for 64 bits")
        }
        _ => LineFault::new(what, why),
    }
}

/// The number of the volume with a name.
#[inline]
pub(crate) fn volume(volumes: &mut VolumeNames, name: &[u8]) -> Result<u32, LineFault> {
    volumes.volume_number(name).ok_or(TOO_MANY_VOLUMES)
}

pub(crate) const TOO_MANY_VOLUMES: LineFault =
    LineFault::new("volume", "is one more than 65,536 different ones");
