"""`dream learn apply`: corrections that people made become labelled sentences of a pack (its sentences.jsonl), if what
they change is wanted."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from backbone.packs import Pack
from dream.failures import CommandFailed, Exit
from dream.learning.record import corrected
from dream.packs import lookup
from dream.packs.cases import Case, CasesInvalid, cases, cases_path
from dream.packs.evaluation import Judged, judge, plain
from dream.packs.recognition_probe import listener
from dream.texts import Texts
from understanding.offline.encoder import best_encoder
from understanding.offline.scoring import Line
from understanding.offline.sentences import Sentence, read_sentences


def apply(file: Path, what: str, texts: Texts, *, agreed: bool) -> int:
    """Shows what the corrections would change, and keeps them when that is agreed to. Exit 4 when it is not."""
    pack = lookup.whole(lookup.find(what, texts), texts)
    path = pack.folder / "sentences.jsonl"
    lines = read(file, texts)
    try:
        wanted = new_sentences(lines, pack, read_sentences(path))
    except (ValueError, OSError) as error:
        raise CommandFailed(texts("learn.impossible", why=f"{path}: {error}"), Exit.FAILED) from None
    print(texts("learn.found", count=len(lines), new=len(wanted), pack=pack.name))
    if not wanted:
        return Exit.DONE
    try:
        pairs = effect(pack, wanted, _cases(pack, lines, wanted))
    except CasesInvalid as error:
        raise CommandFailed(texts("learn.impossible", why=error), Exit.FAILED) from None
    _show(wanted, pairs, texts)
    if not (agreed or _agrees(texts)):
        print(texts("learn.left", path=path))
        return Exit.REFUSED
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(with_lines(before, wanted), encoding="utf-8")
    except OSError as error:
        raise CommandFailed(texts("learn.impossible", why=error), Exit.FAILED) from None
    print(texts("learn.kept", count=len(wanted), path=path))
    return Exit.DONE


def read(file: Path, texts: Texts) -> list[Line]:
    """Corrections: of records of `dream export learning`, or lines of its --eval. Raises CommandFailed."""
    found: list[Line] = []
    try:
        rows = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailed(texts("learn.unreadable", why=error), Exit.USAGE) from None
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        try:
            one = json.loads(row)
            one = corrected(one) if "feedback" in one else one
            if one is not None:
                found.append(Line.model_validate(one))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            why = f"{file}, line {number}: {error} ({row[:80]!r})"
            raise CommandFailed(texts("learn.unreadable", why=why), Exit.USAGE) from None
    return found


def new_sentences(lines: Sequence[Line], pack: Pack, known: Sequence[Sentence]) -> list[Sentence]:
    """Those of intents of this pack that it does not have yet; of one sentence what was said last."""
    names = _own_names(pack)
    there = {(one.intent, one.lang, one.text) for one in known} | {
        (spec.intent, language, text)
        for spec in pack.intents
        for language, examples in spec.examples.items()
        for text in examples
    }
    last = {(line.lang, line.text): line for line in lines if len(line.expected) == 1}
    named = ((names.get(line.expected[0].intent), line) for line in last.values())
    return [
        Sentence(lang=line.lang, text=line.text, intent=name)
        for name, line in named
        if name and (name, line.lang, line.text) not in there
    ]


def effect(pack: Pack, wanted: Sequence[Sentence], cases: Sequence[Case]) -> list[tuple[Judged, Judged]]:
    """Every case without and with the new sentences."""
    packs = {**lookup.others(pack.folder, pack.name), pack.name: pack}
    encoder = best_encoder()
    before = judge(listener(packs, None, encoder), cases)
    return list(zip(before, judge(listener(packs, {pack.name: wanted}, encoder), cases), strict=True))


def with_lines(text: str, wanted: Sequence[Sentence]) -> str:
    """The text of a sentences.jsonl with these at its end."""
    ended = "" if not text or text.endswith("\n") else "\n"
    rows = (one.model_dump(mode="json", exclude_defaults=True) for one in wanted)
    return text + ended + "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _own_names(pack: Pack) -> dict[str, str]:
    """Intents as they are understood, by category, and as the pack names them."""
    names: dict[str, str] = {}
    for spec in pack.intents:
        names.setdefault(".".join(spec.intent.split(".")[:2]), spec.intent)
    return names | {spec.intent: spec.intent for spec in pack.intents}


def _cases(pack: Pack, lines: Sequence[Line], wanted: Sequence[Sentence]) -> list[Case]:
    """What was corrected, and what the pack says must be understood."""
    new = {(one.lang, one.text) for one in wanted}
    mine = {(line.lang, line.text): Case(_by_category(line), _by_category(line).expected) for line in lines}
    known = cases(pack) if cases_path(pack) else []
    return [*(case for key, case in mine.items() if key in new), *known]


def _by_category(line: Line) -> Line:
    """A correction teaches an intent; its slots are the business of a reader."""
    category = ".".join(line.expected[0].intent.split(".")[:2]) if line.expected else None
    return line.model_copy(update={"intent": category, "slots": {}, "tasks": ()})


def _show(wanted: Sequence[Sentence], pairs: Sequence[tuple[Judged, Judged]], texts: Texts) -> None:
    console = Console()
    for one in wanted:
        console.print(f"+ {one.intent} [{one.lang}] {one.text}", markup=False, highlight=False)
    table = Table()
    for name in ("eval.case", "eval.expected", "learn.before", "learn.after"):
        table.add_column(texts(name), overflow="fold")
    for before, after in pairs:
        if (before.right, before.heard) != (after.right, after.heard):
            style = "" if before.right == after.right else "green" if after.right else "bold red"
            row = (before.case.key, plain(before.case.expected), plain(before.heard), plain(after.heard))
            table.add_row(*(Text(one, style) for one in row))
    if table.row_count:
        console.print(table)
    right = [sum(one.right for one in side) for side in zip(*pairs, strict=True)]
    print(texts("learn.effect", before=right[0], after=right[1], count=len(pairs)))


def _agrees(texts: Texts) -> bool:
    print(texts("learn.ask"), end=" ", flush=True)
    answer = sys.stdin.readline().strip().casefold()
    return bool(texts.meant(answer, {"yes": "learn.yes"}))
