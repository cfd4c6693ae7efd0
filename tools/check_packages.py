"""Build the wheel and the sdist, and start the wheel, without extras, in a clean environment."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEEL_HAS = ("drawwell/py.typed", "drawwell/cli/main.py", "drawwell/demo/corpus/.drawwellignore")
SDIST_HAS = ("/README.md", "/LICENSE", "/pyproject.toml", "/src/drawwell/__init__.py", "/tests/conftest.py")
SDIST_LACKS = ("/.venv", "/.git/", "/dist/", "/.mypy_cache")


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a program and give its output.

    Raises:
        SystemExit: it failed; what it said is shown.
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith(("DRAWWELL_", "PYTHON"))}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(folder: Path) -> tuple[Path, Path]:
    """Make both packages; gives the wheel and the sdist."""
    run(sys.executable, "-m", "hatchling", "build", "-d", folder)
    wheel, sdist = next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))
    names = zipfile.ZipFile(wheel).namelist()
    with tarfile.open(sdist) as archive:
        packed = archive.getnames()
    for want in WHEEL_HAS:
        if not any(name.startswith(want) for name in names):
            raise SystemExit(f"{wheel.name} lacks {want}")
    for want in SDIST_HAS:
        if not any(name.endswith(want) for name in packed):
            raise SystemExit(f"{sdist.name} lacks {want}")
    for bad in SDIST_LACKS:
        if any(bad in name for name in packed):
            raise SystemExit(f"{sdist.name} holds {bad}")
    return wheel, sdist


def start(wheel: Path, folder: Path) -> None:
    """Install the wheel with the core dependencies only, and use it from another folder."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    command = python.with_name("drawwell.exe" if os.name == "nt" else "drawwell")
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--require-hashes", "-r", ROOT / "requirements" / "core.txt")
    run(*pip, "--no-deps", wheel)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    for line in ((command, "--help"), (python, "-m", "drawwell", "--help")):
        if "Usage: drawwell" not in run(*line, cwd=elsewhere):
            raise SystemExit(f"{line[0]} --help does not begin as it should")
    run(command, "demo", cwd=elsewhere)


def main() -> int:
    """Do it all in a temporary folder."""
    with tempfile.TemporaryDirectory() as temporary:
        wheel, sdist = build(Path(temporary) / "dist")
        start(wheel, Path(temporary) / "venv")
        print(f"packages: {wheel.name} and {sdist.name} are fine")
    return 0


if __name__ == "__main__":
    sys.exit(main())
