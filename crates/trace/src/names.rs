//! Names of volumes in the form of a format, each different from the others.

use crate::format::VolumeNaming;
use crate::record::VolumeNames;
use std::collections::HashSet;

/// Gives each volume its name in a file: its own name if the format can hold it, else a similar one.
pub(crate) struct Naming {
    rule: VolumeNaming,
    /// The original and the given name, by the number of the volume; `None` if the volume has not come yet.
    given: Vec<Option<(String, String)>>,
    used: HashSet<String>,
    /// The next number that is tried where a name is no number.
    next: u32,
}

impl Naming {
    pub(crate) fn new(rule: VolumeNaming) -> Naming {
        Naming { rule, given: Vec::new(), used: HashSet::new(), next: 0 }
    }

    /// The name of a volume in the file.
    pub(crate) fn name(&mut self, volume: u32, volumes: &VolumeNames) -> &str {
        let place = volume as usize;
        if self.given.len() <= place {
            self.given.resize(place + 1, None);
        }
        if self.given[place].is_none() {
            let before = volumes.volume_name(volume);
            let name = self.make(before);
            self.used.insert(name.clone());
            self.given[place] = Some((before.to_owned(), name));
        }
        self.given[place].as_ref().map_or("", |(_, name)| name)
    }

    fn make(&mut self, name: &str) -> String {
        let number = |text: &str| {
            let small = text.parse::<u32>().is_ok_and(|value| value.to_string() == text);
            small.then(|| text.to_owned())
        };
        let made = match self.rule {
            VolumeNaming::One => return String::new(),
            VolumeNaming::Numbers => number(name),
            VolumeNaming::MajorAndMinor => name
                .split_once(',')
                .filter(|(major, minor)| number(major).is_some() && number(minor).is_some())
                .map(|_| name.to_owned()),
            VolumeNaming::Words => Some(word(name)),
            VolumeNaming::HostAndDisk => Some(match name.rsplit_once('.') {
                Some((host, disk)) if number(disk).is_some() => format!("{}.{disk}", word(host)),
                _ => format!("{}.0", word(name)),
            }),
        };
        if let Some(made) = made
            && !self.used.contains(&made)
        {
            return made;
        }
        // Another volume has the name, or the name is not possible: the first free one is used.
        loop {
            let made = match self.rule {
                VolumeNaming::One | VolumeNaming::Numbers => self.next.to_string(),
                VolumeNaming::MajorAndMinor => format!("0,{}", self.next),
                VolumeNaming::Words => format!("{}_{}", word(name), self.next),
                VolumeNaming::HostAndDisk => format!("{}_{}.0", word(name), self.next),
            };
            self.next = self.next.wrapping_add(1);
            if !self.used.contains(&made) {
                return made;
            }
        }
    }

    /// The names that were changed, and whether several volumes became one.
    pub(crate) fn changes(&self) -> (Vec<(String, String)>, bool) {
        let given = self.given.iter().flatten();
        if self.rule == VolumeNaming::One {
            return (Vec::new(), given.count() > 1);
        }
        (given.filter(|(before, name)| before != name).cloned().collect(), false)
    }
}

/// The name with characters replaced that no text format can hold.
fn word(name: &str) -> String {
    let word: String = name
        .chars()
        .map(|c| if c.is_control() || c.is_whitespace() || ",;\"'#".contains(c) { '_' } else { c })
        .collect();
    if word.is_empty() { "_".to_owned() } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(rule: VolumeNaming, names: &[&str]) -> Vec<String> {
        let mut volumes = VolumeNames::default();
        names.iter().for_each(|name| assert!(volumes.volume_number(name.as_bytes()).is_some()));
        let mut naming = Naming::new(rule);
        (0..names.len() as u32).map(|volume| naming.name(volume, &volumes).to_owned()).collect()
    }

    #[test]
    fn a_name_stays_if_the_format_can_have_it_and_all_stay_different() {
        assert_eq!(names(VolumeNaming::Words, &["sda", "a b", "a,b", ""]), ["sda", "a_b", "a_b_0", "_"]);
        assert_eq!(names(VolumeNaming::Numbers, &["usr.0", "0", "7", "web"]), ["0", "1", "7", "2"]);
        assert_eq!(
            names(VolumeNaming::HostAndDisk, &["usr.1", "usr", "usr.0", "4"]),
            ["usr.1", "usr.0", "usr.0_0.0", "4.0"]
        );
        assert_eq!(names(VolumeNaming::MajorAndMinor, &["8,0", "sda", "8,x"]), ["8,0", "0,0", "0,1"]);
        assert_eq!(names(VolumeNaming::One, &["a", "b"]), ["", ""]);
    }
}
