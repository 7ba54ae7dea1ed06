"""Arithmetic over metrics and axes, as a study file writes it: `1e6 / iops - 2000`.

Only numbers, names, the four operations, powers and a few functions; nothing else of Python is understood.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache

FUNCTIONS: dict[str, Callable[..., float]] = {
    "min": min,
    "max": max,
    "ceil": math.ceil,
    "floor": math.floor,
    "round": round,
    "abs": abs,
    "sqrt": math.sqrt,
    "log": math.log,
    "exp": math.exp,
}
ARGUMENTS = {"min": (2, 99), "max": (2, 99), "log": (1, 2)}
"""How many values a function takes: least and most; the others take one."""
TWO_SIDED: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
LONGEST = 2000
"""Characters of a formula; a longer one is no formula a person wrote."""
DEEPEST = 400
"""Parts of a formula within each other; each takes a level of Python's stack, which has 1000."""
SHOWN = 60
"""Characters of a part of a formula that are shown."""


class FormulaError(ValueError):
    """A formula that cannot be read; the text says why."""


class NoValueError(ArithmeticError):
    """A formula that has no value with these numbers; the text says which part of it, and why."""


@cache
def parse(text: str) -> ast.expr:
    """Reads a formula, which may go over several lines.

    Raises:
        FormulaError: It is not one.
    """
    if len(text) > LONGEST:
        raise FormulaError(f"it is longer than {LONGEST} characters")
    try:
        with warnings.catch_warnings():
            # Python's opinions of a text that is not Python.
            warnings.simplefilter("ignore")
            tree = ast.parse(" ".join(text.split()), mode="eval").body
        check(tree)
    except FormulaError:
        raise
    except SyntaxError as error:
        raise FormulaError(reason(error)) from None
    except (RecursionError, MemoryError):
        raise FormulaError("too much is nested in it") from None
    except ValueError as error:
        raise FormulaError(str(error)) from None
    return tree


def reason(error: SyntaxError) -> str:
    """The message of Python's parser, as far as it is about arithmetic and not about Python."""
    text = (error.text or "").strip()
    at = (error.offset or 0) - 1
    if not text:
        return "it is empty"
    if any(known in error.msg for known in ("was never closed", "unmatched", "nested")):
        return error.msg
    return f"there is something wrong at `{text[max(at, 0) :][:20]}`" if 0 <= at < len(text) else "it breaks off"


def check(tree: ast.expr, depth: int = 0) -> None:
    """Raises FormulaError if there is anything in it that a formula may not have."""
    if depth > DEEPEST:
        raise FormulaError("too much is nested in it")
    match tree:
        case ast.Constant(value=int() | float()) if not isinstance(tree.value, bool):
            return
        case ast.Name():
            return
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=inner):
            check(inner, depth + 1)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in TWO_SIDED:
            check(left, depth + 1)
            check(right, depth + 1)
        case ast.Call(func=ast.Name(id=name), args=inner, keywords=[]) if name in FUNCTIONS:
            least, most = ARGUMENTS.get(name, (1, 1))
            if not least <= len(inner) <= most:
                wanted = "two values or more" if least == 2 else "one value" if most == 1 else "one value or two"
                raise FormulaError(f"{name}( ) takes {wanted}, not {len(inner)}")
            for part in inner:
                check(part, depth + 1)
        case _:
            known = f"there are + - * / ** ( ) and {', '.join(FUNCTIONS)}"
            if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.BitXor):
                raise FormulaError("`^` is not arithmetic here; a power is `**`")
            raise FormulaError(f"`{ast.unparse(tree)[:SHOWN]}` is not arithmetic; {known}")


def names(text: str) -> frozenset[str]:
    """The metrics and axes a formula needs."""
    tree = parse(text)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called)


def evaluate(text: str, values: Mapping[str, float]) -> float:
    """The value of a formula.

    It takes a moment, whatever the formula: all numbers are floating-point numbers, of which none needs more than eight
    bytes. In whole numbers `9 ** 9 ** 9` would have 370 million digits.

    Raises:
        NoValueError: It has none, as after a division by zero, or a part of it is too large to be written.
    """
    return value_of(parse(text), values)


def value_of(tree: ast.expr, values: Mapping[str, float]) -> float:
    """The value of a part of a formula, which is a finite number; see `evaluate`."""
    match tree:
        case ast.Constant():
            parts = []
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(operand=inner):
            parts = [value_of(inner, values)]
        case ast.BinOp(left=left, right=right):
            parts = [value_of(left, values), value_of(right, values)]
        case ast.Call(args=inner):
            parts = [value_of(part, values) for part in inner]
        case _:
            raise FormulaError("not arithmetic")
    try:
        result = computed(tree, parts)
    except ZeroDivisionError:
        raise no_value(tree, "divides by zero") from None
    except OverflowError:
        raise no_value(tree, "is too large a number") from None
    except ValueError:
        # A root or a logarithm.
        raise no_value(tree, f"has no value, as it is of {parts[0]:g}") from None
    if isinstance(result, complex):
        raise no_value(tree, f"has no real value, as it is a power of {parts[0]:g}")
    if not math.isfinite(result):
        raise no_value(tree, "is too large a number")
    return result


def computed(tree: ast.expr, parts: Sequence[float]) -> float | complex:
    """A part of a formula, from the values of its own parts."""
    match tree:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.UnaryOp(op=op):
            return -parts[0] if isinstance(op, ast.USub) else parts[0]
        case ast.BinOp(op=op):
            # A root of a negative number comes as a complex one.
            result: float | complex = TWO_SIDED[type(op)](*parts)
            return result
        case ast.Call(func=ast.Name(id=name)):
            return float(FUNCTIONS[name](*parts))
    raise FormulaError("not arithmetic")


def no_value(tree: ast.expr, why: str) -> NoValueError:
    """The error about a part of a formula."""
    text = ast.unparse(tree)
    return NoValueError(f"`{text if len(text) <= SHOWN else text[: SHOWN - 3] + '...'}` {why}")
