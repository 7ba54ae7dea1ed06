//! Verification, and other features that a key can switch off: the keys of them that change nothing.
//!
//! Source: `fio(1)` and the behaviour of fio 3.33. Verification reads back the data that a job has written, unless `do_verify=0`; a job
//! that only reads makes no more reads because of it. `verify_pattern` switches it on as `verify=pattern` does; of the two keys the later
//! one counts.

use super::values;
use crate::faults::WrittenValueError;

/// Keys whose value 0 is their effect when they are absent.
const OFF: &[&str] = &[
    "bs_is_seq_rand",
    "end_fsync",
    "experimental_verify",
    "fill_device",
    "fill_fs",
    "flow",
    "flow_sleep",
    "fsync_on_close",
    "ignore_zone_limits",
    "job_max_open_zones",
    "latency_run",
    "max_latency",
    "max_open_zones",
    "read_beyond_wp",
    "read_iolog_chunked",
    "serialize_overlap",
    "trim_backlog",
    "trim_backlog_batch",
    "trim_percentage",
    "trim_verify_zero",
    "verify_backlog_batch",
    "verify_state_load",
    "write_barrier",
    "zone_reset_frequency",
    "zone_reset_threshold",
];

/// The methods of verification; `0` is none.
const METHODS: [&str; 19] = [
    "md5",
    "crc64",
    "crc32c",
    "crc32c-intel",
    "crc32",
    "crc16",
    "crc7",
    "xxhash",
    "sha512",
    "sha256",
    "sha1",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "meta",
    "pattern",
    "pattern_hdr",
    "null",
];

/// The reason why a key with this value changes nothing; `None`, if it may change something.
pub fn why_without_effect(key: &str, value: &str) -> Option<&'static str> {
    let is_zero = value.trim().parse::<f64>().is_ok_and(|number| number == 0.0);
    (is_zero && OFF.contains(&key)).then_some("0 is what holds without it")
}

/// Whether a value of `verify` is a method of verification.
///
/// # Errors
/// If the value is neither a method nor 0.
pub fn is_verification_method(text: &str) -> Result<bool, WrittenValueError> {
    let known: Vec<(&str, bool)> =
        std::iter::once(("0", false)).chain(METHODS.iter().map(|name| (*name, true))).collect();
    values::word(text, "way to verify", &known)
}
