"""Arithmetic over metrics and axes, as a study file writes it: `1e6 / iops - 2000`.

Only numbers, names, the four operations, powers and a few functions; nothing else of Python is understood.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping
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


class FormulaError(ValueError):
    """A formula that cannot be read; the text says why."""


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
    """What Python's parser has to say, as far as it is about arithmetic and not about Python."""
    text = (error.text or "").strip()
    at = (error.offset or 0) - 1
    if not text:
        return "it is empty"
    if any(known in error.msg for known in ("was never closed", "unmatched", "nested")):
        return error.msg
    return f"there is something wrong at `{text[max(at, 0) :][:20]}`" if 0 <= at < len(text) else "it breaks off"


def check(tree: ast.expr) -> None:
    """Raises FormulaError if there is anything in it that a formula may not have."""
    match tree:
        case ast.Constant(value=int() | float()) if not isinstance(tree.value, bool):
            return
        case ast.Name():
            return
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=inner):
            check(inner)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in TWO_SIDED:
            check(left)
            check(right)
        case ast.Call(func=ast.Name(id=name), args=inner, keywords=[]) if name in FUNCTIONS:
            least, most = ARGUMENTS.get(name, (1, 1))
            if not least <= len(inner) <= most:
                wanted = "two values or more" if least == 2 else "one value" if most == 1 else "one value or two"
                raise FormulaError(f"{name}( ) takes {wanted}, not {len(inner)}")
            for part in inner:
                check(part)
        case _:
            known = f"there are + - * / ** ( ) and {', '.join(FUNCTIONS)}"
            if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.BitXor):
                raise FormulaError("`^` is not arithmetic here; a power is `**`")
            raise FormulaError(f"`{ast.unparse(tree)[:60]}` is not arithmetic; {known}")


def names(text: str) -> frozenset[str]:
    """The metrics and axes a formula needs."""
    tree = parse(text)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called)


def evaluate(text: str, values: Mapping[str, float]) -> float | None:
    """The value of a formula; None where it has none, as after a division by zero."""
    try:
        result: object = value_of(parse(text), values)
    except (ArithmeticError, ValueError, TypeError):
        return None
    # A root of a negative number comes as a complex one.
    return result if isinstance(result, float) and math.isfinite(result) else None


def value_of(tree: ast.expr, values: Mapping[str, float]) -> float:
    """The value of a part of a formula."""
    match tree:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -value_of(inner, values)
        case ast.UnaryOp(operand=inner):
            return value_of(inner, values)
        case ast.BinOp(left=left, op=op, right=right):
            return TWO_SIDED[type(op)](value_of(left, values), value_of(right, values))
        case ast.Call(func=ast.Name(id=name), args=inner):
            return float(FUNCTIONS[name](*(value_of(part, values) for part in inner)))
    raise FormulaError("not arithmetic")
