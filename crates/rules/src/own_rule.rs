//! The rule of a user as a value of a scenario: a table in place of the word of a built-in rule.
//!
//! `{ expression = "bytes / (1 + outstanding)" }` is an expression; `{ python = "mine.py:Shortest", window = "2 ms" }` is a class in a file
//! beside the scenario, with its parameters; `{ rust = "shortest", window = "2 ms" }` is a rule in Rust that the program has
//! ([`crate::custom`]). The file is found and its content identified when the scenario is read; it is loaded when the
//! scenario runs.

use crate::custom::make_custom_rule;
use crate::expression::Expression;
use crate::rule_text::{CustomRuleText, ForeignRuleText, ParameterValue};
use sansim_schema::codes;
use sansim_schema::context::Facts;
use sansim_schema::decision::Decision;
use sansim_schema::fault::Diagnostic;
use sansim_schema::quantities::{Choice, Count, CountOr, FileName, Flag};
use sansim_schema::quantity::{Quantity, quoted, text_position};
use sansim_schema::tree::{DocumentEntry, Table, Value, ValueNode};
use sansim_schema::words::{Word, WordDoc};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A rule that a user wrote, for a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnRule {
    /// The decision.
    pub decision: &'static Decision,
    /// The rule.
    pub form: Arc<RuleForm>,
    /// The most candidates that the rule sees.
    pub candidates: u32,
}

/// The form of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleForm {
    /// The candidate with the lowest value is chosen.
    Expression(Expression),
    /// A class of Python chooses.
    Python(ForeignRuleText),
    /// A rule in Rust from a crate of the user chooses.
    Custom(CustomRuleText),
}

/// Whether this process has read a rule in Python.
static HAS_READ_PYTHON: AtomicBool = AtomicBool::new(false);

/// Whether this process has read a rule in Python, so that a run may call Python for a decision.
pub fn has_read_python_rule() -> bool {
    HAS_READ_PYTHON.load(Ordering::Relaxed)
}

impl OwnRule {
    /// A name of the rule for messages: the expression, or the class with its file.
    pub fn name(&self) -> String {
        match &*self.form {
            RuleForm::Expression(expression) => expression.text().to_owned(),
            RuleForm::Python(text) => format!("{}:{}", text.file.name(), text.class),
            RuleForm::Custom(text) => text.name.clone(),
        }
    }
}

/// A built-in rule, or one of the user.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleName<W> {
    /// The word of a built-in rule.
    BuiltIn(W),
    /// A rule of the user.
    Own(OwnRule),
}

impl<W: Copy + PartialEq> RuleName<W> {
    /// The word of the built-in rule, if it is one.
    pub fn built_in(&self) -> Option<W> {
        match self {
            Self::BuiltIn(word) => Some(*word),
            Self::Own(_) => None,
        }
    }

    /// Whether it is this built-in rule.
    pub fn is(&self, word: W) -> bool {
        self.built_in() == Some(word)
    }

    /// The object of the rule: `of_word` makes that of a built-in rule, `own` that of a rule of the user.
    pub fn object<T>(&self, of_word: impl Fn(W) -> T, own: impl Fn(OwnRule) -> T) -> T {
        match self {
            Self::BuiltIn(word) => of_word(*word),
            Self::Own(rule) => own(rule.clone()),
        }
    }
}

impl<W> From<W> for RuleName<W> {
    fn from(word: W) -> Self {
        Self::BuiltIn(word)
    }
}

/// The quantity of a rule of the user: a table.
pub struct RuleTable(pub &'static Decision);

/// The forms in which a rule is written, for messages.
const NEEDED: &str = r#"a table with `expression`, with `python = "file.py:Class"`, or with `rust = "name"`"#;

/// The key of the most candidates that a rule sees, where there may be many.
const WINDOW_KEY: &str = "candidates";

const WINDOW: CountOr<u32> = Count::<u32>::between(1, 1_000_000).or("all");

impl RuleTable {
    fn is_window_key(&self, key: &str) -> bool {
        self.0.window.is_some() && key == WINDOW_KEY
    }

    fn fault<T>(node: &ValueNode, message: impl Into<String>) -> Result<T, Vec<Diagnostic>> {
        Err(vec![
            Diagnostic::new(codes::BAD_VALUE, node.place, message).with_label(format!("needs {NEEDED}")),
        ])
    }

    fn expression(&self, node: &ValueNode) -> Result<RuleForm, Vec<Diagnostic>> {
        let Some(text) = node.text() else {
            return Err(vec![Diagnostic::wrong_type(node, "an expression, in quotes")]);
        };
        Expression::parse(text, self.0).map(RuleForm::Expression).map_err(|fault| {
            let (from, to) = (fault.at.start, fault.at.end.max(fault.at.start + 1));
            let place = text_position(node, text, from.min(text.len()), to.min(text.len() + 1));
            vec![
                Diagnostic::new(codes::BAD_VALUE, place, fault.message)
                    .with_label("here")
                    .with_help_if_given(fault.help),
            ]
        })
    }

    /// The entries of a table that are parameters: all but these and the key of the window.
    fn parameters(
        &self,
        table: &Table,
        others: &[&str],
    ) -> Result<Vec<(String, ParameterValue)>, Vec<Diagnostic>> {
        let is_parameter = |name: &str| !others.contains(&name) && !self.is_window_key(name);
        let entries = table.entries.iter().filter(|entry| is_parameter(&entry.key));
        let parameter = |entry: &DocumentEntry| match ParameterValue::of_node(&entry.node) {
            Some(value) => Ok((entry.key.clone(), value)),
            None => Err(vec![Diagnostic::wrong_type(&entry.node, "text, a number, true or false")]),
        };
        entries.map(parameter).collect()
    }

    /// A rule in Rust. It is made once, so that its parameters are checked when the scenario is read.
    fn custom(&self, table: &Table, node: &ValueNode) -> Result<RuleForm, Vec<Diagnostic>> {
        let Some(name) = node.text() else {
            return Err(vec![Diagnostic::wrong_type(node, "the name of a rule, in quotes")]);
        };
        let parameters = self.parameters(table, &["rust"])?;
        let text = CustomRuleText { name: name.to_owned(), parameters };
        if let Err(fault) = make_custom_rule(&text, self.0, 0) {
            return Self::fault(node, fault.reason);
        }
        Ok(RuleForm::Custom(text))
    }

    fn python(&self, table: &Table, node: &ValueNode, context: &Facts) -> Result<RuleForm, Vec<Diagnostic>> {
        HAS_READ_PYTHON.store(true, Ordering::Relaxed);
        let parameters = self.parameters(table, &["python", "class"])?;
        let class = table.get("class").and_then(|entry| entry.node.text());
        let (file, class) = match (node.text(), class) {
            (Some(text), None) => match text.rsplit_once(':') {
                Some((file, class)) if !file.is_empty() && is_identifier(class) => (
                    ValueNode { value: Value::Text(file.to_owned()), place: node.place, typed: None },
                    class.to_owned(),
                ),
                _ => return Self::fault(node, "the file and its class are written as \"file.py:Class\""),
            },
            (_, Some(class)) if is_identifier(class) => (node.clone(), class.to_owned()),
            _ => return Self::fault(node, "the file and its class are written as \"file.py:Class\""),
        };
        let file = FileName.read(&file, context)?;
        Ok(RuleForm::Python(ForeignRuleText { file, class, parameters }))
    }
}

fn is_identifier(text: &str) -> bool {
    let is_letter = |c: char| c.is_alphabetic() || c == '_';
    text.starts_with(is_letter) && text.chars().all(|c| is_letter(c) || c.is_numeric())
}

impl Quantity for RuleTable {
    type Value = OwnRule;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<OwnRule, Vec<Diagnostic>> {
        let Value::Table(table) = &node.value else { return Err(vec![Diagnostic::wrong_type(node, NEEDED)]) };
        let form = match (table.get("expression"), table.get("python"), table.get("rust")) {
            (Some(entry), None, None) => {
                let other = table
                    .entries
                    .iter()
                    .find(|entry| entry.key != "expression" && !self.is_window_key(&entry.key));
                if let Some(other) = other {
                    let message = format!("`{}` has no effect beside an expression", other.key);
                    return Err(vec![
                        Diagnostic::new(codes::UNKNOWN_KEY, other.key_place, message)
                            .with_label("unknown key")
                            .with_help("an expression has no parameters: write the number into it"),
                    ]);
                }
                self.expression(&entry.node)?
            }
            (None, Some(entry), None) => self.python(table, &entry.node, context)?,
            (None, None, Some(entry)) => self.custom(table, &entry.node)?,
            (None, None, None) => return Self::fault(node, "this table names no rule"),
            _ => {
                return Self::fault(
                    node,
                    "a rule is an expression, a class or one in Rust, not several of them",
                );
            }
        };
        let candidates = match table.get(WINDOW_KEY).filter(|_| self.0.window.is_some()) {
            Some(entry) => WINDOW.read(&entry.node, context)?.unwrap_or(Decision::ALL_CANDIDATES),
            None => self.0.usual_window(),
        };
        Ok(OwnRule { decision: self.0, form: Arc::new(form), candidates })
    }

    fn write(&self, value: &OwnRule, context: &Facts) -> String {
        let mut toml = match &*value.form {
            RuleForm::Expression(expression) => format!("{{ expression = {}", quoted(expression.text())),
            RuleForm::Python(text) => {
                let toml = format!(
                    "{{ python = {}, class = {}",
                    FileName.write(&text.file, context),
                    quoted(&text.class)
                );
                toml + &written(&text.parameters)
            }
            RuleForm::Custom(text) => {
                format!("{{ rust = {}", quoted(&text.name)) + &written(&text.parameters)
            }
        };
        if value.candidates != self.0.usual_window() {
            let most = Some(value.candidates).filter(|&most| most != Decision::ALL_CANDIDATES);
            toml.push_str(&format!(", {WINDOW_KEY} = {}", WINDOW.write(&most, context)));
        }
        toml.push_str(" }");
        toml
    }

    fn placeholder(&self) -> OwnRule {
        let any = Expression::parse("0", self.0);
        // The expression `0` parses for every decision.
        let form =
            any.map(RuleForm::Expression).unwrap_or_else(|_| unreachable!("a number is an expression"));
        OwnRule { decision: self.0, form: Arc::new(form), candidates: self.0.usual_window() }
    }

    fn describe(&self) -> String {
        "a rule of your own, as `{ expression = \"...\" }` or `{ python = \"file.py:Class\" }`".to_owned()
    }

    fn schema(&self) -> Json {
        let names: Vec<&str> = self.0.feature_names().collect();
        let mut expression = json!({
            "expression": {
                "type": "string",
                "description": format!("The lowest value wins. Names: {}.", names.join(", ")),
            },
        });
        let mut python = json!({
            "python": { "anyOf": [{ "type": "string", "pattern": "^.+:[^:]+$" }, { "type": "object" }] },
            "class": { "type": "string" },
        });
        let mut custom = json!({ "rust": { "type": "string" } });
        if let Some(window) = self.0.window {
            let mut of_window = WINDOW.schema();
            of_window["description"] =
                format!("The most candidates that the rule sees, first {}.", window.order).into();
            for properties in [&mut expression, &mut python, &mut custom] {
                properties[WINDOW_KEY] = of_window.clone();
            }
        }
        json!({ "anyOf": [
            {
                "type": "object",
                "properties": expression,
                "required": ["expression"],
                "additionalProperties": false,
            },
            {
                "type": "object",
                "properties": python,
                "required": ["python"],
                "additionalProperties": { "type": ["string", "number", "boolean"] },
            },
            {
                "type": "object",
                "properties": custom,
                "required": ["rust"],
                "additionalProperties": { "type": ["string", "number", "boolean"] },
            },
        ] })
    }

    fn decision(&self) -> Option<&'static Decision> {
        Some(self.0)
    }
}

/// Parameters as TOML, behind the name of their rule.
fn written(parameters: &[(String, ParameterValue)]) -> String {
    parameters.iter().map(|(name, value)| format!(", {} = {}", key(name), value.written())).collect()
}

/// A key as TOML.
fn key(name: &str) -> String {
    let is_bare = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if is_bare && !name.is_empty() { name.to_owned() } else { quoted(name) }
}

/// The quantity of a rule of a decision whose built-in rules are the words of an enumeration.
pub struct RuleOf<W> {
    decision: &'static Decision,
    words: std::marker::PhantomData<W>,
}

impl<W> RuleOf<W> {
    /// A rule of a decision.
    pub const fn decision(decision: &'static Decision) -> Self {
        Self { decision, words: std::marker::PhantomData }
    }
}

impl<W: Word> Quantity for RuleOf<W> {
    type Value = RuleName<W>;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<RuleName<W>, Vec<Diagnostic>> {
        if matches!(node.value, Value::Table(_)) {
            return RuleTable(self.decision).read(node, context).map(RuleName::Own);
        }
        Choice::<W>::ANY.read(node, context).map(RuleName::BuiltIn)
    }

    fn write(&self, value: &RuleName<W>, context: &Facts) -> String {
        match value {
            RuleName::BuiltIn(word) => Choice::<W>::ANY.write(word, context),
            RuleName::Own(rule) => RuleTable(self.decision).write(rule, context),
        }
    }

    fn placeholder(&self) -> RuleName<W> {
        RuleName::BuiltIn(Choice::<W>::ANY.placeholder())
    }

    fn describe(&self) -> String {
        format!("{}; or {}", Choice::<W>::ANY.describe(), RuleTable(self.decision).describe())
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [Choice::<W>::ANY.schema(), RuleTable(self.decision).schema()] })
    }

    fn words(&self) -> Vec<WordDoc> {
        WordDoc::words_of_enumeration::<W>()
    }

    fn decision(&self) -> Option<&'static Decision> {
        Some(self.decision)
    }
}

/// The quantity of a decision between yes and no, for each case: true or false for all cases, or a rule of the user.
pub struct FlagOrRule(pub &'static Decision);

impl Quantity for FlagOrRule {
    type Value = RuleName<bool>;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<RuleName<bool>, Vec<Diagnostic>> {
        if matches!(node.value, Value::Table(_)) {
            return RuleTable(self.0).read(node, context).map(RuleName::Own);
        }
        Flag.read(node, context).map(RuleName::BuiltIn)
    }

    fn write(&self, value: &RuleName<bool>, context: &Facts) -> String {
        match value {
            RuleName::BuiltIn(flag) => Flag.write(flag, context),
            RuleName::Own(rule) => RuleTable(self.0).write(rule, context),
        }
    }

    fn placeholder(&self) -> RuleName<bool> {
        RuleName::BuiltIn(Flag.placeholder())
    }

    fn describe(&self) -> String {
        format!("{}; or {}", Flag.describe(), RuleTable(self.0).describe())
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [Flag.schema(), RuleTable(self.0).schema()] })
    }

    fn words(&self) -> Vec<WordDoc> {
        vec![
            WordDoc { word: "false", meaning: "No.", source: "" },
            WordDoc { word: "true", meaning: "As the key says.", source: "" },
        ]
    }

    fn decision(&self) -> Option<&'static Decision> {
        Some(self.0)
    }
}
