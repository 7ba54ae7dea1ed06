"""Arithmetic over metrics and axes, as a study file writes it: `1e6 / iops - 2000`.

Only numbers, names, the four operations, powers and a few functions; nothing else of Python is understood.
"""

from __future__ import annotations

import ast
import math
import operator
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
    """Reads a formula.

    Raises:
        FormulaError: It is not one.
    """
    if len(text) > LONGEST:
        raise FormulaError(f"it is longer than {LONGEST} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise FormulaError(f"it cannot be read: {getattr(error, 'msg', error)}") from None
    check(tree)
    return tree


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
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as inner, keywords=[]) if name in FUNCTIONS:
            for part in inner:
                check(part)
        case _:
            raise FormulaError(
                f"`{ast.unparse(tree)}` is not arithmetic; there are + - * / ** ( ) and {', '.join(FUNCTIONS)}"
            )


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
