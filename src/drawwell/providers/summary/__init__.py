"""Models that write summaries, one file per provider."""
