"""Write docs/reference and the README's example from the code, or check that they are what the code gives.

python tools/gen_reference.py           write the pages
python tools/gen_reference.py --check   fail when one differs
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

import drawwell
from drawwell.cli.main import COMMANDS, app
from drawwell.demo import copy_corpus
from drawwell.server.arguments import takes
from drawwell.server.tools.corpus import CORPUS_TOOLS
from drawwell.server.tools.spec import ToolSpec
from drawwell.settings import SETTINGS, Setting

ROOT = Path(__file__).resolve().parent.parent
NOTE = "<!-- Written by tools/gen_reference.py from the code; do not edit. -->"
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
QUOTED = re.compile(r"(: )'([^']*)'")
PRECEDENCE = (
    "Highest first: flag, environment, `--env-file`, `drawwell.toml` and `[tool.drawwell]` or `[tool.contextpull]` "
    "in `pyproject.toml` at the root of the corpus, your own `config.toml`, default. `drawwell config DIR` shows "
    "each value and where it was set. A project's file may set only what is marked so: a cloned project is not "
    "trusted with the rest."
)


def cli_page() -> str:
    """Every command's help."""
    parts = [NOTE, "# Command line", _help(app, "drawwell", None)]
    for title, group in COMMANDS.items():
        parts.append(f"## {title}")
        for name in group:
            command = app.get_command(click.Context(app), name)
            assert command is not None
            parts.extend(_command(command, name, None))
    return "\n\n".join(parts)


def _command(command: click.Command, name: str, parent: click.Context | None) -> list[str]:
    path = f"{parent.command_path} {name}" if parent else f"drawwell {name}"
    parts = [f"### {path}", _help(command, name, parent)]
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path, parent=parent)
        for sub, subcommand in command.commands.items():
            parts.extend(_command(subcommand, sub, context))
    return parts


def _help(command: click.Command, name: str, parent: click.Context | None) -> str:
    top = parent or (None if name == "drawwell" else click.Context(app, info_name="drawwell"))
    context = click.Context(
        command,
        info_name=name,
        parent=top,
        max_content_width=110,
        terminal_width=110,
        help_option_names=["-h", "--help"],
    )
    return f"```text\n{command.get_help(context).rstrip()}\n```"


def tools_page() -> str:
    """Every tool: what the model is told, and its arguments."""
    parts = [
        NOTE,
        "# Tools",
        "The same table gives the MCP tools, `drawwell.TOOLS` and the options of the command line.",
    ]
    for tool in CORPUS_TOOLS:
        parts += [f"## {tool.name}", tool.description, _arguments(tool)]
        given = ", ".join(f"{name}: {json.dumps(value)}" for name, value in tool.annotations.items())
        parts.append(f"Annotations: `{given}`")
    return "\n\n".join(parts)


def _arguments(tool: ToolSpec) -> str:
    rows = ["| argument | takes | default | |", "|---|---|---|---|"]
    required = tool.input_schema.get("required", ())
    for name, schema in tool.input_schema["properties"].items():
        default = "required" if name in required else _default(schema)
        rows.append(f"| `{name}` | {takes(schema)} | {default} | {schema.get('description', '')} |")
    return "\n".join(rows)


def _default(schema: Mapping[str, Any]) -> str:
    return f"`{json.dumps(schema['default'])}`" if "default" in schema else "-"


def settings_page() -> str:
    """Every setting with all its names."""
    parts = [
        NOTE,
        "# Settings",
        PRECEDENCE,
    ]
    for group in dict.fromkeys(entry.group for entry in SETTINGS):
        parts.append(f"## {group.capitalize()}")
        parts.extend(_setting(entry) for entry in SETTINGS if entry.group == group)
    return "\n\n".join(parts)


def _setting(entry: Setting) -> str:
    flag = f"`{entry.flag}`, `--no-{entry.flag[2:]}`" if isinstance(entry.default, bool) else f"`{entry.flag}`"
    default = json.dumps(entry.default) if entry.default != "" else "none"
    rows = [
        f"### {entry.name}",
        entry.help,
        f"- takes {entry.takes}; default {default}",
        f"- flag {flag}" if entry.flag else "- no flag",
        "- environment " + ", ".join(f"`{name}`" for name in entry.variables),
        f"- project's file: {'yes' if entry.project else 'no'}",
    ]
    return "\n".join([rows[0], "", rows[1], "", *rows[2:]])


def python_page() -> str:
    """The public names of the package."""
    parts = [NOTE, "# Python", inspect.cleandoc(drawwell.__doc__ or "")]
    parts[-1] = _code_blocks(parts[-1])
    for name in drawwell.__all__:
        if name == "__version__":
            continue
        parts.extend(_public(name, getattr(drawwell, name)))
    return "\n\n".join(parts)


def _public(name: str, value: Any) -> list[str]:
    if dataclasses.is_dataclass(value):
        return [f"## {name}", _doc(value), _fields(value)]
    if inspect.isclass(value):
        parts = [f"## {name}", _doc(value)]
        for method, function in inspect.getmembers(value, inspect.isfunction):
            if not method.startswith("_") and name != "Error":
                parts += [f"### {name}.{method}", _signature(method, function), _doc(function)]
        return parts
    if callable(value):
        return [f"## {name}", _signature(name, value), _doc(value)]
    return [f"## {name}", "The tool definitions as the Anthropic API takes them; see [tools](tools.md)."]


def _doc(value: Any) -> str:
    return _code_blocks(inspect.getdoc(value) or "")


def _code_blocks(text: str) -> str:
    """Docstring text as Markdown: sections and indented blocks stay as they are written."""
    return f"```text\n{text}\n```" if "\n    " in text else text


def _signature(name: str, function: Callable[..., Any]) -> str:
    """A signature as it stands in the source; one parameter a line where it is long."""
    signature = inspect.signature(function)
    parameters = [QUOTED.sub(r"\1\2", str(each)) for each in signature.parameters.values() if each.name != "self"]
    keyword = next((n for n, each in enumerate(signature.parameters.values()) if each.kind is each.KEYWORD_ONLY), None)
    if keyword is not None:
        parameters.insert(keyword - ("self" in signature.parameters), "*")
    end = f") -> {signature.return_annotation}"
    line = f"{name}({', '.join(parameters)}{end}"
    if len(line) > 100:
        line = f"{name}(\n" + "".join(f"    {each},\n" for each in parameters) + end
    return f"```python\n{line}\n```"


def _fields(value: Any) -> str:
    return "\n".join(f"- `{field.name}`: `{field.type}`" for field in dataclasses.fields(value))


def readme_page() -> str:
    """The README with what its console blocks really print, in a folder that holds the sample corpus."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        copy_corpus(Path(folder, "handbook"))
        _drawwell(["ingest", "handbook", "--quiet"], folder)
        return CONSOLE.sub(lambda match: f"```console\n{_session(match[1], folder)}```", text)


def _session(block: str, folder: str) -> str:
    """A console block with its commands' own output."""
    commands = [line for line in block.splitlines() if line.startswith("$ drawwell ")]
    answers = [f"{line}\n{_drawwell(shlex.split(line)[2:], folder).rstrip()}\n" for line in commands]
    return "\n".join(answers)


def _drawwell(arguments: list[str], folder: str) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("DRAWWELL_", "CONTEXTPULL_"))}
    command = [sys.executable, "-m", "drawwell", *arguments]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(arguments)} failed: {done.stderr.decode('utf-8')}")
    return done.stdout.decode("utf-8")


PAGES: Mapping[str, Callable[[], str]] = {
    "docs/reference/cli.md": cli_page,
    "docs/reference/tools.md": tools_page,
    "docs/reference/settings.md": settings_page,
    "docs/reference/python.md": python_page,
    "README.md": readme_page,
}


def main(arguments: list[str]) -> int:
    """Write or check; the exit code is 1 when a page differs."""
    check = "--check" in arguments
    (ROOT / "docs" / "reference").mkdir(parents=True, exist_ok=True)
    stale = []
    for name, make in PAGES.items():
        text = make().rstrip() + "\n"
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text, encoding="utf-8", newline="\n")
    if check and stale:
        print(f"{', '.join(stale)} differ from the code; run `make docs`", file=sys.stderr)
        return 1
    print(f"docs: {'wrote ' + ', '.join(stale) if stale else 'fine'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
