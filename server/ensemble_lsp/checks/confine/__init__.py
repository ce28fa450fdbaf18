"""The process that stands between the engine and code that it runs.

These modules are started by `python -I -S` from the package's own directory: they use the standard library
only, and as little of it as they can, since every check pays for their imports.
"""
