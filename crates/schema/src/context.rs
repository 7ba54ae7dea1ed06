//! Facts that a table may know of its surroundings.

use std::any::Any;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Facts about the surroundings of a table on which its quantities and defaults depend, one for each type: the time of a word where a delay
/// may be given in words, a default for all tables. The crate that needs a fact defines its type.
#[derive(Default)]
pub struct Facts {
    facts: Vec<Rc<dyn Any>>,
    /// The facts for inner tables, by name, where they differ from these.
    within: BTreeMap<String, Rc<Facts>>,
}

impl Facts {
    /// The facts with one more, which replaces an earlier one of its type.
    #[must_use]
    pub fn with_fact<F: Any>(mut self, fact: F) -> Facts {
        self.facts.retain(|known| !known.is::<F>());
        self.facts.push(Rc::new(fact));
        self
    }

    /// The facts with other facts for the inner table at a dotted path: a port may be on another network than the port beside it.
    #[must_use]
    pub fn with_table(mut self, path: &str, inner: Rc<Facts>) -> Facts {
        let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
        let inner = match rest {
            None => inner,
            Some(rest) => {
                // A table on that path keeps its facts: these, unless others were set.
                let (facts, within) = match self.within.get(name) {
                    Some(outer) => (outer.facts.clone(), outer.within.clone()),
                    None => (self.facts.clone(), BTreeMap::new()),
                };
                Rc::new(Facts { facts, within }.with_table(rest, inner))
            }
        };
        self.within.insert(name.to_owned(), inner);
        self
    }

    /// The facts for the inner table with this name.
    pub fn facts_of_table(&self, name: &str) -> &Facts {
        self.within.get(name).map_or(self, |inner| inner)
    }

    /// The facts for the inner table at a dotted path, as a shared reference.
    pub(crate) fn shared(self: &Rc<Facts>, path: &str) -> Rc<Facts> {
        path.split('.').fold(Rc::clone(self), |outer, name| match outer.within.get(name) {
            Some(inner) => Rc::clone(inner),
            None => outer,
        })
    }

    /// The fact of this type; its default if none was set.
    pub fn fact<F: Any + Clone + Default>(&self) -> F {
        self.facts.iter().find_map(|known| known.downcast_ref::<F>()).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Hue(u32);

    #[test]
    fn the_last_fact_of_a_type_counts_and_none_is_its_default() {
        let context = Facts::default().with_fact(Hue(1)).with_fact("else").with_fact(Hue(2));
        assert_eq!((context.fact::<Hue>(), context.fact::<u8>()), (Hue(2), 0));
    }

    #[test]
    fn a_table_within_may_have_other_surroundings() {
        let hue = |hue| Rc::new(Facts::default().with_fact(Hue(hue)));
        let context = Facts::default().with_fact(Hue(1));
        let context =
            context.with_table("lamp", hue(2)).with_table("rooms.a", hue(3)).with_table("rooms.b", hue(4));
        assert_eq!(context.facts_of_table("lamp").fact::<Hue>(), Hue(2));
        assert_eq!(context.facts_of_table("door").fact::<Hue>(), Hue(1));
        let rooms = context.facts_of_table("rooms");
        assert_eq!(rooms.fact::<Hue>(), Hue(1), "a table on the way has what is around it");
        assert_eq!(
            (rooms.facts_of_table("a").fact::<Hue>(), rooms.facts_of_table("b").fact::<Hue>()),
            (Hue(3), Hue(4))
        );
        assert_eq!(Rc::new(context).shared("rooms.a").fact::<Hue>(), Hue(3));
    }
}
