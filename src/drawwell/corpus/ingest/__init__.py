"""From a folder to a store: discover, hash, parse, section, classify, write, index."""
