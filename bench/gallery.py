"""Everything the marketing pack can make, in one folder with an index page: `python -m bench.gallery [--out F]`.

Each case of the pack (cases.yaml) is asked as a person would ask it, through `dream ask`, on a server of this call."""

import argparse
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rich.console import Console

from bench.demo.reviews import table
from dream.cli.running import Interrupts, run
from dream.client import target
from dream.client.ask import Request, converse
from dream.client.outcome import Outcome
from dream.client.person import Terminal
from dream.texts import Texts
from understanding.kit.data import read_data

LANGUAGES = ("ko", "en", "ja")
REVIEWS = ("demo_reviews", "demo_films", "demo_shop")
"""Tables of products, films and a shop: what is said of one must suit the others."""


@dataclass(frozen=True, slots=True)
class GalleryCase:
    """A sentence, the file it is about, and what must come of it."""

    name: str
    language: str
    sentence: str
    file: str
    tool: str
    format: str
    types: tuple[str, ...]

    @property
    def place(self) -> str:
        """The folder of what comes of it."""
        return f"{self.name}-{self.file.removeprefix('demo_')}-{self.language}"


@dataclass(slots=True)
class Exhibit:
    """What came of a case. `faults` says what was expected and is not there."""

    case: GalleryCase
    outcome: Outcome
    seconds: float
    faults: list[str] = field(default_factory=list)


def cases(
    names: Sequence[str] = (), languages: Sequence[str] = LANGUAGES, tables: Sequence[str] = REVIEWS[:1]
) -> list[GalleryCase]:
    """The pack's cases in the order of its file, each in every language and, if it is about reviews, of every table."""
    return [
        GalleryCase(
            one["name"],
            language,
            one["sentence"][language],
            table,
            one["tool"],
            one["format"],
            tuple(one["types"]),
        )
        for one in _known()
        if not names or one["name"] in names
        for table in (tables if one["file"] in REVIEWS else (one["file"],))
        for language in languages
    ]


@cache
def _known() -> list[dict[str, Any]]:
    known: list[dict[str, Any]] = read_data(Path(str(files("packs.marketing") / "cases.yaml")))
    return known


async def make(
    wanted: Sequence[GalleryCase], folder: Path, server: target.Target, texts: Texts, tell: Console
) -> list[Exhibit]:
    """Asks every case in turn; files go to <folder>/<name>-<language>."""
    exhibits = []
    for case in wanted:
        begun = time.monotonic()
        outcome = Outcome()
        place = folder / case.place
        # what an earlier call left would stand beside the new files, under a name that says nothing
        shutil.rmtree(place, ignore_errors=True)
        path = folder / f"{case.file}_{case.language}.csv"
        path.write_bytes(table(case.file, case.language))
        request = Request(
            case.sentence, folder / ".dream", (path,), language=case.language, approve=True, out=place, json=True
        )
        await converse(request, server, texts, Terminal(silent=True), Console(quiet=True), outcome)
        exhibit = Exhibit(case, outcome, time.monotonic() - begun)
        exhibit.faults = faults(exhibit)
        exhibits.append(exhibit)
        mark = "ok" if not exhibit.faults else "; ".join(exhibit.faults)
        tell.print(f"{case.place}: {exhibit.seconds:.1f} s, {mark}", markup=False, highlight=False)
    return exhibits


def faults(exhibit: Exhibit) -> list[str]:
    """What the case expects and the outcome does not have."""
    case, outcome = exhibit.case, exhibit.outcome
    found = []
    if outcome.status != "completed":
        found.append(f"the run is {outcome.status}: {outcome.error}")
    tools = {todo["tool"] for event in outcome.events if event["event"] == "PlanningOutput" for todo in _todos(event)}
    if case.tool not in tools:
        found.append(f"{case.tool} is not in the plan of {sorted(tools)}")
    made = (outcome.response or {}).get("format")
    if made != case.format:
        found.append(f"the format is {made}, expected {case.format}")
    types = {one["type"] for one in outcome.attachments}
    found += [f"no {type_} among {sorted(types)}" for type_ in case.types if type_ not in types]
    return found


def _todos(event: Any) -> list[dict[str, Any]]:
    todos: list[dict[str, Any]] = event["data"]["plan"]["todos"]
    return todos


def index(exhibits: Sequence[Exhibit], folder: Path) -> Path:
    """Writes the index page: sentence, answer, and every file where a browser can show it."""
    sections = "\n".join(_section(exhibit, folder) for exhibit in exhibits)
    page = folder / "index.html"
    page.write_text(_PAGE.replace("{sections}", sections), encoding="utf-8")
    return page


def _section(exhibit: Exhibit, folder: Path) -> str:
    case, outcome = exhibit.case, exhibit.outcome
    answer = escape(str((outcome.response or {}).get("text", "")))
    shown = "\n".join(_shown(Path(str(one["path"])), folder) for one in outcome.attachments)
    bad = "".join(f'<p class="fault">{escape(fault)}</p>' for fault in exhibit.faults)
    return (
        f'<section lang="{case.language}"><h2>{escape(case.sentence)}</h2>'
        f"<p class=meta>{escape(case.file)} · "
        f"{escape(case.tool)} · {escape(case.format)} · {exhibit.seconds:.1f} s</p>{bad}"
        f"<pre>{answer}</pre><div class=files>{shown}</div></section>"
    )


def _shown(path: Path, folder: Path) -> str:
    href = quote(str(path.resolve().relative_to(folder.resolve())))
    name = escape(path.name)
    match path.suffix.lower():
        case ".png":
            body = f'<img src="{href}" alt="{name}">'
        case ".mp4":
            body = f'<video src="{href}" controls muted preload="metadata"></video>'
        case ".pdf" | ".html":
            body = f'<iframe src="{href}" title="{name}"></iframe>'
        case _:
            body = '<span class="other">▤</span>'
    return f'<figure>{body}<figcaption><a href="{href}">{name}</a></figcaption></figure>'


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dream Agent: gallery</title>
<style>
  body { font: 16px/1.5 system-ui, "Noto Sans KR", sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem;
         color: #1c2430; background: #f6f7f9 }
  section { background: #fff; border-radius: 12px; padding: 1rem 1.5rem; margin: 1.5rem 0;
            box-shadow: 0 1px 4px #0002 }
  h2 { margin: 0; font-size: 1.2rem } .meta { color: #667; margin: .2rem 0 } .fault { color: #b00 }
  pre { white-space: pre-wrap; font: inherit; background: #f3f5f8; padding: .8rem; border-radius: 8px }
  .files { display: flex; flex-wrap: wrap; gap: 1rem } figure { margin: 0; width: 22rem; max-width: 100% }
  img, video, iframe { width: 100%; border: 1px solid #d7dce3; border-radius: 8px; background: #fff }
  iframe { height: 26rem } figcaption { font-size: .85rem } .other { font-size: 4rem; color: #99a }
</style></head><body><h1>Dream Agent: gallery</h1>
{sections}
</body></html>
"""


async def _main(options: argparse.Namespace, interrupts: Interrupts) -> int:
    folder = options.out.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    console, texts = Console(stderr=True), Texts("en")
    exhibits: list[Exhibit] = []

    async def work() -> None:
        async with target.server(options.url, folder / ".dream", texts, interrupts) as server:
            exhibits.extend(
                await make(
                    cases(options.case, options.language or LANGUAGES, options.table or REVIEWS),
                    folder,
                    server,
                    texts,
                    console,
                )
            )

    await interrupts.guard(work())
    print(index(exhibits, folder))
    return 1 if any(exhibit.faults for exhibit in exhibits) else 0


def main(argv: list[str]) -> int:
    """Makes the gallery; exit code 1 when a case did not give what it should."""
    parser = argparse.ArgumentParser(prog="python -m bench.gallery", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/gallery"))
    parser.add_argument("--url", help="a running server; none = one for this call")
    parser.add_argument("--case", action="append", default=[], help="only this case; may be repeated")
    parser.add_argument("--table", action="append", choices=REVIEWS, help="only reviews of this table")
    parser.add_argument("--language", action="append", choices=LANGUAGES, help="only this language")
    options = parser.parse_args(argv)
    return run(lambda interrupts: _main(options, interrupts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
