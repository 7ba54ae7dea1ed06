"""Rules of your own in Python: the base class, the parameters, and how a rule is loaded.

A rule is a class in a file beside the scenario, which names it where it would name a built-in rule::

    [host]
    kind = "host"
    path = { python = "mine.py:Shortest", window = "2 ms" }

and in `mine.py`::

    from sansim.rules import Duration, Rule

    class Shortest(Rule):
        window = Duration("1 ms")

        def decide(self, view):
            return view.outstanding.index_of_least()

`decide` gets a view of the decision and returns the index of a candidate. `sansim policies` lists the decisions and
what a view of each has.
"""

from __future__ import annotations

import json
import linecache
import random
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

from sansim import _core
from sansim._core import Block, Column, RuleError, View

__all__ = ["Block", "Column", "Count", "Duration", "Flag", "Number", "Rule", "RuleError", "Size", "View", "Word"]

HOOKS = ("decide", "start", "done", "state")
"""The methods of every rule that a run calls.

A decision may have events, which are further methods. Any other public method is an error, as a misspelt hook would be
ignored.
"""

REFUSED_BY: ContextVar[str] = ContextVar("REFUSED_BY", default="")
"""The part of sansim at work that must not run the code of users unasked; empty where their rules may run."""

T = TypeVar("T")


class Parameter(Generic[T]):
    """A parameter of a rule: a class attribute that has the value of the scenario, or its default, in every object."""

    def __init__(self, default: object, read: Callable[[object], T]) -> None:
        self.default = default
        self.read = read
        """The value, from how it is written; raises ValueError with a text that says what would fit."""
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, rule: Any, owner: type | None = None) -> T:
        if rule is None:
            return self.read(self.default)
        value: T = rule.__dict__["_parameters"][self.name]
        return value

    def __set__(self, rule: Any, value: object) -> None:
        raise AttributeError(f"`{self.name}` is a parameter, which the scenario sets")


def quantity(value: object, dimension: str, example: str) -> int:
    """A quantity with its unit, in whole nanoseconds or bytes."""
    parts = _core.split_quantity(value) if isinstance(value, str) else None
    factors = {name: factor for name, measures, factor in _core.unit_factors() if measures == dimension}
    if parts is None or parts[1] not in factors:
        raise ValueError(f'needs a {dimension} with its unit, such as "{example}", not {value!r}')
    number, unit = parts
    if number < 0:
        raise ValueError(f"is negative: {value!r}")
    return round(number * factors[unit])


class Duration(Parameter[int]):
    """A time, written as `"2 ms"`; in the rule a whole number of nanoseconds."""

    def __init__(self, default: str) -> None:
        super().__init__(default, lambda value: quantity(value, "time", "2 ms"))


class Size(Parameter[int]):
    """A size, written as `"64 KiB"`; in the rule a whole number of bytes."""

    def __init__(self, default: str) -> None:
        super().__init__(default, lambda value: quantity(value, "size", "64 KiB"))


class Count(Parameter[int]):
    """A whole number."""

    def __init__(self, default: int, least: int = 0, most: int = 2**63 - 1) -> None:
        def read(value: object) -> int:
            if isinstance(value, bool) or not isinstance(value, int):
                raise ValueError(f"needs a whole number, not {value!r}")
            if not least <= value <= most:
                raise ValueError(f"is {value}, outside {least} to {most}")
            return value

        super().__init__(default, read)


class Number(Parameter[float]):
    """A number."""

    def __init__(self, default: float, least: float = float("-inf"), most: float = float("inf")) -> None:
        def read(value: object) -> float:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"needs a number, not {value!r}")
            if not least <= value <= most:
                raise ValueError(f"is {value}, outside {least} to {most}")
            return float(value)

        super().__init__(default, read)


class Flag(Parameter[bool]):
    """True or false."""

    def __init__(self, default: bool) -> None:
        def read(value: object) -> bool:
            if not isinstance(value, bool):
                raise ValueError(f"needs true or false, not {value!r}")
            return value

        super().__init__(default, read)


class Word(Parameter[str]):
    """One of a few words, the default first."""

    def __init__(self, default: str, *others: str) -> None:
        words = (default, *others)

        def read(value: object) -> str:
            if value not in words:
                raise ValueError(f"needs one of {', '.join(words)}, not {value!r}")
            return str(value)

        super().__init__(default, read)


class Rule:
    """A rule of your own. Only `decide` is required."""

    def start(self, random: random.Random) -> None:
        """Before the first decision: `random` is a stream of its own, the same for each scenario and seed."""

    def decide(self, view: View) -> int | Block:
        """The index of the chosen candidate, from 0. The view is valid only during the call.

        A rule of the replacement of a cache may also answer with the `Block` that it has in mind.
        """
        raise NotImplementedError("a rule needs a method `decide(self, view)`")

    def done(self) -> None:
        """The run is over."""

    def state(self) -> Mapping[str, Any] | None:
        """Numbers and texts that the run reports of the rule at its end; none without them."""
        return None


def parameters_of(rule: type[Rule]) -> dict[str, Parameter[Any]]:
    """The parameters of a rule by name, also of the classes that it extends."""
    found: dict[str, Parameter[Any]] = {}
    for base in reversed(rule.__mro__):
        found.update({name: value for name, value in vars(base).items() if isinstance(value, Parameter)})
    return found


@contextmanager
def refused_by(what: str) -> Iterator[None]:
    """Within it no rule in Python is loaded: a run that needs one ends with a message that names what is at work."""
    token = REFUSED_BY.set(what)
    try:
        yield
    finally:
        REFUSED_BY.reset(token)


def load(
    path: str, source: str, name: str, parameters: Mapping[str, object], seed: int, events: Sequence[str] = ()
) -> Rule:
    """The rule with this class name of a file, with its parameters.

    The source is the text that the scenario identified; the rule may follow these events of its decision.

    Raises:
        ValueError: The file has no such class, or the class is no rule, or a parameter does not fit.
    """
    if what := REFUSED_BY.get():
        raise ValueError(f"{what} runs no code of files that scenarios name; `sansim run` and studies do")
    module: dict[str, Any] = {"__name__": "rule", "__file__": path}
    # A traceback shows the lines of the text that ran, even if the file changes.
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    exec(compile(source, path, "exec"), module)
    found = module.get(name)
    if not isinstance(found, type):
        rules = [key for key, value in module.items() if isinstance(value, type) and issubclass(value, Rule)]
        known = ", ".join(key for key in rules if key != "Rule") or "none"
        raise ValueError(f"the file has no class `{name}`; its rules are: {known}")
    if not issubclass(found, Rule):
        raise ValueError(f"`{name}` does not extend sansim.rules.Rule")
    check_hooks(found, events)
    rule = found.__new__(found)
    rule.__dict__["_parameters"] = read_parameters(found, parameters)
    if found.__init__ is not object.__init__:
        found.__init__(rule)
    rule.start(random.Random(seed))
    return rule


def check_hooks(rule: type[Rule], events: Sequence[str] = ()) -> None:
    """Checks that a rule has no public method but the hooks of every rule and those of the events of its decision."""
    hooks = (*HOOKS, *events)
    if rule.decide is Rule.decide:
        raise ValueError(f"`{rule.__name__}` has no method `decide(self, view)`")
    for base in rule.__mro__:
        if base in (Rule, object):
            continue
        for name, value in vars(base).items():
            if callable(value) and not name.startswith("_") and name not in hooks:
                near = _core.nearest(name, list(hooks))
                meant = f"; did you mean `{near}`?" if near else ""
                raise ValueError(
                    f"`{rule.__name__}.{name}` is no hook of a rule (these are {', '.join(hooks)}){meant}"
                    " A method of your own begins with `_`."
                )


def read_parameters(rule: type[Rule], given: Mapping[str, object]) -> dict[str, Any]:
    """The values of all parameters of a rule."""
    known = parameters_of(rule)
    for name in given:
        if name not in known:
            near = _core.nearest(name, list(known))
            meant = f"; did you mean `{near}`?" if near else f"; it has: {', '.join(known) or 'none'}"
            raise ValueError(f"`{rule.__name__}` has no parameter `{name}`{meant}")
    values: dict[str, Any] = {}
    for name, parameter in known.items():
        try:
            values[name] = parameter.read(given.get(name, parameter.default))
        except ValueError as error:
            raise ValueError(f"the parameter `{name}` of `{rule.__name__}` {error}") from None
    return values


def end(rule: Rule) -> str | None:
    """Ends a rule; what it reports of itself, as JSON."""
    rule.done()
    state = rule.state()
    if state is None:
        return None
    try:
        return json.dumps(state, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`state` returned what is no JSON: {error}") from None


def reason_of(error: BaseException) -> str:
    """An exception in a sentence: what was raised, and in which line of the rule."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    text = str(error).strip()
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, ValueError) and not frames:
        return text
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"SyntaxError: {error.msg} (line {error.lineno})"
    if not frames:
        return said
    last = frames[-1]
    return f"{said} (line {last.lineno}, in {last.name}: {last.line})"
