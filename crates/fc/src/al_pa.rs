//! Arbitrated loop physical addresses: the 127 valid values and their order of priority.
//!
//! Source: FC-AL-2 address table as printed in the drive manuals; a value is valid when its 8b/10b code is disparity
//! neutral and it is not above EF. The lower the value, the higher the priority in arbitration.

use crate::address::FcAddress;
use sansim_pdu::Address;
use sansim_schema::codes;
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::quantities::read_all;
use sansim_schema::quantity::{Quantity, quoted, shown_in_message};
use sansim_schema::suggest::nearest;
use sansim_schema::tree::{Value, ValueNode};
use sansim_schema::{Json, json};
use std::fmt;

/// The 127 valid values, highest priority first.
pub const VALID: [u8; 127] = [
    0x00, 0x01, 0x02, 0x04, 0x08, 0x0F, 0x10, 0x17, 0x18, 0x1B, 0x1D, 0x1E, 0x1F, 0x23, 0x25, 0x26, 0x27,
    0x29, 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x39, 0x3A, 0x3C, 0x43, 0x45,
    0x46, 0x47, 0x49, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x59, 0x5A, 0x5C,
    0x63, 0x65, 0x66, 0x67, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x79,
    0x7A, 0x7C, 0x80, 0x81, 0x82, 0x84, 0x88, 0x8F, 0x90, 0x97, 0x98, 0x9B, 0x9D, 0x9E, 0x9F, 0xA3, 0xA5,
    0xA6, 0xA7, 0xA9, 0xAA, 0xAB, 0xAC, 0xAD, 0xAE, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB9, 0xBA, 0xBC,
    0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCC, 0xCD, 0xCE, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD9,
    0xDA, 0xDC, 0xE0, 0xE1, 0xE2, 0xE4, 0xE8, 0xEF,
];

/// A valid arbitrated loop physical address. Addresses are ordered by value, so the smaller address has the
/// higher priority.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AlPa(u8);

impl AlPa {
    /// The address with this value, or `None` when `value` is not one of the 127 valid values.
    pub fn new(value: u8) -> Option<Self> {
        VALID.binary_search(&value).ok().map(|_| Self(value))
    }

    /// The address with a value that was read from a valid address.
    pub(crate) fn known(value: u8) -> Self {
        debug_assert!(Self::new(value).is_some(), "no address has the value {value:02X}");
        Self(value)
    }

    /// The address byte.
    pub fn address_byte(self) -> u8 {
        self.0
    }

    /// The address of the FL_Port, which attaches a loop to a fabric.
    pub const FABRIC: Self = Self(0);

    /// The loop address in the last part of a network address.
    pub fn from_network_address(address: Address) -> Self {
        debug_assert!(Self::new(address.port()).is_some(), "no port of a loop has the address {address}");
        Self(address.port())
    }

    /// The network address of a port of a private loop: domain and area are zero.
    pub fn address(self) -> Address {
        Address::new(u32::from(self.0))
    }

    /// Position in the order of priority, 0 (highest, address 00) to 126 (lowest, address EF).
    pub fn priority_rank(self) -> usize {
        VALID.binary_search(&self.0).unwrap_or(VALID.len())
    }

    /// The address of a rank, or `None` beyond 126.
    pub fn from_priority_rank(rank: usize) -> Option<Self> {
        VALID.get(rank).map(|&v| Self(v))
    }

    /// The number of physical addresses, and so of ports that a loop can have.
    pub const COUNT: usize = VALID.len();

    /// All physical addresses, highest priority first.
    pub fn all_addresses() -> impl DoubleEndedIterator<Item = Self> {
        VALID.iter().map(|&value| Self(value))
    }

    /// The valid addresses next below and next above an invalid value, for messages.
    pub fn neighbours(value: u8) -> (Option<Self>, Option<Self>) {
        (
            Self::all_addresses().rev().find(|valid| valid.0 < value),
            Self::all_addresses().find(|valid| valid.0 > value),
        )
    }
}

impl fmt::Display for AlPa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02X}", self.0)
    }
}

impl fmt::Debug for AlPa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AlPa({:02X})", self.0)
    }
}

/// The loop addresses that a scenario chooses for a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlPaChoice {
    /// The scenario assigns the addresses.
    Auto,
    /// The scenario lists these addresses, one for each port of the component.
    These(Vec<AlPa>),
}

/// The type of a key that holds one address, a list of addresses, or `auto`.
pub struct AlPas;

impl AlPas {
    fn read_one(node: &ValueNode) -> Result<AlPa, Vec<Diagnostic>> {
        const NEEDED: &str = "two hexadecimal digits in quotes, such as \"01\"";
        let Some(text) = node.text() else {
            let help = match node.value {
                Value::Integer(Some(number)) if (0..=0xff).contains(&number) => Some(format!(
                    "write \"{number:02}\" if these digits are meant, \"{number:02X}\" if the decimal number is"
                )),
                _ => None,
            };
            return Err(vec![Diagnostic::wrong_type(node, NEEDED).with_help_if_given(help)]);
        };
        let digits = text.trim();
        let digits = digits.strip_prefix("0x").unwrap_or(digits);
        let byte =
            u8::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(byte) = byte else {
            return Err(vec![
                Diagnostic::new(
                    crate::codes::BAD_AL_PA,
                    node.place,
                    format!("{} is not an AL_PA", shown_in_message(text)),
                )
                .with_label(format!("needs {NEEDED}"))
                .with_help_if_given(nearest(digits, ["auto"]).map(|_| "did you mean \"auto\"?".to_owned())),
            ]);
        };
        AlPa::new(byte).ok_or_else(|| {
            let near = match AlPa::neighbours(byte) {
                (Some(below), Some(above)) => {
                    format!("the nearest valid ones are \"{below}\" and \"{above}\"")
                }
                (Some(below), None) => format!("the nearest valid one is \"{below}\""),
                (None, Some(above)) => format!("the nearest valid one is \"{above}\""),
                (None, None) => String::new(),
            };
            vec![
                Diagnostic::new(
                    crate::codes::BAD_AL_PA,
                    node.place,
                    format!("{byte:02X} is not one of the 127 valid AL_PAs"),
                )
                .with_label("not a loop address")
                .with_help(near),
            ]
        })
    }
}

impl Quantity for AlPas {
    type Value = AlPaChoice;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<AlPaChoice, Vec<Diagnostic>> {
        match &node.value {
            Value::List(items) if items.is_empty() => Err(vec![
                Diagnostic::new(codes::OUT_OF_RANGE, node.place, "the list is empty")
                    .with_label("needs at least one AL_PA"),
            ]),
            Value::List(items) => read_all(items, AlPas::read_one).map(AlPaChoice::These),
            _ if node.text().is_some_and(|text| text.trim() == "auto") => Ok(AlPaChoice::Auto),
            _ => AlPas::read_one(node).map(|address| AlPaChoice::These(vec![address])),
        }
    }

    fn write(&self, value: &AlPaChoice, _: &Facts) -> String {
        match value {
            AlPaChoice::Auto => quoted("auto"),
            AlPaChoice::These(list) => match list.as_slice() {
                [only] => quoted(&only.to_string()),
                _ => {
                    let list: Vec<String> = list.iter().map(|address| quoted(&address.to_string())).collect();
                    format!("[{}]", list.join(", "))
                }
            },
        }
    }

    fn placeholder(&self) -> AlPaChoice {
        AlPaChoice::Auto
    }

    fn describe(&self) -> String {
        "`\"auto\"`, or an AL_PA as two hexadecimal digits, or a list of them, one for each port of a group"
            .to_owned()
    }

    fn schema(&self) -> Json {
        let one = json!({ "type": "string", "pattern": "^(0x)?[0-9A-Fa-f]{1,2}$" });
        json!({ "anyOf": [{ "const": "auto" }, one, { "type": "array", "items": one, "minItems": 1, "maxItems": 127 }] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ones minus zeros of the 5b/6b and 3b/4b sub-blocks decide whether a data byte is disparity neutral.
    fn disparity_neutral(byte: u8) -> bool {
        // The values D.x whose 6-bit sub-block is unbalanced; the 4-bit sub-block is unbalanced for D.x.0,
        // D.x.4 and D.x.7 (FC-PH 8b/10b).
        const UNBALANCED_6: [u8; 13] = [0, 1, 2, 4, 8, 15, 16, 23, 24, 27, 29, 30, 31];
        let six = UNBALANCED_6.contains(&(byte & 0x1F));
        let four = matches!(byte >> 5, 0 | 4 | 7);
        six == four
    }

    #[test]
    fn valid_addresses_are_the_disparity_neutral_bytes_up_to_ef() {
        let computed: Vec<u8> = (0..=0xEF).filter(|&b| disparity_neutral(b)).collect();
        assert_eq!(computed, VALID);
    }

    #[test]
    fn rank_and_address_are_inverse_and_invalid_bytes_are_refused() {
        for (rank, &value) in VALID.iter().enumerate() {
            let address = AlPa::new(value).expect("valid");
            assert_eq!(address.priority_rank(), rank);
            assert_eq!(AlPa::from_priority_rank(rank), Some(address));
        }
        assert_eq!(AlPa::new(0x03), None);
        assert_eq!(AlPa::new(0xF0), None);
        assert_eq!(AlPa::from_priority_rank(127), None);
        assert_eq!(AlPa::neighbours(0x03), (AlPa::new(0x02), AlPa::new(0x04)));
        assert_eq!(AlPa::neighbours(0xF0), (AlPa::new(0xEF), None));
    }
}
