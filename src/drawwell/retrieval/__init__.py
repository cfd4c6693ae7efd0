"""Stages of a search: candidates, fusion, packing into a budget. They never learn which well is calling."""
