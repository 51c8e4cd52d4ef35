"""What can be said of a file of SQL without a database: its statements, each with its line, and what is no SQL at all.

It splits as psql does: semicolons in strings, comments, brackets and bodies of functions end nothing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<blank>--[^\n]*|/\*)
    |(?P<text>\b[eE]'(?:[^'\\]|\\.|'')*+'|'(?:[^']|'')*+'|"(?:[^"]|"")*+"|(?<![\w$])\$(?:[^\W\d]\w*)?\$)
    |(?P<atomic>\bbegin\s+atomic\b)|(?P<case>\bcase\b)|(?P<end>\bend\b)
    |(?P<open>\()|(?P<close>\))|(?P<over>;)|(?P<unended>['"])
    |(?P<word>\w+|\S)""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_BLOCK = re.compile(r"/\*|\*/")
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_COMMANDS = frozenset(
    [
        "abort",
        "alter",
        "analyse",
        "analyze",
        "begin",
        "call",
        "checkpoint",
        "close",
        "cluster",
        "comment",
        "commit",
        "copy",
        "create",
        "deallocate",
        "declare",
        "delete",
        "discard",
        "do",
        "drop",
        "end",
        "execute",
        "explain",
        "fetch",
        "grant",
        "import",
        "insert",
        "listen",
        "load",
        "lock",
        "merge",
        "move",
        "notify",
        "prepare",
        "reassign",
        "refresh",
        "reindex",
        "release",
        "reset",
        "revoke",
        "rollback",
        "savepoint",
        "security",
        "select",
        "set",
        "show",
        "start",
        "table",
        "truncate",
        "unlisten",
        "update",
        "vacuum",
        "values",
        "with",
    ]
)
TRANSACTION = frozenset({"abort", "begin", "commit", "end", "release", "rollback", "savepoint", "start"})
"""What begins, divides or ends a transaction: all migrations share one, which is not a file's to end."""


@dataclass(frozen=True, slots=True)
class Statement:
    """`text` is without the semicolon and without what stands before its first word."""

    line: int
    text: str

    @property
    def word(self) -> str:
        """What it begins with, in small letters; empty for what begins with no letter."""
        found = _WORD.match(self.text)
        return found[0].lower() if found else ""

    @property
    def of_transaction(self) -> bool:
        return self.word in TRANSACTION or bool(re.match(r"prepare\s+transaction\b", self.text, re.IGNORECASE))


@dataclass(frozen=True, slots=True)
class Fault:
    """`what`: `unended` for a string, comment, body or bracket that begins at the line and has no end; `word` for a
    statement that begins with no command of SQL; `transaction` for one that is about a transaction."""

    line: int
    what: str
    text: str


def statements(sql: str) -> list[Statement]:
    """In order; what has no end goes to the end of the file."""
    return [one for one in _parts(sql) if isinstance(one, Statement)]


def faults(sql: str) -> list[Fault]:
    """In order. None is no promise: names, types and the grammar are the database's to judge."""
    found: list[Fault] = []
    for part in _parts(sql):
        if isinstance(part, Fault):
            found.append(part)
        elif part.of_transaction:
            found.append(Fault(part.line, "transaction", part.text.split("\n")[0]))
        elif part.word not in _COMMANDS and not part.text.startswith("("):
            found.append(Fault(part.line, "word", part.text.split("\n")[0]))
    return found


def line_at(sql: str, place: int) -> int:
    return sql.count("\n", 0, place) + 1


def _parts(sql: str) -> Iterator[Statement | Fault]:
    start, brackets, bodies = -1, list[int](), 0
    for kind, at in _marks(sql):
        if kind == "unended":
            yield Fault(line_at(sql, at), kind, sql[at : at + 2].strip())
        if kind == "over" and not brackets and not bodies:
            if start >= 0:
                yield Statement(line_at(sql, start), sql[start:at].strip())
            start = -1
        elif kind != "blank" and start < 0:
            start = at
        brackets = [*brackets, at] if kind == "open" else brackets[:-1] if kind == "close" else brackets
        if kind == "atomic" or (bodies and kind in ("case", "end")):
            bodies += -1 if kind == "end" else 1
    if brackets:
        yield Fault(line_at(sql, brackets[0]), "unended", "(")
    if start >= 0:
        yield Statement(line_at(sql, start), sql[start:].strip())


def _marks(sql: str) -> Iterator[tuple[str, int]]:
    """What matters to where a statement ends, with its place; nothing comes behind what has no end."""
    place = 0
    while found := _TOKEN.search(sql, place):
        kind, place = str(found.lastgroup), found.end()
        if found[0] == "/*" or (found[0].startswith("$") and kind == "text"):
            place = _end_of(sql, found)
        if place < 0 or kind == "unended":
            yield "unended", found.start()
            return
        yield kind, found.start()


def _end_of(sql: str, found: re.Match[str]) -> int:
    """Where the comment or the body that begins there is over; -1 for never. Comments nest."""
    if found[0] != "/*":
        at = sql.find(found[0], found.end())
        return at if at < 0 else at + len(found[0])
    depth = 1
    for mark in _BLOCK.finditer(sql, found.end()):
        depth += 1 if mark[0] == "/*" else -1
        if not depth:
            return mark.end()
    return -1
