"""What a playback costs the run, and how the player keeps up in a browser: opening, seeking, frames a second."""

import json
import os
import re
import statistics
import struct
import subprocess
import tempfile
import time
from pathlib import Path

from harness import ROOT, table

BASE = ROOT / "scenarios" / "wang-2005-base.toml"
CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
CROWD = """format = 1
title = "Sixty-five hosts and sixty-five drives behind one switch, each 5 km away"
[run]
warm_up = 0
measured_ios = {ios}
[net]
kind = "fabric"
topology = "single-switch"
speed = "8GFC"
cable = "5 km"
stations = ["host", "drives"]
[host]
kind = "host"
count = 65
[net.switch]
buffers = 64
[drives]
kind = "drives"
count = 65
access_time = "100 us"
transfer_rate = "1 GB/s"
[load]
kind = "closed"
from = "host"
to = "drives"
size = "64 KiB"
queue_depth = 4
devices_each = "shares"
"""
FRAMES = """() => new Promise((done) => {
  let [count, first, last, worst] = [0, null, null, 0]
  requestAnimationFrame(function next(now) {
    if (first === null) first = now
    else { count += 1; worst = Math.max(worst, now - last) }
    last = now
    if (now - first < 4000) requestAnimationFrame(next)
    else done([count * 1000 / (now - first), worst, __studio.moving().length])
  })
})"""
SEEK = """async ([begin, end]) => {
  const took = []
  for (let turn = 0; turn < 30; turn += 1) {
    const start = performance.now()
    __studio.setTime(begin + (end - begin) * ((turn * 0.618) % 1))
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))
    took.push(performance.now() - start)
  }
  return took
}"""
EVENTS_AIM = 1_000_000


def studio(bench):
    """The cost of recording, and the player."""
    sansim = bench.installed("sansim")
    with tempfile.TemporaryDirectory() as folder:
        recording(bench, sansim, Path(folder))
        player(bench, sansim, Path(folder))


def recording(bench, sansim, folder):
    """Runs with and without `--playback`: time, memory, bytes a row."""
    rows = []
    ios = 2_000 if bench.quick else 20_000
    plain, watched = [], []
    file = folder / "base.sansim"
    common = [sansim, "run", BASE, "--set", f"run.measured_ios={ios}"]
    bench.say(f"recording {ios:,} I/Os ...")
    for _ in range(3):
        plain.append(run(common))
        watched.append(run([*common, "--playback", file]))
        size = file.stat().st_size
        events = count(file)
        file.unlink()
    time_ratio = statistics.median(b[0] / a[0] for a, b in zip(plain, watched, strict=True))
    more = statistics.median(b[1] - a[1] for a, b in zip(plain, watched, strict=True))
    rows.append(
        [
            f"{ios:,}",
            f"{statistics.median(a[0] for a in plain):.2f}",
            f"{time_ratio:.1f}",
            f"{more / 1e6:.0f}",
            f"{events:,}",
            f"{size / events:.1f}",
        ]
    )
    table(
        "A run with --playback beside one without (base system; whole commands, median of 3)",
        ["I/Os", "plain s", "with / plain", "MB more", "rows", "bytes / row"],
        rows,
    )


def run(command):
    """Seconds and peak bytes of a command."""
    start = time.perf_counter()
    child = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit(f"{command} failed")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def count(file):
    """Rows of a playback, by its index (docs/playback.md)."""
    data = file.read_bytes()
    (length,) = struct.unpack("<I", data[-8:-4])
    index = json.loads(data[-8 - length : -8])
    return sum(rows for chunk in index["chunks"] for rows in chunk["rows"].values())


def player(bench, sansim, folder):
    """Opens a playback with many frames under way, and one of a million rows."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        bench.say("Playwright is missing, so the player is not measured")
        return
    if not CHROMIUM.exists():
        bench.say(f"{CHROMIUM} is missing, so the player is not measured")
        return
    rows = []
    scenario = folder / "crowd.toml"
    sizes = {"200 frames under way": (8_000, "2 ms"), f"{EVENTS_AIM:,} rows": (8_000, "1 s")}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        for name, (ios, span) in sizes.items():
            bench.say(f"playing {name} ...")
            scenario.write_text(CROWD.format(ios=ios), encoding="utf-8")
            file = folder / f"{len(rows)}.sansim"
            window = ["--trace-from", "2 ms", "--trace-to", f"{2 + float(span.split()[0])} ms"]
            window = window if span.endswith("ms") else []
            run([sansim, "run", scenario, *window, "--playback", file])
            rows.append([name, f"{count(file):,}", *shown(browser, sansim, file)])
        browser.close()
    table(
        "The player in Chromium without a GPU, 130 stations, 1440 x 900 "
        "(aims: 60 frames a second, a million rows open in 2 s and seek in 50 ms)",
        ["playback", "rows", "opens s", "seek ms (median, worst)", "moving", "frames / s", "longest ms"],
        rows,
    )


def shown(browser, sansim, file):
    """How the page of one playback behaves."""
    server = subprocess.Popen(
        [str(sansim), "studio", str(file), "--no-browser"], stdout=subprocess.PIPE, text=True, cwd=file.parent
    )
    link = re.search(r"http\S+", server.stdout.readline()).group()
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    try:
        page.goto(link)
        # The page evaluates no text, so Playwright's own waiting does not work there.
        while not page.evaluate("window.__studio !== undefined"):
            page.wait_for_timeout(10)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")
        opens = page.evaluate("performance.now()") / 1000
        header = page.evaluate("__studio.time_ns")
        took = sorted(page.evaluate(SEEK, [header, header + 2_000_000]))
        page.evaluate(f"__studio.setTime({header + 1_000_000})")
        page.get_by_label("Pace").select_option("linear")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Play", exact=True).click()
        rate, worst, moving = page.evaluate(FRAMES)
    finally:
        page.close()
        server.terminate()
        server.wait(20)
        server.stdout.close()
    return [
        f"{opens:.2f}",
        f"{took[len(took) // 2]:.0f}, {took[-1]:.0f}",
        f"{moving}",
        f"{rate:.0f}",
        f"{worst:.0f}",
    ]
