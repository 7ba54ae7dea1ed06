"""The command line; the commands are in `sansim.commands`, a module each.

Exit codes: 0 done, 2 bad input, 3 all was run but a metric has no value somewhere, 130 Ctrl-C, 1 anything else. The
requested output goes to standard output, all messages to standard error. Heavy modules are imported where they are
needed, so that `sansim --version` is quick.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys

import click

from sansim._core import __version__
from sansim.commands.adapter import adapter
from sansim.commands.calibrate import calibrate
from sansim.commands.check import check
from sansim.commands.common import BAD_INPUT, INTERRUPTED, OTHER, fail, tell
from sansim.commands.compare import compare
from sansim.commands.completion import completion
from sansim.commands.doctor import doctor
from sansim.commands.drive import drive
from sansim.commands.examples import examples
from sansim.commands.explain import explain
from sansim.commands.graph import graph
from sansim.commands.init import init
from sansim.commands.man import man
from sansim.commands.migrate import migrate
from sansim.commands.pack import pack
from sansim.commands.plan import plan
from sansim.commands.policies import policies
from sansim.commands.query import query
from sansim.commands.report import report
from sansim.commands.rerun import rerun
from sansim.commands.run import run
from sansim.commands.schema import schema
from sansim.commands.studio import studio
from sansim.commands.study import study
from sansim.commands.tidy import tidy
from sansim.commands.trace import trace
from sansim.commands.validate import validate

ABOUT = """Simulate storage networks, from the application's request to the drive and back.

\b
Modelled: arbitrated loops of Fibre Channel (1GFC to 8GFC), loop switches and
enclosures, fabrics of switches (1GFC to 128GFC), parallel SCSI buses,
PCI Express, Ethernet with TCP or RDMA; hosts and their workloads,
adapters, controllers,
appliances, metadata controllers, caches, RAID, volumes; disks, flash, tape,
RAM disks.
Not modelled: see docs/model/not-modelled.md.
"""


def print_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Prints the version with the commit of the checkout or of the wheel, and ends the command."""
    if not wanted or context.resilient_parsing:
        return
    from sansim.commit import commit

    of = commit()
    click.echo(f"sansim {__version__}{f' (commit {of})' if of else ''}")
    context.exit()


@click.group(help=ABOUT, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_version,
    help="Show the version, and the commit if it is known.",
)
def cli() -> None:
    """The command `sansim`."""


COMMANDS = (
    *(init, run, explain, compare, plan, calibrate, study, validate, check, graph, studio),
    *(report, query, pack, rerun, tidy, migrate, trace, drive, adapter, examples, policies, schema),
    *(doctor, completion, man),
)

for command in COMMANDS:
    cli.add_command(command)


def main() -> None:
    """Entry of the `sansim` command."""
    try:
        sys.exit(cli.main(prog_name="sansim", standalone_mode=False))
    except click.ClickException as error:
        with contextlib.closing(io.StringIO()) as text:
            with_near_words(error).show(text)
            tell(in_plain_words(text.getvalue().rstrip("\n")))
        sys.exit(BAD_INPUT if isinstance(error, click.UsageError) else OTHER)
    except (click.Abort, KeyboardInterrupt):
        fail("stopped", INTERRUPTED)
    except BrokenPipeError:
        # The reader of a pipe went away. Keep Python from saying so again when it flushes at exit.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(OTHER)
    except OSError as error:
        from sansim.files import in_words

        fail(f"error: {in_words(error)}", OTHER)


PLAIN_WORDS = (
    (re.compile(r"is not a valid integer( range)?\."), "is not a whole number."),
    (re.compile(r"is not a valid float( range)?\."), "is not a number."),
    (re.compile(r"is not in the range (\d+)<=x<=(\d+)\."), r"is not from \1 to \2."),
    (re.compile(r"is not in the range x>=(\d+)\."), r"is less than \1."),
)
"""The words of click about numbers, and those of people."""


def in_plain_words(text: str) -> str:
    """A message of click with plain words about numbers."""
    for pattern, plain in PLAIN_WORDS:
        text = pattern.sub(plain, text)
    return text


def command_for(file: str, group: click.Group) -> str | None:
    """The command that takes a file that was written in the place of a command; None if there is none."""
    if not os.path.isfile(file):  # noqa: PTH113  (a text that may be no path at all)
        return None
    return {"cli": f"sansim run {file}", "study": f"sansim study run {file}"}.get(group.name or "")


def with_near_words(error: click.ClickException) -> click.ClickException:
    """The error with a suggestion that is near to what was written; click's own have half of the letters in common."""
    from sansim import _core

    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        options = [option for parameter in error.ctx.command.get_params(error.ctx) for option in parameter.opts]
        known = {option.lstrip("-"): option for option in options if option.startswith("--")}
        written = error.option_name
    elif (
        isinstance(error, click.UsageError)
        and error.ctx is not None
        and isinstance(error.ctx.command, click.Group)
        # Only later versions of click suggest commands.
        and (written := getattr(error, "command_name", ""))
    ):
        if (command := command_for(written, error.ctx.command)) is not None:
            return click.UsageError(f"{error.message} Did you mean `{command}`?", error.ctx)
        known = {name: name for name in error.ctx.command.commands}
    else:
        return error
    near = _core.nearest(written.lstrip("-"), list(known))
    question = "" if near is None else f" Did you mean {known[near]!r}?"
    return click.UsageError(f"{error.message}{question}", error.ctx)
