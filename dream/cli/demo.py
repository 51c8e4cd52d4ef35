"""`dream demo`: the main job on a small synthetic data set, in Korean and in English, without a question."""

from importlib.resources import as_file, files
from pathlib import Path

import yaml
from rich.console import Console

from dream.cli.running import Interrupts
from dream.client import target
from dream.client.ask import Request, converse, settle
from dream.client.outcome import Outcome, show
from dream.client.person import Terminal
from dream.failures import CommandFailed, Exit
from dream.texts import Texts

BOTH = ("en", "ko")
"""The Korean one last: its report is the last line."""


async def demo(
    languages: tuple[str, ...], out: Path, data_dir: Path, url: str | None, texts: Texts, interrupts: Interrupts
) -> int:
    """Runs the job once per language; the last lines are the paths of the reports."""
    console = Console(stderr=True)
    console.print(texts("demo.synthetic"), style="bold yellow", markup=False)
    outcomes: list[Outcome] = []
    trouble = Outcome()

    async def jobs() -> None:
        async with target.server(url, data_dir, texts, interrupts) as server:
            for language in languages:
                outcome = await _job(language, server, out, data_dir, texts, console)
                outcomes.append(outcome)

    await settle(jobs(), trouble, texts, interrupts)
    if trouble.exit_code is not None and len(outcomes) < len(languages):
        show(trouble, Console(), console, texts)
        return trouble.exit
    documents = [outcome.document for outcome in outcomes]
    for document in documents:
        if document:
            print(document)
    failed = next((outcome.exit for outcome in outcomes if outcome.exit), Exit.DONE)
    if not failed and not all(documents):
        raise CommandFailed(texts("demo.no_report"))
    return failed


async def _job(
    language: str, server: target.Target, out: Path, data_dir: Path, texts: Texts, console: Console
) -> Outcome:
    with as_file(files("packs.marketing") / "data" / f"demo_reviews_{language}.csv") as data:
        if not data.is_file():
            raise CommandFailed(texts("demo.no_data", file=data))
        sentence = _sentence(language)
        console.print(f"\n[{language}] {sentence}", style="bold", markup=False)
        folder = out / f"demo-{language}"
        request = Request(sentence, data_dir, (data,), language=language, approve=True, out=folder)
        outcome = Outcome()
        await converse(request, server, texts, Terminal(), console, outcome)
    show(outcome, Console(), console, texts)
    return outcome


def _sentence(language: str) -> str:
    """What the person says, in their language, whatever the language of the screen is."""
    text = (files("dream.texts") / f"{language}.yaml").read_text(encoding="utf-8")
    return str(yaml.safe_load(text)["demo.sentence"])
