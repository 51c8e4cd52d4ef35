"""`dream doctor`: a table of what was looked at, and what to do about what is broken."""

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dream.failures import Exit
from dream.ops.checks import CheckResult
from dream.texts import Texts

MARKS = {True: "[green]✔[/]", False: "[red]✘[/]", None: "[dim]–[/]"}


def report(findings: Sequence[CheckResult], texts: Texts, console: Console) -> Exit:
    """Prints the table; BROKEN when something is."""
    table = Table(title=texts("doctor.title"), title_justify="left")
    for column in ("", texts("doctor.check"), texts("doctor.found"), texts("doctor.advice")):
        table.add_column(column, overflow="fold")
    for finding in findings:
        advice = "" if finding.ok else escape(finding.advice)
        table.add_row(MARKS[finding.ok], escape(finding.name), escape(finding.detail), advice)
    console.print(table)
    broken = sum(finding.ok is False for finding in findings)
    console.print(texts("doctor.broken", count=broken) if broken else texts("doctor.well"))
    return Exit.BROKEN if broken else Exit.DONE
