//! What a table may know of its surroundings.

use std::any::Any;

/// Facts about the surroundings of a table that its quantities and defaults depend on, one for each type: how long a word
/// takes where a delay is given in words, what counts for all that say nothing else. Who needs a fact defines its type.
#[derive(Default)]
pub struct Context {
    facts: Vec<Box<dyn Any>>,
}

impl Context {
    /// With one more fact, in place of an earlier one of its type.
    #[must_use]
    pub fn with<F: Any>(mut self, fact: F) -> Context {
        self.facts.retain(|known| !known.is::<F>());
        self.facts.push(Box::new(fact));
        self
    }

    /// The fact of this type; its default where nobody said anything.
    pub fn get<F: Any + Clone + Default>(&self) -> F {
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
        let context = Context::default().with(Hue(1)).with("else").with(Hue(2));
        assert_eq!((context.get::<Hue>(), context.get::<u8>()), (Hue(2), 0));
    }
}
