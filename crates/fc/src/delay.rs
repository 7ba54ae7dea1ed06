//! Delays of ports: as a time, or as a number of transmission words of the loop.

use crate::speed::Speed;
use sansim_kernel::Span;
use sansim_schema::Json;
use sansim_schema::codes;
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::quantities::{LONGEST, parse_quantity, read_time, schema_pattern, write_time};
use sansim_schema::quantity::{Quantity, quoted};
use sansim_schema::tree::ValueNode;
use sansim_schema::units::{Dimension, decimal_in_scaled_unit};

/// The word time of the loop to which a delay belongs: a fact of the [`Facts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordTime(pub Span);

impl Default for WordTime {
    /// The longest word time, for delays that are read before their loop.
    fn default() -> Self {
        Self(Speed::G1.word_time())
    }
}

/// A delay that was given in transmission words or as a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay {
    /// The delay itself; words are already multiplied by the loop's word time.
    pub span: Span,
    /// Whether the delay was given in words. The field serves only for writing the scenario back: a delay in words
    /// follows the loop's speed when the speed of the resolved scenario is changed.
    pub in_words: bool,
}

/// A delay as a time or as a number of transmission words of the loop.
pub struct WordsOrTime;

impl Quantity for WordsOrTime {
    type Value = Delay;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<Delay, Vec<Diagnostic>> {
        let accepts = [Dimension::Words, Dimension::Time];
        let (decimal, unit) = parse_quantity(node, &accepts, "").map_err(|fault| vec![fault])?;
        if unit.dimension == Dimension::Time {
            let span = read_time(node, "", (0, LONGEST)).map_err(|fault| vec![fault])?;
            return Ok(Delay { span, in_words: false });
        }
        match decimal.multiply_rounded(context.fact::<WordTime>().0.ticks(), 1) {
            Some((ticks, _)) if ticks <= LONGEST => Ok(Delay { span: Span(ticks), in_words: true }),
            _ => Err(vec![
                Diagnostic::new(codes::OUT_OF_RANGE, node.place, "too many words")
                    .with_label(format!("must be at most {} in time", write_time(LONGEST))),
            ]),
        }
    }

    fn write(&self, value: &Delay, context: &Facts) -> String {
        let words = if value.in_words {
            decimal_in_scaled_unit(value.span.ticks(), context.fact::<WordTime>().0.ticks(), 1, 6, false)
        } else {
            None
        };
        match words {
            Some(words) if words == "1" => quoted("1 word"),
            Some(words) => quoted(&format!("{words} words")),
            None => quoted(&write_time(value.span.ticks())),
        }
    }

    fn placeholder(&self) -> Delay {
        Delay { span: Span::ZERO, in_words: false }
    }

    fn describe(&self) -> String {
        format!("words or time, up to {}", write_time(LONGEST))
    }

    fn schema(&self) -> Json {
        schema_pattern(&[Dimension::Words, Dimension::Time], &[])
    }
}
