//! The device of each file, disk or target that an imported file names: `devices = { "/dev/nvme0n1" = "disk[3]" }`.
//!
//! The n-th name of a file means the n-th device of a workload, unless the table maps the name.

use crate::aims::{TargetDevices, is_called};
use sansim_schema::codes;
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantity::{Quantity, quoted};
use sansim_schema::suggest::{nearest, shortened_for_print, words_in_prose};
use sansim_schema::tree::Value;
use sansim_schema::tree::ValueNode;
use sansim_schema::{Json, json};

/// A device, or all devices of a component, for some names.
pub struct DevicesByName;

impl Quantity for DevicesByName {
    type Value = Vec<(String, String)>;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<Self::Value, Vec<Diagnostic>> {
        let needed = r#"a table of names with a device for each, such as { "/dev/sdb" = "disk[3]" }"#;
        let Value::Table(table) = &node.value else { return Err(vec![Diagnostic::wrong_type(node, needed)]) };
        let (mut devices, mut faults) = (Vec::new(), Vec::new());
        for entry in &table.entries {
            match entry.node.text() {
                Some(device) => devices.push((entry.key.clone(), device.to_owned())),
                None => faults
                    .push(Diagnostic::wrong_type(&entry.node, r#"the name of a device, such as "disk[3]""#)),
            }
        }
        if faults.is_empty() { Ok(devices) } else { Err(faults) }
    }

    fn write(&self, value: &Self::Value, _: &Facts) -> String {
        let devices: Vec<String> =
            value.iter().map(|(name, device)| format!("{} = {}", quoted(name), quoted(device))).collect();
        if devices.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", devices.join(", ")) }
    }

    fn placeholder(&self) -> Self::Value {
        Vec::new()
    }

    fn describe(&self) -> String {
        "table of names with the name of a device for each".to_owned()
    }

    fn schema(&self) -> Json {
        json!({ "type": "object", "additionalProperties": { "type": "string" } })
    }
}

/// The meaning of a name in an imported file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedTarget {
    /// The device of this number among those of the workload, from 0.
    Numbered(u32),
    /// The device with this name, or all devices of the component with this name as one.
    Called(String),
}

impl NamedTarget {
    /// The numbers of the target's devices among those of a workload; none, if there is no such device.
    pub fn devices(&self, aims: &TargetDevices) -> Vec<u32> {
        match self {
            Self::Numbered(number) => {
                Some(*number).filter(|&at| (at as usize) < aims.devices.len()).into_iter().collect()
            }
            Self::Called(name) => aims.devices_called(name),
        }
    }
}

/// The names of a file in the order of their appearance, each once, with their targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedDevices {
    /// Each name with its target.
    pub of: Vec<(String, NamedTarget)>,
}

impl NamedDevices {
    /// The targets of these names; `table` overrides some of them.
    pub fn new<'n>(names: impl Iterator<Item = &'n str>, table: &[(String, String)]) -> Self {
        let mut of: Vec<(String, NamedTarget)> = Vec::new();
        for name in names {
            if of.iter().any(|(known, _)| known == name) {
                continue;
            }
            let number = of.len() as u32;
            let said = table.iter().find(|(known, _)| known == name);
            let target =
                said.map_or(NamedTarget::Numbered(number), |(_, device)| NamedTarget::Called(device.clone()));
            of.push((name.to_owned(), target));
        }
        Self { of }
    }

    /// The target of a name.
    pub fn target(&self, name: &str) -> Option<&NamedTarget> {
        self.of.iter().find(|(known, _)| known == name).map(|(_, target)| target)
    }

    /// A remark for users who have not mapped each name to a device; none if no name is numbered.
    pub fn remark(&self, file: &str) -> Option<String> {
        let told: Vec<String> = self
            .of
            .iter()
            .filter_map(|(name, target)| match target {
                NamedTarget::Numbered(number) => {
                    Some(format!("{} is device {}", shortened_for_print(name), number + 1))
                }
                NamedTarget::Called(_) => None,
            })
            .take(8)
            .collect();
        let numbered =
            self.of.iter().filter(|(_, target)| matches!(target, NamedTarget::Numbered(_))).count();
        let more = if numbered > told.len() { format!(", and so on to {numbered}") } else { String::new() };
        (!told.is_empty())
            .then(|| format!("{file}: {}{more} of `to`; `devices` can say otherwise", told.join(", ")))
    }

    /// Reports, at the key `devices` or at the key of the file, targets that do not exist in a workload whose devices have these names.
    pub fn check(
        &self,
        file_key: &str,
        table: &[(String, String)],
        devices: &[&str],
        keys: &mut Keys<'_, '_>,
    ) {
        if !keys.all_readable(&["to", file_key, "devices"]) {
            return;
        }
        for (name, device) in table {
            if !devices.iter().any(|known| is_called(known, device)) {
                let help = match nearest(device, devices.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("`to` has {}", words_in_prose(devices.iter().copied().take(12))),
                };
                let message = format!(
                    "`to` has no device `{}`, which {} is to be",
                    shortened_for_print(device),
                    shortened_for_print(name)
                );
                let fault = Diagnostic::new(codes::UNKNOWN_NAME, keys.value_position("devices"), message)
                    .with_help(help);
                keys.report("devices", fault);
            }
            if self.target(name).is_none() {
                let known = self.of.iter().map(|(known, _)| known.as_str());
                let help = match nearest(name, known.clone()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if self.of.is_empty() => "the file names none; leave `devices` out".to_owned(),
                    None => format!("it names {}", words_in_prose(known.take(12))),
                };
                let message = format!("the file does not name {}", shortened_for_print(name));
                let fault = Diagnostic::new(codes::UNKNOWN_NAME, keys.value_position("devices"), message)
                    .with_help(help);
                keys.report("devices", fault);
            }
        }
        let too_many: Vec<&str> = self
            .of
            .iter()
            .filter(
                |(_, target)| matches!(target, NamedTarget::Numbered(number) if *number as usize >= devices.len()),
            )
            .map(|(name, _)| name.as_str())
            .collect();
        if let Some(first) = too_many.first() {
            let message = format!(
                "the file names {} devices and `to` has {}: there is none for {}",
                self.of.len(),
                devices.len(),
                shortened_for_print(first)
            );
            let help = format!(
                "add devices to `to`, or say which each name is: devices = {{ {} = {} }}",
                quoted(first),
                quoted(devices.first().copied().unwrap_or("disk"))
            );
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(file_key), message)
                .with_label("names more than there are");
            keys.report(file_key, fault.with_help(help));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_name_is_the_nth_device_unless_the_table_says_otherwise() {
        let table = [("/dev/sdc".to_owned(), "disk[3]".to_owned())];
        let named = NamedDevices::new(
            ["/dev/sda", "/dev/sdb", "/dev/sda", "/dev/sdc", "/dev/sdd"].into_iter(),
            &table,
        );
        let targets: Vec<NamedTarget> = named.of.iter().map(|(_, target)| target.clone()).collect();
        let called = NamedTarget::Called("disk[3]".to_owned());
        assert_eq!(
            targets,
            [NamedTarget::Numbered(0), NamedTarget::Numbered(1), called, NamedTarget::Numbered(3)]
        );
    }

    #[test]
    fn the_name_of_a_component_means_all_its_devices() {
        let names = ["disk[0]", "disk[1]", "disks", "lun"].map(str::to_owned).to_vec();
        let aims =
            TargetDevices { workload: 0, devices: (7..11).collect(), capacity_blocks: vec![8; 4], names };
        let devices = |name: &str| NamedTarget::Called(name.to_owned()).devices(&aims);
        assert_eq!([devices("disk"), devices("disk[1]"), devices("lun")], [vec![0, 1], vec![1], vec![3]]);
        assert!(devices("dis").is_empty());
        assert!(NamedTarget::Numbered(4).devices(&aims).is_empty());
    }
}
