"""drawwell: draw exactly the text an agent needs, and prove where it came from."""

from drawwell._version import __version__

__all__ = ["__version__"]
