"""How the server and the command line behave."""

from __future__ import annotations

from drawwell.settings.setting import Setting

__all__ = ["SERVER"]

SERVER: tuple[Setting, ...] = (
    Setting(
        name="transport",
        group="server",
        default="stdio",
        help="How clients reach the server.",
        flag="--transport",
        choices=("stdio", "http"),
        aliases=("CONTEXTPULL_TRANSPORT",),
    ),
    Setting(
        name="host",
        group="server",
        default="127.0.0.1",
        help="The address that HTTP listens on; one that is not this machine's own needs a token.",
        flag="--host",
        aliases=("CONTEXTPULL_HOST",),
    ),
    Setting(
        name="port",
        group="server",
        default=8765,
        help="The port that HTTP listens on; 0 for any free one.",
        flag="--port",
        low=0,
        high=65_535,
        aliases=("CONTEXTPULL_PORT",),
    ),
    Setting(
        name="token",
        group="server",
        default="",
        help="The bearer token that HTTP clients must send. Prefer the variable: flags are seen by other users.",
        flag="--token",
        secret=True,
    ),
    Setting(
        name="token_file",
        group="server",
        default="",
        help="A file that holds the bearer token as its only line.",
        flag="--token-file",
    ),
    Setting(
        name="allowed_hosts",
        group="server",
        default="",
        help="Further names, separated by commas, under which HTTP clients may address the server.",
        flag="--allowed-hosts",
    ),
    Setting(
        name="allowed_origins",
        group="server",
        default="",
        help="Further origins of web pages, separated by commas, that may call the server over HTTP.",
        flag="--allowed-origins",
    ),
    Setting(
        name="watch",
        group="server",
        default=True,
        help="Whether a served folder is watched and ingested again when it changes.",
        flag="--watch",
    ),
    Setting(
        name="instructions",
        group="server",
        default="",
        help="Replaces the server's instructions; an empty variable gives none.",
        blank=True,
    ),
    Setting(
        name="log",
        group="server",
        default=False,
        help="Whether each tool call is one line on stderr: tool, arguments in short, results, milliseconds.",
        flag="--log",
    ),
    Setting(
        name="log_level",
        group="server",
        default="warning",
        help="What the server writes on stderr; the level of every logger, ours and the libraries'.",
        flag="--log-level",
        choices=("debug", "info", "warning", "error"),
    ),
    Setting(
        name="debug",
        group="command line",
        default=False,
        help="Whether a fault of drawwell's own is shown with its traceback.",
    ),
)
