"""Cases made of the person's own code: mutants that a test of theirs kills, and changes that preserve behaviour.

Python by the standard library's syntax tree; every change is an edit of the text at one place, so that formatting,
comments and line endings stay. `making.mutation_cases` is the way in.
"""
