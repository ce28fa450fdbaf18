"""Which names in a stretch of code are worth looking for in the whole workspace."""

import re

_USE = re.compile(r"(?P<member>\.|->|::)?[ \t]{0,9}\b(?P<name>[A-Za-z_]\w*)[ \t]{0,9}(?P<call>[(!<{]?)")

# Methods of built-in types, and names that every second class has: a definition found by such a name alone
# is hardly ever the one that is meant.
_ANYBODYS = frozenset(name for kind in (str, bytes, list, dict, set, int, float, type) for name in dir(kind)) | {
    "add", "all", "apply", "call", "cancel", "catch", "charAt", "clone", "close", "collect", "concat",
    "connect", "contains", "create", "done", "each", "empty", "end", "entries", "error", "equals", "every", "exec",
    "execute", "expect", "filter", "finally", "find", "findIndex", "first", "flat", "flatMap", "flush", "forEach",
    "from", "getItem", "group", "groups", "has", "hashCode", "includes", "indexOf", "info", "init", "insert",
    "is_empty", "isEmpty", "iter", "join", "last", "len", "length", "load", "log", "main", "map", "match", "new",
    "next", "now", "of", "open", "parse", "path", "post", "print", "println", "push", "put", "read", "reduce",
    "release", "render", "request", "reset", "resolve", "run", "save", "search", "send", "set", "setItem", "shift",
    "size", "slice", "some", "splice", "start", "stop", "String", "Error", "Object", "Array", "Map", "Set", "List",
    "sub", "substring", "test", "then", "toList", "toString", "toUpperCase", "toLowerCase", "trim", "unshift",
    "unwrap", "update", "value", "values", "wait", "warn", "warning", "with", "write", "append", "delete",
}  # fmt: skip


def names_to_look_up(code: str, imports_name_files: bool) -> frozenset[str]:
    """Return names that are called as a member, and, where imports do not name files, any call and any type.

    A word of a string or a comment may be among them; the caller only asks for identifiers.
    """
    names: set[str] = set()
    for use in _USE.finditer(code):
        name = use["name"]
        member_call = use["member"] and use["call"] == "("
        free = not imports_name_files and (use["call"] == "(" or name[0].isupper())
        if (member_call or free) and name not in _ANYBODYS:
            names.add(name)
    return frozenset(names)
