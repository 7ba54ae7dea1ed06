//! Rules of users in Python: the view that a rule sees, and the calls.

use pyo3::exceptions::{PyAttributeError, PyIndexError, PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyIterator, PyList, PyString, PyTuple};
use sansim_rules::DecisionView;
use sansim_rules::foreign::{ForeignAnswer, ForeignFault, ForeignRule, register_rule_maker};
use sansim_rules::own_rule::{ForeignRuleText, ParameterValue};
use sansim_schema::decision::{Decision, DecisionEvent, FeaturePlace};

/// The message about a view or column that a rule kept.
const KEPT: &str = "a view and its columns are valid only during the decision for which they were made";

/// A feature of all candidates of a decision: a sequence of whole numbers, which cannot be changed.
#[pyclass(module = "sansim.rules")]
pub struct Column {
    values: Vec<i64>,
    is_valid: bool,
}

impl Column {
    fn valid_values(&self) -> PyResult<&[i64]> {
        if self.is_valid { Ok(&self.values) } else { Err(PyRuntimeError::new_err(KEPT)) }
    }
}

#[pymethods]
impl Column {
    fn __len__(&self) -> PyResult<usize> {
        Ok(self.valid_values()?.len())
    }

    fn __getitem__(&self, index: isize) -> PyResult<i64> {
        let values = self.valid_values()?;
        let place = if index < 0 { index + values.len() as isize } else { index };
        let value = usize::try_from(place).ok().and_then(|place| values.get(place));
        value.copied().ok_or_else(|| PyIndexError::new_err(format!("there are {} candidates", values.len())))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.valid_values()?)?.try_iter()
    }

    /// The index of the least value, of equal ones the first.
    fn index_of_least(&self) -> PyResult<usize> {
        let values = self.valid_values()?.iter().enumerate();
        Ok(values.min_by_key(|(_, value)| **value).map_or(0, |(place, _)| place))
    }

    fn __repr__(&self) -> String {
        if self.is_valid {
            format!("{:?}", self.values)
        } else {
            "<column of an earlier decision>".to_owned()
        }
    }
}

/// The answer of a rule that names a block by its number, whether or not it is among the candidates of the view.
#[pyclass(module = "sansim.rules", name = "Block", frozen)]
pub struct NamedBlock {
    /// The number of the block.
    #[pyo3(get)]
    number: i64,
}

#[pymethods]
impl NamedBlock {
    #[new]
    fn new(number: i64) -> Self {
        Self { number }
    }

    fn __repr__(&self) -> String {
        format!("Block({})", self.number)
    }
}

/// The view that a rule has of a decision: features of the decision are whole numbers, features of the candidates are columns, and `len` is the number of
/// candidates. A view is valid only during the decision.
#[pyclass(module = "sansim.rules", name = "View")]
pub struct View {
    decision: &'static Decision,
    common: Vec<i64>,
    each: Vec<i64>,
    candidates: usize,
    /// The names of the features, those of candidates first. Names in a program are the same objects as these, so that comparing them takes no time.
    names: Vec<Py<PyString>>,
    /// The columns, by feature, and whether each has been filled for this decision.
    columns: Vec<(Py<Column>, bool)>,
    is_valid: bool,
}

impl View {
    fn new(py: Python<'_>, decision: &'static Decision) -> PyResult<Self> {
        let column = |_| Py::new(py, Column { values: Vec::new(), is_valid: false });
        let columns = decision.each.iter().map(column).collect::<PyResult<Vec<_>>>()?;
        Ok(Self {
            decision,
            names: decision.feature_names().map(|name| PyString::intern(py, name).unbind()).collect(),
            common: Vec::new(),
            each: Vec::new(),
            candidates: 0,
            columns: columns.into_iter().map(|column| (column, false)).collect(),
            is_valid: false,
        })
    }

    fn fill(&mut self, view: &DecisionView) {
        self.common.clear();
        self.common.extend_from_slice(view.common_values());
        self.each.clear();
        self.each.extend_from_slice(view.candidate_values());
        self.candidates = view.candidate_count();
        self.is_valid = true;
    }

    /// The value of a feature, or its column.
    fn feature(&mut self, py: Python<'_>, place: FeaturePlace) -> PyResult<Py<PyAny>> {
        match place {
            FeaturePlace::Common(number) => Ok(PyInt::new(py, self.common[number]).into_any().unbind()),
            FeaturePlace::Each(number) => {
                let (column, is_filled) = &mut self.columns[number];
                if !*is_filled {
                    let mut filled = column.borrow_mut(py);
                    let width = self.decision.each.len();
                    filled.values.clear();
                    filled.values.extend(self.each.iter().skip(number).step_by(width));
                    filled.is_valid = true;
                    *is_filled = true;
                }
                Ok(column.clone_ref(py).into_any())
            }
        }
    }

    /// From now on reading the view raises an error. A column that the rule has kept stays so; the next decision has another one.
    fn end(&mut self, py: Python<'_>) -> PyResult<()> {
        self.is_valid = false;
        for (column, is_filled) in self.columns.iter_mut().filter(|(_, is_filled)| *is_filled) {
            column.borrow_mut(py).is_valid = false;
            *is_filled = false;
            #[allow(deprecated, reason = "the other way to count references is unsafe")]
            let is_kept = column.get_refcnt(py) > 1;
            if is_kept {
                *column = Py::new(py, Column { values: Vec::new(), is_valid: false })?;
            }
        }
        Ok(())
    }
}

#[pymethods]
impl View {
    fn __len__(&self) -> PyResult<usize> {
        if self.is_valid { Ok(self.candidates) } else { Err(PyRuntimeError::new_err(KEPT)) }
    }

    fn __getattribute__(
        mut own: PyRefMut<'_, Self>,
        py: Python<'_>,
        name: &Bound<'_, PyString>,
    ) -> PyResult<Py<PyAny>> {
        let same = own.names.iter().position(|known| known.is(name));
        let count = own.decision.each.len();
        let place = match same {
            Some(number) if number < count => FeaturePlace::Each(number),
            Some(number) => FeaturePlace::Common(number - count),
            None => match own.decision.feature(&name.to_cow()?) {
                Some(place) => place,
                None => {
                    // An attribute that every object has, such as `__class__`.
                    let object: Py<Self> = own.into();
                    let found = py.get_type::<PyAny>().call_method1("__getattribute__", (object, name));
                    return found.map(Bound::unbind);
                }
            },
        };
        if !own.is_valid {
            return Err(PyRuntimeError::new_err(KEPT));
        }
        own.feature(py, place)
    }

    /// Python calls this for a name that [`Self::__getattribute__`] does not know.
    fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
        let known: Vec<&str> = self.decision.feature_names().collect();
        Err(PyAttributeError::new_err(format!(
            "a view of `{}` has no `{name}`; it has {}",
            self.decision.name,
            known.join(", ")
        )))
    }

    fn __dir__(&self) -> Vec<&'static str> {
        self.decision.feature_names().collect()
    }

    fn __repr__(&self) -> String {
        if !self.is_valid {
            return "<view of an earlier decision>".to_owned();
        }
        let mut view = DecisionView::new(self.decision);
        view.begin(&self.common);
        self.each.chunks(self.decision.each.len().max(1)).for_each(|values| view.add_candidate(values));
        format!("<view: {}>", view.shown())
    }
}

/// A rule in Python.
#[derive(Debug)]
struct PythonRule {
    rule: Py<PyAny>,
    decide: Py<PyAny>,
    view: Py<View>,
    /// The method for each event of the decision that the rule follows.
    hooks: Vec<Option<Py<PyAny>>>,
}

/// The module of the package that loads rules.
fn module(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let made = MODULE.get_or_try_init(py, || py.import("sansim.rules").map(Bound::unbind))?;
    Ok(made.bind(py))
}

/// The reason of an exception for a message: the exception, and the line of the rule at which it was raised.
fn fault(py: Python<'_>, error: PyErr) -> ForeignFault {
    let interrupted = error.is_instance_of::<PyKeyboardInterrupt>(py);
    let value = error.value(py);
    // The reason names the line, which the traceback of the error has.
    let traceback = error.traceback(py);
    let told = value
        .setattr("__traceback__", traceback)
        .and_then(|()| module(py))
        .and_then(|module| module.call_method1("reason_of", (value,)));
    let reason = told.and_then(|reason| reason.extract::<String>()).unwrap_or_else(|_| error.to_string());
    ForeignFault { reason, interrupted }
}

/// Makes the rule of a text.
fn make(
    text: &ForeignRuleText,
    decision: &'static Decision,
    seed: u64,
) -> Result<Box<dyn ForeignRule>, ForeignFault> {
    let source = text.file.text().map_err(|reason| ForeignFault { reason, interrupted: false })?;
    Python::attach(|py| {
        let make = || -> PyResult<PythonRule> {
            let parameters = PyDict::new(py);
            for (name, value) in &text.parameters {
                match value {
                    ParameterValue::Text(text) => parameters.set_item(name, text)?,
                    ParameterValue::Whole(number) => parameters.set_item(name, number)?,
                    ParameterValue::Number(number) => parameters.set_item(name, number)?,
                    ParameterValue::Flag(flag) => parameters.set_item(name, flag)?,
                }
            }
            let path = text.file.path.to_string_lossy().into_owned();
            let events: Vec<&str> = decision.events.iter().map(|event| event.name).collect();
            let arguments = (path, source, &text.class, parameters, seed, events);
            let rule = module(py)?.call_method1("load", arguments)?;
            let decide = rule.getattr("decide")?.unbind();
            let hook = |event: &DecisionEvent| match rule.getattr_opt(event.name) {
                Ok(found) => Ok(found.map(Bound::unbind)),
                Err(error) => Err(error),
            };
            let hooks = decision.events.iter().map(hook).collect::<PyResult<Vec<_>>>()?;
            Ok(PythonRule {
                rule: rule.unbind(),
                decide,
                view: Py::new(py, View::new(py, decision)?)?,
                hooks,
            })
        };
        make().map(|rule| Box::new(rule) as Box<dyn ForeignRule>).map_err(|error| fault(py, error))
    })
}

impl ForeignRule for PythonRule {
    fn decide(&mut self, view: &DecisionView) -> Result<ForeignAnswer, ForeignFault> {
        Python::attach(|py| {
            self.view.borrow_mut(py).fill(view);
            let answer = self.decide.call1(py, (&self.view,));
            let ended = self.view.borrow_mut(py).end(py);
            // The rule has kept the view, which stays invalid: the next decision has another one.
            #[allow(deprecated, reason = "the other way to count references is unsafe")]
            let is_kept = self.view.get_refcnt(py) > 1;
            if is_kept {
                let decision = view.decision();
                let another = View::new(py, decision).and_then(|view| Py::new(py, view));
                self.view = another.map_err(|error| fault(py, error))?;
            }
            let answer = ended.and(answer).map_err(|error| fault(py, error))?;
            if let Ok(index) = answer.extract::<i64>(py) {
                return Ok(ForeignAnswer::Index(index));
            }
            answer
                .bind(py)
                .cast::<NamedBlock>()
                .map(|block| ForeignAnswer::Named(block.get().number))
                .map_err(|_| {
                    let shown = answer
                        .bind(py)
                        .repr()
                        .map_or_else(|_| "something".to_owned(), |text| text.to_string());
                    let shown: String = shown.chars().take(60).collect();
                    let reason = format!("it answered {shown}, and the answer is the index of a candidate");
                    ForeignFault { reason, interrupted: false }
                })
        })
    }

    fn follows_events(&self) -> bool {
        self.hooks.iter().any(Option::is_some)
    }

    fn notify(&mut self, event: usize, arguments: &[i64]) -> Result<(), ForeignFault> {
        let Some(hook) = self.hooks.get(event).and_then(Option::as_ref) else { return Ok(()) };
        Python::attach(|py| {
            let called = match *arguments {
                [one] => hook.call1(py, (one,)),
                [one, other] => hook.call1(py, (one, other)),
                _ => PyTuple::new(py, arguments).and_then(|arguments| hook.call1(py, arguments)),
            };
            called.map(drop).map_err(|error| fault(py, error))
        })
    }

    fn end(&mut self) -> Result<Option<String>, ForeignFault> {
        Python::attach(|py| {
            let report = module(py).and_then(|module| module.call_method1("end", (&self.rule,)));
            report.and_then(|report| report.extract()).map_err(|error| fault(py, error))
        })
    }
}

/// All decisions for which scenarios name rules, as JSON.
#[pyfunction]
pub fn decisions_json() -> String {
    sansim_scenario::decisions::decisions_json().to_string()
}

/// Registers Python as the language of rules, and adds the classes of views to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_rule_maker(make);
    module.add_function(wrap_pyfunction!(decisions_json, module)?)?;
    module.add_class::<View>()?;
    module.add_class::<NamedBlock>()?;
    module.add_class::<Column>()
}
