//! Names of components, and those that nobody has.

use sansim_describe::codes;
use sansim_describe::fault::Fault;
use sansim_describe::source::Place;
use sansim_describe::suggest::{nearest, one_of, printable};

use crate::component::Component;
use crate::kinds::kind_of;

/// Whether the kind of the component with this name could not be read: then the name may be right.
pub(super) fn is_unread(components: &[Component<'_>], name: &str) -> bool {
    components.iter().any(|component| component.name() == name && component.kind.is_empty())
}

/// A name of which no fitting component exists.
pub(super) fn unknown_name(
    place: Place,
    name: &str,
    components: &[Component<'_>],
    fitting: &[&str],
    needed: &str,
) -> Fault {
    let shown = printable(name);
    let candidates =
        || components.iter().filter(|component| fitting.contains(&component.kind)).map(Component::name);
    let other = components.iter().find(|component| component.name() == name);
    let message = match other.and_then(|other| kind_of(other.kind)) {
        Some(kind) => format!("`{shown}` is {}, but {needed} is needed here", kind.noun),
        None => format!("there is no component `{shown}`"),
    };
    let help = match nearest(name, candidates()) {
        Some(near) if near != name => format!("did you mean `{near}`?"),
        _ if candidates().next().is_none() => {
            format!("the scenario has nothing of this kind; {needed} is needed")
        }
        _ => format!("known here: {}", one_of(candidates())),
    };
    Fault::new(codes::UNKNOWN_NAME, place, message).label(format!("needs the name of {needed}")).help(help)
}
