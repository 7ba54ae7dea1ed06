"""The README's first scenario does what the README says."""

import re
from pathlib import Path

import sansim

README = Path(__file__).parents[2] / "README.md"


def test_the_first_scenario_of_the_readme_runs(tmp_path: Path) -> None:
    """The TOML block is complete, and the calls below it work."""
    block = re.search(r"```toml\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    file = tmp_path / "four-disks.toml"
    file.write_text(block.group(1), encoding="utf-8")
    result = sansim.run(file, {"workload.size": "64 KiB", "run.measured_ios": 200})
    assert result.summary["iops"] > 0
    assert result.summary["components"]["disks"]["count"] == 4
    assert len(result.ios) == 200
