"""What an agent's project or program needs: rules of use, and the tools as data."""

from __future__ import annotations

import click

from drawwell._version import __version__
from drawwell.cli.output import print_data, print_json
from drawwell.server.instructions import agent_instructions
from drawwell.server.tools import TOOLS, openai_tools

__all__ = ["instructions", "tools_json"]


@click.command()
def instructions() -> None:
    """Print rules of use for a project's CLAUDE.md or AGENTS.md.

    A host that shows the server's own instructions to its model needs none of this.

    \b
      drawwell instructions >> AGENTS.md
    """
    print_data(agent_instructions().rstrip("\n"))


@click.command("tools-json")
@click.option("--openai", is_flag=True, help="In the form that the OpenAI API takes.")
def tools_json(openai: bool) -> None:
    """Print the tools and their schemas as JSON, for programs in any language.

    \b
      drawwell tools-json > tools.json
    """
    print_json({"version": __version__, "tools": openai_tools() if openai else TOOLS})
