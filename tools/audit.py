"""Look for known faults in every package that the lock pins, by pip-audit.

    python -m tools.audit [options of pip-audit]

pip-audit reads only what is pinned for the system and the Python that it runs on, and takes one version of a
package. So it is given the lock without conditions, in as many parts as there are versions of one package; what it
writes to a file with ``--output`` is about the last part. ``requirements/dev.txt`` holds all of ``core.txt``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import lock

LOCK = lock.ROOT / "requirements" / "dev.txt"
COMMAND = (sys.executable, "-m", "pip_audit", "--strict", "--require-hashes", "--disable-pip")


def parts(text: str) -> list[str]:
    """Cut a lock into requirement files without conditions, each of which names a package once.

    Raises:
        packaging.requirements.InvalidRequirement: an entry is not the requirement of a package.
    """
    found: dict[str, list[str]] = {}
    for entry in lock.entries(text):
        line, _, hashes = entry.partition("\\\n")
        requirement = Requirement(line.strip())
        requirement.marker = None
        found.setdefault(canonicalize_name(requirement.name), []).append(f"{requirement} \\\n{hashes.rstrip()}\n")
    most = max(map(len, found.values()), default=0)
    return ["".join(versions[part] for versions in found.values() if part < len(versions)) for part in range(most)]


def main(arguments: list[str]) -> int:
    """Run the script; the exit code is 1 when a package has a known fault, or when that cannot be told."""
    files = parts(LOCK.read_text(encoding="utf-8"))
    codes = []
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(files, 1):
            path = Path(folder) / f"part{number}.txt"
            path.write_text(text, encoding="utf-8")
            codes.append(subprocess.run([*COMMAND, "-r", str(path), *arguments], cwd=lock.ROOT, check=False).returncode)
    return int(any(codes) or not codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
