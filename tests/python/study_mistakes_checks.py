"""Studies with a wrong metric, expected value or plot, and what is to be said of them. A part of `study_mistakes`."""

from __future__ import annotations

SIZES = 'values = ["4 KiB", "16 KiB", "64 KiB"]'
THROUGHPUT = 'value = "bytes_per_second"\nunit = "MiB/s"'
ROW = '{ id = "X-1", at = { size = "4 KiB" }, value = 1.5 }'
SCHEDULE = 'key = "controller.schedule"\nvalues = ["fair", "command-first"]\nlabels = ["NORM", "CMDF"]'
PLOT = 'name = "throughput"\nx = "size"\ny = "throughput"\nlines = "schedule"'
BEST = '\n[metrics.best]\nof = "throughput"\nalong = "size"\ntake = "maximum"\n'


def metric(text: str) -> list[tuple[str, str]]:
    """A change of the metric `throughput`."""
    return [(THROUGHPUT, text)]


def row(text: str) -> list[tuple[str, str]]:
    """A change of the only expected row."""
    return [(ROW, f'{{ id = "X-1", {text} }}')]


WRONG_CHECKS: dict[str, tuple[list[tuple[str, str]], str, str, list[str]]] = {
    # ---- metrics
    "unit of another kind": (metric('value = "bytes_per_second"\nunit = "us"'), "E0202", '"us"', ["MiB/s"]),
    "unit in other capitals": (metric('value = "bytes_per_second"\nunit = "mib/s"'), "E0203", '"mib/s"', ["`MiB/s`"]),
    "figure that no run has": (
        metric('value = "response_time_ns.p100"'),
        "E0408",
        '"response_time_ns.p100"',
        ["a run has no figure `response_time_ns.p100`", "above 0 and below 100, as `response_time_ns.p95`"],
    ),
    "figure that is nowhere": (
        metric('value = "velocity"'),
        "E0408",
        '"velocity"',
        ["a run has no figure `velocity`", "`iops`"],
    ),
    "group of figures": (
        metric('value = "response_time_ns"\nunit = "us"'),
        "E0408",
        '"response_time_ns"',
        ["is a group of figures", "`response_time_ns.mean`"],
    ),
    "figure of a direction that no run has": (
        metric('value = "reads.response_time_ns.p100"\nunit = "us"'),
        "E0408",
        '"reads.response_time_ns.p100"',
        ["a run has no figure `reads.response_time_ns.p100`", "as `reads.response_time_ns.p95`"],
    ),
    "figure of a component that is not there": (
        metric('value = "components.loup.utilisation"'),
        "E0408",
        '"components.loup.utilisation"',
        ["did you mean `components.loop.utilisation`?"],
    ),
    "figure that is a list": (
        metric('value = "reads.response_time_ns.ci95_percentiles.p50"'),
        "E0408",
        '"reads.response_time_ns.ci95_percentiles.p50"',
        ["is a list", "`reads.response_time_ns.ci95_percentiles.p50.0` and so on"],
    ),
    "batches shown as a time": (
        metric('value = "statistics.response_time_ns.batches"\nunit = "us"'),
        "E0202",
        '"us"',
        ["`statistics.response_time_ns.batches` is a plain number"],
    ),
    "figure that is a text": (metric('value = "title"'), "E0408", '"title"', ["is no number"]),
    "setting that no scenario has": (
        metric('setting = "workload.sise"'),
        "E0408",
        '"workload.sise"',
        ["no scenario of this study has the key", "did you mean `workload.size`?"],
    ),
    "setting in another unit": (
        metric('setting = "workload.size"\nunit = "us"'),
        "E0202",
        '"us"',
        ["`workload.size` is `4 KiB`, which cannot be expressed in `us`"],
    ),
    "table of settings": (
        metric('setting = "controller.port"'),
        "E0408",
        '"controller.port"',
        ["is a table of settings"],
    ),
    "no way to measure": (metric('unit = "MiB/s"'), "E0407", "throughput", ["`value`, `setting`, `formula`"]),
    "two ways to measure": (
        metric('value = "iops"\nformula = "1"'),
        "E0407",
        '"1"',
        ["not both `value` and `formula`"],
    ),
    "key without use": (metric(f'{THROUGHPUT}\nreach = "95 %"'), "E0304", "reach", ["`of` another one"]),
    "unknown key of a metric": (metric(f'{THROUGHPUT}\nlable = "x"'), "E0102", "lable", ["did you mean `label`?"]),
    "metric with the name of an axis": (
        [("[metrics.response]", "[metrics.size]")],
        "E0206",
        "size",
        ["name of an axis"],
    ),
    "name of a metric": ([("[metrics.response]", '[metrics."a b"]')], "E0206", '"a b"', ["name of a metric"]),
    # ---- formulas
    "formula that breaks off": (metric('formula = "1 +"'), "E0406", '"1 +"', ["it breaks off"]),
    "formula with one bracket": (metric('formula = "(size + 2"'), "E0406", '"(size + 2"', ["was never closed"]),
    "formula that is empty": (metric('formula = " "'), "E0206", '" "', ["`formula` is empty"]),
    "formula with a strange name": (
        [*metric('formula = "2 * respons"'), ("\nx = ", '\nat = { size = "4 KiB" }\nx = ')],
        "E0403",
        '"2 * respons"',
        ["`respons`, which is neither a metric nor an axis", "did you mean `response`?"],
    ),
    "formula of itself": (metric('formula = "2 * throughput"'), "E0406", '"2 * throughput"', ["from itself"]),
    "formulas in a circle": (
        [*metric('formula = "2 * response"'), ('value = "response_time_ns.mean"', 'formula = "throughput / 2"')],
        "E0406",
        '"2 * response"',
        ["`throughput` needs `response`, which needs `throughput`"],
    ),
    "formula of a word": (metric('formula = "schedule * 2"'), "E0406", '"schedule * 2"', ["`NORM` is no number"]),
    "formula of a setting that is a word": (
        [
            *metric('formula = "2 * mode"'),
            ("[metrics.response]", '[metrics.mode]\nsetting = "controller.schedule"\n[metrics.response]'),
        ],
        "E0406",
        '"2 * mode"',
        ["`mode` is the setting `fair`, which is no number"],
    ),
    "formula of a setting without unit": (
        [
            *metric('formula = "2 * bytes"'),
            ("[metrics.response]", '[metrics.bytes]\nsetting = "workload.size"\n[metrics.response]'),
        ],
        "E0406",
        '"2 * bytes"',
        ['give the metric `bytes` a unit, as unit = "KiB"'],
    ),
    "formula of Python": (metric('formula = "size.real"'), "E0406", '"size.real"', ["`size.real` is not arithmetic"]),
    "formula that calls": (metric('formula = "open(size)"'), "E0406", '"open(size)"', ["is not arithmetic"]),
    "formula with a caret": (metric('formula = "size^2"'), "E0406", '"size^2"', ["a power is `**`"]),
    "formula with few arguments": (metric('formula = "min(size)"'), "E0406", '"min(size)"', ["two values or more"]),
    # ---- metrics along an axis
    "of nothing": (metric('of = "respons"\nalong = "size"\ntake = "last"'), "E0403", '"respons"', ["`response`?"]),
    "of itself": (metric('of = "throughput"\nalong = "size"\ntake = "last"'), "E0406", '"throughput"', ["itself"]),
    "along nothing": (metric('of = "response"\nalong = "sise"\ntake = "last"'), "E0401", '"sise"', ["`size`?"]),
    "along no key": (metric('of = "response"\ntake = "last"'), "E0104", "throughput", ['add along = "size"']),
    "takes nothing": (metric('of = "response"\nalong = "size"'), "E0104", "throughput", ["`knee`"]),
    "takes what there is not": (
        metric('of = "response"\nalong = "size"\ntake = "slop"'),
        "E0205",
        '"slop"',
        ['did you mean "slope"?'],
    ),
    "slope along words": (
        metric('of = "response"\nalong = "schedule"\ntake = "slope"'),
        "E0407",
        '"schedule"',
        ["`NORM` is no number"],
    ),
    "gain between nothing": (
        metric('of = "response"\nalong = "schedule"\ntake = "gain"'),
        "E0104",
        "throughput",
        ['add between = ["CMDF", "NORM"]'],
    ),
    "gain of one": (
        metric('of = "response"\nalong = "schedule"\ntake = "gain"\nbetween = ["CMDF"]'),
        "E0207",
        '["CMDF"]',
        ["needs a list of two"],
    ),
    "gain of a stranger": (
        metric('of = "response"\nalong = "schedule"\ntake = "gain"\nbetween = ["CMDF", "NROM"]'),
        "E0401",
        '"NROM"',
        ["did you mean `NORM`?"],
    ),
    "begins nowhere": (
        metric('of = "response"\nalong = "size"\ntake = "begins"'),
        "E0104",
        '"begins"',
        ["one of `above` and `below`"],
    ),
    "begins above a size": (
        metric('of = "response"\nalong = "size"\ntake = "begins"\nabove = "1 KiB"'),
        "E0202",
        '"1 KiB"',
        ["`us` is needed"],
    ),
    "reach of 95": (
        metric('of = "response"\nalong = "size"\ntake = "knee"\nreach = 95'),
        "E0204",
        "95",
        ['write "95 %" if per cent are meant'],
    ),
    "over a stranger": (
        metric('of = "response"\nalong = "size"\ntake = "slope"\nover = ["4 KiB", "32 KiB"]'),
        "E0401",
        '"32 KiB"',
        ["its values are `4 KiB`, `16 KiB`, `64 KiB`"],
    ),
    "per metre": (
        metric('of = "response"\nalong = "size"\ntake = "slope"\nper = "1 m"'),
        "E0202",
        '"1 m"',
        ["is a length"],
    ),
    "per without slope": (
        metric('of = "response"\nalong = "size"\ntake = "last"\nper = "1 KiB"'),
        "E0304",
        "per",
        ['has no meaning with take = "last"'],
    ),
    "maximum in another unit": (
        metric('of = "response"\nalong = "size"\ntake = "maximum"\nunit = "KiB"'),
        "E0202",
        '"KiB"',
        ["the maximum of `response` is a time"],
    ),
    # ---- traces
    "trace of a port alone": (
        metric('trace = { from = "controller", to = "drives[0] R_RDY" }'),
        "E0206",
        '"controller"',
        ["does not name a line of a trace", "`controller OPN`"],
    ),
    "trace of a strange port": (
        metric('trace = { from = "controller OPN", to = "drive[0] R_RDY" }'),
        "E0408",
        '"drive[0] R_RDY"',
        ["there is no port `drive[0]`", "did you mean `drives[0]`?"],
    ),
    "trace of a strange word": (
        metric('trace = { from = "controller OPEN", to = "drives[0] R_RDY" }'),
        "E0206",
        '"controller OPEN"',
        ["a trace never shows `OPEN`", "did you mean `OPN`?"],
    ),
    "trace without end": (
        metric('trace = { from = "controller OPN" }'),
        "E0104",
        "trace",
        ["lacks the key `to`"],
    ),
    "trace in bytes": (
        metric('trace = { from = "controller OPN", to = "drives[0] R_RDY" }\nunit = "B"'),
        "E0202",
        '"B"',
        ["is a time"],
    ),
    # ---- expected values
    "at an unknown axis": (row('at = { sise = "4 KiB" }, value = 1'), "E0401", "sise", ["did you mean `size`?"]),
    "at an unknown value": (
        row('at = { size = "5 KiB" }, value = 1'),
        "E0401",
        '"5 KiB"',
        ["the axis `size` has no value `5 KiB`", "`4 KiB`, `16 KiB`, `64 KiB`"],
    ),
    "at an unknown label": ([('schedule = "NORM" }', 'schedule = "NROM" }')], "E0401", '"NROM"', ["`NORM`?"]),
    "at a bare number": (row("at = { size = 4096 }, value = 1"), "E0401", "4096", ["has no value `4096`"]),
    "at nothing": (row("at = { size = [] }, value = 1"), "E0206", "[]", ["names no value of `size`"]),
    "at is no table": (row('at = "4 KiB", value = 1'), "E0106", '"4 KiB"', ["as at = { size ="]),
    "metric that is not measured": (
        [('metric = "throughput"', 'metric = "thruput"')],
        "E0403",
        '"thruput"',
        ["the study does not measure `thruput`", "did you mean `throughput`?"],
    ),
    "no metric": ([('metric = "throughput"\n', "")], "E0104", ROW, ["lacks the key `metric`"]),
    "no id": ([(ROW, "{ value = 1 }")], "E0104", "{ value = 1 }", ["lacks the key `id`"]),
    "empty id": ([(ROW, '{ id = "", value = 1 }')], "E0206", '""', ["`id` is empty"]),
    "no check": ([(ROW, '{ id = "X-1" }')], "E0407", '"X-1"', ["nothing that could be checked", "`value`, `between`"]),
    "two checks": (
        row('value = 1, rule = "constant", along = "size"'),
        "E0407",
        '"constant"',
        ["several things at once: `value`, `rule`"],
    ),
    "value is a text": (row('value = "much"'), "E0207", '"much"', ['"50 MiB/s"']),
    "value in another unit": (row('value = "3 us"'), "E0202", '"3 us"', ["`3 us` is a time", "`MiB/s` is needed"]),
    "value is no number": (row("value = nan"), "E0207", "nan", ["`nan` does not fit here"]),
    "row in another unit": (row('value = 3, unit = "us"'), "E0202", '"us"', ["`throughput` is in `MiB/s`"]),
    "tolerance is a text": (row('value = 3, tolerance = "small"'), "E0207", '"small"', ["a number"]),
    "tolerance below 0": (row('value = 3, tolerance = "-3 %"'), "E0204", '"-3 %"', ["not negative"]),
    "tolerance in another unit": (row('value = 3, tolerance = "3 us"'), "E0202", '"3 us"', ["`MiB/s`"]),
    "tolerance of a bound": (row('above = 3, tolerance = "3 %"'), "E0304", "tolerance", ["belongs to a `value`"]),
    "slack of a value": (row('value = 3, slack = "3 %"'), "E0304", "slack", ["belongs to a `rule`"]),
    "kind": (row('value = 3, kind = "exakt"'), "E0205", '"exakt"', ['did you mean "exact"?']),
    "between one": (row("between = 3"), "E0207", "3", ["needs a list of two numbers"]),
    "between nothing": (row("between = [3, 2]"), "E0204", "[3, 2]", ["nothing lies between"]),
    "above and below nothing": (row("above = 3, below = 3"), "E0204", "3", ["nothing is above the one"]),
    "rule": (row('rule = "rising", along = "size"'), "E0205", '"rising"', ["`increasing`, `decreasing`"]),
    "rule along nothing": (row('rule = "increasing"'), "E0104", '{ id = "X-1", rule = "increasing" }', ["`along`"]),
    "rule over one value": (
        row('at = { size = "4 KiB" }, rule = "increasing", along = "size"'),
        "E0407",
        '"size"',
        ["only 1 of its values"],
    ),
    "line along words": (
        row('at = { schedule = ["NORM", "CMDF"] }, rule = "linear", along = "schedule"'),
        "E0407",
        '"schedule"',
        ["`NORM` is no number"],
    ),
    "order without expect": (row('rule = "order", along = "size"'), "E0104", '"order"', ["add expect = ["]),
    "order of one": (row('rule = "order", along = "size", expect = ["4 KiB"]'), "E0407", '["4 KiB"]', ["at least two"]),
    "order of a stranger": (
        row('rule = "order", along = "size", expect = ["4 KiB", "5 KiB"]'),
        "E0401",
        '"5 KiB"',
        ["has no value `5 KiB`"],
    ),
    "order twice": (
        row('rule = "order", along = "size", expect = ["4 KiB", "4 KiB"]'),
        "E0306",
        '"4 KiB"',
        ["stands twice"],
    ),
    "order beside at": (
        row('rule = "order", along = "schedule", expect = ["NORM", "CMDF"]'),
        "E0206",
        '"CMDF"',
        ["not among the values that `at` leaves"],
    ),
    "unknown key of a row": (row("value = 3, tolerence = 1"), "E0102", "tolerence", ["did you mean `tolerance`?"]),
    "unknown key of a group": ([("rows = [", 'notes = "x"\nrows = [')], "E0102", "notes", ["did you mean `note`?"]),
    "group without rows": ([(f"rows = [\n  {ROW},\n]", "rows = []")], "E0407", "[]", ["this group has no rows"]),
    "rows of texts": ([(ROW, '"X-1"')], "E0106", '"X-1"', ["is a table, not text"]),
    "one bracket too few": ([("[[expected]]", "[expected]")], "E0106", "[expected]", ["two pairs of brackets"]),
    "quick is a word": (row('value = 3, quick = "true"'), "E0207", '"true"', ["write true without quotes"]),
    # ---- plots
    "plot along nothing": ([('x = "size"', 'x = "sise"')], "E0401", '"sise"', ["did you mean `size`?"]),
    "plot of nothing": ([('y = "throughput"\n', "")], "E0104", "[[plots]]", ["lacks the key `y`"]),
    "plot of what is not measured": (
        [('y = "throughput"', 'y = ["throughput", "respons"]')],
        "E0403",
        '"respons"',
        ["did you mean `response`?"],
    ),
    "lines of nothing": ([('lines = "schedule"', 'lines = ["schedule", "mix"]')], "E0401", '"mix"', ["no axis `mix`"]),
    "panels of nothing": ([('lines = "schedule"', 'panels = "mix"')], "E0401", '"mix"', ["`size`, `schedule`"]),
    "plot at nothing": ([('lines = "schedule"', 'at = { mix = "a" }')], "E0401", "mix", ["no axis `mix`"]),
    "plot that lacks an axis": (
        [('lines = "schedule"', "")],
        "E0407",
        '"throughput"',
        ["2 values at each place of the plot", "`schedule`", "`lines` or `panels`"],
    ),
    "axis in two roles": (
        [('lines = "schedule"', 'lines = "schedule"\npanels = "schedule"')],
        "E0306",
        '"schedule"',
        ["in `lines` already"],
    ),
    "name of a plot": ([('name = "throughput"', 'name = "a/b"')], "E0206", '"a/b"', ["the name of a file"]),
    "log of z": ([('lines = "schedule"', 'lines = "schedule"\nlog = ["z"]')], "E0205", '"z"', ["`x` or `y`"]),
    "log of words": (
        [(PLOT, 'name = "a"\nx = "schedule"\ny = "throughput"\nlines = "size"\nlog = ["x"]')],
        "E0204",
        '["x"]',
        ["its value `NORM` is no number"],
    ),
}
