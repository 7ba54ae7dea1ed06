"""`sansim policies`: the decisions for which scenarios name rules."""

from __future__ import annotations

import textwrap
from typing import Any

import click

from sansim.commands.common import BAD_INPUT, fail

WIDTH = 100


@click.command(epilog="\b\nsansim policies path\nsansim policies --json | jq '.[].name'")
@click.argument("decision", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--reference", is_flag=True, help="Print a reference page (Markdown) instead.")
def policies(decision: str | None, as_json: bool, reference: bool) -> None:
    """List the decisions for which a scenario names a rule; of one DECISION, its rules and what your own rule sees."""
    import json

    from sansim import _core
    from sansim.policy_reference import decisions, page

    if reference:
        click.echo(page(decisions()), nl=False)
        return
    found = decisions()
    if decision is not None:
        known = [one["name"] for one in found]
        found = [one for one in found if one["name"] == decision]
        if not found:
            near = _core.nearest(decision, known)
            meant = f"did you mean `{near}`?" if near else f"known: {', '.join(known)}"
            fail(f"error: there is no decision `{decision}`; {meant}", BAD_INPUT)
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
    elif decision is not None:
        show(found[0])
    else:
        width = max(len(one["name"]) for one in found)
        for one in found:
            own = "  (also rules of your own)" if one["takes_own_rules"] else ""
            click.echo(f"{one['name']:{width}}  {one['question']}{own}")
            click.echo(f"{'':{width}}  {', '.join(rule['name'] for rule in one['rules'])}")
        click.echo("`sansim policies NAME` shows the rules of one, and what a rule of your own sees.")


def show(decision: dict[str, Any]) -> None:
    """Prints a decision with its keys, rules and features."""
    from sansim.policy_reference import method, named_answer, window_text

    click.echo(decision["question"])
    click.echo("\nKeys")
    for key in decision["keys"]:
        click.echo(f"  {key['key']}  ({key['kind']})")
    click.echo("\nRules")
    for rule in decision["rules"]:
        item(rule["name"], rule["meaning"] + (f" [{rule['source']}]" if rule["source"] else ""))
        for parameter in rule["parameters"]:
            item(f"  {parameter['name']}", f"{parameter['value']}; default {parameter['default']}")
    if not decision["takes_own_rules"]:
        return
    click.echo("\nA rule of your own sees of each candidate")
    for feature in decision["features"]["candidate"]:
        item(feature["name"], feature["meaning"] + (f" [{feature['unit']}]" if feature["unit"] else ""))
    click.echo("and of the decision")
    for feature in decision["features"]["decision"]:
        item(feature["name"], feature["meaning"] + (f" [{feature['unit']}]" if feature["unit"] else ""))
    if window := decision["window"]:
        click.echo("\n" + textwrap.fill(window_text(window), WIDTH))
    if decision["named"]:
        click.echo(f"A class may also answer `{named_answer(decision)}`.")
    if decision["outcome"]:
        click.echo(f"`outcome` in the decision log: {decision['outcome']}.")
    if decision["events"]:
        click.echo("\nEvents that a class may follow")
        for event in decision["events"]:
            item(method(event), event["meaning"])


def item(name: str, text: str) -> None:
    """Prints a name with its text, wrapped beside it."""
    lines = textwrap.wrap(" ".join(text.split()), WIDTH - 28) or [""]
    click.echo(f"  {name:24}  {lines[0]}")
    for line in lines[1:]:
        click.echo(f"{'':28}{line}")
