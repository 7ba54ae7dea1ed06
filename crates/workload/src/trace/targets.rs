//! The device of each volume of a trace: `{ "usr.0" = 0, "web.2" = 1 }`.

use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::quantities::Count;
use sansim_schema::quantity::{Quantity, quoted};
use sansim_schema::tree::{Value, ValueNode};
use sansim_schema::{Json, json};

/// The number of a device among those of a workload, from 0.
const DEVICE: Count<u32> = Count::between(0, 1_000_000);

/// A device for each of the named volumes.
pub struct Targets;

impl Quantity for Targets {
    type Value = Vec<(String, u32)>;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<Self::Value, Vec<Diagnostic>> {
        let Value::Table(table) = &node.value else {
            return Err(vec![Diagnostic::wrong_type(
                node,
                r#"a table of volumes and devices, such as { "usr.0" = 0, "web.2" = 1 }"#,
            )]);
        };
        let (mut targets, mut faults) = (Vec::new(), Vec::new());
        for entry in &table.entries {
            match DEVICE.read(&entry.node, context) {
                Ok(device) => targets.push((entry.key.clone(), device)),
                Err(wrong) => faults.extend(wrong),
            }
        }
        if faults.is_empty() { Ok(targets) } else { Err(faults) }
    }

    fn write(&self, value: &Self::Value, _: &Facts) -> String {
        let targets: Vec<String> =
            value.iter().map(|(volume, device)| format!("{} = {device}", quoted(volume))).collect();
        if targets.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", targets.join(", ")) }
    }

    fn placeholder(&self) -> Self::Value {
        Vec::new()
    }

    fn describe(&self) -> String {
        "table of names of volumes with the number of a device for each".to_owned()
    }

    fn schema(&self) -> Json {
        json!({ "type": "object", "additionalProperties": DEVICE.schema() })
    }
}
