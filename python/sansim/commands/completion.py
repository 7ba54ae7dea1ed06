"""`sansim completion`: what a shell needs to complete the command line of sansim."""

from __future__ import annotations

import click

SHELLS = {
    "bash": "sansim completion bash > ~/.local/share/bash-completion/completions/sansim",
    "zsh": "sansim completion zsh > ~/.zfunc/_sansim    # with fpath+=~/.zfunc before compinit in ~/.zshrc",
    "fish": "sansim completion fish > ~/.config/fish/completions/sansim.fish",
}
"""The shells, each with the line that installs its completion for good."""

EPILOG = "\b\n" + "\n".join(SHELLS.values())


@click.command(epilog=EPILOG)
@click.argument("shell", type=click.Choice(list(SHELLS)))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion of commands, options, examples and keys for a shell.

    Options that take `KEY=VALUE` complete the keys of the scenario that was named before them.
    """
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    # Without the check of the shell's version, which would run the shell.
    text = ShellComplete.source(kind(context.find_root().command, {}, "sansim", "_SANSIM_COMPLETE"))
    if shell == "bash":
        # The value follows a key at once.
        text = text.replace(
            "    return 0\n", "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n    return 0\n", 1
        )
    click.echo(text)
