"""What members are asked, word by word.

Every call has the same three parts: the system message (`shared.SYSTEM`, the same bytes for everybody), the
dossier as quoted data (the same bytes for all members of one job that write in the same form), and last the
task. What comes from a repository, a tool or another member is always quoted (`quoting`), never spoken.

At most 2,000 tokens of a call are our own words.
"""
