"""Makes the folders that the cases run over.

A corpus is a folder ``corpora/<name>/`` copied as it is, or a manifest ``corpora/<name>.toml`` that says in readable
text what each file holds, for bytes, names and sizes that a repository cannot keep. ``sample`` is the corpus that is
shipped with drawwell. Keys of a ``[[file]]``:

* where: ``path`` in the corpus, ``name_hex`` for a name that is no text, or ``outside`` for a file beside the corpus;
* what: ``text`` (in ``encoding``, with ``bom``), ``hex``, ``parts``, ``numbered`` ({text, first, last}: ``{n}``
  counts), ``nested`` ({item, indent, levels}: each line deeper than the one before), ``word``, ``workbook``, ``deck``
  and ``package`` (see ``tests/office.py``; ``strict = true`` for the strict form), ``pdf`` (see
  ``tests/pdfs.py``); or ``symlink``, ``fifo`` or ``folder``;
* ``copies`` ({first, last, width}) makes several, numbered where path and text say ``{n}``.
"""

from __future__ import annotations

import codecs
import os
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drawwell.demo import copy_corpus
from tests import office, pdfs

__all__ = ["CORPORA", "build", "content", "options_of"]

CORPORA = Path(__file__).parent / "corpora"
_MARKS = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}


def build(name: str, place: Path) -> Path:
    """Make a corpus.

    Args:
        name: its name in ``corpora``, or ``sample``.
        place: an empty folder; the corpus becomes its folder ``corpus``.

    Returns:
        The corpus.
    """
    root = place / "corpus"
    if name == "sample":
        return copy_corpus(root)
    if (CORPORA / name).is_dir():
        shutil.copytree(CORPORA / name, root)
    root.mkdir(exist_ok=True)
    for entry in _manifest(name).get("file", []):
        for one in _copies(entry):
            _make(one, root)
    return root


def options_of(name: str) -> dict[str, Any]:
    """The options that a corpus is ingested with."""
    options: dict[str, Any] = _manifest(name).get("options", {})
    return options


def content(entry: dict[str, Any]) -> bytes:
    """The bytes of a file that a manifest or a case describes."""
    encoding = entry.get("encoding", "utf-8")
    mark = _MARKS[encoding] if entry.get("bom") else b""
    if "hex" in entry:
        return bytes.fromhex(entry["hex"])
    for kind in (office.word, office.workbook, office.deck):
        if kind.__name__ in entry:
            made = kind(**entry[kind.__name__])
            return office.strict(made) if entry.get("strict") else made
    if "pdf" in entry:
        return pdfs.pdf(**entry["pdf"])
    if "package" in entry:
        return office.package(entry["package"])
    if "numbered" in entry:
        spec = entry["numbered"]
        text = "".join(spec["text"].replace("{n}", str(n)) for n in range(spec["first"], spec["last"] + 1))
        return mark + text.encode(encoding)
    if "nested" in entry:
        spec = entry["nested"]
        lines = [spec["indent"] * level + spec["item"] for level in range(spec["levels"])]
        return mark + "\n".join(lines).encode(encoding)
    return mark + b"".join(_part(part, encoding) for part in entry.get("parts", [entry.get("text", "")]))


def _part(part: str | dict[str, Any], encoding: str) -> bytes:
    if isinstance(part, str):
        return part.encode(encoding)
    if "hex" in part:
        return bytes.fromhex(part["hex"])
    return (part["repeat"] * part["times"]).encode(encoding)


def _manifest(name: str) -> dict[str, Any]:
    path = CORPORA / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _copies(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "copies" not in entry:
        yield entry
        return
    spec = entry["copies"]
    for number in range(spec["first"], spec["last"] + 1):
        n = f"{number:0{spec['width']}}"
        yield {"path": entry["path"].replace("{n}", n), "text": entry["text"].replace("{n}", n)}


def _make(entry: dict[str, Any], root: Path) -> None:
    if "outside" in entry:
        path = root.parent / "outside" / entry["outside"]
    elif "name_hex" in entry:
        path = root / os.fsdecode(bytes.fromhex(entry["name_hex"]))
    else:
        path = root / entry["path"]
    path.parent.mkdir(parents=True, exist_ok=True)
    if "symlink" in entry:
        path.symlink_to(entry["symlink"])
    elif entry.get("fifo"):
        os.mkfifo(path)
    elif entry.get("folder"):
        path.mkdir()
    else:
        path.write_bytes(content(entry))
