"""Fail when a module or a function is too long to be about one thing.

A module has at most 400 lines; a function at most 50, its docstring not counted. There are no exceptions.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULE_LINES = 400
FUNCTION_LINES = 50

Function = ast.FunctionDef | ast.AsyncFunctionDef


def length(node: Function) -> int:
    """Lines of a function without its decorators and docstring."""
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def faults(path: Path) -> list[str]:
    """What is too long in one module."""
    name = path.relative_to(ROOT).as_posix()
    source = path.read_text(encoding="utf-8")
    found = []
    lines = source.count("\n")
    if lines > MODULE_LINES:
        found.append(f"{name}: {lines} lines, at most {MODULE_LINES}")
    found.extend(
        f"{name}:{node.lineno}: {node.name} has {length(node)} lines, at most {FUNCTION_LINES}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, Function) and length(node) > FUNCTION_LINES
    )
    return found


def main() -> int:
    """Check the package and the tools."""
    found = [
        fault for folder in ("src", "tools") for path in sorted((ROOT / folder).rglob("*.py")) for fault in faults(path)
    ]
    print("\n".join(found) or "sizes: fine", file=sys.stderr if found else sys.stdout)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
