"""`./dev with CRATE` builds an extension with rules in Rust of a user's crate."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CRATE = ROOT / "docs" / "rules" / "fewest"
SCENARIO = ROOT / "scenarios" / "two-paths.toml"


def summary(command: Path, rule: str) -> dict[str, object]:
    given = ["--set", f"host.path={rule}", "--set", "run.duration=2s", "--json"]
    done = subprocess.run([command, "run", SCENARIO, *given], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.long
def test_a_rule_in_rust_gives_the_run_of_the_expression_that_says_the_same() -> None:
    done = subprocess.run([sys.executable, ROOT / "dev", "with", CRATE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    command = ROOT / "target" / "with" / "fewest" / "sansim"
    by_rust = summary(command, '{ rust = "fewest", free = 2 }')
    by_expression = summary(command, '{ expression = "max(outstanding - 2, 0)" }')
    assert by_rust["summary"] == by_expression["summary"]
    wrong = subprocess.run(
        [command, "check", SCENARIO, "--set", 'host.path={ rust = "fewest", fre = 2 }'], capture_output=True, text=True
    )
    assert wrong.returncode == 2
    assert "has no parameter `fre`" in wrong.stderr


def test_a_folder_without_a_crate_is_refused_with_one_to_start_from(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT))
    from dev_with import CrateError, name_of

    with pytest.raises(CrateError, match="docs/rules/fewest"):
        name_of(tmp_path)
    assert name_of(CRATE) == "fewest"
