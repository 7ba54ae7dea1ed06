//! Quantities that are words: free text, one of a few words, names of components.

use std::marker::PhantomData;

use serde_json::{Value as Json, json};

use crate::codes;
use crate::context::Facts;
use crate::decision::Decision;
use crate::fault::Diagnostic;
use crate::quantity::{Quantity, quoted, shown_in_message};
use crate::suggest::{nearest, words_in_prose};
use crate::tree::{Value, ValueNode};
use crate::words::{Word, WordDoc};

/// Any text.
pub struct Text;

impl Quantity for Text {
    type Value = String;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<String, Vec<Diagnostic>> {
        node.text().map(str::to_owned).ok_or_else(|| vec![Diagnostic::wrong_type(node, "text in quotes")])
    }

    fn write(&self, value: &String, _: &Facts) -> String {
        quoted(value)
    }

    fn placeholder(&self) -> String {
        String::new()
    }

    fn describe(&self) -> String {
        "text".to_owned()
    }

    fn schema(&self) -> Json {
        json!({ "type": "string" })
    }
}

/// The quantity of one of the words of an enumeration.
pub struct Choice<W>(PhantomData<W>);

impl<W> Choice<W> {
    /// Any word of the enumeration is accepted.
    pub const ANY: Choice<W> = Choice(PhantomData);
}

impl<W: Word> Choice<W> {
    /// One of the words, or another word in place of them, which means that none of them applies.
    pub const fn or(word: &'static str, meaning: &'static str) -> ChoiceOr<W> {
        ChoiceOr { word, meaning, of: PhantomData }
    }
}

/// The quantity of one of the words of an enumeration, which name the rules of a decision.
pub struct RuleWord<W> {
    decision: &'static Decision,
    of: PhantomData<W>,
}

impl<W> RuleWord<W> {
    /// One of the rules of a decision.
    pub const fn decision(decision: &'static Decision) -> Self {
        Self { decision, of: PhantomData }
    }
}

impl<W: Word> Quantity for RuleWord<W> {
    type Value = W;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<W, Vec<Diagnostic>> {
        Choice::<W>::ANY.read(node, context)
    }

    fn write(&self, value: &W, context: &Facts) -> String {
        Choice::<W>::ANY.write(value, context)
    }

    fn placeholder(&self) -> W {
        Choice::<W>::ANY.placeholder()
    }

    fn describe(&self) -> String {
        Choice::<W>::ANY.describe()
    }

    fn schema(&self) -> Json {
        Choice::<W>::ANY.schema()
    }

    fn words(&self) -> Vec<WordDoc> {
        Choice::<W>::ANY.words()
    }

    fn decision(&self) -> Option<&'static Decision> {
        Some(self.decision)
    }
}

/// The quantity of one of the words of an enumeration, or of another word, which means that none of them applies.
pub struct ChoiceOr<W> {
    word: &'static str,
    meaning: &'static str,
    of: PhantomData<W>,
}

impl<W: Word> ChoiceOr<W> {
    fn all(&self) -> Vec<WordDoc> {
        let own = WordDoc { word: self.word, meaning: self.meaning, source: "" };
        std::iter::once(own).chain(WordDoc::words_of_enumeration::<W>()).collect()
    }
}

/// Parses one of these words. Returns the index of the word.
fn read_word(node: &ValueNode, known: &[WordDoc]) -> Result<usize, Vec<Diagnostic>> {
    let words = words_in_prose(known.iter().map(|word| word.word));
    let Some(text) = node.text() else {
        // A speed of 2 is most likely a 2GFC whose unit was left out.
        let starts = |word: &str, number: i128| {
            let rest = word.strip_prefix(&number.to_string());
            rest.is_some_and(|rest| rest.starts_with(char::is_alphabetic))
        };
        let meant = match node.value {
            Value::Integer(Some(number)) => known.iter().find(|word| starts(word.word, number)),
            _ => None,
        };
        let fault = Diagnostic::wrong_type(node, &words);
        return Err(vec![
            fault.with_help_if_given(meant.map(|word| format!("did you mean \"{}\"?", word.word))),
        ]);
    };
    if let Some(place) = known.iter().position(|word| word.word == text.trim()) {
        return Ok(place);
    }
    // The words "2 GFC" and "2gfc" are near enough for the suggestion.
    let joined: String = text.split_whitespace().collect();
    let near = nearest(&joined, known.iter().map(|word| word.word));
    Err(vec![
        Diagnostic::new(
            codes::UNKNOWN_WORD,
            node.place,
            format!("{} is not known here", shown_in_message(text)),
        )
        .with_label(format!("must be {words}"))
        .with_help_if_given(near.map(|near| format!("did you mean \"{near}\"?"))),
    ])
}

/// The text of a page for these words.
fn described(words: &[WordDoc]) -> String {
    let one = |word: &WordDoc| format!("`\"{}\"` ({})", word.word, word.meaning.trim().trim_end_matches('.'));
    format!("one of {}", words.iter().map(one).collect::<Vec<_>>().join("; "))
}

fn schema_of(words: &[WordDoc]) -> Json {
    let words: Vec<&str> = words.iter().map(|word| word.word).collect();
    json!({ "type": "string", "enum": words })
}

impl<W: Word> Quantity for ChoiceOr<W> {
    type Value = Option<W>;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<Option<W>, Vec<Diagnostic>> {
        read_word(node, &self.all()).map(|place| place.checked_sub(1).map(|place| W::ALL[place].0))
    }

    fn write(&self, value: &Option<W>, _: &Facts) -> String {
        quoted(value.map_or(self.word, W::word))
    }

    fn placeholder(&self) -> Option<W> {
        None
    }

    fn describe(&self) -> String {
        described(&self.all())
    }

    fn schema(&self) -> Json {
        schema_of(&self.all())
    }

    fn words(&self) -> Vec<WordDoc> {
        self.all()
    }

    fn values(&self) -> Vec<WordDoc> {
        WordDoc::words_of_enumeration::<W>()
    }
}

impl<W: Word> Quantity for Choice<W> {
    type Value = W;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<W, Vec<Diagnostic>> {
        read_word(node, &WordDoc::words_of_enumeration::<W>()).map(|place| W::ALL[place].0)
    }

    fn write(&self, value: &W, _: &Facts) -> String {
        quoted(value.word())
    }

    fn placeholder(&self) -> W {
        W::ALL[0].0
    }

    fn describe(&self) -> String {
        described(&WordDoc::words_of_enumeration::<W>())
    }

    fn schema(&self) -> Json {
        schema_of(&WordDoc::words_of_enumeration::<W>())
    }

    fn words(&self) -> Vec<WordDoc> {
        WordDoc::words_of_enumeration::<W>()
    }
}

/// The name of another component. The existence of a named component is checked when all components are known.
pub struct Name;

impl Quantity for Name {
    type Value = String;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<String, Vec<Diagnostic>> {
        let name = node.text().map(|text| text.trim().to_owned());
        name.ok_or_else(|| vec![Diagnostic::wrong_type(node, "the name of a component, in quotes")])
    }

    fn write(&self, value: &String, _: &Facts) -> String {
        quoted(value)
    }

    fn placeholder(&self) -> String {
        String::new()
    }

    fn describe(&self) -> String {
        "name of a component".to_owned()
    }

    fn schema(&self) -> Json {
        json!({ "type": "string" })
    }
}

/// A list of names of components; a single name may be written without the brackets.
pub struct NameList {
    /// A list as it could be written, for messages: `["left", "right"]`.
    pub example: &'static str,
}

impl Quantity for NameList {
    type Value = Vec<String>;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<Vec<String>, Vec<Diagnostic>> {
        match &node.value {
            Value::List(items) if items.is_empty() => Err(vec![
                Diagnostic::new(codes::OUT_OF_RANGE, node.place, "the list is empty")
                    .with_label("needs at least one name"),
            ]),
            Value::List(items) => read_all(items, |item| Name.read(item, context)),
            _ => match node.text() {
                Some(name) => Ok(vec![name.trim().to_owned()]),
                None => Err(vec![Diagnostic::wrong_type(
                    node,
                    &format!("a list of names, such as {}", self.example),
                )]),
            },
        }
    }

    fn write(&self, value: &Vec<String>, _: &Facts) -> String {
        let names: Vec<String> = value.iter().map(|name| quoted(name)).collect();
        format!("[{}]", names.join(", "))
    }

    fn placeholder(&self) -> Vec<String> {
        Vec::new()
    }

    fn describe(&self) -> String {
        "list of names of components, or a single name".to_owned()
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [
            { "type": "string" },
            { "type": "array", "items": { "type": "string" }, "minItems": 1, "uniqueItems": true },
        ] })
    }
}

/// A list of names that may be empty.
pub struct NamesIfAny(pub NameList);

impl Quantity for NamesIfAny {
    type Value = Vec<String>;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<Vec<String>, Vec<Diagnostic>> {
        match &node.value {
            Value::List(items) if items.is_empty() => Ok(Vec::new()),
            _ => self.0.read(node, context),
        }
    }

    fn write(&self, value: &Vec<String>, context: &Facts) -> String {
        self.0.write(value, context)
    }

    fn placeholder(&self) -> Vec<String> {
        Vec::new()
    }

    fn describe(&self) -> String {
        self.0.describe()
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [
            { "type": "string" },
            { "type": "array", "items": { "type": "string" }, "uniqueItems": true },
        ] })
    }
}

/// A list of names of which a single name is the common case and is written without the brackets.
pub struct NamesOrOne(pub NameList);

impl Quantity for NamesOrOne {
    type Value = Vec<String>;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<Vec<String>, Vec<Diagnostic>> {
        self.0.read(node, context)
    }

    fn write(&self, value: &Vec<String>, context: &Facts) -> String {
        match value.as_slice() {
            [one] => quoted(one),
            several => self.0.write(&several.to_vec(), context),
        }
    }

    fn placeholder(&self) -> Vec<String> {
        Vec::new()
    }

    fn describe(&self) -> String {
        "name of a component, or a list of names".to_owned()
    }

    fn schema(&self) -> Json {
        self.0.schema()
    }
}

/// Parses every item of a list, or collects all problems of it.
pub fn read_all<T>(
    items: &[ValueNode],
    mut read: impl FnMut(&ValueNode) -> Result<T, Vec<Diagnostic>>,
) -> Result<Vec<T>, Vec<Diagnostic>> {
    let mut values = Vec::with_capacity(items.len());
    let mut faults = Vec::new();
    for item in items {
        match read(item) {
            Ok(value) => values.push(value),
            Err(more) => faults.extend(more),
        }
    }
    if faults.is_empty() { Ok(values) } else { Err(faults) }
}
