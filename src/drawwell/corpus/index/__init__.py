"""The map of a corpus as text within a budget."""
