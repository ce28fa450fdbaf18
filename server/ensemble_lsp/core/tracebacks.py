"""What lines of tracebacks and of test runners' reports look like: for menus, which look at the open text alone."""

import re

_LINE = re.compile(
    r"Traceback \(most recent call last\)"
    r"|\s*File \"[^\"\n]{1,400}\", line \d+"
    r"|(?:FAILED|ERROR) [\w./-]+::\w"
    r"|[\w./-]+\.\w+:\d+: (?:\w*(?:Error|Exception)\b|in \w)"
    r"|\s+at [^\n]{1,300}:\d+\)?$"
    r"|\s+[\w./-]+_test\.go:\d+: "
    r"|thread '[^'\n]{1,200}' panicked at "
)
_LONGEST = 320


def is_of_traceback(line: str) -> bool:
    """Whether one line is a frame, a head or a summary of a traceback: Python, pytest, JavaScript, Java, Go, Rust."""
    return _LINE.match(line[:_LONGEST].rstrip()) is not None
