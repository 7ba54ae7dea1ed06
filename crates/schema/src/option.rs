//! Quantities outside a scenario, such as options of the command line, parsed by the same rules.

use sansim_kernel::Span;

use crate::fault::Diagnostic;
use crate::quantities::{Dimensioned, Size, read_time};
use crate::source::SourceRange;
use crate::tree::{Value, ValueNode};

/// The largest size of an option: more than any disk has.
const LARGEST_BYTES: u64 = 1 << 60;

/// The longest time of an option, so that tick counters cannot overflow.
const LONGEST_TICKS: u64 = u64::MAX / 4;

/// Parses a time such as `2.5 ms`.
///
/// # Errors
/// A sentence that says what is wrong and what could be written instead.
pub fn parse_time(text: &str) -> Result<Span, String> {
    read_time(&node(text), "", (0, LONGEST_TICKS)).map_err(sentence)
}

/// Parses a number of bytes such as `100 MB`.
///
/// # Errors
/// A sentence that says what is wrong and what could be written instead.
pub fn parse_size(text: &str) -> Result<u64, String> {
    Size::between(1, LARGEST_BYTES).read_or(&node(text), "").map_err(sentence)
}

fn node(text: &str) -> ValueNode {
    let place = SourceRange { text: 0, start: 0, end: text.len() };
    ValueNode { value: Value::Text(text.to_owned()), place, typed: None }
}

fn sentence(fault: Diagnostic) -> String {
    let label = if fault.label.is_empty() { String::new() } else { format!("; {}", fault.label) };
    let help = fault.help.map(|help| format!("; {help}")).unwrap_or_default();
    format!("{}{label}{help}", fault.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_in_a_scenario() {
        assert_eq!(parse_size("100 MB"), Ok(100_000_000));
        assert_eq!(parse_size("1 MiB"), Ok(1 << 20));
        for wrong in ["", "0 B", "100", "1 ms", "much"] {
            assert!(parse_size(wrong).expect_err("not a size").len() > 15);
        }
    }

    #[test]
    fn times_are_read_as_in_a_scenario_and_faults_say_what_is_needed() {
        assert_eq!(parse_time("2.5 ms"), Ok(Span::from_us(2500)));
        assert_eq!(parse_time("3s"), Ok(Span::from_ms(3000)));
        for wrong in ["", "5", "5 MiB", "-1 ms", "soon", "1 mss"] {
            let fault = parse_time(wrong).expect_err("not a time");
            assert!(fault.len() > 15, "{wrong}: {fault}");
        }
    }
}
