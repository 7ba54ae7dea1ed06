//! The evaluation of an expression: operations on a stack.

use crate::view::DecisionView;
use sansim_schema::decision::FeaturePlace;

/// The most values that an expression may have on its stack.
pub(super) const DEPTH: usize = 32;

/// An operation on the stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operation {
    Number(f64),
    Feature(FeaturePlace),
    Negate,
    Not,
    Absolute,
    Floor,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Less,
    LessOrEqual,
    More,
    MoreOrEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Least,
    Most,
    /// The second value if the first is not zero, else the third.
    If,
}

impl Operation {
    /// The number of values that the operation takes from the stack; each leaves one.
    pub(super) fn takes(self) -> usize {
        match self {
            Self::Number(_) | Self::Feature(_) => 0,
            Self::Negate | Self::Not | Self::Absolute | Self::Floor => 1,
            Self::If => 3,
            _ => 2,
        }
    }
}

/// The operations of an expression, in their order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Program {
    operations: Vec<Operation>,
    /// The most values that the stack has.
    depth: usize,
}

impl Program {
    /// A program of these operations; none if it needs too deep a stack.
    pub(super) fn new(operations: Vec<Operation>) -> Option<Self> {
        let (mut now, mut depth) = (0usize, 0);
        for operation in &operations {
            now = now + 1 - operation.takes();
            depth = depth.max(now);
        }
        (depth <= DEPTH).then_some(Self { operations, depth })
    }

    /// The value for each candidate; not a number where the expression has no value. Each operation is carried out for all candidates before
    /// the next, so that it is looked up once for all of them. `stack` is memory that is used again: a row of values for each place of the stack.
    pub(super) fn values<'s>(&self, view: &DecisionView, stack: &'s mut Vec<f64>) -> &'s [f64] {
        let count = view.candidate_count();
        if stack.len() < self.depth * count {
            stack.resize(self.depth * count, 0.0);
        }
        let mut top = 0;
        for operation in &self.operations {
            top -= operation.takes();
            let rows = &mut stack[top * count..];
            match *operation {
                Operation::Number(number) => rows[..count].fill(number),
                Operation::Feature(FeaturePlace::Common(number)) => {
                    rows[..count].fill(view.common_values()[number] as f64);
                }
                Operation::Feature(FeaturePlace::Each(number)) => {
                    let width = view.decision().each.len();
                    let features = view.candidate_values().chunks_exact(width);
                    rows.iter_mut().zip(features).for_each(|(value, of)| *value = of[number] as f64);
                }
                Operation::Negate => one(rows, count, |one| -one),
                Operation::Not => one(rows, count, |one| truth(one == 0.0)),
                Operation::Absolute => one(rows, count, f64::abs),
                Operation::Floor => one(rows, count, f64::floor),
                Operation::Add => two(rows, count, |one, other| one + other),
                Operation::Subtract => two(rows, count, |one, other| one - other),
                Operation::Multiply => two(rows, count, |one, other| one * other),
                Operation::Divide => two(rows, count, |one, other| one / other),
                Operation::Remainder => two(rows, count, |one, other| one - other * (one / other).floor()),
                Operation::Less => two(rows, count, |one, other| truth(one < other)),
                Operation::LessOrEqual => two(rows, count, |one, other| truth(one <= other)),
                Operation::More => two(rows, count, |one, other| truth(one > other)),
                Operation::MoreOrEqual => two(rows, count, |one, other| truth(one >= other)),
                Operation::Equal => two(rows, count, |one, other| truth(one == other)),
                Operation::NotEqual => two(rows, count, |one, other| truth(one != other)),
                Operation::And => two(rows, count, |one, other| truth(one != 0.0 && other != 0.0)),
                Operation::Or => two(rows, count, |one, other| truth(one != 0.0 || other != 0.0)),
                Operation::Least => two(rows, count, f64::min),
                Operation::Most => two(rows, count, f64::max),
                Operation::If => {
                    for at in 0..count {
                        let chosen = if rows[at] != 0.0 { count } else { 2 * count };
                        rows[at] = rows[at + chosen];
                    }
                }
            }
            top += 1;
        }
        &stack[..count]
    }
}

/// Replaces each value of the first row.
#[inline]
fn one(rows: &mut [f64], count: usize, value: impl Fn(f64) -> f64) {
    rows[..count].iter_mut().for_each(|one| *one = value(*one));
}

/// Replaces each value of the first row by that of it and the second row.
#[inline]
fn two(rows: &mut [f64], count: usize, value: impl Fn(f64, f64) -> f64) {
    let (first, second) = rows.split_at_mut(count);
    first.iter_mut().zip(second).for_each(|(one, other)| *one = value(*one, *other));
}

fn truth(is_true: bool) -> f64 {
    f64::from(u8::from(is_true))
}
