"""`sansim trace`: what a trace is, another format, a workload like it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import sansim
from conftest import Cli, within
from sansim.io_trace import Reading, blocks_text

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "crates" / "trace" / "samples"
FORMATS = (
    *("msr.csv", "spc.txt", "blkparse.txt", "fio-iolog-2.log", "fio-iolog-3.log", "disksim.txt", "alibaba.csv"),
    *("tencent.csv", "vscsi-1.bin", "vscsi-2.bin", "csv.csv", "systor.csv", "fiu.txt", "oracle-general.bin"),
)
PROMISED = {
    *("format", "requests", "reads", "writes", "bytes_read", "bytes_written", "span_s", "volumes", "requests_per_s"),
    *("bytes_per_s", "sizes", "sequential_share", "touched_again_share", "inter_arrival_cv", "dispersion", "b_model"),
    *("hurst", "anomalies", "warnings", "bad_lines", "error"),
}
MSR = """msr.csv.gz
  ! 3 requests have no byte
  format      msr, gzip
  requests    144: 88 reads, 56 writes
  bytes       3.576 MB read, 458.8 kB written
  span        3.554 s
  rate        40.52 requests/s, at most 48 in one second; 1.135 MB/s
  sizes       mean 28.02 kB; 64 KiB 34.7 %, 4 KiB 25.7 %, 8 KiB 23.6 %, 16 KiB 13.9 %, 0 B 2.1 %
  locality    34.0 % begin where the last one ended; 4.354 MB touched, 0.0 % of blocks met again
  gaps        cv 2.17 (Poisson 1)
  dispersion  4.07 at 10.00 ms, 1.81 at 100.0 ms (Poisson 1)
  bursts      b - (even 0.5), Hurst 0.56 (Poisson 0.5)
  latency     mean 5.194 ms, at most 9.079 ms

  volume  requests    reads      read   written   ends at  sequential
  web.1         53   34.0 %  143.4 kB  307.2 kB  16.73 GB       0.0 %
  log.0         51  100.0 %  3.277 MB       0 B  266.8 MB      96.0 %
  web.0         40   47.5 %  155.6 kB  151.6 kB  17.06 GB       0.0 %
"""


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return within(tmp_path)


def csv_lines(requests: int, step_us: int = 1000, first_us: int = 0) -> str:
    """A plain trace: reads of 4 KiB at even distances, one behind another."""
    lines = [f"{first_us + n * step_us},disk,r,{n * 8},4096" for n in range(requests)]
    return "\n".join(["time:us,volume,op,offset:sectors,bytes", *lines, ""])


# ---------------------------------------------------------------- info


def test_a_sample_is_told_in_a_few_lines_with_what_is_odd_first(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "msr.csv.gz").write_bytes((SAMPLES / "msr.csv.gz").read_bytes())
    done = cli("trace", "info", "msr.csv.gz")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == MSR


@pytest.mark.parametrize("name", FORMATS)
def test_every_sample_has_all_promised_figures(name: str) -> None:
    told = sansim.trace_info(SAMPLES / name)
    assert set(told) >= PROMISED
    assert name.startswith(told["format"])
    assert told["error"] is None
    golden = (SAMPLES / "golden" / f"{name}.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert told["requests"] == len(golden)
    for operation, count in (("read", told["reads"]), ("write", told["writes"])):
        assert count == sum(f",{operation}," in line for line in golden)
    assert told["span_s"] == pytest.approx(max(int(line.split(",")[0]) for line in golden) / 1e9)


def test_json_is_what_the_api_gives(cli: Cli) -> None:
    done = cli("trace", "info", SAMPLES / "spc.txt", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == sansim.trace_info(SAMPLES / "spc.txt")


def test_a_broken_line_is_shown_and_counted_only_if_the_user_says_so(cli: Cli) -> None:
    file = SAMPLES / "msr.csv.broken"
    done = cli("trace", "info", file)
    assert done.returncode == 2
    assert "line 21: disk number is empty: `125911584006236300,log,`" in done.stderr
    assert done.stderr.endswith(f"\n  = help: sansim trace info {file} --count-bad-lines\n")
    assert "! it was not read to its end" in done.stdout
    counted = cli("trace", "info", file, "--count-bad-lines")
    assert (counted.returncode, counted.stderr) == (0, "")
    assert "! 3 of 147 lines are broken and left out, as these:\n    line 21: disk number" in counted.stdout
    assert "\x1b" not in counted.stdout


def test_a_damaged_gzip_says_where_and_what_came_before(cli: Cli, tmp_path: Path) -> None:
    whole = gzip.compress(csv_lines(5000).encode())
    (tmp_path / "cut.csv.gz").write_bytes(whole[: len(whole) // 2])
    done = cli("trace", "info", "cut.csv.gz")
    assert done.returncode == 2
    assert "cut.csv.gz: the gzip is damaged" in done.stderr
    assert "requests came before" in done.stderr
    assert "! it was not read to its end" in done.stdout
    told = sansim.trace_info(tmp_path / "cut.csv.gz")
    assert 0 < told["requests"] < 5000


def test_a_unit_that_cannot_be_right_is_said(cli: Cli, tmp_path: Path) -> None:
    # From 1970 to 2040 in one trace: a time of zero among those of today.
    text = csv_lines(10) + "2208988800000000,disk,r,0,4096\n"
    (tmp_path / "seventy-years.csv").write_text(text, encoding="utf-8")
    done = cli("trace", "info", "seventy-years.csv")
    assert done.returncode == 0
    assert "! the trace lasts 70 years, which cannot be right: is the unit of its times another one" in done.stdout


def test_an_unknown_format_and_a_file_that_is_no_trace_say_what_there_is(cli: Cli, tmp_path: Path) -> None:
    done = cli("trace", "info", SAMPLES / "spc.txt", "--format", "nix")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: there is no trace format `nix`; there are msr, spc, ")
    (tmp_path / "notes.txt").write_text("what I did today\n", encoding="utf-8")
    done = cli("trace", "info", "notes.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert "notes.txt: looks like none of the formats; its first line is `what I did today`" in done.stderr
    assert "cannot be read as a trace" in cli("trace", "info", "nowhere.csv").stderr


def test_columns_and_units_can_be_declared(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("0,r,0,8\n2,w,8,8\n", encoding="utf-8")
    reading = Reading(columns="time:ms,op,offset:sectors,bytes:sectors")
    told = sansim.trace_info(tmp_path / "mine.txt", reading)
    assert (told["format"], told["span_s"], told["bytes_written"]) == ("csv", 0.002, 4096)
    with pytest.raises(ValueError, match="action: there is no `begun`"):
        sansim.trace_info(tmp_path / "mine.txt", Reading(action="begun"))  # type: ignore[arg-type]


def test_who_waits_is_told_how_far_it_is_and_may_end_it(tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    file.write_text(csv_lines(4_000_000), encoding="utf-8")
    seen: list[tuple[int, float | None]] = []
    assert (
        sansim.trace_info(file, progress=lambda requests, share: seen.append((requests, share)))["reads"] == 4_000_000
    )
    assert seen
    assert [requests for requests, _ in seen] == sorted({requests for requests, _ in seen})
    assert all(share is not None and 0 < share <= 1 for _, share in seen)

    def enough(_requests: int, _share: float | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sansim.trace_info(file, progress=enough)


def test_the_page_shows_pictures_needs_no_network_and_replaces_only_pages(cli: Cli, tmp_path: Path) -> None:
    done = cli("trace", "info", SAMPLES / "msr.csv", "--html", "page.html")
    assert done.returncode == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert all(f'id="{name}"' in page for name in ("rate", "sizes", "volumes", "figures"))
    assert "3 requests have no byte" in page
    assert "web.1" in page
    assert "http" not in page.replace("http://www.w3.org/", "").replace("http-equiv", "")
    # A page is replaced by a page, notes are not.
    assert cli("trace", "info", SAMPLES / "spc.txt", "--html", "page.html").returncode == 0
    (tmp_path / "notes.html").write_text("my notes", encoding="utf-8")
    refused = cli("trace", "info", SAMPLES / "spc.txt", "--html", "notes.html")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "notes.html is not a report page of sansim and stays as it is" in refused.stderr


def test_names_in_a_trace_cannot_become_markup(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text(csv_lines(20).replace("disk", "<b>x"), encoding="utf-8")
    assert cli("trace", "info", "odd.csv", "--html", "odd.html").returncode == 0
    page = (tmp_path / "odd.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;x" in page
    assert "<b>x" not in page


# ---------------------------------------------------------------- convert


def test_a_converted_trace_is_the_same_and_says_what_is_lost(cli: Cli, tmp_path: Path) -> None:
    done = cli("trace", "convert", SAMPLES / "msr.csv", "all.csv.gz", "--to", "csv")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "144 of 144 requests written to all.csv.gz as csv\n"
    assert gzip.decompress((tmp_path / "all.csv.gz").read_bytes())
    before, after = sansim.trace_info(SAMPLES / "msr.csv"), sansim.trace_info(tmp_path / "all.csv.gz")
    for same in ("requests", "reads", "bytes_read", "bytes_written", "span_s", "volumes", "sizes", "latency"):
        assert before[same] == after[same]
    lossy = cli("trace", "convert", SAMPLES / "msr.csv", "all.spc", "--to", "spc")
    assert "warning: 124 latencies are left out: spc cannot hold them" in lossy.stderr


def test_nothing_is_replaced_by_a_converted_trace_unless_forced(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(csv_lines(3), encoding="utf-8")
    refused = cli("trace", "convert", SAMPLES / "msr.csv", "mine.csv", "--to", "csv")
    assert refused.returncode == 2
    assert "mine.csv is not empty, and nothing tells whose trace it is, and stays as it is" in refused.stderr
    assert (tmp_path / "mine.csv").read_text(encoding="utf-8") == csv_lines(3)
    assert cli("trace", "convert", SAMPLES / "msr.csv", "mine.csv", "--to", "csv", "--force").returncode == 0
    assert sansim.trace_info(tmp_path / "mine.csv")["requests"] == 144


def test_a_trace_that_cannot_be_read_to_its_end_leaves_nothing(cli: Cli, tmp_path: Path) -> None:
    done = cli("trace", "convert", SAMPLES / "msr.csv.broken", "out.csv", "--to", "csv")
    assert done.returncode == 2
    assert "--count-bad-lines" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_formats_that_can_be_written_are_listed(cli: Cli) -> None:
    for arguments, what in (((), "--to is missing"), (("--to", "oracle-general"), "no trace can be written as")):
        done = cli("trace", "convert", SAMPLES / "msr.csv", "out", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: {what}")
        assert "\n  disksim " in done.stderr


# ---------------------------------------------------------------- fit


def test_a_fit_is_a_sound_scenario_that_runs_and_says_how_far_it_is(cli: Cli, tmp_path: Path) -> None:
    done = cli("trace", "fit", SAMPLES / "msr.csv", "--write", "fit.toml")
    assert done.returncode == 0
    assert "144 requests drawn from the workload and measured as the trace was" in done.stdout
    assert "3 volumes have Poisson arrivals" in done.stdout
    checked = cli("check", "fit.toml")
    assert (checked.returncode, checked.stderr) == (0, "")
    summary = sansim.run(tmp_path / "fit.toml").summary
    rate = sansim.trace_info(SAMPLES / "msr.csv")["requests_per_s"]
    # 144 requests: their number has a standard error of a twelfth.
    assert summary["iops"] == pytest.approx(rate, rel=0.25)


def test_a_fitted_scenario_is_replaced_only_if_forced(cli: Cli, tmp_path: Path) -> None:
    assert cli("trace", "fit", SAMPLES / "msr.csv", "--write", "fit.toml").returncode == 0
    before = (tmp_path / "fit.toml").read_bytes()
    refused = cli("trace", "fit", SAMPLES / "spc.txt", "--write", "fit.toml")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert (tmp_path / "fit.toml").read_bytes() == before
    assert cli("trace", "fit", SAMPLES / "spc.txt", "--write", "fit.toml", "--force").returncode == 0


def test_bursts_that_volumes_have_together_are_kept_as_one() -> None:
    def apart(as_one: bool) -> float:
        fitted = sansim.trace_fit(SAMPLES / "msr.csv", as_one=as_one)
        one = next(one for one in fitted.comparison["compared"] if one["figure"] == "inter_arrival_cv")
        return abs(float(one["fitted"]) - float(one["trace"]))

    assert apart(as_one=True) < apart(as_one=False)


def test_too_little_to_be_fitted_is_said(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text(csv_lines(20), encoding="utf-8")
    done = cli("trace", "fit", "few.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: few.csv: 20 reads and writes are too few to be fitted; at least 100 are needed\n"


def test_an_estimated_number_of_blocks_is_marked_and_claims_no_share_below_its_error() -> None:
    found = {"unique_bytes": 8e9, "touched_again_share": 0.004, "unique_exact": False}
    assert blocks_text(found) == "about 8.000 GB touched, less than 2.0 % of blocks met again"
    assert (
        blocks_text(found | {"touched_again_share": 0.25}) == "about 8.000 GB touched, about 25.0 % of blocks met again"
    )
    assert blocks_text(found | {"unique_exact": True}) == "8.000 GB touched, 0.4 % of blocks met again"
