"""A command whose reader has gone ends in silence."""

import subprocess
import sys

PRINTS = """
import typer
from dream.cli.options import work
async def lines(texts):
    for number in range(100_000):
        print("line", number)
    return 0
app = typer.Typer()
app.command()(lambda: work(lines))
app()
"""


def test_whose_reader_has_enough_ends_without_a_word() -> None:
    with subprocess.Popen([sys.executable, "-c", PRINTS], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        assert command.stdout.readline() == b"line 0\n"
        command.stdout.close()
        assert command.stderr.read() == b""
        assert command.wait(60) == 141
