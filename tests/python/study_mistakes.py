"""Studies that are wrong in one way each, and what is to be said of them."""

from __future__ import annotations

from study_mistakes_checks import BEST, PLOT, ROW, SCHEDULE, SIZES, WRONG_CHECKS
from study_support import changed


def top(text: str) -> list[tuple[str, str]]:
    """A change that writes a line above the tables."""
    return [('title = "Two drives"', f'title = "Two drives"\n{text}')]


def size(text: str) -> list[tuple[str, str]]:
    """A change of the values of the axis `size`. What names them is left out."""
    return [(SIZES, text), (ROW, '{ id = "X-1", value = 1.5 }')]


# What is wrong: the change, the code, what is underlined, and words the message must have.
WRONG: dict[str, tuple[list[tuple[str, str]], str, str, list[str]]] = {
    # ---- the top of the file
    "unknown key": ([("title =", "titel =")], "E0102", "titel", ["did you mean `title`?"]),
    "title is a number": ([('"Two drives"', "3")], "E0207", "3", ["needs text", 'write "3"']),
    "no scenario": ([('scenario = "small.toml"\n', "")], "E0104", "", ["the study lacks the key `scenario`"]),
    "empty scenario": ([('"small.toml"', '""')], "E0206", '""', ["`scenario` is empty"]),
    "scenario is missing": (
        [('"small.toml"', '"smal.toml"')],
        "E0405",
        '"smal.toml"',
        ["there is no such file", "did you mean `small.toml`?"],
    ),
    "scenario is a folder": ([('"small.toml"', '"."')], "E0405", '"."', ["this is a directory"]),
    "scenario has a zero byte": ([('"small.toml"', '"a\\u0000b"')], "E0405", '"a\\u0000b"', ["cannot be read"]),
    # ---- zip
    "zip of an unknown axis": (top('zip = [["sise", "schedule"]]'), "E0401", '"sise"', ["did you mean `size`?"]),
    "zip of different lengths": (
        top('zip = [["size", "schedule"]]'),
        "E0404",
        '["size", "schedule"]',
        ["`size` has 3, `schedule` has 2"],
    ),
    "zip of one": (top('zip = [["size"]]'), "E0407", '["size"]', ["two or more"]),
    "zip of nothing": (top("zip = [[]]"), "E0407", "[]", ["two or more"]),
    "zip of an axis with itself": (top('zip = [["size", "size"]]'), "E0306", '"size"', ["stands twice"]),
    "zip is a word": (top('zip = "size"'), "E0407", '"size"', ['as zip = [["size", "ios"]]']),
    "zip is a table": (top("zip = { a = 1 }"), "E0407", "{ a = 1 }", ["`zip` has lists"]),
    "zip among settings": (
        [("[axes.size]", '[set]\n"run.seed" = 3\nzip = [["size", "schedule"]]\n[axes.size]')],
        "E0102",
        "zip",
        ["above the first [table]"],
    ),
    "zip in a table": ([(SIZES, f'{SIZES}\nzip = [["a", "b"]]')], "E0102", "zip", ["above the first [table]"]),
    # ---- settings
    "set: unknown key": ([("[axes.size]", '[set]\n"run.seeed" = 3\n[axes.size]')], "E0405", '"run.seeed"', ["`seed`"]),
    "set: unknown component": (
        [("[axes.size]", '[set]\n"runn.seed" = 3\n[axes.size]')],
        "E0405",
        '"runn.seed"',
        ["there is no component `runn`", "did you mean `run`?"],
    ),
    "set: bad value": (
        [("[axes.size]", "[set.run]\nmeasured_ios = 0\n[axes.size]")],
        "E0405",
        "0",
        ["`0` is out of range", "must be at least 1"],
    ),
    "set: a date": ([("[axes.size]", "[set]\nx = 2020-01-01\n[axes.size]")], "E0207", "2020-01-01", ["date"]),
    "set: no use": (
        [("[axes.size]", '[set]\n"workload.size" = "4 KiB"\n[axes.size]')],
        "E0304",
        '"workload.size"',
        ["`workload.size` has no effect", "`size`"],
    ),
    # ---- axes
    "no values": (size("values = []"), "E0402", "values", ["the axis `size` has no values"]),
    "no values at all": (size(""), "E0104", "size", ["does not say which values", "values = [...]"]),
    "values is a text": ([(SIZES, 'values = "4 KiB"')], "E0207", '"4 KiB"', ['values = ["4 KiB"]']),
    "value is a date": ([(SIZES, "values = [2020-01-01]")], "E0207", "2020-01-01", ["a date does not fit here"]),
    "value of the wrong kind": (
        [('"16 KiB"', '"16 us"')],
        "E0405",
        '"16 us"',
        ["`workload.size` at size = 16 us: `16 us` is a time", "needs a size"],
    ),
    "value without unit": ([('"16 KiB"', "16")], "E0405", "16", ["`16` has no unit"]),
    "unknown word": (
        [('"command-first"', '"fifo"')],
        "E0405",
        '"fifo"',
        ["`fifo` is not known here", "must be `fair`, `unfair` or `command-first`"],
    ),
    "value that breaks another rule": (
        [(SCHEDULE, 'key = "drives.count"\nvalues = [2, 130]\nlabels = ["NORM", "CMDF"]')],
        "E0405",
        "130",
        ["131 ports on a loop that has room for 127"],
    ),
    "all values refused": (
        [(SCHEDULE, 'key = "loop.speed"\nvalues = ["2GFC", "3GFC"]\nlabels = ["NORM", "CMDF"]')],
        "E0405",
        '"3GFC"',
        ["`3GFC`"],
    ),
    "key that no scenario has": (
        [('key = "workload.size"', 'key = "workload.sizze"')],
        "E0405",
        '"workload.sizze"',
        ["`workload` has no key `sizze`", "did you mean `size`?"],
    ),
    "component that no scenario has": (
        [('key = "workload.size"', 'key = "wrkload.size"')],
        "E0405",
        '"wrkload.size"',
        ["there is no component `wrkload`", "did you mean `workload`?"],
    ),
    "no key": ([('key = "workload.size"\n', "")], "E0104", "size", ["`axes.size` lacks the key `key`"]),
    "empty key": ([('"workload.size"', '""')], "E0206", '""', ["`key` is empty"]),
    "key is a number": ([('"workload.size"', "3")], "E0207", "3", ["needs text"]),
    "key and keys": ([(SIZES, f'{SIZES}\nkeys = ["a"]')], "E0304", "key", ["`key` has no meaning beside `keys`"]),
    "too few labels": (
        [('["NORM", "CMDF"]', '["NORM"]')],
        "E0404",
        '["NORM"]',
        ["there is 1 label for 2 values", "one for each is needed"],
    ),
    "labels are no texts": ([('["NORM", "CMDF"]', '["NORM", 2]')], "E0207", "2", ["needs text"]),
    "label twice": ([('["NORM", "CMDF"]', '["NORM", "NORM"]')], "E0306", '"NORM"', ["stands twice on the axis"]),
    "value twice": ([('"16 KiB"', '"4 KiB"')], "E0306", '"4 KiB"', ["`4 KiB` stands twice on the axis `size`"]),
    "unit of the wrong kind": (
        [(SIZES, f'{SIZES}\nunit = "us"')],
        "E0202",
        '"us"',
        ["the axis has values such as `4 KiB`, which cannot be shown in `us`"],
    ),
    "unknown unit": ([(SIZES, f'{SIZES}\nunit = "kb"')], "E0202", '"kb"', ["there is no unit `kb`", "`KB`"]),
    "unknown key of an axis": ([(SIZES, f'{SIZES}\nlable = "x"')], "E0102", "lable", ["did you mean `label`?"]),
    "two axes of a key": (
        [(SCHEDULE, 'key = "workload.size"\nvalues = ["1 KiB", "2 KiB"]\nlabels = ["NORM", "CMDF"]')],
        "E0304",
        "key",
        ["the axes `size` and `schedule` both set `workload.size`"],
    ),
    "values twice over": ([(SIZES, f"{SIZES}\nfrom = 1")], "E0304", "1", ["with `values` and `from`"]),
    "name of an axis": (
        [
            ("[axes.schedule]", '[axes."the schedule"]'),
            ('at = { schedule = "NORM" }\n', ""),
            (PLOT, 'name = "a"\nx = "size"\ny = "throughput"\npanels = "the schedule"'),
        ],
        "E0206",
        '"the schedule"',
        ["cannot be the name of an axis", "letters, digits and _"],
    ),
    "name of a column": (
        [
            ("[axes.schedule]", "[axes.value]"),
            ('{ schedule = "NORM" }', '{ value = "NORM" }'),
            ('lines = "schedule"', 'lines = "value"'),
        ],
        "E0206",
        "value",
        ["`value` is a column that every table of results has"],
    ),
    "axis is no table": (
        [(f'[axes.size]\nkey = "workload.size"\n{SIZES}', "[axes]\nsize = 3")],
        "E0106",
        "3",
        ["a table"],
    ),
    # ---- ranges
    "empty range": (size("from = 10\nto = 5\nstep = 1"), "E0402", "5", ["has no values", "`to` is less than `from`"]),
    "range with no way": (size('from = "1 KiB"\nto = "1 MiB"'), "E0407", '"1 KiB"', ["`step`, `factor` and `points`"]),
    "range with two ways": (size("from = 1\nto = 9\nstep = 1\nfactor = 2"), "E0407", "2", ["not several"]),
    "range without end": (size('from = "1 KiB"\nfactor = 2'), "E0104", "size", ["lacks the key `to`"]),
    "range by 1": (size('from = "1 KiB"\nto = "1 MiB"\nfactor = 1'), "E0204", "1", ["must be above 1"]),
    "range by 0": (size('from = "1 KiB"\nto = "1 MiB"\nstep = "0 KiB"'), "E0204", '"0 KiB"', ["must be above 0"]),
    "range by half a point": (size("from = 1\nto = 9\npoints = 2.5"), "E0204", "2.5", ["a whole number"]),
    "range of two kinds": (size('from = "1 KiB"\nto = "1 us"\nfactor = 2'), "E0202", '"1 us"', ["`to` is a time"]),
    "range with a bare step": (size('from = "1 KiB"\nto = "9 KiB"\nstep = 2'), "E0202", "2", ["a size is needed"]),
    "range to infinity": (size("from = 1\nto = inf\nstep = 1"), "E0207", "inf", ["`inf` does not fit here"]),
    "range of no numbers": (size("from = nan\nto = 1\npoints = 2"), "E0207", "nan", ["`nan` does not fit here"]),
    "range of too many": (size('from = "1 B"\nto = "1 GiB"\nstep = "1 B"'), "E0204", '"1 B"', ["more than 10000"]),
    "range of far too many": (size("from = 1\nto = 2\npoints = 1000000000000"), "E0204", "1000000000000", ["10000"]),
    "range from 0 in decades": (size("from = 0\nto = 9\nfactor = 2"), "E0204", "0", ["cannot begin at 0"]),
    "range over everything": (size("from = 1e-300\nto = 1e300\nfactor = 1e10"), "E0204", "1e300", ["proportion"]),
    "step without a range": ([(SIZES, f"{SIZES}\nstep = 2")], "E0304", "step", ["belongs to a range"]),
    # ---- cases
    "case without label": (
        [
            (f'key = "workload.size"\n{SIZES}', 'cases = [{ set = { "run.seed" = 1 } }]'),
            (ROW, '{ id = "X-1", value = 1 }'),
        ],
        "E0104",
        '{ set = { "run.seed" = 1 } }',
        ["lacks the key `label`"],
    ),
    "case that sets nothing": (
        [(f'key = "workload.size"\n{SIZES}', 'cases = [{ label = "a" }]'), (ROW, '{ id = "X-1", value = 1 }')],
        "E0104",
        '{ label = "a" }',
        ["lacks the key `set`"],
    ),
    "case with a word as value": (
        [
            (f'key = "workload.size"\n{SIZES}', 'cases = [{ label = "a", value = "x", set = { "run.seed" = 1 } }]'),
            (ROW, '{ id = "X-1", value = 1 }'),
        ],
        "E0207",
        '"x"',
        ["needs a number, or one with its unit"],
    ),
    "no cases": (
        [(f'key = "workload.size"\n{SIZES}', "cases = []"), (ROW, '{ id = "X-1", value = 1 }')],
        "E0402",
        "cases",
        ["the axis `size` has no values"],
    ),
    "cases and key": (
        [(SIZES, 'cases = [{ label = "a", set = { "workload.size" = "4 KiB" } }]'), (ROW, '{ id = "X-1", value = 1 }')],
        "E0304",
        "key",
        ["`key` has no meaning beside `cases`"],
    ),
    "case with an unknown key": (
        [
            (f'key = "workload.size"\n{SIZES}', 'cases = [{ label = "a", set = { "workload.sise" = "4 KiB" } }]'),
            (ROW, '{ id = "X-1", value = 1 }'),
        ],
        "E0405",
        '"workload.sise"',
        ["did you mean `size`?"],
    ),
    **WRONG_CHECKS,
}
LEAVE_OUT = """
[leave_out]
rows = ["X-1", "X-2"]
halves = "size"
[leave_out.constants.access]
key = "drives.access_time"
values = ["1 ms", "5 ms"]
[[expected]]
metric = "throughput"
rows = [
  { id = "X-2", at = { size = "16 KiB", schedule = "NORM" }, value = 6 },
  { id = "X-3", at = { size = "16 KiB", schedule = "NORM" }, above = 1 },
  { id = "X-4", at = { schedule = "NORM" }, value = 6 },
  { id = "X-5", at = { size = "4 KiB", schedule = "CMDF" }, value = 6 },
]
"""
"""A correct table of constants to be chosen again; mistakes break it in one way each."""


def leave_out(*changes: tuple[str, str]) -> str:
    """It with texts replaced."""
    text = LEAVE_OUT
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


RANGE = 'from = "0.1 ms"\nto = "20 ms"\nstep = "0.1 ms"\n'
ROWS_LEFT_OUT = 'rows = ["X-1", "X-2"]'
WRONG_CHOICES: dict[str, tuple[str, str, str, list[str]]] = {
    "remark with the old verdict": (
        '\n[[remarks]]\nid = "a"\nverdict = "given"\ntext = "b"\n',
        "E0205",
        '"given"',
        ['write "no-run"', "`restates`"],
    ),
    "row with the old key": (
        '\n[[expected]]\nid = "a"\nmetric = "throughput"\nabove = 1\nfitted = "drives.access_time"\n',
        "E0102",
        "fitted",
        ["[[chosen]]", "`saw`"],
    ),
    "unknown key of what was chosen": (
        '\n[[chosen]]\nwhat = "a"\nhow = "b"\nsaw = "X-1"\nseen = "X-1"\n',
        "E0102",
        "seen",
        ["known here: `what`, `how`, `saw`"],
    ),
    "chosen by a number": ('\n[[chosen]]\nwhat = "a"\nhow = "b"\nsaw = 1\n', "E0207", "1", ["needs text"]),
    "leave out no rows": (leave_out((ROWS_LEFT_OUT, "")), "E0104", "leave_out", ["lacks the key `rows`"]),
    "leave out strange rows": (
        leave_out((ROWS_LEFT_OUT, 'rows = ["X-1", "Y-*"]')),
        "E0403",
        '"Y-*"',
        ["no row of this study is `Y-*`"],
    ),
    "leave out what is no number": (
        leave_out((ROWS_LEFT_OUT, 'rows = ["X-1", "X-2", "X-3"]')),
        "E0407",
        '"X-3"',
        ["claims that are no numbers"],
    ),
    "leave out what is in no half": (
        leave_out((ROWS_LEFT_OUT, 'rows = ["X-1", "X-2", "X-4"]')),
        "E0407",
        '"X-4"',
        ["not at one value of `size`"],
    ),
    "leave out rows of one half": (
        leave_out((ROWS_LEFT_OUT, 'rows = ["X-1", "X-5"]')),
        "E0407",
        '"size"',
        ["no two halves"],
    ),
    "halves of no axis": (
        leave_out(('halves = "size"', 'halves = "sise"')),
        "E0401",
        '"sise"',
        ["did you mean `size`?"],
    ),
    "no halves": (leave_out(('halves = "size"', "")), "E0104", "leave_out", ["lacks the key `halves`"]),
    "nothing to choose": (
        leave_out(
            ('[leave_out.constants.access]\nkey = "drives.access_time"\nvalues = ["1 ms", "5 ms"]\n', ""),
        ),
        "E0402",
        "leave_out",
        ["there is nothing to choose", "[leave_out.constants.NAME]"],
    ),
    "constant with the name of an axis": (
        leave_out(("constants.access", "constants.schedule")),
        "E0306",
        "schedule",
        ["is the name of an axis or a metric as well"],
    ),
    "constant that an axis sets": (
        leave_out(('"drives.access_time"\nvalues = ["1 ms", "5 ms"]', '"workload.size"\nvalues = ["1 KiB"]')),
        "E0304",
        "access",
        ["the axis `size` sets `workload.size` as well"],
    ),
    "too large a grid": (
        leave_out(('values = ["1 ms", "5 ms"]', f"{RANGE}[leave_out.constants.arrival]\nkey = 'x.y'\n{RANGE}")),
        "E0204",
        "constants",
        ["these are 240000 runs; there may be 100000 at most"],
    ),
    "unknown key of leave_out": (
        leave_out(('halves = "size"', 'halves = "size"\nhalfs = 1')),
        "E0102",
        "halfs",
        ["did you mean `halves`?"],
    ),
}
# The same with what is written at the end of the file.
WRONG_TABLES: dict[str, tuple[str, str, str, list[str]]] = {
    "metric along an axis it lost": (
        f'{BEST}[metrics.twice]\nof = "best"\nalong = "size"\ntake = "last"\n',
        "E0401",
        '"size"',
        ["`best` is one value for all of the axis `size`"],
    ),
    "expected at an axis it lost": (
        f'{BEST}[[expected]]\nid = "a"\nmetric = "best"\nat = {{ size = "4 KiB" }}\nvalue = 3\n',
        "E0401",
        '{ size = "4 KiB" }',
        ["`best` is one value for all of the axis `size`", "leave out `size`"],
    ),
    "rule along an axis it lost": (
        f'{BEST}[[expected]]\nid = "a"\nmetric = "best"\nrule = "constant"\nalong = "size"\n',
        "E0401",
        '"size"',
        ["it has no shape along it"],
    ),
    "plot along an axis it lost": (
        f'{BEST}[[plots]]\nname = "a"\nx = "size"\ny = "best"\n',
        "E0401",
        '"best"',
        ["cannot be drawn along it"],
    ),
    "plot twice": (f"\n[[plots]]\n{PLOT}\n", "E0306", '"throughput"', ["two plots have the name `throughput`"]),
    "remark": ('\n[[remarks]]\nid = "a"\nverdict = "wrong"\ntext = "b"\n', "E0205", '"wrong"', ["`corrected`"]),
    "remark without text": ('\n[[remarks]]\nid = "a"\nverdict = "no-run"\n', "E0104", "[[remarks]]", ["`text`"]),
    **WRONG_CHOICES,
    "no replications": ("\n[replications]\ncount = 0\n", "E0204", "0", ["must be at least 1"]),
    "replications in words": ('\n[replications]\ncount = "5"\n', "E0207", '"5"', ["write 5 without quotes"]),
    "precision of nothing": ('\n[replications]\nwithin = "1 %"\n', "E0104", "replications", ["lacks the key `metric`"]),
    "precision of a stranger": (
        '\n[replications]\nwithin = "1 %"\nmetric = "thruput"\n',
        "E0403",
        '"thruput"',
        ["did you mean `throughput`?"],
    ),
    "precision of no point": (
        f'\n[replications]\nwithin = "1 %"\nmetric = "best"\n{BEST}',
        "E0403",
        '"best"',
        ["not a metric of single points"],
    ),
    "perfect precision": (
        '\n[replications]\nwithin = "0 %"\nmetric = "throughput"\n',
        "E0204",
        '"0 %"',
        ["must be above 0 %"],
    ),
    "precision above all": ('\n[replications]\nwithin = 5\nmetric = "throughput"\n', "E0204", "5", ['write "5 %"']),
    "metric without precision": ('\n[replications]\nmetric = "throughput"\n', "E0304", "metric", ["`within`"]),
    "most below count": (
        '\n[replications]\ncount = 5\nmost = 3\nwithin = "1 %"\nmetric = "throughput"\n',
        "E0304",
        "3",
        ["`most` is 3, less than the 5"],
    ),
    "unknown key of replications": ("\n[replications]\nruns = 3\n", "E0102", "runs", ["`count`"]),
    "replications as a list": (
        "\n[[replications]]\ncount = 3\n",
        "E0106",
        "[[replications]]",
        ["is a table, not a list"],
    ),
}


def text_of(name: str) -> str:
    """The study that is wrong in this way."""
    return changed(more=WRONG_TABLES[name][0]) if name in WRONG_TABLES else changed(*WRONG[name][0])
