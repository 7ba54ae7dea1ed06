//! The decisions for which scenarios name rules: found in the tables of all kinds, so a decision that a component declares is in the list.

use sansim_registry::KINDS;
use sansim_schema::decision::{Decision, DecisionDoc, DecisionEvent, Feature};
use sansim_schema::doc::{DefaultDoc, FieldDoc, TableDoc};
use sansim_schema::words::WordDoc;
use serde_json::{Value as Json, json};

/// A built-in rule of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltInRule {
    /// The word of the rule.
    pub word: String,
    /// The meaning of the rule.
    pub meaning: String,
    /// The publication that defines the rule; empty if there is none.
    pub source: String,
    /// The keys of the rule: name, form, default, meaning, source.
    pub parameters: Vec<[String; 5]>,
}

/// A decision, with its rules and the keys that name them.
#[derive(Clone, Debug)]
pub struct DecisionRules {
    /// The decision.
    pub decision: &'static Decision,
    /// The rules, in the order in which they are declared.
    pub rules: Vec<BuiltInRule>,
    /// The keys that name a rule: the kind of the component, and the dotted path of the key.
    pub keys: Vec<(&'static str, String)>,
}

/// All decisions, in the order of the kinds that have them.
pub fn decisions() -> Vec<DecisionRules> {
    let mut found = Vec::new();
    for kind in KINDS {
        collect(&(kind.describe)(), kind.word, "", &mut found);
    }
    found
}

fn collect(table: &TableDoc, kind: &'static str, path: &str, found: &mut Vec<DecisionRules>) {
    for field in &table.fields {
        let Some(DecisionDoc { decision, rules }) = &field.decision else { continue };
        let key = (kind, format!("{path}{}", field.name));
        match found.iter_mut().find(|known| known.decision == *decision) {
            Some(known) => known.keys.push(key),
            None => found.push(DecisionRules { decision, rules: rules_of(rules, table), keys: vec![key] }),
        }
    }
    for inner in &table.tables {
        collect(&inner.table, kind, &format!("{}.", inner.path(path.trim_end_matches('.'))), found);
    }
    for variant in &table.variants {
        collect(&variant.table, kind, path, found);
    }
}

/// The built-in rules that a key names: words, or variants of the table with the same words, which have keys.
fn rules_of(words: &[WordDoc], table: &TableDoc) -> Vec<BuiltInRule> {
    let parameter = |field: &FieldDoc| {
        let default = match field.default {
            DefaultDoc::Is(toml) => toml.to_owned(),
            DefaultDoc::Word(word) => format!("\"{word}\""),
            DefaultDoc::Follows(words) => format!("follows {words}"),
            DefaultDoc::Required(_) => "required".to_owned(),
            DefaultDoc::Optional(words) | DefaultDoc::Needed(words) => words.to_owned(),
        };
        [field.name.to_owned(), field.written.clone(), default, field.full_doc(), field.source.to_owned()]
    };
    let rule = |word: &WordDoc| {
        let variant =
            table.variants.iter().find(|variant| variant.word == word.word).map(|variant| &variant.table);
        BuiltInRule {
            word: word.word.to_owned(),
            meaning: variant.map_or_else(|| word.meaning.to_owned(), |table| table.doc.clone()),
            source: word.source.to_owned(),
            parameters: variant.map(|table| table.fields.iter().map(parameter).collect()).unwrap_or_default(),
        }
    };
    words.iter().map(rule).collect()
}

/// All decisions as JSON: name, question, features, rules and keys.
pub fn decisions_json() -> Json {
    let feature = |feature: &Feature| json!({ "name": feature.name, "unit": feature.unit, "meaning": feature.meaning.trim() });
    let event = |event: &DecisionEvent| json!({ "name": event.name, "arguments": event.arguments, "meaning": event.meaning.trim() });
    let parameter = |[name, value, default, meaning, source]: &[String; 5]| json!({ "name": name, "value": value, "default": default, "meaning": meaning, "source": source });
    let rule = |rule: &BuiltInRule| {
        json!({
            "name": rule.word,
            "meaning": rule.meaning,
            "source": rule.source,
            "parameters": rule.parameters.iter().map(parameter).collect::<Vec<_>>(),
        })
    };
    let one = |DecisionRules { decision, rules, keys }: &DecisionRules| {
        json!({
            "name": decision.name,
            "question": decision.meaning.trim(),
            "takes_own_rules": decision.takes_own_rules(),
            "features": {
                "candidate": decision.each.iter().map(feature).collect::<Vec<_>>(),
                "decision": decision.common.iter().map(feature).collect::<Vec<_>>(),
            },
            "window": decision.window.map(|window| json!({
                "default": Some(window.default).filter(|&most| most != Decision::ALL_CANDIDATES),
                "order": window.order,
                "source": window.source,
            })),
            "named": decision.named,
            "outcome": decision.outcome,
            "events": decision.events.iter().map(event).collect::<Vec<_>>(),
            "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            "keys": keys.iter().map(|(kind, key)| json!({ "kind": kind, "key": key })).collect::<Vec<_>>(),
        })
    };
    json!(decisions().iter().map(one).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_decision_has_a_name_of_its_own_at_least_two_rules_and_a_key() {
        let all = decisions();
        let mut names: Vec<&str> = all.iter().map(|one| one.decision.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len());
        assert!(all.iter().all(|one| one.rules.len() > 1 && !one.keys.is_empty()));
    }

    #[test]
    fn features_have_names_of_their_own_and_meanings() {
        for DecisionRules { decision, .. } in decisions() {
            let mut names: Vec<&str> = decision.feature_names().collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", decision.name);
            assert!(decision.each.iter().chain(decision.common).all(|feature| !feature.meaning.is_empty()));
        }
    }

    #[test]
    fn the_queue_of_a_host_and_the_order_of_a_disk_are_in_the_list_with_their_keys() {
        let keys = |name: &str| {
            decisions()
                .into_iter()
                .find(|one| one.decision.name == name)
                .map(|one| one.keys)
                .unwrap_or_default()
        };
        assert!(keys("queue").contains(&("host", "driver.queue.order".to_owned())), "{:?}", keys("queue"));
        assert!(keys("path").contains(&("host", "path".to_owned())), "{:?}", keys("path"));
        assert!(!keys("arbiter").is_empty() && !keys("loop-switch").is_empty());
    }
}
