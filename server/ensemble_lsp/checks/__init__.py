"""Witnesses, and the shadow copy and sandbox they run in. Must not know models."""
