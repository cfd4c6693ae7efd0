"""The corpus store: one SQLite file, its format, its places, its locks."""
