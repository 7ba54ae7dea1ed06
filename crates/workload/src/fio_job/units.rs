//! Numbers as fio reads them: sizes, percentages, times.
//!
//! Source: `fio(1)` of version 3.33, "PARAMETER TYPES", and the behaviour of that version (`--write_iolog` with `ioengine=null`). fio drops
//! what follows a decimal point and reads `1.5k` as one byte; such numbers are refused here.

use sansim_kernel::Span;
use sansim_request::LEAST_PRIORITY;
use sansim_schema::codes;

use crate::faults::WrittenValueError;

/// The meaning of `k`: the key `kb_base`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KbBase {
    /// `k` is 1024 and `kib` 1000, fio's default (`kb_base=1024`).
    #[default]
    Binary,
    /// `k` is 1000 and `kib` 1024, as in the standards (`kb_base=1000`).
    Decimal,
}

/// Bytes, or a share of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAmount {
    /// This many bytes.
    Bytes(u64),
    /// This percentage of the device.
    Percent(u8),
}

impl FileAmount {
    /// The amount in bytes, for a device with this many bytes. A share is rounded down.
    pub fn amount_in_bytes(self, device_bytes: u64) -> u64 {
        match self {
            FileAmount::Bytes(bytes) => bytes,
            FileAmount::Percent(percent) => (u128::from(device_bytes) * u128::from(percent) / 100) as u64,
        }
    }
}

fn bad(message: String, help: &str) -> WrittenValueError {
    WrittenValueError::new(codes::BAD_VALUE, message, help)
}

/// The leading digits, and the unit behind them in small letters.
fn number(text: &str, sort: &str, example: &str) -> Result<(u64, String), WrittenValueError> {
    let text = text.trim();
    let (digits, radix, unit) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(rest) => split(rest, |c| c.is_ascii_hexdigit(), 16),
        None => split(text, |c| c.is_ascii_digit(), 10),
    };
    let help = format!("write it as in {example}");
    if text.starts_with('(') {
        return Err(bad(
            format!("{text} is arithmetic, which is not worked out here"),
            "write the number that comes of it",
        ));
    }
    if text.contains('$') {
        return Err(bad(
            format!("{text} depends on the machine that reads it"),
            "write the number that is meant",
        ));
    }
    if unit.starts_with('.') {
        let message = format!("{text} has a fraction; fio drops it and reads {digits}");
        return Err(bad(message, "write a whole number in a smaller unit"));
    }
    let value =
        u64::from_str_radix(digits, radix).map_err(|_| bad(format!("{text:?} is no {sort}"), &help))?;
    Ok((value, unit.trim().to_ascii_lowercase()))
}

fn split(text: &str, digit: impl Fn(char) -> bool, radix: u32) -> (&str, u32, &str) {
    let end = text.find(|c| !digit(c)).unwrap_or(text.len());
    (&text[..end], radix, &text[end..])
}

/// A size in bytes: `4096`, `4k`, `1m`, `0x1000`.
///
/// # Errors
/// If the text is no size.
pub fn parse_bytes(text: &str, base: KbBase) -> Result<u64, WrittenValueError> {
    let (value, unit) = number(text, "size", "4k, 1m or 4096")?;
    let (letter, other) = match unit.strip_suffix("ib") {
        Some(letter) => (letter, true),
        None => (unit.strip_suffix('b').unwrap_or(&unit), false),
    };
    if letter.len() == 2 && letter.ends_with('i') && !other {
        // By fio's manual `4ki` is the same as `4kib`; fio 3.33 reads it as `4k`.
        let message = format!("{text} has two meanings: fio's manual and fio itself differ on it");
        return Err(bad(message, "write it with `k` or with `kib`, or in bytes"));
    }
    let power = match (letter, other) {
        ("", false) => 0,
        ("k", _) => 1,
        ("m", _) => 2,
        ("g", _) => 3,
        ("t", _) => 4,
        ("p", _) => 5,
        ("z", false) => {
            return Err(bad(
                format!("{text} counts zones of a zoned device, of which there are none here"),
                "write it in bytes",
            ));
        }
        _ => return Err(bad(format!("{text:?} has no unit of sizes"), "units are k, m, g, t and p")),
    };
    let step: u64 = if (base == KbBase::Decimal) == other { 1024 } else { 1000 };
    step.checked_pow(power)
        .and_then(|factor| value.checked_mul(factor))
        .filter(|bytes| *bytes <= i64::MAX as u64)
        .ok_or_else(|| {
            WrittenValueError::new(codes::OUT_OF_RANGE, format!("{text} is more than any device has"), "")
        })
}

/// A size in bytes that is not zero.
///
/// # Errors
/// If the text is no size, or zero.
pub fn parse_nonzero_bytes(text: &str, base: KbBase) -> Result<u64, WrittenValueError> {
    match parse_bytes(text, base)? {
        0 => Err(WrittenValueError::new(
            codes::OUT_OF_RANGE,
            "zero of it is nothing",
            "write at least 1, or leave the key out",
        )),
        bytes => Ok(bytes),
    }
}

/// A size of an I/O in bytes: 1 byte to 1 GiB.
///
/// # Errors
/// If the text is no size, or larger than 1 GiB.
pub fn parse_io_bytes(text: &str, base: KbBase) -> Result<u64, WrittenValueError> {
    let bytes = parse_nonzero_bytes(text, base)?;
    if bytes > 1 << 30 {
        let message = format!("an I/O of {text} is larger than 1 GiB");
        return Err(WrittenValueError::new(codes::OUT_OF_RANGE, message, "write a smaller size"));
    }
    Ok(bytes)
}

/// A size, or a share of the device as in `50%`.
///
/// # Errors
/// If the text is neither a size nor a share.
pub fn parse_amount(text: &str, base: KbBase) -> Result<FileAmount, WrittenValueError> {
    match text.trim().strip_suffix('%') {
        Some(share) => parse_percent(share, base).map(FileAmount::Percent),
        None => parse_bytes(text, base).map(FileAmount::Bytes),
    }
}

/// A whole number of percent, with or without the sign.
///
/// # Errors
/// If the text is no percentage.
pub fn parse_percent(text: &str, _: KbBase) -> Result<u8, WrittenValueError> {
    let text = text.trim().trim_end_matches('%');
    let value: u64 = text.parse().map_err(|_| {
        bad(format!("{text:?} is no whole number of percent"), "write a whole number from 0 to 100")
    })?;
    u8::try_from(value).ok().filter(|value| *value <= 100).ok_or_else(|| {
        WrittenValueError::new(
            codes::OUT_OF_RANGE,
            format!("{value} % is more than all"),
            "write at most 100",
        )
    })
}

/// A whole number, which may have `k`, `m`, `g`.
///
/// # Errors
/// If the text is no whole number.
pub fn parse_count(text: &str, base: KbBase) -> Result<u64, WrittenValueError> {
    parse_bytes(text, base)
        .map_err(|wrong| WrittenValueError { message: wrong.message.replace("size", "number"), ..wrong })
}

/// A priority: 0 is the most urgent, 7 the least.
///
/// # Errors
/// If the text is no priority.
pub fn parse_priority(text: &str, base: KbBase) -> Result<u8, WrittenValueError> {
    up_to(text, base, LEAST_PRIORITY)
}

/// A class of priorities: 0 none, 1 real time, 2 best effort, 3 idle.
///
/// # Errors
/// If the text is no class.
pub fn parse_priority_class(text: &str, base: KbBase) -> Result<u8, WrittenValueError> {
    up_to(text, base, 3)
}

fn up_to(text: &str, base: KbBase, most: u8) -> Result<u8, WrittenValueError> {
    let value = parse_count(text, base)?;
    u8::try_from(value).ok().filter(|value| *value <= most).ok_or_else(|| {
        WrittenValueError::new(
            codes::OUT_OF_RANGE,
            format!("{value} is not from 0 to {most}"),
            "write one that is",
        )
    })
}

/// A whole number of at least one, at most 65536.
///
/// # Errors
/// If the text is no such number.
pub fn parse_small_count(text: &str, base: KbBase) -> Result<u32, WrittenValueError> {
    let value = parse_count(text, base)?;
    u32::try_from(value).ok().filter(|value| (1..=65_536).contains(value)).ok_or_else(|| {
        WrittenValueError::new(
            codes::OUT_OF_RANGE,
            format!("{value} is not from 1 to 65536"),
            "write one that is",
        )
    })
}

/// Parses yes or no: `1`, `0`, or the key alone.
///
/// # Errors
/// If the text is none of these.
pub fn parse_flag(text: &str, _: KbBase) -> Result<bool, WrittenValueError> {
    match text.trim() {
        "" | "1" => Ok(true),
        "0" => Ok(false),
        other => Err(bad(format!("{other:?} is neither yes nor no"), "write 1 or 0")),
    }
}

/// A finite number.
///
/// # Errors
/// If the text is no finite number.
pub fn parse_finite_number(text: &str) -> Result<f64, WrittenValueError> {
    let text = text.trim();
    let value: Option<f64> = text.parse().ok();
    value
        .filter(|value| value.is_finite())
        .ok_or_else(|| bad(format!("{text:?} is no number"), "write a number such as 1.2"))
}

/// A time; seconds if there is no unit.
///
/// # Errors
/// If the text is no time, or a time longer than 30 days.
pub fn parse_seconds(text: &str, _: KbBase) -> Result<Span, WrittenValueError> {
    time(text, 1_000_000)
}

/// A time; microseconds if there is no unit.
///
/// # Errors
/// If the text is no time, or a time longer than 30 days.
pub fn parse_microseconds(text: &str, _: KbBase) -> Result<Span, WrittenValueError> {
    time(text, 1)
}

/// A time; without a unit the number counts `default_us` microseconds each.
fn time(text: &str, default_us: u64) -> Result<Span, WrittenValueError> {
    const LONGEST_US: u64 = 30 * 86_400 * 1_000_000;
    let (value, unit) = number(text, "time", "30s, 5m or 100us")?;
    let factor = match unit.as_str() {
        "" => default_us,
        "us" | "usec" => 1,
        "ms" | "msec" => 1_000,
        "s" | "sec" => 1_000_000,
        "m" => 60 * 1_000_000,
        "h" => 3_600 * 1_000_000,
        "d" => 86_400 * 1_000_000,
        _ => return Err(bad(format!("{text:?} has no unit of time"), "units are us, ms, s, m, h and d")),
    };
    match value.checked_mul(factor) {
        Some(us) if us <= LONGEST_US => Ok(Span::from_us(us)),
        _ => Err(WrittenValueError::new(
            codes::OUT_OF_RANGE,
            format!("{text} is longer than 30 days"),
            "write less",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_what_fio_3_33_makes_of_them() {
        // Each text was given to fio as `bs`, and the first line of its log read.
        for (text, binary, decimal) in [
            ("4k", 4096, 4000),
            ("4K", 4096, 4000),
            ("4kb", 4096, 4000),
            ("4kib", 4000, 4096),
            ("0x1000", 4096, 4096),
            ("4096", 4096, 4096),
        ] {
            assert_eq!(parse_bytes(text, KbBase::Binary), Ok(binary), "{text}");
            assert_eq!(parse_bytes(text, KbBase::Decimal), Ok(decimal), "{text}");
        }
        assert_eq!(parse_bytes("1t", KbBase::Binary), Ok(1 << 40));
    }

    #[test]
    fn a_unit_that_fio_reads_otherwise_than_its_manual_is_refused() {
        assert!(parse_bytes("4ki", KbBase::Binary).is_err());
        assert!(parse_bytes("4mi", KbBase::Decimal).is_err());
    }

    #[test]
    fn a_fraction_is_refused_and_not_dropped() {
        let wrong = parse_bytes("1.5k", KbBase::Binary).expect_err("a fraction");
        assert_eq!(wrong.message, "1.5k has a fraction; fio drops it and reads 1");
        assert!(parse_seconds("0.5s", KbBase::Binary).is_err());
    }

    #[test]
    fn what_is_too_large_is_refused() {
        assert!(parse_bytes("99999999999p", KbBase::Binary).is_err());
        assert!(parse_bytes("99999999999999999999", KbBase::Binary).is_err());
        assert!(parse_seconds("31d", KbBase::Binary).is_err());
        assert!(parse_percent("101", KbBase::Binary).is_err());
        assert_eq!(
            parse_amount("100%", KbBase::Binary).map(|amount| amount.amount_in_bytes(u64::MAX)),
            Ok(u64::MAX)
        );
    }

    #[test]
    fn times_have_the_unit_of_their_key_if_they_have_none() {
        assert_eq!(parse_seconds("2", KbBase::Binary), Ok(Span::from_s(2)));
        assert_eq!(parse_microseconds("2", KbBase::Binary), Ok(Span::from_us(2)));
        assert_eq!(parse_seconds("2m", KbBase::Binary), Ok(Span::from_s(120)));
        assert_eq!(parse_seconds("1H", KbBase::Binary), Ok(Span::from_s(3600)));
        assert_eq!(parse_microseconds("3msec", KbBase::Binary), Ok(Span::from_ms(3)));
    }
}
