"""Models as guests: one file per provider, chosen by name in ``registry``. Wells know them as protocols only."""
