//! Words: free text, one of a few words, names of components, loop addresses.

use std::marker::PhantomData;

use serde_json::{Value as Json, json};

use super::{Context, Fault, Quantity, quoted, shown};
use crate::codes::Code;
use crate::source::Place;
use crate::suggest::{nearest, one_of};
use crate::tree::{Node, Value};
use crate::values::AlPaChoice;
use crate::words::Word;
use sansim_fc::al_pa::AlPa;

/// Any text.
pub(crate) struct Text;

impl Quantity for Text {
    type Value = String;

    fn read(&self, node: &Node, _: &Context) -> Result<String, Vec<Fault>> {
        node.text().map(str::to_owned).ok_or_else(|| vec![Fault::wrong_type(node, "text in quotes")])
    }

    fn write(&self, value: &String, _: &Context) -> String {
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

/// One of the words of an enumeration.
pub(crate) struct Choice<W>(PhantomData<W>);

impl<W> Choice<W> {
    pub const ANY: Choice<W> = Choice(PhantomData);
}

impl<W: Word> Choice<W> {
    fn words() -> impl Iterator<Item = &'static str> {
        W::ALL.iter().map(|(_, word, _)| *word)
    }
}

impl<W: Word> Quantity for Choice<W> {
    type Value = W;

    fn read(&self, node: &Node, _: &Context) -> Result<W, Vec<Fault>> {
        let words = one_of(Choice::<W>::words());
        let Some(text) = node.text() else {
            // A speed of 2 is most likely a 2GFC whose unit was left out.
            let starts = |word: &str, number: i128| {
                word.strip_prefix(&number.to_string())
                    .is_some_and(|rest| rest.starts_with(char::is_alphabetic))
            };
            let meant = match node.value {
                Value::Integer(Some(number)) => Choice::<W>::words().find(|word| starts(word, number)),
                _ => None,
            };
            let fault = Fault::wrong_type(node, &words);
            return Err(vec![fault.maybe_help(meant.map(|word| format!("did you mean \"{word}\"?")))]);
        };
        match W::ALL.iter().find(|(_, word, _)| *word == text.trim()) {
            Some((value, _, _)) => Ok(*value),
            None => {
                // "2 GFC" and "2gfc" are near enough for the suggestion.
                let joined: String = text.split_whitespace().collect();
                let near =
                    nearest(&joined, Choice::<W>::words()).map(|near| format!("did you mean \"{near}\"?"));
                Err(vec![
                    Fault::new(Code::UnknownWord, node.place, format!("{} is not known here", shown(text)))
                        .label(format!("must be {words}"))
                        .maybe_help(near),
                ])
            }
        }
    }

    fn write(&self, value: &W, _: &Context) -> String {
        quoted(value.word())
    }

    fn placeholder(&self) -> W {
        W::ALL[0].0
    }

    fn describe(&self) -> String {
        let words: Vec<String> = W::ALL
            .iter()
            .map(|(_, word, doc)| format!("`\"{word}\"` ({})", doc.trim().trim_end_matches('.')))
            .collect();
        format!("one of {}", words.join("; "))
    }

    fn schema(&self) -> Json {
        let words: Vec<&str> = Choice::<W>::words().collect();
        json!({ "type": "string", "enum": words })
    }
}

/// The name of another component. Whether it exists is checked when all are known.
pub(crate) struct Name;

impl Quantity for Name {
    type Value = String;

    fn read(&self, node: &Node, _: &Context) -> Result<String, Vec<Fault>> {
        let name = node.text().map(|text| text.trim().to_owned());
        name.ok_or_else(|| vec![Fault::wrong_type(node, "the name of a component, in quotes")])
    }

    fn write(&self, value: &String, _: &Context) -> String {
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

/// A list of names of components; a single name may stand without the brackets.
pub(crate) struct Names;

impl Quantity for Names {
    type Value = Vec<String>;

    fn read(&self, node: &Node, context: &Context) -> Result<Vec<String>, Vec<Fault>> {
        match &node.value {
            Value::List(items) if items.is_empty() => Err(vec![
                Fault::new(Code::OutOfRange, node.place, "the list is empty")
                    .label("needs at least one name"),
            ]),
            Value::List(items) => read_all(items, |item| Name.read(item, context)),
            _ => match node.text() {
                Some(name) => Ok(vec![name.trim().to_owned()]),
                None => Err(vec![Fault::wrong_type(
                    node,
                    "a list of names, such as [\"controller\", \"drives\"]",
                )]),
            },
        }
    }

    fn write(&self, value: &Vec<String>, _: &Context) -> String {
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

/// Reads every item of a list, or collects everything that is wrong with it.
fn read_all<T>(
    items: &[Node],
    mut read: impl FnMut(&Node) -> Result<T, Vec<Fault>>,
) -> Result<Vec<T>, Vec<Fault>> {
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

/// One address, a list of them, or `auto`.
pub(crate) struct AlPas;

impl AlPas {
    fn read_one(node: &Node) -> Result<AlPa, Vec<Fault>> {
        const NEEDED: &str = "two hexadecimal digits in quotes, such as \"01\"";
        let Some(text) = node.text() else {
            let help = match node.value {
                Value::Integer(Some(number)) if (0..=0xff).contains(&number) => Some(format!(
                    "write \"{number:02}\" if these digits are meant, \"{number:02X}\" if the decimal number is"
                )),
                _ => None,
            };
            return Err(vec![Fault::wrong_type(node, NEEDED).maybe_help(help)]);
        };
        let digits = text.trim();
        let digits = digits.strip_prefix("0x").unwrap_or(digits);
        let byte =
            u8::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(byte) = byte else {
            return Err(vec![
                Fault::new(Code::BadAlPa, node.place, format!("{} is not an AL_PA", shown(text)))
                    .label(format!("needs {NEEDED}"))
                    .maybe_help(nearest(digits, ["auto"]).map(|_| "did you mean \"auto\"?".to_owned())),
            ]);
        };
        AlPa::new(byte).ok_or_else(|| {
            let near = match AlPa::neighbours(byte) {
                (Some(below), Some(above)) => {
                    format!("the nearest valid ones are \"{below}\" and \"{above}\"")
                }
                (Some(below), None) => format!("the nearest valid one is \"{below}\""),
                (None, Some(above)) => format!("the nearest valid one is \"{above}\""),
                (None, None) => String::new(),
            };
            vec![
                Fault::new(
                    Code::BadAlPa,
                    node.place,
                    format!("{byte:02X} is not one of the 127 valid AL_PAs"),
                )
                .label("not a loop address")
                .help(near),
            ]
        })
    }
}

impl Quantity for AlPas {
    type Value = AlPaChoice;

    fn read(&self, node: &Node, _: &Context) -> Result<AlPaChoice, Vec<Fault>> {
        match &node.value {
            Value::List(items) if items.is_empty() => Err(vec![
                Fault::new(Code::OutOfRange, node.place, "the list is empty")
                    .label("needs at least one AL_PA"),
            ]),
            Value::List(items) => read_all(items, AlPas::read_one).map(AlPaChoice::These),
            _ if node.text().is_some_and(|text| text.trim() == "auto") => Ok(AlPaChoice::Auto),
            _ => AlPas::read_one(node).map(|address| AlPaChoice::These(vec![address])),
        }
    }

    fn write(&self, value: &AlPaChoice, _: &Context) -> String {
        match value {
            AlPaChoice::Auto => quoted("auto"),
            AlPaChoice::These(list) => match list.as_slice() {
                [only] => quoted(&only.to_string()),
                _ => {
                    let list: Vec<String> = list.iter().map(|address| quoted(&address.to_string())).collect();
                    format!("[{}]", list.join(", "))
                }
            },
        }
    }

    fn placeholder(&self) -> AlPaChoice {
        AlPaChoice::Auto
    }

    fn describe(&self) -> String {
        "`\"auto\"`, or an AL_PA as two hexadecimal digits, or a list of them, one for each port of a group"
            .to_owned()
    }

    fn schema(&self) -> Json {
        let one = json!({ "type": "string", "pattern": "^(0x)?[0-9A-Fa-f]{1,2}$" });
        json!({ "anyOf": [{ "const": "auto" }, one, { "type": "array", "items": one, "minItems": 1, "maxItems": 127 }] })
    }
}

/// The place of the item `index` of a list, or of the value itself if it is no list.
pub(crate) fn item_place(node: &Node, index: usize) -> Place {
    match &node.value {
        Value::List(items) => items.get(index).map_or(node.place, |item| item.place),
        _ => node.place,
    }
}
