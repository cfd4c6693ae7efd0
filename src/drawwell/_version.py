"""The version of drawwell."""

__version__ = "0.1.0"
