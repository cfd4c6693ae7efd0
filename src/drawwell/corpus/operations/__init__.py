"""The five operations over a store: index, search, read, grep, neighbours."""
