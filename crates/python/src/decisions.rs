//! The decision log of a run as a table: a row for each candidate of each decision.

use crate::table::{Columns, Table, flags, integers, longs, texts};
use arrow_array::{ArrayRef, Int64Array, UInt64Array};
use arrow_schema::ArrowError;
use sansim_rules::decision_log::{DecisionLog, LoggedDecision};
use sansim_schema::decision::{Decision, Feature};
use std::ops::Range;
use std::sync::Arc;

/// A row: a decision, with the index of a candidate.
type Row<'l> = (usize, &'l LoggedDecision, usize);

impl Table {
    /// A table of the decisions, with a row for each candidate that a rule saw. It has a column for each feature of any decision in the log; a
    /// feature has no value in rows of other decisions.
    pub fn decisions(log: &DecisionLog) -> Result<Self, ArrowError> {
        let rows: Vec<Row<'_>> = log
            .decisions
            .iter()
            .enumerate()
            .flat_map(|(number, decision)| {
                (0..decision.candidates).map(move |candidate| (number, decision, candidate))
            })
            .collect();
        let features = features(log);
        Self::new(rows.len(), |range| columns(log, &rows, range, &features))
    }
}

/// The features of all decisions in the log: those of decisions, then those of candidates, each name once.
fn features(log: &DecisionLog) -> [Vec<&'static str>; 2] {
    let names = |of: fn(&'static Decision) -> &'static [Feature]| {
        let mut names: Vec<&'static str> = Vec::new();
        for feature in log.rules.iter().flat_map(|rule| of(rule.decision)) {
            if !names.contains(&feature.name) {
                names.push(feature.name);
            }
        }
        names
    };
    [names(|decision| decision.common), names(|decision| decision.each)]
}

fn columns(
    log: &DecisionLog,
    rows: &[Row<'_>],
    range: Range<usize>,
    [common, each]: &[Vec<&'static str>; 2],
) -> Columns {
    let rows = &rows[range];
    let decision_of = |row: &Row<'_>| log.rules[row.1.rule].decision;
    let rules: Vec<String> = log.rules.iter().map(|rule| rule.name()).collect();
    let optional = |value: fn(&LoggedDecision) -> Option<u64>| -> ArrayRef {
        Arc::new(rows.iter().map(|row| value(row.1)).collect::<UInt64Array>())
    };
    let mut columns: Columns = vec![
        ("number".to_owned(), longs(rows.iter().map(|row| row.0 as u64))),
        ("at_ns".to_owned(), longs(rows.iter().map(|row| row.1.at_ns))),
        ("component".to_owned(), texts(rows.iter().map(|row| &*log.components[row.1.component]))),
        ("decision".to_owned(), texts(rows.iter().map(|row| decision_of(row).name))),
        ("rule".to_owned(), texts(rows.iter().map(|row| rules[row.1.rule].as_str()))),
        ("candidate".to_owned(), integers(rows.iter().map(|row| row.2 as u32))),
        ("chosen".to_owned(), flags(rows.iter().map(|row| row.1.chosen == Some(row.2)))),
        ("named".to_owned(), optional(|decision| decision.named)),
        ("outcome".to_owned(), optional(|decision| decision.outcome)),
    ];
    let place = |features: &[Feature], name: &str| features.iter().position(|feature| feature.name == name);
    for &name in common {
        let value = |row: &Row<'_>| {
            let at = place(decision_of(row).common, name)?;
            log.values.get(row.1.first_value + at).copied()
        };
        let values: Int64Array = rows.iter().map(value).collect();
        columns.push((format!("decision.{name}"), Arc::new(values)));
    }
    for &name in each {
        let value = |row: &Row<'_>| {
            let decision = decision_of(row);
            let at = decision.common.len() + row.2 * decision.each.len() + place(decision.each, name)?;
            log.values.get(row.1.first_value + at).copied()
        };
        let values: Int64Array = rows.iter().map(value).collect();
        columns.push((format!("candidate.{name}"), Arc::new(values)));
    }
    columns
}
