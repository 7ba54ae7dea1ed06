"""Units of metrics: which measure the same, and how numbers are written."""

from __future__ import annotations

import pytest

from sansim.study import units


@pytest.mark.parametrize(
    ("number", "unit", "to", "expected"),
    [
        (1.5, "ms", "us", 1500.0),
        (3.0, "us", "KiB", 3.0),
        (3.0, "us/node", "ns", 3.0),
        (0.5, "", "%", 50.0),
        (2.0, "KIOPS", "IOPS", 2000.0),
    ],
)
def test_units_are_converted_where_they_measure_the_same(number: float, unit: str, to: str, expected: float) -> None:
    assert units.converted(number, unit, to) == pytest.approx(expected)


@pytest.mark.parametrize("dimension", units.EXAMPLES)
def test_a_base_unit_is_one_of_what_it_measures(dimension: str) -> None:
    base = units.base_unit(dimension)
    assert (units.dimension_of(base), units.factor_of(base)) == (dimension, 1.0)
    example = units.EXAMPLES[dimension].strip('"')
    assert units.read_quantity(f"2 {base}") == (2.0, dimension)
    assert (units.read_quantity(example) or (0.0, ""))[1] == dimension


def test_a_delay_per_length_is_the_same_in_both_units() -> None:
    assert units.read_quantity("5 us/km") == pytest.approx(units.read_quantity("5 ns/m"))
    assert units.converted(5.0, "us/km", "ns/m") == pytest.approx(5.0)


@pytest.mark.parametrize("number", [0.0, 1.0, -2.0, 1e15, 0.1, 1 / 3, 1e-9, float("inf"), float("nan")])
def test_short_numbers_are_the_same_numbers(number: float) -> None:
    assert float(units.short(number)) == pytest.approx(number, rel=1e-9, nan_ok=True)
