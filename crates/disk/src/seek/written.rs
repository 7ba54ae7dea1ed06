//! How a seek curve is written: an inline table whose `form` determines which other keys it has.

use super::{MeasuredSeek, Seek, SquareRoot, ThreePoint};
use sansim_kernel::Span;
use sansim_schema::codes;
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::quantities::{Count, ListOf, Time, write_time};
use sansim_schema::quantity::{Quantity, quoted, shown_in_message};
use sansim_schema::suggest::{nearest, words_in_prose};
use sansim_schema::tree::{Table, Value, ValueNode};
use sansim_schema::{Json, json};

/// A seek curve as an inline table.
pub struct SeekQuantity;

/// A point of a seek curve: a number of cylinders and a time.
struct Point;

const PAIR: ListOf<Time> = ListOf::between(2, 2, Time::ANY);
const DISTANCE: Count<u32> = Count::between(1, 1 << 30);
const POINTS: ListOf<Point> = ListOf::between(2, 10_000, Point);

/// The forms of a seek curve, and the keys of each form.
const FORMS: [(&str, &[&str]); 3] = [
    ("three-point", &["single", "average", "full"]),
    ("measured", &["points"]),
    ("square-root", &["boundary", "near", "far", "single"]),
];

impl Quantity for Point {
    type Value = (u32, Span);

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<Self::Value, Vec<Diagnostic>> {
        match &node.value {
            Value::List(items) if items.len() == 2 => {
                Ok((DISTANCE.read(&items[0], context)?, Time::ANY.read(&items[1], context)?))
            }
            _ => Err(vec![Diagnostic::wrong_type(node, "a distance and a time, such as [80, \"1.983 ms\"]")]),
        }
    }

    fn write(&self, (distance, time): &Self::Value, _: &Facts) -> String {
        format!("[{distance}, {}]", quoted(&write_time(time.ticks())))
    }

    fn placeholder(&self) -> Self::Value {
        (1, Span::ZERO)
    }

    fn describe(&self) -> String {
        "distance in cylinders and time of a seek over it".to_owned()
    }

    fn schema(&self) -> Json {
        json!({ "type": "array", "minItems": 2, "maxItems": 2 })
    }
}

/// Reads the keys of a form of a seek curve, in order.
struct Keys<'n> {
    node: &'n ValueNode,
    table: &'n Table,
    context: &'n Facts,
}

impl Keys<'_> {
    fn maybe<Q: Quantity>(&self, key: &str, quantity: &Q) -> Result<Option<Q::Value>, Vec<Diagnostic>> {
        self.table.get(key).map(|entry| quantity.read(&entry.node, self.context)).transpose()
    }

    fn must<Q: Quantity>(&self, key: &str, quantity: &Q) -> Result<Q::Value, Vec<Diagnostic>> {
        self.maybe(key, quantity)?.ok_or_else(|| {
            let message = format!("the key `{key}` is missing");
            vec![
                Diagnostic::new(codes::MISSING_KEY, self.node.place, message)
                    .with_label(format!("`{key}` must be given"))
                    .with_help(format!(
                        "add {key} = {}",
                        quantity.write(&quantity.placeholder(), self.context)
                    )),
            ]
        })
    }
}

impl Quantity for SeekQuantity {
    type Value = Seek;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<Seek, Vec<Diagnostic>> {
        let Value::Table(table) = &node.value else {
            let needed = "a table such as { form = \"three-point\", single = \"1 ms\", average = \"8 ms\", full = \"18 ms\" }";
            return Err(vec![Diagnostic::wrong_type(node, needed)]);
        };
        let words = || FORMS.iter().map(|(word, _)| *word);
        let form = table.get("form");
        let word = form.and_then(|entry| entry.node.text()).unwrap_or("");
        let Some((_, keys)) = FORMS.iter().find(|(known, _)| *known == word) else {
            let place = form.map_or(node.place, |entry| entry.node.place);
            let near = nearest(word, words()).map(|near| format!("did you mean \"{near}\"?"));
            let message = match form {
                Some(_) => format!("{} is no form of seek curves", shown_in_message(word)),
                None => "the key `form` is missing".to_owned(),
            };
            let code = if form.is_some() { codes::UNKNOWN_WORD } else { codes::MISSING_KEY };
            return Err(vec![
                Diagnostic::new(code, place, message)
                    .with_label(format!("`form` must be {}", words_in_prose(words())))
                    .with_help_if_given(near),
            ]);
        };
        if let Some(entry) =
            table.entries.iter().find(|entry| entry.key != "form" && !keys.contains(&entry.key.as_str()))
        {
            let message = format!("the form \"{word}\" has no key {}", shown_in_message(&entry.key));
            return Err(vec![
                Diagnostic::new(codes::UNKNOWN_KEY, entry.key_place, message)
                    .with_label("unknown key")
                    .with_help(format!("known here: {}", words_in_prose(keys.iter().copied()))),
            ]);
        }
        let keys = Keys { node, table, context };
        let pair = |key| keys.must(key, &PAIR).map(|list| [list[0], list[1]]);
        Ok(match word {
            "three-point" => Seek::ThreePoint(ThreePoint {
                single: keys.must("single", &Time::ANY)?,
                average: keys.must("average", &Time::ANY)?,
                full: keys.must("full", &Time::ANY)?,
            }),
            "measured" => Seek::Measured(MeasuredSeek { points: keys.must("points", &POINTS)? }),
            _ => Seek::SquareRoot(SquareRoot {
                boundary: keys.must("boundary", &DISTANCE)?,
                near: pair("near")?,
                far: pair("far")?,
                single: keys.maybe("single", &Time::ANY)?,
            }),
        })
    }

    fn write(&self, seek: &Seek, context: &Facts) -> String {
        let time = |span: Span| quoted(&write_time(span.ticks()));
        let pair = |[first, second]: [Span; 2]| format!("[{}, {}]", time(first), time(second));
        match seek {
            Seek::ThreePoint(ThreePoint { single, average, full }) => format!(
                "{{ form = \"three-point\", single = {}, average = {}, full = {} }}",
                time(*single),
                time(*average),
                time(*full)
            ),
            Seek::Measured(MeasuredSeek { points }) => {
                format!("{{ form = \"measured\", points = {} }}", POINTS.write(points, context))
            }
            Seek::SquareRoot(SquareRoot { boundary, near, far, single }) => {
                let single = single.map_or(String::new(), |single| format!(", single = {}", time(single)));
                format!(
                    "{{ form = \"square-root\", boundary = {boundary}, near = {}, far = {}{single} }}",
                    pair(*near),
                    pair(*far)
                )
            }
        }
    }

    fn placeholder(&self) -> Seek {
        let [single, average, full] = [1, 8, 18].map(Span::from_ms);
        Seek::ThreePoint(ThreePoint { single, average, full })
    }

    fn describe(&self) -> String {
        "table: `form = \"three-point\"` with `single`, `average` and `full`; `\"measured\"` with `points`, a list of [cylinders, time]; \
         or `\"square-root\"` with `boundary`, `near` and `far`, two times each, and perhaps `single`"
            .to_owned()
    }

    fn schema(&self) -> Json {
        let words: Vec<&str> = FORMS.iter().map(|(word, _)| *word).collect();
        json!({
            "type": "object", "required": ["form"],
            "properties": { "form": { "type": "string", "enum": words } },
        })
    }
}
