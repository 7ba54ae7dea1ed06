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
}

impl Program {
    /// A program of these operations; none if it needs too deep a stack.
    pub(super) fn new(operations: Vec<Operation>) -> Option<Self> {
        let (mut now, mut most) = (0usize, 0);
        for operation in &operations {
            now = now + 1 - operation.takes();
            most = most.max(now);
        }
        (most <= DEPTH).then_some(Self { operations })
    }

    /// The value for a candidate; not a number if the expression has no value.
    #[inline]
    pub(super) fn value(&self, view: &DecisionView, candidate: usize, stack: &mut [f64; DEPTH]) -> f64 {
        let mut top = 0;
        for operation in &self.operations {
            top -= operation.takes();
            let [one, other, third] = [top, top + 1, top + 2].map(|place| stack[place.min(DEPTH - 1)]);
            stack[top] = match *operation {
                Operation::Number(number) => number,
                Operation::Feature(place) => view.value(candidate, place) as f64,
                Operation::Negate => -one,
                Operation::Not => truth(one == 0.0),
                Operation::Absolute => one.abs(),
                Operation::Floor => one.floor(),
                Operation::Add => one + other,
                Operation::Subtract => one - other,
                Operation::Multiply => one * other,
                Operation::Divide => one / other,
                Operation::Remainder => one - other * (one / other).floor(),
                Operation::Less => truth(one < other),
                Operation::LessOrEqual => truth(one <= other),
                Operation::More => truth(one > other),
                Operation::MoreOrEqual => truth(one >= other),
                Operation::Equal => truth(one == other),
                Operation::NotEqual => truth(one != other),
                Operation::And => truth(one != 0.0 && other != 0.0),
                Operation::Or => truth(one != 0.0 || other != 0.0),
                Operation::Least => one.min(other),
                Operation::Most => one.max(other),
                Operation::If => {
                    if one != 0.0 {
                        other
                    } else {
                        third
                    }
                }
            };
            top += 1;
        }
        stack[0]
    }
}

fn truth(is_true: bool) -> f64 {
    f64::from(u8::from(is_true))
}
