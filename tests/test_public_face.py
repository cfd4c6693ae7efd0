"""What ``import drawwell`` offers is what ``__all__`` says, and costs nothing until it is used."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import drawwell


def test_all_is_complete() -> None:
    """Each public name can be had, none is listed twice, and ``dir`` gives just these."""
    assert len(set(drawwell.__all__)) == len(drawwell.__all__)
    for name in drawwell.__all__:
        assert getattr(drawwell, name) is not None
    assert dir(drawwell) == sorted(drawwell.__all__)


def test_lazy_names_are_the_declared_ones() -> None:
    """What a type checker sees and what is loaded on first use come from the same places."""
    tree = ast.parse(Path(drawwell.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    declared = {
        name.name: statement.module
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for name in statement.names
    }
    assert declared == drawwell._HOME
    assert set(declared) | {"__version__"} == set(drawwell.__all__)


def test_unknown_names_are_attribute_errors() -> None:
    """A name that is not offered is an AttributeError, so that ``hasattr`` and ``from ... import`` work."""
    assert not hasattr(drawwell, "open_everything")
    with pytest.raises(ImportError):
        exec("from drawwell import open_everything")


def test_import_is_light() -> None:
    """``import drawwell`` loads no database, no server and no parser."""
    heavy = "('sqlite3', 'mcp', 'pydantic', 'pyromark', 'click', 'regex', 're2', 'json')"
    code = f"import sys, drawwell; sys.exit(' '.join(name for name in {heavy} if name in sys.modules) or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def modules() -> list[str]:
    """Every module of the package."""
    return [
        module.name
        for module in pkgutil.walk_packages(drawwell.__path__, "drawwell.")
        if not module.name.endswith("__main__")
    ]


@pytest.mark.parametrize("name", modules())
def test_every_module_says_what_is_public(name: str) -> None:
    """Each module that defines something has a sorted ``__all__`` whose names exist, and a docstring."""
    module = importlib.import_module(name)
    assert module.__doc__ or Path(str(module.__file__)).stat().st_size == 0
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    defines = any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in tree.body)
    assert hasattr(module, "__all__") or not defines
    for item in getattr(module, "__all__", ()):
        assert hasattr(module, item)


def test_every_public_name_has_a_docstring() -> None:
    """Public functions, classes and their methods say what they do."""
    for name in drawwell.__all__:
        value = getattr(drawwell, name)
        if isinstance(value, type) or callable(value):
            assert value.__doc__, name
        if isinstance(value, type):
            for method, function in vars(value).items():
                if callable(function) and not method.startswith("_"):
                    assert function.__doc__, f"{name}.{method}"
