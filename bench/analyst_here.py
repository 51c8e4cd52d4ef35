"""Requests about tables in one process, without servers: `python -m bench.analyst_here [--file JSONL --data DIR]`.

Understanding, planning and the tools are the product's; what is left out is that they are recorded and sent. What is
asked of a table is answered (`marketing.ask`); of what is to be made the plan is looked at, and with `--made` it is
made. Hundreds of requests take a minute, so that every change can be measured."""

import argparse
import hashlib
import importlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from backbone import packs
from backbone.packs import Catalogue
from bench import analyst
from bench.analyst import Request, Step
from bench.dialogue_file import misses
from contracts.artifacts import TABLE, Attachment
from contracts.cognitive import CognitiveInput, CognitiveOutput, Route
from contracts.context import Context, FileSeen, Requested
from contracts.shape import JsonObject
from contracts.tools import ToolError, ToolInput
from packs.marketing.asking import chart
from packs.marketing.asking.telling import told
from packs.marketing.tools.profile import opened
from services.cognitive.clarifier import AmbiguityDetector
from services.cognitive.context import last_of
from services.cognitive.domain.ambiguity import Ask, Refuse, Reply, decide
from services.cognitive.domain.outcome import cognitive_output
from services.planning.domain.chain import GoalUnreachable
from services.planning.domain.dependency import PlanInvalid
from services.planning.domain.fitting import Fitting
from services.planning.domain.request import with_addresses
from services.planning.planner import PlanGenerator, PlannerQuestion, available_types, chain_offline
from understanding.offline.encoder import best_encoder
from understanding.port import Offline, Situation, UserTurn, offline, pack_texts

ASK = "marketing.ask"
ZONE = ZoneInfo("Asia/Seoul")


@dataclass(slots=True)
class Told:
    """An answer as bench.analyst looks at one: `response` has what the tools say under `data`."""

    text: str
    tools: tuple[str, ...] = ()
    response: dict[str, Any] = field(default_factory=dict)
    asked_back: bool = False
    planned_only: bool = False

    @property
    def told_figures(self) -> bool:
        return not self.asked_back and not self.planned_only

    def numbers(self, answer: str) -> list[float]:
        return analyst.numbers_in(answer, self.response.get("data"))


class _Context:
    """Of a call of a tool: files are there as they were saved, under a folder that goes with the run."""

    def __init__(self, folder: Path, language: str, catalogue: Catalogue) -> None:
        self._folder, self.language, self._catalogue = folder, language, catalogue
        self.now = datetime.now(UTC)
        self.idempotency_key = "bench"
        self.saved: list[ToolInput] = []

    @property
    def workdir(self) -> Path:
        path = self._folder / "work"
        path.mkdir(exist_ok=True)
        return path

    def inputs(self, type_: str) -> Sequence[ToolInput]:
        return [item for item in self.saved if item.attachment.type == type_]

    def save(self, data: bytes | Path, *, name: str, media_type: str, type_: str, **meta: JsonValue) -> Attachment:
        content = data.read_bytes() if isinstance(data, Path) else data
        digest = hashlib.sha256(content).hexdigest()
        path = self._folder / digest
        path.write_bytes(content)
        saved = Attachment(
            artifact_id=digest, name=name, media_type=media_type, size=len(content), type=type_, meta=dict(meta)
        )
        self.saved.append(ToolInput(attachment=saved, path=path))
        return saved

    def meanings(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        vectors: list[list[float]] = best_encoder().encode(texts).tolist()
        return vectors

    def progress(self, fraction: float, message: str = "") -> None:
        """Nobody waits for it here."""

    def log(self, line: str) -> None:
        """Nobody reads it here."""

    def text(self, key: str, **values: object) -> str:
        return self._catalogue.packs["marketing"].text(self.language, key, **values)


class Product:
    """What all dialogues share: learned once."""

    def __init__(self) -> None:
        self.catalogue = packs.load()
        self.understander: Offline = offline(self.catalogue.packs.values())
        texts = pack_texts(self.catalogue.packs.values())
        self.detector = AmbiguityDetector(texts)
        self.generator = PlanGenerator(self.catalogue)


class Talk:
    """A dialogue: its files, what was asked for last, and a question that waits."""

    def __init__(
        self, product: Product, request: Request, files: Mapping[str, bytes], folder: Path, *, made: bool
    ) -> None:
        self._product, self._request, self._files, self._made = product, request, files, made
        self._context = _Context(folder, request.lang, product.catalogue)
        self._last: Requested | None = None
        self._open: tuple[str, tuple[str, ...]] | None = None

    def say(self, turn: Step) -> Told:
        now = set(turn.attach)
        for name in turn.attach:
            self._context.save(self._files[name], name=name, media_type="application/octet-stream", type_=type_of(name))
        files = [one.attachment for one in self._context.saved if one.attachment.type.startswith("file.")]
        newest = tuple({one.type: one for one in files}.values())
        text, answers = self._open if self._open is not None and not turn.attach else (turn.say, ())
        answers = (*answers, turn.say) if self._open is not None and not turn.attach else ()
        self._open = None
        roles = self._fitting().roles.get(TABLE)
        seen = tuple(
            FileSeen(name=one.name, type=one.type, now=one.name in now, roles=None if roles is None else tuple(roles))
            for one in newest
        )
        given = CognitiveInput(
            text=text, attachments=newest, answers=answers, context=Context(files=seen, last=self._last)
        )
        moment = datetime.now(ZONE)
        found = self._product.understander.read(UserTurn(text, None, answers), Situation.of(given, moment))
        verdict = decide(found, newest)
        output = cognitive_output(found, newest, asks=isinstance(verdict, Ask))
        if output.route is not Route.ANSWER and (not output.requires_clarification or output.tasks):
            self._last = last_of(output)
        self._context.language = output.language
        match verdict:
            case Ask():
                self._open = (text, answers)
                question = self._product.detector.question(verdict, output.language)
                return Told(" ".join([question.text, *(one.label for one in question.options)]), asked_back=True)
            case Reply():
                return Told(self._product.detector.reply(verdict, output.language, moment), asked_back=True)
            case Refuse():
                return Told("refused", asked_back=True)
            case _:
                return self._planned(output)

    def _planned(self, output: CognitiveOutput) -> Told:
        if output.route is not Route.PLAN:
            return Told(f"({output.route})", asked_back=True)
        generator, catalogue = self._product.generator, self._product.catalogue
        try:
            if generator.is_said(output):
                plan = generator.from_steps(UUID(int=0), output, ())
            else:
                hint, available = output.plan_hint, available_types(output.attachments)
                met = self._fitting().met(hint.goals, available, with_addresses(catalogue.tools.values(), output))
                output = output.model_copy(update={"plan_hint": hint.model_copy(update={"goals": met.goals})})
                question = PlannerQuestion(
                    hint=output.plan_hint, available=available, tools=met.tools, text=output.text
                )
                plan = generator.from_steps(UUID(int=0), output, chain_offline(question).steps)
        except (GoalUnreachable, PlanInvalid) as error:
            return Told(repr(error), asked_back=True)
        tools = tuple(todo.tool for todo in plan.todos)
        response: dict[str, Any] = {"data": {}}
        lines: list[str] = []
        asked_back = False
        for todo in plan.todos:
            if todo.tool != ASK and not self._made:
                continue
            before = len(self._context.saved)
            module, _, name = catalogue.tools[todo.tool].entry.partition(":")
            try:
                result: JsonObject = getattr(importlib.import_module(module), name)(todo.params, self._context)
            except ToolError as error:
                lines.append(str(error))
                asked_back = True
                continue
            summary = result.get("summary")
            lines += [str(line) for line in summary] if isinstance(summary, list) else []
            key = todo.tool.partition(".")[2]
            response["data"][key if key not in response["data"] else todo.id] = result
            response.setdefault("attachments", []).extend(
                {"media_type": one.attachment.media_type} for one in self._context.saved[before:]
            )
            asked_back |= todo.tool == ASK and not result["answered"]
        only = not self._made and any(one != ASK for one in tools)
        return Told("\n".join(lines), tools, response, asked_back, only)

    def _fitting(self) -> Fitting:
        tables = self._context.inputs(TABLE)
        if not tables:
            return Fitting()
        try:
            profile = told(*opened(tables[-1], self._context))  # type: ignore[arg-type]  # as much of one as is used
        except ToolError:
            return Fitting()
        return Fitting({TABLE: frozenset(one.role for one in profile.columns if one.role)})


def type_of(name: str) -> str:
    return TABLE if name.rpartition(".")[2].lower() in ("csv", "tsv", "xlsx", "json", "jsonl") else "file.document"


def wrong_with(turn: Step, told_: Told) -> list[str]:
    """As bench.analyst says it; of what was only planned, nothing but the plan."""
    if told_.planned_only:
        return analyst.missing(turn.model_copy(update={"figures": (), "attachments": ()}), told_.text, told_)
    return [*misses(turn, told_.text), *analyst.missing(turn, told_.text, told_)]


def play(
    product: Product, request: Request, files: Mapping[str, bytes], *, made: bool = False
) -> tuple[analyst.Played, list[Told]]:
    played = analyst.Played(request)
    answers: list[Told] = []
    with tempfile.TemporaryDirectory() as folder:
        talk = Talk(product, request, files, Path(folder), made=made)
        for number, turn in enumerate(request.turns, 1):
            answer = answers[-1] if analyst.is_yes(request, number) else talk.say(turn)
            answers.append(answer)
            if wrong := wrong_with(turn, answer):
                played.wrong.append(f"turn {number} {turn.say!r}: the answer {answer.text!r} {'; '.join(wrong)}")
                played.false |= bool(turn.figures) and answer.told_figures
    return played, answers


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.analyst_here", description=__doc__)
    parser.add_argument("--file", type=Path, default=analyst.REQUESTS)
    parser.add_argument("--data", type=Path, default=analyst.REQUESTS.parent / "tables")
    parser.add_argument("--only", default="", help="requests whose id begins so")
    parser.add_argument("--wrong", action="store_true", help="name every request that fails, with what is wrong")
    parser.add_argument("--made", action="store_true", help="make what is asked for, and not the plan alone")
    parser.add_argument("--sets", action="store_true", help="right and false by the first part of the ids")
    given = parser.parse_args(argv)
    requests = [one for one in analyst.read(given.file) if one.id.startswith(given.only)]
    if not given.made:
        chart.draw = lambda *_: b"picture"  # nobody looks at them
    product = Product()
    played = [play(product, one, analyst.load(one, given.data), made=given.made)[0] for one in requests]
    print(json.dumps(analyst.report(played)))
    if given.sets:
        sets: dict[str, Counter[str]] = {}
        for one in played:
            counts = sets.setdefault(one.request.id.partition("-")[0], Counter())
            counts.update(right=not one.wrong, false=one.false, all=True)
        for name, counts in sets.items():
            print(f"{name:<8}{counts['right']:>5} of {counts['all']}, false {counts['false']}")
    for one in played:
        if given.wrong and one.wrong:
            print(f"{one.request.id}{' (false)' if one.false else ''}")
            print("".join(f"  {reason}\n" for reason in one.wrong), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
