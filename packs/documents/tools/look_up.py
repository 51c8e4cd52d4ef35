"""documents.look_up: what the documents say about a question."""

from collections.abc import Sequence

from contracts.shape import JsonObject, JsonValue
from contracts.tools import ToolContext, ToolError, ToolInput
from packs.documents.answering import Answer, each_answered
from packs.documents.balancing import balanced
from packs.documents.computing import Computed, computed
from packs.documents.evidence import Meanings
from packs.documents.formats.opening import read
from packs.documents.formats.pages import Unreadable
from packs.documents.passages import Passage, passages
from packs.documents.reckoning import LOOKED_AT
from packs.documents.shelf import documents, mentioned, named, without
from packs.documents.tallying import tallied
from packs.documents.tools.read_document import unreadable
from packs.documents.worked_out import formula, minutes_of, named_by, reckoned

MOST_DOCUMENTS = 20
PASSAGES = 8
MOST_TERMS = 12
WAYS = (tallied, balanced, computed)
MOST_KEPT = 20_000
"""Passages that are kept, of all files together: some ten books of a hundred pages."""


def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Raises DOCUMENT_UNKNOWN, and where there is nothing else to look in DOCUMENT_UNREADABLE and the like."""
    question = str(params["question"])
    chosen = _chosen(params, question, context)
    known: list[list[tuple[str, Passage]]] = []
    failed: list[ToolError] = []
    for one in chosen:
        try:
            known.append([(one.attachment.name, passage) for passage in _read(one, context)])
        except ToolError as error:
            failed.append(error)
    if failed and not known:
        raise failed[0]
    asked = without(question, [one.attachment.name for one in chosen]) or question
    groups = known if params.get("each") else [[pair for some in known for pair in some]]
    meanings = _remembered(context.meanings)
    found = [
        (group, part, answer) for group in groups for part, answer in each_answered(group, asked, meanings, LOOKED_AT)
    ]
    answers: list[JsonValue] = [
        _told(answer, group)
        | {"computed": _computed(group, part.text, meanings), "reckoned": worked_out(part.text, answer, meanings)}
        | ({"asked": part.said} if part.text != asked else {})
        for group, part, answer in found
    ]
    unread: list[JsonValue] = [error.message for error in failed]
    sources = {(first.document, first.passage.page): None for _, _, one in found for first in one.best[:1]}
    return {
        "answers": answers,
        "unread": unread,
        "sources": [{"document": name, **({"pages": [page, page]} if page else {})} for name, page in sources],
    }


def _remembered(meanings: Meanings) -> Meanings:
    """Each text once: a call has vectors of some hundreds, and figures are looked at by the words of the passages."""
    known: dict[str, Sequence[float]] = {}

    def of(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            vectors = meanings(new)
            if len(vectors) != len(new):
                return ()
            known.update(zip(new, vectors, strict=True))
        return [known[text] for text in texts]

    return of


def _computed(group: Sequence[tuple[str, Passage]], asked: str, meanings: Meanings) -> JsonObject | None:
    """What is computed from one of the documents; where several would do, none is meant plainly."""
    names = dict.fromkeys(name for name, _ in group)
    some: list[tuple[str, Computed]] = []
    for name in names:
        own = [passage for other, passage in group if other == name]
        if found := next(filter(None, (way(asked, own, meanings) for way in WAYS)), None):
            some.append((name, found))
    if len(some) != 1:
        return None
    name, one = some[0]
    terms: list[JsonValue] = list(one.terms[:MOST_TERMS])
    told: JsonObject = {"document": name, "page": one.page, "kind": one.kind, "value": one.value, "of": one.of}
    return told | {"row": one.row, "terms": terms, "number": len(one.terms), "sure": one.sure}


def worked_out(asked: str, answer: Answer, meanings: Meanings) -> list[JsonValue]:
    """What follows from two or three figures of the passages, most likely first."""
    return [
        {
            "kind": one.kind if (minutes := minutes_of(one)) is None else "lasting",
            "formula": formula(one),
            "value": one.value if minutes is None else minutes,
            "of": [named_by(term) for term in one.terms[:MOST_TERMS]],
            "chance": round(chance, 3),
        }
        for one, chance in reckoned(asked, answer, meanings)
    ]


def _chosen(params: JsonObject, question: str, context: ToolContext) -> Sequence[ToolInput]:
    there = documents(context)[-MOST_DOCUMENTS:]
    wanted = params.get("documents")
    if isinstance(wanted, list) and wanted:
        return [named(context, str(name)) for name in wanted]
    names = mentioned(question, [one.attachment.name for one in there])
    return [one for one in there if one.attachment.name in names] or there


def _read(one: ToolInput, context: ToolContext) -> list[Passage]:
    """Its passages; those of the last few files stay with the process, which ends soon after its last question."""
    known = _kept.pop(one.attachment.artifact_id, None)
    if known is None:
        try:
            _, pages = read(one.path, one.attachment.name)
        except Unreadable as error:
            raise unreadable(error, one.attachment.name, context) from error
        known = passages(pages)
    _kept[one.attachment.artifact_id] = known
    while len(_kept) > 1 and sum(map(len, _kept.values())) > MOST_KEPT:
        del _kept[next(iter(_kept))]
    return known


_kept: dict[str, list[Passage]] = {}
"""By the SHA-256 of the file: who asks has the file."""


def _told(answer: Answer, group: Sequence[tuple[str, Passage]]) -> JsonObject:
    own = group[0][1].text if len({name for name, _ in group}) == 1 else ""  # who asks of one document knows which
    each = {
        (one.document, one.passage.quote): one for one in reversed(answer.best)
    }  # a line that two sentences stand in
    best = [one for one in answer.best if each[one.document, one.passage.quote] is one]
    shown: list[JsonValue] = [
        {
            "document": one.document,
            "page": one.passage.page,
            "title": "" if one.passage.title == own else one.passage.title,
            "text": one.passage.quote,
            "score": one.chance,
        }
        for one in best[:PASSAGES]
    ]
    return {"holds": answer.holds, "near": answer.near, "missing": list(answer.missing), "passages": shown}
