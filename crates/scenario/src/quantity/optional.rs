//! Values that may be absent: a word instead of a number.

use serde_json::Value as Json;

use super::measure::{pattern, write_size};
use super::{Context, Fault, Quantity, Size, quoted};
use crate::tree::Node;
use crate::units::Dimension;

/// The size of a cache, or none.
pub(crate) struct CacheSize;

impl CacheSize {
    const SIZE: Size = Size::between(2112, 1 << 32);
}

impl Quantity for CacheSize {
    type Value = Option<u64>;

    fn read(&self, node: &Node, _: &Context) -> Result<Option<u64>, Vec<Fault>> {
        if node.text().is_some_and(|text| text.trim() == "none") {
            return Ok(None);
        }
        CacheSize::SIZE.read_or(node, "\"none\"").map(Some).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Option<u64>, _: &Context) -> String {
        value.map_or_else(|| quoted("none"), |bytes| quoted(&write_size(bytes)))
    }

    fn placeholder(&self) -> Option<u64> {
        None
    }

    fn describe(&self) -> String {
        format!("`\"none\"` or a {}", CacheSize::SIZE.describe())
    }

    fn schema(&self) -> Json {
        pattern(&[Dimension::Size], &["none"])
    }
}
