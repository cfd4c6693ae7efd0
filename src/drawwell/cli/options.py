"""Options built from the one definition of each setting and of each tool's argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from drawwell.errors import ArgumentError
from drawwell.server.arguments import takes
from drawwell.server.tools.spec import ToolSpec
from drawwell.settings import SETTINGS, Setting

__all__ = ["quiet_option", "setting_options", "tool_option"]

Command = TypeVar("Command", bound=Callable[..., Any])
_BY_NAME = {entry.name: entry for entry in SETTINGS}

quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print nothing on stderr but errors.")


if TYPE_CHECKING:
    AnyParamType = click.ParamType[Any]  # generic for the type checker since click 8.5 only
else:
    AnyParamType = click.ParamType


class _Checked(AnyParamType):
    """A value checked by its definition, so that the message is the same wherever it was given."""

    def __init__(self, name: str, check: Callable[[Any], Any], wanted: str) -> None:
        self.name = name
        self._check = check
        self._wanted = wanted

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        try:
            return self._check(value)
        except ValueError:
            label = param.opts[0] if param is not None else self.name
            raise ArgumentError(label, value, self._wanted) from None


def setting_options(*names: str) -> Callable[[Command], Command]:
    """Options for settings; a command receives each by its setting's name, None when it was not given."""

    def add(command: Command) -> Command:
        for name in reversed(names):
            command = _setting_option(_BY_NAME[name])(command)
        return command

    return add


def _setting_option(entry: Setting) -> Callable[[Command], Command]:
    shown = "" if entry.default == "" else f"  [default: {_shown(entry.default)}]"
    text = f"{entry.help}{shown}"
    if isinstance(entry.default, bool):
        return click.option(f"{entry.flag}/--no-{entry.flag[2:]}", entry.name, default=None, help=text)
    kind: AnyParamType = _Checked(_metavar(entry), entry.check, entry.takes)
    if entry.choices:
        kind = click.Choice(entry.choices)
    return click.option(entry.flag, entry.name, type=kind, default=None, help=text)


def _metavar(entry: Setting) -> str:
    if isinstance(entry.default, str):
        return "text"
    return "integer" if isinstance(entry.default, int) else "number"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def tool_option(tool: ToolSpec, name: str, help: str = "") -> Callable[[Command], Command]:  # noqa: A002 click's word
    """An option for one argument of a tool, with the tool's own help and bounds.

    Args:
        tool: the tool.
        name: the argument, as the tool's schema has it.
        help: in place of the tool's description of it, which speaks to a model.
    """
    schema: Mapping[str, Any] = tool.input_schema["properties"][name]
    flag = "--" + name.replace("_", "-")
    dest = "within" if name == "in" else name
    text = help or str(schema.get("description", ""))
    if schema["type"] == "boolean":
        return click.option(flag, dest, is_flag=True, help=text)
    if schema["type"] == "array":
        return click.option(flag, dest, multiple=True, help=text)
    if "default" in schema and name != "max_tokens":
        text += f"  [default: {schema['default']}]"
    if "enum" in schema:
        return click.option(
            flag, dest, type=click.Choice(list(schema["enum"])), default=schema.get("default"), help=text
        )
    if schema["type"] == "integer":
        default = None if name == "max_tokens" else schema.get("default")
        kind = _Checked("integer", lambda value: _within(value, schema), takes(schema))
        return click.option(flag, dest, type=kind, default=default, help=text)
    return click.option(flag, dest, default=None, help=text)


def _within(value: Any, schema: Mapping[str, Any]) -> int:
    number = int(value)
    if number < schema.get("minimum", number) or number > schema.get("maximum", number):
        raise ValueError(value)
    return number
