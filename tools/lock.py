"""Make the lock files, or check that they match pyproject.toml.

    python tools/lock.py            resolve again (needs a network); keeps pinned versions where they still fit
    python tools/lock.py --upgrade  the same, taking the newest versions
    python tools/lock.py --check    compare with pyproject.toml; needs no network

``requirements/core.txt`` is what ``pip install drawwell`` brings, ``requirements/dev.txt`` that plus every extra and
the tools. Both hold hashes and no address. The first line carries a hash of what pyproject.toml asks for.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
LOCKS = {"core": [], "dev": ["--all-extras", "--group", "dev", "-c", "requirements/core.txt"]}
HEADER = "# Made by `make lock` from pyproject.toml "
PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)(?:\s*;\s*([^\\]+?))?\s*\\?$")


def asked(project: dict[str, Any]) -> dict[str, Any]:
    """Everything in pyproject.toml that the locks depend on."""
    meta = project["project"]
    return {
        "python": meta["requires-python"],
        "core": meta["dependencies"],
        "extras": meta.get("optional-dependencies", {}),
        "groups": project.get("dependency-groups", {}),
        "build": project["build-system"]["requires"],
    }


def stamp(project: dict[str, Any]) -> str:
    """The first line of a lock."""
    digest = hashlib.sha256(json.dumps(asked(project), sort_keys=True).encode()).hexdigest()
    return f"{HEADER}({digest[:32]})"


def compile_lock(name: str, project: dict[str, Any], upgrade: bool) -> None:
    """Resolve one lock and write it.

    Raises:
        subprocess.CalledProcessError: no set of versions fits, or no registry was reached.
    """
    path = ROOT / "requirements" / f"{name}.txt"
    command = [sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", "--universal", "--generate-hashes"]
    command += ["--no-emit-index-url", "--no-emit-find-links", "--no-annotate", "--no-header", "--no-config"]
    command += ["--python-version", "3.11", "-o", str(path), *LOCKS[name], *(["--upgrade"] if upgrade else [])]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    path.write_text(f"{stamp(project)}\n{path.read_text(encoding='utf-8')}", encoding="utf-8")


def pins(text: str) -> dict[str, list[Version]]:
    """The versions that a lock pins, by canonical name (several when they differ by platform)."""
    found: dict[str, list[Version]] = {}
    for line in text.splitlines():
        match = PINNED.match(line)
        if match:
            found.setdefault(canonicalize_name(match[1]), []).append(Version(match[2]))
    return found


def entries(text: str) -> list[str]:
    """The packages that a lock pins, each with its condition and its hashes, as they stand there."""
    return re.split(r"\n(?=[A-Za-z0-9])", text.partition("\n")[2])


def faults(name: str, text: str, project: dict[str, Any]) -> list[str]:
    """What is wrong with a lock, one sentence each."""
    wants = asked(project)
    wrong = []
    if text.partition("\n")[0] != stamp(project):
        wrong.append("was made from another pyproject.toml")
    requirements = list(wants["core"])
    if name == "dev":
        requirements += [item for extra in wants["extras"].values() for item in extra]
        requirements += [item for group in wants["groups"].values() for item in group] + wants["build"]
    pinned = pins(text)
    for requirement in map(Requirement, requirements):
        versions = pinned.get(canonicalize_name(requirement.name), [])
        if not versions or not all(requirement.specifier.contains(version, True) for version in versions):
            wrong.append(f"does not pin {requirement}")
    if "://" in text or "--index-url" in text or "--find-links" in text:
        wrong.append("names an address")
    wrong.extend(f"has no hash for {entry.split()[0]}" for entry in entries(text) if "--hash=sha256:" not in entry)
    return wrong


def main(arguments: list[str]) -> int:
    """Run the script; the exit code is 1 when a lock does not match."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    if "--check" not in arguments:
        for name in LOCKS:
            compile_lock(name, project, "--upgrade" in arguments)
    failed = False
    for name in LOCKS:
        path = ROOT / "requirements" / f"{name}.txt"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for fault in faults(name, text, project):
            print(f"requirements/{name}.txt {fault}; run `make lock`", file=sys.stderr)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
