"""SQL over run folders: right answers, clear refusals, and a run folder that nobody's SQL can change."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
from click.testing import CliRunner

import sansim
from conftest import COMMAND, SMALL, Cli, clean_environment
from sansim.commands.query import EXAMPLES
from sansim.commands.query import query as command
from sansim.html_report import read
from sansim.query import QueryError, describe, missing, query
from sansim.runs.columns import ABOUT

DOCS = Path(__file__).parents[2] / "docs"
TENANCIES = pl.DataFrame(
    {
        "tenancy": [0, 1, 2],
        "loop": ["loop", "loop", "loop"],
        "station": ["controller", "drives[0]", "drives[0]"],
        "arbitration_began_ns": [1000.0, 2000.0, 3000.0],
        "won_ns": [1500.0, 2600.0, 3600.0],
        "ended_ns": [2500.0, 3600.0, 6600.0],
        "circuits": [1, 1, 1],
        "peer": ["drives[0]", "controller", "controller"],
        "frames_out": [1, 9, 9],
        "frames_in": [0, 0, 0],
        "bytes_out": [0, 16384, 16384],
        "bytes_in": [0, 0, 0],
    },
    schema_overrides={
        **dict.fromkeys(("tenancy", "bytes_out", "bytes_in"), pl.UInt64),
        **dict.fromkeys(("circuits", "frames_out", "frames_in"), pl.UInt32),
    },
)
PATHS = pl.DataFrame(
    [
        ("controller.adapter", "command_execution", 0.0, 1000.0),
        ("loop", "loop", 1000.0, 3000.0),
        ("loop", "wire", 3000.0, 4000.0),
        ("loop", "loop", 4000.0, 4500.0),
        ("loop", "wire", 4500.0, 9000.0),
    ],
    schema={"place": pl.String, "segment": pl.String, "entered_ns": pl.Float64, "left_ns": pl.Float64},
    orient="row",
)
"""The way of one I/O, without its number."""
SAMPLES = pl.DataFrame(
    {
        "at_ns": [1e6, 1e6, 2e6, 2e6],
        "component": ["loop", "drives[0]", "loop", "drives[0]"],
        "quantity": ["owned", "credit", "owned", "credit"],
        "value": [0.25, 2.0, 0.75, 0.0],
    }
)


class Answer(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


Ask = Callable[..., Answer]


def without_checksums(folder: Path) -> Path:
    """A run folder as earlier versions wrote it, whose files a test may exchange."""
    about = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    del about["sha256"]
    (folder / "run.json").write_text(json.dumps(about), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder with all tables."""
    folder = tmp_path_factory.mktemp("query") / "run"
    sansim.run(SMALL).save(folder)
    ios = pl.read_parquet(folder / "ios.parquet")
    for name in ("io", "lba"):
        if name not in ios.columns:
            ios = ios.with_columns(pl.int_range(pl.len(), dtype=pl.UInt64).alias(name))
    issued = pl.col("completed_ns") - pl.col("response_time_ns")
    ios.with_columns(issued_ns=issued).write_parquet(folder / "ios.parquet")
    TENANCIES.write_parquet(folder / "tenancies.parquet")
    SAMPLES.write_parquet(folder / "samples.parquet")
    slowest = ios.sort(["response_time_ns", "io"], descending=[True, False])["io"]
    # The number comes first, as in a real table, and there is a second I/O, which is not the slowest.
    ways = [PATHS.select(pl.lit(slowest[place], dtype=pl.UInt64).alias("io"), pl.all()) for place in (0, 1)]
    pl.concat(ways).write_parquet(folder / "paths.parquet")
    return without_checksums(folder)


@pytest.fixture
def run(template: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(template, tmp_path / "run"))


@pytest.fixture
def other(run: Path, small: Path) -> Path:
    """A second run, as an earlier version wrote it: only some of the tables and columns."""
    folder = run.with_name("other")
    sansim.run(small, {"workload.queue_depth": 4}).save(folder)
    for name in ("tenancies", "paths", "samples"):
        (folder / f"{name}.parquet").unlink(missing_ok=True)
    ios = pl.read_parquet(folder / "ios.parquet")
    ios.drop("io", "lba", "issued_ns", strict=False).write_parquet(folder / "ios.parquet")
    return without_checksums(folder)


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Runs `sansim query` in this process, which is quicker than the command itself."""
    monkeypatch.chdir(tmp_path)

    def ask(*arguments: object) -> Answer:
        done = CliRunner().invoke(command, [*map(str, arguments)], standalone_mode=False)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Answer(done.exit_code, done.stdout, done.stderr)

    return ask


def fingerprint(folder: Path) -> dict[str, str]:
    """Every file below a folder with a hash of its content."""
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


# ---------------------------------------------------------------- answers


def test_tables_hold_what_the_files_hold(run: Path) -> None:
    for name in ("ios", "tenancies", "paths", "samples"):
        file = pl.read_parquet(run / f"{name}.parquet")
        assert query(run, f"from {name}").equals(file), name


def test_summary_and_scenario_have_a_row_per_value(run: Path) -> None:
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    rows = {key: (value, number) for key, value, number in query(run, "from summary").iter_rows()}
    assert rows["iops"][1] == summary["iops"]
    assert rows["title"] == ("Two drives on a loop", None)
    assert rows["stopped_early"] == ("false", None)
    assert rows["components.drives.count"] == ("2", 2.0)
    values = dict(query(run, "select key, value from scenario").iter_rows())
    assert values["workload.size"] == "16 KiB"
    assert values["loop.stations[1]"] == "drives"


def test_several_runs_are_told_apart(run: Path, other: Path) -> None:
    table = query([run, other], "select run, number from summary where key = 'ios' order by run")
    assert table.rows() == [("other", 400.0), ("run", 400.0)]
    # Columns that one of them lacks are empty there.
    table = query([run, other], "select run, count(*) as ios, count(lba) as known from ios group by run order by run")
    assert table.rows() == [("other", 400, 0), ("run", 400, 400)]
    assert "run" not in query(run, "from ios").columns
    assert set(query([run, other], "from tenancies")["run"]) == {"run"}
    assert missing([run, other], "from tenancies, ios") == [("tenancies", "other")]


def test_runs_of_the_same_name_are_told_apart_by_their_paths(run: Path, tmp_path: Path) -> None:
    second = tmp_path / "deep" / "run"
    shutil.copytree(run, second)
    assert set(query([run, second], "from summary")["run"]) == {str(run), str(second)}


def test_folder_may_have_any_name(run: Path) -> None:
    strange = run.rename(run.with_name("it's [a] *?{b} run"))
    assert query(strange, "select count(*) as n from ios").item() == 400


def test_unusual_types_come_as_text_and_sums_as_numbers(run: Path) -> None:
    table = query(run, "select sum(bytes) as s, interval 1 day as i, [1, 2] as l, 1.5::decimal(4, 2) as d from ios")
    assert table.row(0) == (400 * 16384, "1 day", "[1, 2]", 1.5)


def test_pivot_and_describe_are_answered(run: Path) -> None:
    table = query(run, "pivot samples on quantity using avg(value) group by component order by component")
    assert table.rows() == [("drives[0]", 1.0, None), ("loop", None, 0.5)]
    assert query(run, "describe samples")["column_name"].to_list() == SAMPLES.columns


@pytest.mark.parametrize("about", EXAMPLES)
def test_examples_of_the_help_are_right(about: str, run: Path) -> None:
    runs = [run]
    if "several" in about:
        runs.insert(0, Path(shutil.copytree(run, run.with_name("a second"))))
    table = query(runs, EXAMPLES[about])
    ios = pl.read_parquet(run / "ios.parquet")
    match about:
        case "the ten slowest I/Os":
            slowest = ios["response_time_ns"].sort(descending=True).head(10)
            assert table["ms"].to_list() == pytest.approx((slowest / 1e6).to_list())
        case "mean wait for the loop, per drive":
            wait = (pl.col("loop.loop_ns") + pl.col("loop.access_window_ns")).mean() / 1e3
            expected = ios.group_by("drive").agg(pl.len(), wait).sort("drive")
            assert table["drive"].to_list() == expected["drive"].to_list()
            assert table["ios"].sum() == ios.height
            assert table["mean_wait_us"].to_list() == pytest.approx(expected["loop.loop_ns"].to_list())
        case "tenancies of each station":
            assert table.rows() == [("drives[0]", 2, 2.0), ("controller", 1, 1.0)]
        case "time of the slowest I/O in each segment, with its dwells there":
            assert table.rows() == [
                ("controller.adapter", "command_execution", 1, 1.0, 1.0),
                ("loop", "loop", 2, 2.5, 2.0),
                ("loop", "wire", 2, 5.5, 4.5),
            ]
        case "share of time in which the loop was owned, over the run":
            assert table.rows() == [(1.0, 0.25), (2.0, 0.75)]
        case "several runs side by side":
            assert table.columns == ["run", "key", "number"]
            assert table["run"].to_list() == ["a second", "run"] * 3
        case _:
            values = dict(table.iter_rows())
            assert values["iops"] > 0
            assert 0 < values["components.loop.utilisation"] < 1


# ---------------------------------------------------------------- read only


@pytest.mark.parametrize(
    "sql",
    [
        "copy (select 1) to '{file}'",
        "copy (select 1) to '{file}' (use_tmp_file false)",
        "copy (select 1) to 'left.csv'",
        "with x as (copy (select 1) to '{file}' (format csv, use_tmp_file false)) select 1",
        "with x as (copy ios to 'left.csv') select 1",
        "copy (pivot ios on drive using count(*)) to '{file}' (use_tmp_file false)",
        "with x as (delete from ios returning *) select count(*) from x",
        "drop view ios",
        "drop table ios",
        "delete from ios",
        "attach 'left.db'",
        "export database 'left'",
        "set enable_external_access = true",
        "set temp_directory = 'left'",
        "install httpfs",
        "load httpfs",
        "pragma enable_profiling",
        "checkpoint",
        "select * from query('copy ios to ''left.csv''')",
        "explain analyze copy ios to 'left.csv'",
        "select 1; copy ios to 'left.csv'",
    ],
)
def test_no_sql_writes_a_file(sql: str, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run.parent)
    before = fingerprint(run.parent)
    try:
        query(run, sql.format(file=run / "ios.parquet"))
    except QueryError:
        pass
    else:
        # What changes the tables in memory is let through; the next query knows nothing of it.
        assert "delete" in sql
    assert fingerprint(run.parent) == before
    assert query(run, "select count(*) as n from ios").item() == 400


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_csv('/etc/passwd')",
        "select * from read_text('{file}')",
        "select * from '{file}'",
        "select * from glob('/*')",
        "select * from 'https://example.org/x.csv'",
        "select * from frame",
    ],
)
def test_no_sql_reads_anything_but_the_tables(sql: str, run: Path) -> None:
    frame = pl.DataFrame({"secret": [1]})
    with pytest.raises(QueryError):
        query(run, sql.format(file=run / "ios.parquet"))
    assert frame.height == 1


# ---------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("selec 1", ["syntax error", "selec"]),
        ("select respons_time_ns from ios", ["respons_time_ns", "Candidate", "response_time_ns"]),
        ("select * from ois", ["no table ois", "ios, tenancies, paths, samples, summary, scenario"]),
        ("select 1; select 2", ["2 statements"]),
        ("", ["empty"]),
        ("/* nothing */", ["empty"]),
        ("drop table ios", ["only statements that read"]),
        ("select 1 as a, 2 as a", ["two columns", " a;"]),
        ("select error('it''s the user')", ["it's the user"]),
        ("select ?", ["parameter"]),
        ("select * from read_csv('/etc/passwd')", ["sees the tables of its run folders"]),
    ],
)
def test_bad_sql_is_explained(sql: str, words: list[str], run: Path) -> None:
    with pytest.raises(QueryError) as caught:
        query(run, sql)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("sql", ["select respons_time_ns from ios", "select error('at the last moment') from ios", ""])
def test_bad_sql_ends_the_command_with_the_explanation_alone(sql: str, run: Path, cli: Cli) -> None:
    with pytest.raises(QueryError) as caught:
        query(run, sql)
    done = cli("query", run, sql)
    assert (done.returncode, done.stdout, done.stderr.rstrip()) == (2, "", f"error: {caught.value}")


def test_table_that_an_older_run_lacks_is_named(other: Path, ask: Ask) -> None:
    done = ask(other, "select count(*) from tenancies")
    assert done.returncode == 2
    assert "other: there is no table tenancies" in done.stderr
    assert "earlier version" in done.stderr
    listing = ask(other)
    assert listing.returncode == 0
    assert "note: other has no table samples" in listing.stderr


def test_what_is_no_run_folder_is_refused(run: Path, tmp_path: Path, ask: Ask) -> None:
    (tmp_path / "foreign").mkdir()
    (tmp_path / "file.txt").write_text("x", encoding="utf-8")
    cases: list[tuple[list[object], str]] = [
        (["nowhere"], "no such folder"),
        (["foreign", "from ios"], "not a run folder"),
        (["file.txt"], "not a folder"),
        ([run, "nowhere"], "no such folder"),
        ([run, run, "from ios"], "named twice"),
        (["from ios"], "no run folder was named"),
        (["x" * 5000], "cannot use"),
    ]
    for arguments, words in cases:
        done = ask(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert words in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["ios.parquet", "summary.json", "scenario.toml"])
def test_broken_file_is_named(name: str, run: Path) -> None:
    (run / name).write_bytes(b"\xff broken")
    with pytest.raises(QueryError, match=name.replace(".", r"\.")):
        query(run, f"from {name.split('.')[0]}")


# ---------------------------------------------------------------- the command


def test_tables_and_columns_are_listed(run: Path, ask: Ask) -> None:
    done = ask(run)
    assert (done.returncode, done.stderr) == (0, "")
    for table, about in ABOUT.items():
        assert f"{table}: " in done.stdout
        assert about in done.stdout
    assert "tenancies: 3 rows, " in done.stdout
    for row in describe(run).iter_rows(named=True):
        assert row["meaning"], f"{row['table']}.{row['column']} has no explanation"
        assert row["meaning"] in done.stdout


def test_the_guide_shows_every_example() -> None:
    text = (DOCS / "tables.md").read_text(encoding="utf-8")
    for about, sql in EXAMPLES.items():
        assert sql.replace('"', '\\"') in text or sql in text, about


def test_answer_is_a_table_and_nothing_else(run: Path, cli: Cli) -> None:
    done = cli("query", run, "select station, ended_ns - won_ns as ns from tenancies order by tenancy")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "station        ns",
        "----------  -----",
        "controller  1,000",
        "drives[0]   1,000",
        "drives[0]   3,000",
    ]


def test_rows_left_out_are_told(run: Path, ask: Ask) -> None:
    done = ask(run, "from ios select io")
    assert done.stdout.count("\n") == 202
    assert done.stderr == "200 of 400 rows; --limit 0 gives all\n"
    assert ask(run, "from ios select io", "--limit", 0).stdout.count("\n") == 402
    assert ask(run, "from ios select io", "--format", "csv").stdout.count("\n") == 401
    done = ask(run, "from ios select io", "--format", "csv", "--limit", 7)
    assert (done.stdout.count("\n"), done.stderr) == (8, "7 of 400 rows; --limit 0 gives all\n")


def test_every_form_holds_the_same_rows(run: Path, tmp_path: Path, ask: Ask) -> None:
    sql = 'select drive, avg("loop.wire_ns") as wire_ns from ios group by drive order by drive'
    expected = query(run, sql)
    rows = expected.to_dicts()
    assert json.loads(ask(run, sql, "--format", "json").stdout) == rows
    assert pl.read_csv(ask(run, sql, "--format", "csv").stdout.encode()).to_dicts() == rows
    for suffix in ("csv", "json", "parquet", "txt"):
        (tmp_path / f"out.{suffix}").touch()
        done = ask(run, sql, "--out", f"out.{suffix}")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert pl.read_csv(tmp_path / "out.csv").to_dicts() == rows
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8")) == rows
    assert pl.read_parquet(tmp_path / "out.parquet").equals(expected)
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").startswith("drive ")
    assert len(list(tmp_path.iterdir())) == 5


def test_numbers_that_json_lacks_are_null(run: Path, ask: Ask) -> None:
    done = ask(run, "select 'nan'::double as a, 'inf'::double as b, null as c", "--format", "json")
    assert json.loads(done.stdout) == [{"a": None, "b": None, "c": None}]


def test_output_never_lands_in_a_run_folder(run: Path, tmp_path: Path, ask: Ask) -> None:
    (tmp_path / "link.csv").symlink_to(run / "ios.parquet")
    before = fingerprint(run)
    for place in (run / "ios.parquet", run / "new.csv", tmp_path / "link.csv"):
        done = ask(run, "from summary", "--out", place, "--format", "csv")
        assert done.returncode == 2
        assert "is a run folder" in done.stderr
    assert fingerprint(run) == before


def test_real_paths_add_up_to_the_ledger_of_their_ios(tmp_path: Path) -> None:
    sansim.run(SMALL).save(tmp_path / "real")
    sums = query(
        tmp_path / "real",
        """select sum(left_ns - entered_ns) as total, any_value(response_time_ns) as response,
            sum(left_ns - entered_ns) filter (segment = 'loop') as loop, any_value("loop.loop_ns") as loop_ns
        from paths join ios using (io) group by io""",
    )
    assert sums.height > 20
    assert sums["total"].to_list() == pytest.approx(sums["response"].to_list())
    assert sums["loop"].fill_null(0).to_list() == pytest.approx(sums["loop_ns"].to_list(), abs=1e-3)


def test_open_stream_is_written_to_and_not_replaced(run: Path, tmp_path: Path) -> None:
    command = [str(COMMAND), "query", str(run), "select 1 as a", "--format", "csv", "--out", "/dev/stdout"]
    piped = subprocess.run(command, capture_output=True, env=clean_environment(), check=False)
    assert (piped.returncode, piped.stdout, piped.stderr) == (0, b"a\n1\n", b"")
    file = tmp_path / "all.csv"
    file.write_text("earlier\n", encoding="utf-8")
    with file.open("a", encoding="utf-8") as stream:
        subprocess.run(command, stdout=stream, env=clean_environment(), check=True)
    assert file.read_text(encoding="utf-8") == "earlier\na\n1\n"


def test_place_that_cannot_be_written_is_named(run: Path, tmp_path: Path, ask: Ask) -> None:
    done = ask(run, "from summary", "--out", "nowhere/x.csv")
    assert (done.returncode, done.stderr) == (
        1,
        "error: --out: cannot write nowhere/x.csv: there is no such folder\n",
    )
    assert ask(run, "from summary", "--out", tmp_path).returncode == 2
    if Path("/dev/full").exists():
        done = ask(run, "from summary", "--out", "/dev/full")
        assert (done.returncode, done.stderr) == (1, "error: --out: cannot write /dev/full: No space left on device\n")
    done = ask(run, "from summary", "--format", "parquet")
    assert done.returncode == 2
    assert "--out" in done.stderr


def test_closed_pipe_gives_no_traceback(run: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with subprocess.Popen(
        [str(COMMAND), "query", str(run), "from ios"],
        stdout=write,
        stderr=subprocess.PIPE,
        env=clean_environment(),
    ) as process:
        os.close(write)
        _, errors = process.communicate(timeout=60)
    assert errors == b""
    assert process.returncode == 1


def test_old_terminal_is_served(run: Path) -> None:
    env = {**clean_environment(), "PYTHONIOENCODING": "ascii"}
    command = [str(COMMAND), "query", str(run), "select 'µ' as a"]
    done = subprocess.run(command, capture_output=True, env=env, check=True)
    assert done.stdout == b"a\n-\n?\n"


# ---------------------------------------------------------------- names with brackets, and queries without end


@pytest.mark.parametrize("name", ["run[12]", "run*", "run?", "r{un,an}", "[[]", "a]b"])
def test_a_folder_with_the_name_of_a_pattern_is_itself(name: str, template: Path, tmp_path: Path) -> None:
    for other in ("run1", "run2", name):
        shutil.copytree(template, tmp_path / other)
    ios = pl.read_parquet(template / "ios.parquet")
    ios.head(3).write_parquet(tmp_path / name / "ios.parquet")
    assert query(tmp_path / name, "select count(*) as n from ios")["n"].to_list() == [3]
    assert describe(tmp_path / name).filter(pl.col("table") == "ios")["rows"][0] == 3
    assert read([tmp_path / name])[0].ios.height == 3


def test_a_query_without_end_ends_with_ctrl_c(template: Path) -> None:
    command = [str(COMMAND), "query", str(template), "select count(*) from range(100000000000000)"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            time.sleep(4)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            # By itself it takes hours.
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode != 0
    assert "stopped" in said
    assert "Traceback" not in said


def test_a_query_works_in_any_thread(template: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: query(template, "select count(*) as n from ios")["n"][0], range(4)))
    assert len(set(found)) == 1
