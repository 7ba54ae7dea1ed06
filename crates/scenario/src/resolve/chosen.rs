//! Names of chosen members of a group: `drives[3]` is one member, `drives[4..8]` are members 4 to 7, `drives[4..]` the members from 4 on.

use std::ops::Range;

use super::Components;

/// The name of a component, and the text in the brackets behind it.
pub(super) fn parts_of(name: &str) -> (&str, Option<&str>) {
    match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((name, chosen)) => (name, Some(chosen)),
        None => (name, None),
    }
}

/// The members that the text in brackets behind the name of a component chooses. The error is a message and a help.
pub(super) fn members(
    components: &Components<'_>,
    component: usize,
    chosen: &str,
    shown: &str,
) -> Result<Range<u32>, (String, String)> {
    let (name, count) = (components.name(component), components.count(component));
    if !components.is_group(component) {
        return Err((format!("`{name}` has no members to number"), format!("write \"{name}\"")));
    }
    let number = |text: &str, without: u32| match text.trim() {
        "" => Some(without),
        text => text.parse::<u32>().ok(),
    };
    let range = match chosen.split_once("..") {
        None => chosen.trim().parse::<u32>().ok().and_then(|member| Some(member..member.checked_add(1)?)),
        Some((first, end)) => number(first, 0).zip(number(end, count)).map(|(first, end)| first..end),
    };
    match range {
        Some(range) if range.start < range.end && range.end <= count => Ok(range),
        Some(range) if range.start >= range.end && range.end <= count => Err((
            format!("there are no members `{shown}`"),
            format!("the end is not among them: {name}[4..8] are members 4 to 7"),
        )),
        _ => {
            let help = match count {
                0 => format!("`{name}` has none"),
                _ => format!("the members of `{name}` are {name}[0] to {name}[{}]", count - 1),
            };
            Err((format!("there is no member `{shown}`"), help))
        }
    }
}
