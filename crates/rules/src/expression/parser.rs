//! The syntax of expressions, by precedence: `or`, `and`, `not`, comparison, sum, product, sign.

use super::SyntaxFault;
use super::program::{DEPTH, Operation, Program};
use super::token::{Token, tokens};
use sansim_schema::decision::Decision;
use sansim_schema::suggest::{nearest, words_in_prose};
use std::ops::Range;

/// The functions, with the fewest and the most arguments.
const FUNCTIONS: [(&str, usize, usize); 5] =
    [("min", 2, 16), ("max", 2, 16), ("abs", 1, 1), ("floor", 1, 1), ("if", 3, 3)];

/// Brackets, signs and functions within each other that an expression may have.
const NESTING: usize = 64;

struct Parser<'t> {
    decision: &'static Decision,
    tokens: Vec<(Token<'t>, Range<usize>)>,
    next: usize,
    end: usize,
    nesting: usize,
    operations: Vec<Operation>,
}

/// Parses a text over the features of a decision.
pub(super) fn parse(text: &str, decision: &'static Decision) -> Result<Program, SyntaxFault> {
    let tokens = tokens(text)?;
    let mut parser =
        Parser { decision, tokens, next: 0, end: text.len(), nesting: 0, operations: Vec::new() };
    parser.alternatives()?;
    if let Some((_, at)) = parser.tokens.get(parser.next) {
        let message = format!("`{}` does not continue the expression", &text[at.clone()]);
        return Err(SyntaxFault { at: at.clone(), message, help: None });
    }
    Program::new(parser.operations).ok_or_else(|| SyntaxFault {
        at: 0..text.len(),
        message: format!("the expression needs more than {DEPTH} values at a time"),
        help: Some("write it with fewer brackets".to_owned()),
    })
}

impl<'t> Parser<'t> {
    fn token(&self) -> Option<Token<'t>> {
        self.tokens.get(self.next).map(|(token, _)| *token)
    }

    /// The bytes of the next token, or the end of the text.
    fn here(&self) -> Range<usize> {
        self.tokens.get(self.next).map_or(self.end..self.end, |(_, at)| at.clone())
    }

    fn fault<T>(&self, message: impl Into<String>, help: Option<String>) -> Result<T, SyntaxFault> {
        Err(SyntaxFault { at: self.here(), message: message.into(), help })
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_it = self.token() == Some(Token::Name(word));
        self.next += usize::from(is_it);
        is_it
    }

    fn takes_sign(&mut self, sign: &str) -> bool {
        let is_it = matches!(self.token(), Some(Token::Sign(found)) if found == sign);
        self.next += usize::from(is_it);
        is_it
    }

    fn alternatives(&mut self) -> Result<(), SyntaxFault> {
        self.conjunction()?;
        while self.takes_word("or") {
            self.conjunction()?;
            self.operations.push(Operation::Or);
        }
        Ok(())
    }

    fn conjunction(&mut self) -> Result<(), SyntaxFault> {
        self.negation()?;
        while self.takes_word("and") {
            self.negation()?;
            self.operations.push(Operation::And);
        }
        Ok(())
    }

    fn negation(&mut self) -> Result<(), SyntaxFault> {
        if !self.takes_word("not") {
            return self.comparison();
        }
        self.deeper(Self::negation)?;
        self.operations.push(Operation::Not);
        Ok(())
    }

    fn comparison(&mut self) -> Result<(), SyntaxFault> {
        self.sum()?;
        for (sign, operation) in [
            ("<=", Operation::LessOrEqual),
            (">=", Operation::MoreOrEqual),
            ("==", Operation::Equal),
            ("!=", Operation::NotEqual),
            ("<", Operation::Less),
            (">", Operation::More),
        ] {
            if self.takes_sign(sign) {
                self.sum()?;
                self.operations.push(operation);
                break;
            }
        }
        Ok(())
    }

    fn sum(&mut self) -> Result<(), SyntaxFault> {
        self.product()?;
        loop {
            let operation = if self.takes_sign("+") {
                Operation::Add
            } else if self.takes_sign("-") {
                Operation::Subtract
            } else {
                return Ok(());
            };
            self.product()?;
            self.operations.push(operation);
        }
    }

    fn product(&mut self) -> Result<(), SyntaxFault> {
        self.signed()?;
        loop {
            let operation = if self.takes_sign("*") {
                Operation::Multiply
            } else if self.takes_sign("/") {
                Operation::Divide
            } else if self.takes_sign("%") {
                Operation::Remainder
            } else {
                return Ok(());
            };
            self.signed()?;
            self.operations.push(operation);
        }
    }

    fn signed(&mut self) -> Result<(), SyntaxFault> {
        if !self.takes_sign("-") {
            return self.value();
        }
        self.deeper(Self::signed)?;
        self.operations.push(Operation::Negate);
        Ok(())
    }

    /// Parses something that is within something else.
    fn deeper(&mut self, parse: fn(&mut Self) -> Result<(), SyntaxFault>) -> Result<(), SyntaxFault> {
        if self.nesting == NESTING {
            return self.fault(format!("there are more than {NESTING} levels of brackets"), None);
        }
        self.nesting += 1;
        parse(self)?;
        self.nesting -= 1;
        Ok(())
    }

    fn value(&mut self) -> Result<(), SyntaxFault> {
        match self.token() {
            Some(Token::Number(number)) => {
                self.next += 1;
                self.operations.push(Operation::Number(number));
                Ok(())
            }
            Some(Token::Sign("(")) => {
                self.next += 1;
                self.deeper(Self::alternatives)?;
                self.closes()
            }
            Some(Token::Name(name)) => self.named(name),
            _ => self.fault("a number, a feature or a bracket is missing here", None),
        }
    }

    fn closes(&mut self) -> Result<(), SyntaxFault> {
        if self.takes_sign(")") { Ok(()) } else { self.fault("a closing bracket is missing here", None) }
    }

    fn named(&mut self, name: &str) -> Result<(), SyntaxFault> {
        let is_called = matches!(self.tokens.get(self.next + 1), Some((Token::Sign("("), _)));
        if is_called {
            return self.function(name);
        }
        if let Some(place) = self.decision.feature(name) {
            self.next += 1;
            self.operations.push(Operation::Feature(place));
            return Ok(());
        }
        let names = || self.decision.feature_names();
        let help = match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known here: {}", words_in_prose(names())),
        };
        self.fault(format!("`{name}` is no feature of this decision (`{}`)", self.decision.name), Some(help))
    }

    fn function(&mut self, name: &str) -> Result<(), SyntaxFault> {
        let Some(&(_, fewest, most)) = FUNCTIONS.iter().find(|(known, _, _)| *known == name) else {
            let names = || FUNCTIONS.iter().map(|(name, _, _)| *name);
            let help = match nearest(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", words_in_prose(names())),
            };
            return self.fault(format!("there is no function `{name}`"), Some(help));
        };
        let begin = self.here();
        self.next += 2;
        let mut arguments = 0;
        loop {
            self.deeper(Self::alternatives)?;
            arguments += 1;
            match name {
                "min" if arguments > 1 => self.operations.push(Operation::Least),
                "max" if arguments > 1 => self.operations.push(Operation::Most),
                _ => {}
            }
            if !self.takes_sign(",") {
                break;
            }
        }
        self.closes()?;
        if arguments < fewest || arguments > most {
            let needed = if fewest == most { format!("{fewest}") } else { format!("{fewest} to {most}") };
            let message = format!("`{name}` has {arguments} arguments and needs {needed}");
            return Err(SyntaxFault { at: begin, message, help: None });
        }
        match name {
            "abs" => self.operations.push(Operation::Absolute),
            "floor" => self.operations.push(Operation::Floor),
            "if" => self.operations.push(Operation::If),
            _ => {}
        }
        Ok(())
    }
}
