"""Models that judge passages, one file per provider."""
