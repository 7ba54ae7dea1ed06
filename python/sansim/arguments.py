"""The arguments of the public functions: a wrong one is refused at the call, with what was given and what to give."""

from __future__ import annotations

import functools
import inspect
import numbers
import os
import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from sansim._core import Code, nearest

P = ParamSpec("P")
R = TypeVar("R")


class ArgumentError(TypeError, ValueError):
    """An argument of a function of sansim that cannot be used; nothing was done."""

    def __init__(self, code: str, function: str, argument: str, message: str, given: str, remedy: str) -> None:
        """Takes what is wrong with which argument, what was given, and what to give."""
        lines = [f"error[{code}]: {function}: {message}"]
        lines += [f"  = given: {given}"] if given else []
        lines += [f"  = help: {remedy}"] if remedy else []
        super().__init__("\n".join(lines))
        self.code = code
        """The code of the kind of mistake, as in messages about files."""
        self.function = function
        """The function, as `sansim.run`."""
        self.argument = argument
        """The name of the argument."""
        self.given = given
        """The value that was given, shortened."""


@dataclass(frozen=True)
class Wanted:
    """The condition on an argument."""

    fits: Callable[[Any], bool]
    remedy: str
    """The remedy: a thing to give, with an example."""
    optional: bool = False
    """Whether None will do."""
    code: str = Code.WRONG_TYPE

    def check(self, function: str, argument: str, value: object) -> None:
        """Raises ArgumentError if the value is none of these."""
        if (value is None and self.optional) or self.fits(value):
            return
        kind = "None" if value is None else f"of the type `{type(value).__name__}`"
        message = f"`{argument}` does not fit: it is {kind}"
        if self.code != Code.WRONG_TYPE:
            message = f"`{argument}` is out of range"
        raise ArgumentError(self.code, function, argument, message, reprlib.repr(value), f"give {self.remedy}")

    @property
    def or_none(self) -> Wanted:
        """The same, or None."""
        return Wanted(self.fits, f"{self.remedy}, or None", True, self.code)


def is_texts(value: object) -> bool:
    """Whether a value is a list of texts, and not one text."""
    return (
        isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and all(isinstance(v, str) for v in value)
    )


def is_whole(value: object) -> bool:
    """Whether a value is a whole number; those of numpy are, True is not."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_path(value: object) -> bool:
    """Whether a value names a file by text."""
    return isinstance(value, (str, os.PathLike)) and isinstance(os.fspath(value), str)


def is_percentiles(value: object) -> bool:
    """Whether a value is a percentile, or a list of some."""
    several = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
    return all(isinstance(one, (str, numbers.Real)) and not isinstance(one, bool) for one in several)


def is_several_texts(value: object) -> bool:
    """Whether a value brings texts one after the other; those of an iterator are not looked at, as that takes them."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        return False
    return not isinstance(value, Collection) or all(isinstance(one, str) for one in value)


def is_settings(value: object) -> bool:
    """Whether a value brings keys with their values, both as texts."""
    pairs = value.items() if isinstance(value, Mapping) else value
    if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Iterable):
        return False
    if not isinstance(pairs, Collection):
        return True
    return all(
        isinstance(pair, (tuple, list)) and len(pair) == 2 and all(isinstance(one, str) for one in pair)
        for pair in pairs
    )


FILE = Wanted(is_path, 'the path of a file, as "system.toml"')
FOLDER = Wanted(is_path, 'the path of a folder, as "result"')
TEXT = Wanted(lambda value: isinstance(value, str), "a text")
TEXTS = Wanted(is_texts, 'a list of texts, as ["drives[3]"]')
FLAG = Wanted(lambda value: isinstance(value, bool), "True or False")
WHOLE = Wanted(is_whole, "a whole number, as 5")
WHOLES = Wanted(
    lambda value: isinstance(value, Sequence) and not isinstance(value, str) and all(map(is_whole, value)),
    "a list of whole numbers, as [0, 7]",
)
TIME = Wanted(lambda value: isinstance(value, str), 'a time with its unit as text, as "2.5 ms"')
SIZE = Wanted(lambda value: isinstance(value, str), 'a size with its unit as text, as "1 GB"')
FUNCTION = Wanted(callable, "a function")
ROWS = Wanted(is_several_texts, 'a list of texts, as ["all"] or ["operation=read"]')
KEYS = Wanted(is_several_texts, 'a list of keys, as ["command_time"]')
SETTINGS = Wanted(is_settings, 'keys with their values as texts, as {"rpm": "7200"} or [("rpm", "7200")]')
SCENARIO = Wanted(
    lambda value: is_path(value) or isinstance(value, Mapping),
    'the path of a file, as "system.toml", a text of several lines, or a dictionary of tables;'
    ' sansim.example("four-disks") is such a text',
)
OVERRIDES = Wanted(
    lambda value: isinstance(value, Mapping) and all(isinstance(key, str) for key in value),
    'a dictionary of keys with their values, as {"workload.size": "64 KiB"}',
).or_none
PERCENTILES = Wanted(is_percentiles, 'a list of percentiles, as ["p95", 99.99]')
FILES = Wanted(
    lambda value: is_path(value) or (isinstance(value, Sequence) and bool(value) and all(map(is_path, value))),
    'the path of a file, or a list of such, as ["rates.csv"]',
)
RUNS = Wanted(
    lambda value: is_path(value) or (isinstance(value, Sequence) and all(map(is_path, value))),
    'the path of a run folder, or a list of such, as ["base", "changed"]',
)


def instance(kinds: type | tuple[type, ...], remedy: str) -> Wanted:
    """An object of a class."""
    return Wanted(lambda value: isinstance(value, kinds), remedy)


def one_of(*words: str) -> Wanted:
    """One of some words."""
    quoted = [f'"{word}"' for word in words]
    remedy = f"{', '.join(quoted[:-1])} or {quoted[-1]}"
    return Wanted(lambda value: isinstance(value, str) and value in words, remedy)


def list_like(example: str, what: str) -> Wanted:
    """A list of texts of a form."""
    return Wanted(is_texts, f'a list of {what}, as ["{example}"]')


def file_or(kind: type) -> Wanted:
    """A path, or an object that says more."""
    name = f"sansim.{kind.__name__}"
    remedy = f'a path, as "{kind.__name__.lower()}.out", or {name}(file=...)'
    return Wanted(lambda value: is_path(value) or isinstance(value, kind), remedy)


def at_least(least: int) -> Wanted:
    """A whole number from some number on; to be checked behind `WHOLE`."""
    return Wanted(lambda value: value >= least, f"a whole number from {least} on", code=Code.OUT_OF_RANGE)


def check(function: str, values: Mapping[str, object], wanted: Mapping[str, Wanted | tuple[Wanted, ...]]) -> None:
    """Raises ArgumentError for the first argument that is not what is wanted."""
    for argument, conditions in wanted.items():
        if argument not in values:
            continue
        for one in conditions if isinstance(conditions, tuple) else (conditions,):
            one.check(function, argument, values[argument])
            if values[argument] is None:
                break


def checked(name: str = "", /, **wanted: Wanted | tuple[Wanted, ...]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Checks the arguments of a function before it is called; `name` is what users call it, if not `sansim.NAME`."""

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        called = name or f"sansim.{function.__name__}"
        # A method says nothing of its object.
        names = [parameter for parameter in signature.parameters if parameter != "self"]
        assert set(wanted) <= set(names), set(wanted) - set(names)

        @functools.wraps(function)
        def checking(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as error:
                raise binding_error(called, names, kwargs, error) from None
            check(called, bound.arguments, wanted)
            return function(*args, **kwargs)

        return checking

    return decorated


def binding_error(function: str, names: Sequence[str], given: Mapping[str, object], error: TypeError) -> ArgumentError:
    """The error about an argument that a function does not have, or that it lacks."""
    unknown = next((name for name in given if name not in names), None)
    if unknown is None:
        code, message = Code.MISSING_KEY, str(error)
        return ArgumentError(code, function, "", message, "", f"its arguments are {', '.join(names)}")
    near = nearest(unknown, list(names))
    remedy = f"did you mean `{near}`?" if near else f"its arguments are {', '.join(names)}"
    message = f"there is no argument `{unknown}`"
    return ArgumentError(Code.UNKNOWN_KEY, function, unknown, message, reprlib.repr(given[unknown]), remedy)
