"""What a table of `sansim query` looks like."""

from __future__ import annotations

import polars as pl

from sansim.commands.query import blocks, table_text


def test_numbers_have_six_digits_and_stand_to_the_right() -> None:
    table = pl.DataFrame(
        {"n": [1, None, 1234567], "x": [0.5, 1234.5678, None], "w": [2.0, 3.0, 10.0], "t": ["a", None, "b"]}
    )
    assert table_text(table, None).splitlines() == [
        "        n          x   w  t",
        "---------  ---------  --  -",
        "        1      0.500   2  a",
        "        -  1,234.568   3  -",
        "1,234,567          -  10  b",
    ]


def test_tiny_huge_and_infinite_numbers_stay_readable() -> None:
    table = pl.DataFrame({"x": [1e-30, 1.0, 1e300, float("inf"), float("nan")]})
    assert [line.strip() for line in table_text(table, None).splitlines()[2:]] == [
        "1e-30",
        "1.000000",
        "1e+300",
        "inf",
        "nan",
    ]


def test_text_cannot_upset_the_terminal() -> None:
    text = table_text(pl.DataFrame({"t": ["a\nb\x1b[31m", "x" * 100]}), None)
    assert "a\\nb\\x1b[31m" in text
    assert max(map(len, text.splitlines())) == 60
    assert "\x1b" not in text


def test_wide_table_is_cut_into_several() -> None:
    assert list(blocks([10, 10, 10], 80)) == [range(3)]
    assert list(blocks([10, 10, 10], 22)) == [range(2), range(2, 3)]
    assert list(blocks([100, 10], 22)) == [range(1), range(1, 2)]
    assert table_text(pl.DataFrame({"a": [1], "b": [2]}), 2) == "a\n-\n1\n\nb\n-\n2\n"
    assert table_text(pl.DataFrame({"a": []}), None).endswith("no rows\n")
