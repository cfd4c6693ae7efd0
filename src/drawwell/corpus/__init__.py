"""The corpus well: a folder of documents that people write and drawwell only reads."""
