"""`sansim doctor`: whether an installation is in order."""

from __future__ import annotations

import json
import sys

import click

from sansim.commands.common import OTHER


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with `findings` and `ok`.")
def doctor(as_json: bool) -> None:
    """Check the installation: versions, machine, packages, programs, a trial run.

    Whatever is not there is named with its purpose and the command that installs it. Exit code 0 if nothing that every
    user needs is wrong, else 1.
    """
    from sansim.installation import GOOD, WRONG, findings

    found = []
    for one in findings():
        found.append(one)
        if as_json:
            continue
        mark = "" if one.state == GOOD else f"{one.state}: "
        click.echo(f"{one.about:16} {mark}{one.text}")
        if one.remedy:
            click.echo(f"{'':16} {one.remedy}")
    wrong = [one.about for one in found if one.state == WRONG]
    if as_json:
        click.echo(json.dumps({"ok": not wrong, "findings": [one.as_json() for one in found]}, indent=2))
    else:
        click.echo(f"\nwrong: {', '.join(wrong)}" if wrong else "\nsansim is in order.")
    if wrong:
        sys.exit(OTHER)
