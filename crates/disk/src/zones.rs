//! How a zone is written: a list of five numbers.

use crate::geometry::Zone;
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::quantities::Count;
use sansim_schema::quantity::Quantity;
use sansim_schema::tree::{Value, ValueNode};
use sansim_schema::{Json, json};

/// First cylinder, sectors per track, track skew, cylinder skew, spare sectors; the spare sectors may be left out.
pub struct ZoneQuantity;

/// No drive has tracks of more sectors than this.
const MOST_SECTORS: u64 = 1 << 16;
const CYLINDER: Count<u32> = Count::between(0, 1_000_000);
const SECTORS: Count<u32> = Count::between(1, MOST_SECTORS);
const SKEW: Count<u32> = Count::between(0, MOST_SECTORS);
const SPARE: Count<u32> = Count::between(0, u32::MAX as u64);

impl Quantity for ZoneQuantity {
    type Value = Zone;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<Zone, Vec<Diagnostic>> {
        let items = match &node.value {
            Value::List(items) if items.len() == 4 || items.len() == 5 => items,
            _ => {
                let needed = "first cylinder, sectors per track, track skew, cylinder skew and spare sectors, such as [0, 254, 97, 133, 0]";
                return Err(vec![Diagnostic::wrong_type(node, needed)]);
            }
        };
        Ok(Zone {
            first_cylinder: CYLINDER.read(&items[0], context)?,
            sectors: SECTORS.read(&items[1], context)?,
            track_skew: SKEW.read(&items[2], context)?,
            cylinder_skew: SKEW.read(&items[3], context)?,
            spare_sectors: items.get(4).map_or(Ok(0), |item| SPARE.read(item, context))?,
        })
    }

    fn write(&self, zone: &Zone, _: &Facts) -> String {
        let Zone { first_cylinder, sectors, track_skew, cylinder_skew, spare_sectors } = zone;
        format!("[{first_cylinder}, {sectors}, {track_skew}, {cylinder_skew}, {spare_sectors}]")
    }

    fn placeholder(&self) -> Zone {
        Zone { first_cylinder: 0, sectors: 1, track_skew: 0, cylinder_skew: 0, spare_sectors: 0 }
    }

    fn describe(&self) -> String {
        "list of first cylinder, sectors per track, track skew, cylinder skew and spare sectors".to_owned()
    }

    fn schema(&self) -> Json {
        let number = json!({ "type": "integer", "minimum": 0 });
        json!({ "type": "array", "items": number, "minItems": 4, "maxItems": 5 })
    }
}
