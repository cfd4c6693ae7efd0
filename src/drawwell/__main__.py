"""``python -m drawwell``."""

from __future__ import annotations

from drawwell.cli.main import main

__all__: list[str] = []

if __name__ == "__main__":
    main()
