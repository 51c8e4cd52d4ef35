"""`dream pack eval`: how well the product understands a pack's cases, and with --live what it does with them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from backbone.packs import Pack
from dream.client.dialogue_file import DialogueLine, FileUnusable, read
from dream.failures import CommandFailed, Exit
from dream.packs import lookup
from dream.packs.cases import Case, CasesInvalid, cases, cases_path
from dream.packs.recognition_probe import Listener, listener
from dream.texts import Texts
from understanding.offline.scoring import Expected, Heard
from understanding.offline.scoring import judge as judge_sentence


@dataclass(frozen=True, slots=True)
class Judged:
    """A case and what came of it. `heard` is empty where a question comes instead."""

    case: Case
    right: bool
    heard: tuple[Expected, ...]


def evaluate(what: str, texts: Texts, *, as_json: bool) -> int:
    """Prints the table; exit 1 when a case is not right. Raises CommandFailed."""
    pack = lookup.whole(lookup.find(what, texts), texts)
    every = wanted(pack, texts)
    hearing = listener({**lookup.others(pack.folder, pack.name), pack.name: pack})
    return report(pack, judge(hearing, every), texts, as_json=as_json)


Played = tuple[DialogueLine, Sequence[str]]
"""A dialogue, and what is wrong with its answers."""


def report(
    pack: Pack, judged: Sequence[Judged], texts: Texts, *, as_json: bool, played: Sequence[Played] | None = None
) -> int:
    """Prints what came of the cases and dialogues, and says it as an exit code. `played` None: they were not played."""
    if as_json:
        told = [{"id": one.id, "right": not wrong, "wrong": list(wrong)} for one, wrong in played or ()]
        print(json.dumps({**_as_json(pack, judged), "dialogues": told}, ensure_ascii=False))
    else:
        _show(pack, judged, texts)
        _show_dialogues(pack, played, texts)
    failed = not all(one.right for one in judged) or any(wrong for _, wrong in played or ())
    return Exit.BROKEN if failed else Exit.DONE


def dialogues(pack: Pack, texts: Texts) -> list[DialogueLine]:
    """Those of the pack's dialogues.jsonl, none without it. Raises CommandFailed when they cannot be read."""
    path = pack.folder / "dialogues.jsonl"
    try:
        return read(path, DialogueLine) if path.exists() else []
    except FileUnusable as error:
        raise CommandFailed(texts("pack.cases_broken", why=error), Exit.USAGE) from None


def _show_dialogues(pack: Pack, played: Sequence[Played] | None, texts: Texts) -> None:
    console = Console()
    if played is None:
        if count := len(dialogues(pack, texts)):
            console.print(texts("eval.dialogues_there", count=count, name=pack.name), highlight=False)
        return
    for one, wrong in played:
        for reason in wrong:
            console.print(Text(f"{one.id}: {reason}"))
    if played:
        right = sum(not wrong for _, wrong in played)
        console.print(texts("eval.dialogues", right=right, count=len(played)), highlight=False)


def wanted(pack: Pack, texts: Texts) -> list[Case]:
    """The pack's cases. Raises CommandFailed when there are none, or they cannot be read."""
    try:
        found = cases(pack)
    except CasesInvalid as error:
        raise CommandFailed(texts("pack.cases_broken", why=error), Exit.USAGE) from None
    if not found:
        raise CommandFailed(texts("pack.no_cases", folder=pack.folder), Exit.USAGE)
    return found


def judge(hearing: Listener, wanted: Sequence[Case]) -> list[Judged]:
    """Every case, in order."""
    return [judged(case, hearing.hear(case.line.text, case.line.lang, case.line.now)) for case in wanted]


def judged(case: Case, heard: Heard) -> Judged:
    """A case and what was made of its sentence."""
    if case.expected is not None:
        return Judged(case, judge_sentence(case.expected, heard).right, heard.shown)
    first = heard.tasks[0]
    good = any(one.intent in case.intents for one in heard.tasks) and not heard.unclear
    same = all(first.slots.get(name) == value for name, value in case.figures.items())
    return Judged(case, good and same, heard.shown)


def plain(tasks: Sequence[Expected] | None) -> str:
    """Tasks on one line; a question mark for none."""
    if tasks is None:
        return "*"
    shown = [one.intent + (f" {json.dumps(one.slots, ensure_ascii=False)}" if one.slots else "") for one in tasks]
    return " + ".join(shown) or "?"


def _as_json(pack: Pack, judged: Sequence[Judged]) -> dict[str, Any]:
    return {
        "pack": pack.name,
        "cases": len(judged),
        "right": sum(one.right for one in judged),
        "from": str(cases_path(pack) or "examples"),
        "results": [
            {
                "lang": one.case.line.lang,
                "text": one.case.line.text,
                "right": one.right,
                "expected": None if one.case.expected is None else [task.model_dump() for task in one.case.expected],
                "heard": [task.model_dump() for task in one.heard],
            }
            for one in judged
        ],
    }


def _show(pack: Pack, judged: Sequence[Judged], texts: Texts) -> None:
    table = Table()
    for name in ("eval.case", "eval.expected", "eval.heard"):
        table.add_column(texts(name), overflow="fold")
    for one in judged:
        if not one.right:
            table.add_row(Text(one.case.key), Text(plain(one.case.expected)), Text(plain(one.heard)))
    console = Console()
    if table.row_count:
        console.print(table)
    counts: dict[str, list[bool]] = {}
    for one in judged:
        counts.setdefault(one.case.line.lang, []).append(one.right)
    shown = ", ".join(f"{language} {sum(found)}/{len(found)}" for language, found in sorted(counts.items()))
    key = "eval.done" if cases_path(pack) else "eval.done_examples"
    console.print(texts(key, right=sum(one.right for one in judged), count=len(judged), shown=shown), highlight=False)
