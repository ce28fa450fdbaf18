"""Measurements of the product; run from the repository's root as `python -m benchmarks.NAME`."""
