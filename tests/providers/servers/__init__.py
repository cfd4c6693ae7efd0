"""Loopback servers that speak the wire formats of the providers, with faults by script."""
