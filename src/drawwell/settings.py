"""Every setting once: its type, default, bounds, help and names. What is in force is ``configuration``'s to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["SETTINGS", "Scalar", "Setting"]

Scalar = bool | int | float | str
"""What a setting can hold."""
_TRUE = frozenset(("1", "true", "yes", "on"))
_FALSE = frozenset(("0", "false", "no", "off"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting.

    Attributes:
        name: its name in files and keywords; upper-cased after ``DRAWWELL_`` its environment variable.
        group: what it is about: ``corpus``, ``models``, ``server`` or ``command line``.
        default: its value when nobody sets it. Its type is the setting's type.
        help: one sentence, for ``--help`` and the reference.
        flag: its command-line option; empty when it has none.
        low: smallest number, included.
        high: largest number, included.
        choices: the texts that it takes; empty for any.
        aliases: other environment variables that set it.
        project: whether a project's file may set it. What reaches out of the project may not be set there,
            since a cloned project is not trusted.
        secret: never shown.
        blank: whether an empty environment variable is a value; otherwise it counts as not set.
    """

    name: str
    group: str
    default: Scalar
    help: str
    flag: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    project: bool = False
    secret: bool = False
    blank: bool = False

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that set it, strongest first."""
        return (f"DRAWWELL_{self.name.upper()}", *self.aliases)

    @property
    def takes(self) -> str:
        """What it takes, in words."""
        if self.choices:
            return " or ".join(self.choices)
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            return "text"
        number = "a whole number" if isinstance(self.default, int) else "a number"
        if self.low is not None and self.high is not None:
            return f"{number} from {self.low:,} to {self.high:,}"
        return number

    def check(self, value: Any) -> Scalar:
        """A value of the setting's own type, from a text of the environment or a value of a file or keyword.

        Raises:
            ValueError: it is not one that the setting takes.
        """
        checked: Scalar
        if isinstance(self.default, bool):
            checked = _boolean(value)
        elif isinstance(self.default, str):
            checked = _text(value)
        elif isinstance(self.default, int):
            checked = _whole(value)
        else:
            checked = _number(value)
        if self.choices and checked not in self.choices:
            raise ValueError(value)
        if self.low is not None and self.high is not None and not self.low <= float(checked) <= self.high:
            raise ValueError(value)
        return checked


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = _text(value).strip().lower()
    if word in _TRUE | _FALSE:
        return word in _TRUE
    raise ValueError(value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise ValueError(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(value)
    return int(value)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(value)
    return float(value)


SETTINGS: tuple[Setting, ...] = (
    Setting(
        name="store",
        group="corpus",
        default="",
        help="The store file to write and read, in place of .drawwell/store.sqlite in the folder.",
        flag="--store",
        aliases=("CONTEXTPULL_STORE",),
    ),
    Setting(
        name="section_max_chars",
        group="corpus",
        default=2000,
        help="Longest section, in characters; only a code block or a table row may be longer.",
        flag="--max-chars",
        low=100,
        high=1_000_000,
        aliases=("CONTEXTPULL_SECTION_MAX_CHARS",),
        project=True,
    ),
    Setting(
        name="section_min_chars",
        group="corpus",
        default=40,
        help="Shorter fragments are merged with their neighbour.",
        flag="--min-chars",
        low=0,
        high=100_000,
        aliases=("CONTEXTPULL_SECTION_MIN_CHARS",),
        project=True,
    ),
    Setting(
        name="section_heading_depth",
        group="corpus",
        default=4,
        help="Headings deeper than this stay inside their parent's section.",
        flag="--heading-depth",
        low=1,
        high=6,
        aliases=("CONTEXTPULL_SECTION_HEADING_DEPTH",),
        project=True,
    ),
    Setting(
        name="index_budget_tokens",
        group="corpus",
        default=3000,
        help="Estimated tokens that the index text may take.",
        flag="--index-budget",
        low=200,
        high=1_000_000,
        aliases=("CONTEXTPULL_INDEX_BUDGET_TOKENS",),
        project=True,
    ),
    Setting(
        name="max_file_bytes",
        group="corpus",
        default=100_000_000,
        help="Larger files are skipped, with the reason.",
        flag="--max-file-bytes",
        low=1,
        high=10_000_000_000,
        project=True,
    ),
    Setting(
        name="respect_gitignore",
        group="corpus",
        default=True,
        help="Whether .gitignore files count beside .drawwellignore and .contextpullignore.",
        flag="--gitignore",
        project=True,
    ),
    Setting(
        name="words",
        group="corpus",
        default=True,
        help="Whether to keep indexes beside the store that make search better and grep fast.",
        flag="--words",
        project=True,
    ),
    Setting(
        name="pdf_password",
        group="corpus",
        default="",
        help="The password of PDF files that are locked. Prefer the variable: flags are seen by other users.",
        flag="--pdf-password",
        secret=True,
    ),
    Setting(
        name="pdf_ocr",
        group="corpus",
        default="",
        help="The command that gives scanned PDF files their text, such as 'ocrmypdf {input} {output}'.",
        flag="--pdf-ocr",
    ),
    Setting(
        name="workers",
        group="corpus",
        default=0,
        help="Parsing processes; 0 for one per core.",
        flag="--workers",
        low=0,
        high=256,
    ),
    Setting(
        name="wait_seconds",
        group="corpus",
        default=600.0,
        help="How long to wait for another ingest of the same store.",
        flag="--wait",
        low=0,
        high=86_400,
    ),
    Setting(
        name="embed",
        group="models",
        default="",
        help="The model that gives sections and questions their vectors, as PROVIDER:MODEL; none when empty.",
        flag="--embed",
        aliases=("CONTEXTPULL_EMBED_MODEL",),
    ),
    Setting(
        name="summarizer",
        group="models",
        default="",
        help="The model that writes the line about each document, as PROVIDER:MODEL; none when empty.",
        flag="--summarizer",
        aliases=("CONTEXTPULL_SUMMARIZER",),
    ),
    Setting(
        name="rerank",
        group="models",
        default="",
        help="The model that judges the best hits of a search once more, as PROVIDER:MODEL; none when empty.",
        flag="--rerank",
    ),
    Setting(
        name="fusion",
        group="models",
        default="convex",
        help="How words and vectors become one order: by their scores, or by their ranks.",
        flag="--fusion",
        choices=("convex", "reciprocal"),
        project=True,
    ),
    Setting(
        name="embed_url",
        group="models",
        default="",
        help="Address of the service that embeds, where it is not the provider's own.",
    ),
    Setting(
        name="summarizer_url",
        group="models",
        default="",
        help="Address of the service that writes summaries, where it is not the provider's own.",
    ),
    Setting(
        name="rerank_url",
        group="models",
        default="",
        help="Address of the service that reranks, where it is not the provider's own.",
    ),
    Setting(
        name="embed_dimension",
        group="models",
        default=0,
        help="Numbers in a vector, for models that can give fewer; 0 for the model's own.",
        low=0,
        high=4096,
        aliases=("EMBEDDING_DIM",),
    ),
    Setting(
        name="embed_window",
        group="models",
        default=0,
        help="Tokens of one text that a model reads; 0 for the model's own.",
        low=0,
        high=2097152,
    ),
    Setting(
        name="embed_query_prompt",
        group="models",
        default="",
        help="The form of a question, with {text} in it, where it is to be another than the model's own.",
    ),
    Setting(
        name="embed_document_prompt",
        group="models",
        default="",
        help="The form of a section, with {title} and {text} in it, likewise.",
    ),
    Setting(
        name="model_timeout",
        group="models",
        default=60.0,
        help="Seconds that one request to a model may take.",
        low=0.1,
        high=3600,
        aliases=("EMBEDDING_TIMEOUT_S",),
    ),
    Setting(
        name="model_attempts",
        group="models",
        default=5,
        help="Requests to a model in all, when they fail in a way that may pass.",
        low=1,
        high=20,
        aliases=("EMBEDDING_RETRY_MAX_ATTEMPTS",),
    ),
    Setting(
        name="model_retry",
        group="models",
        default=1.0,
        help="Seconds before the second of them; each further one waits longer.",
        low=0,
        high=60,
        aliases=("EMBEDDING_RETRY_BASE_DELAY_S",),
    ),
    Setting(
        name="model_concurrency",
        group="models",
        default=3,
        help="Requests to a model at one time.",
        low=1,
        high=64,
        aliases=("EMBEDDING_MAX_CONCURRENT",),
    ),
    Setting(
        name="model_threads",
        group="models",
        default=0,
        help="Threads of a model that runs here; 0 for one per core.",
        low=0,
        high=256,
    ),
    Setting(
        name="models",
        group="models",
        default="",
        help="The folder in which models are kept, in place of one in the user's cache.",
        flag="--models",
    ),
    Setting(
        name="offline",
        group="models",
        default=False,
        help="Whether no model may be fetched.",
        flag="--offline",
    ),
    Setting(
        name="ca_file",
        group="models",
        default="",
        help="A file of certificates to trust besides the usual ones.",
    ),
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
