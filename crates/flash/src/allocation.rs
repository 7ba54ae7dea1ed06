//! The order in which consecutive logical pages use channel, way (chip of a channel), die and plane.
//!
//! Source: Hu et al., "Performance impact and interplay of SSD parallelism through advanced commands, allocation strategy and data
//! granularity", ICS 2011, and Tavakkol et al., MQSim, FAST 2018, for the names: with CWDP the channel changes first, then the way,
//! then the die, then the plane.

use sansim_schema::codes;
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::quantity::{Quantity, quoted, shown_in_message};
use sansim_schema::tree::ValueNode;
use sansim_schema::{Json, json};

/// The letters in the order of weight in the number of a plane.
const LETTERS: [char; 4] = ['C', 'W', 'D', 'P'];

/// The order in which channel (0), way (1), die (2) and plane (3) change, first to last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageOrder([u8; 4]);

impl PageOrder {
    /// The order channel, way, die, plane.
    pub const CWDP: PageOrder = PageOrder([0, 1, 2, 3]);

    /// The order with these four letters.
    pub fn from_letters(text: &str) -> Option<PageOrder> {
        let mut parts = [u8::MAX; 4];
        let mut letters = text.chars();
        for at in 0..4 {
            let letter = letters.next()?.to_ascii_uppercase();
            let part = LETTERS.iter().position(|known| *known == letter)? as u8;
            if parts.contains(&part) {
                return None;
            }
            parts[at] = part;
        }
        letters.next().is_none().then_some(PageOrder(parts))
    }

    /// All twenty-four orders.
    pub fn all_orders() -> Vec<PageOrder> {
        let digits = |number: usize| [number >> 6, number >> 4, number >> 2, number].map(|part| part % 4);
        let text = |number| digits(number).iter().map(|part| LETTERS[*part]).collect::<String>();
        (0..256).filter_map(|number| PageOrder::from_letters(&text(number))).collect()
    }

    /// The dimensions in the order in which they change.
    pub fn dimensions(self) -> [usize; 4] {
        self.0.map(usize::from)
    }

    /// The plane of each remainder of a logical unit, for these numbers of channels, chips of each, dies of each, and planes of each.
    pub fn planes_of_units(self, counts: [u32; 4]) -> Vec<u32> {
        let total = counts.iter().product();
        let plane = |mut remainder: u32| {
            let mut at = [0; 4];
            for part in self.dimensions() {
                at[part] = remainder % counts[part];
                remainder /= counts[part];
            }
            ((at[0] * counts[1] + at[1]) * counts[2] + at[2]) * counts[3] + at[3]
        };
        (0..total).map(plane).collect()
    }

    fn letters(self) -> String {
        self.dimensions().iter().map(|part| LETTERS[*part]).collect()
    }
}

/// An order, written as its four letters.
pub struct PageOrders;

impl Quantity for PageOrders {
    type Value = PageOrder;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<PageOrder, Vec<Diagnostic>> {
        let needed = "the letters C (channel), W (way), D (die) and P (plane), each once, such as \"CWDP\"";
        let Some(text) = node.text() else { return Err(vec![Diagnostic::wrong_type(node, needed)]) };
        PageOrder::from_letters(text.trim()).ok_or_else(|| {
            let message = format!("{} is no order of pages", shown_in_message(text));
            vec![
                Diagnostic::new(codes::UNKNOWN_WORD, node.place, message)
                    .with_label(format!("needs {needed}")),
            ]
        })
    }

    fn write(&self, value: &PageOrder, _: &Facts) -> String {
        quoted(&value.letters())
    }

    fn placeholder(&self) -> PageOrder {
        PageOrder::CWDP
    }

    fn describe(&self) -> String {
        "the letters C, W, D and P in any order".to_owned()
    }

    fn schema(&self) -> Json {
        let orders: Vec<String> = PageOrder::all_orders().into_iter().map(PageOrder::letters).collect();
        json!({ "type": "string", "enum": orders })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_cwdp_the_channel_changes_first_and_every_order_names_each_plane_once() {
        // Planes are numbered by channel, way, die, plane.
        assert_eq!(PageOrder::CWDP.planes_of_units([2, 2, 1, 2]), [0, 4, 2, 6, 1, 5, 3, 7]);
        for order in PageOrder::all_orders() {
            let mut planes = order.planes_of_units([3, 2, 2, 4]);
            planes.sort_unstable();
            assert_eq!(planes, (0..48).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn there_are_twenty_four_orders_and_no_other_text_is_one() {
        assert_eq!(PageOrder::all_orders().len(), 24);
        assert_eq!(PageOrder::from_letters("cwdp"), Some(PageOrder::CWDP));
        for text in ["", "CWD", "CWDPP", "CWDC", "CWDX"] {
            assert_eq!(PageOrder::from_letters(text), None, "{text}");
        }
    }
}
