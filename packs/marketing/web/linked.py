"""The reviews that a page states for machines: schema.org Review in JSON-LD."""

import json
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from contracts.shape import JsonObject
from packs.marketing.web.rows import Found, squeezed

_DEEPEST = 12
_MOST_OBJECTS = 20_000


def read_linked(scripts: Sequence[str]) -> list[Found]:
    """The reviews in the order of the page, each once."""
    found: dict[Found, None] = {}
    for script in scripts:
        try:
            whole = json.loads(script.strip())
        except (ValueError, RecursionError):
            continue
        for number, (thing, owner) in enumerate(_things(whole, "")):
            if number > _MOST_OBJECTS:
                break
            if _is(thing, "Review", "UserReview", "CriticReview") and (review := _review(thing, owner)):
                found[review] = None
    return list(found)


def _things(value: JsonValue, owner: str, depth: int = 0) -> Iterator[tuple[JsonObject, str]]:
    """Every object, with the name of the nearest thing around it that is no review and no person."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for one in value:
            yield from _things(one, owner, depth + 1)
    elif isinstance(value, dict):
        yield value, owner
        named = _text(value.get("name")) if not _is(value, "Review", "Person", "WebPage", "WebSite") else ""
        for one in value.values():
            yield from _things(one, named or owner, depth + 1)


def _is(thing: JsonObject, *types: str) -> bool:
    kind = thing.get("@type")
    said = kind if isinstance(kind, list) else [kind]
    return any(isinstance(one, str) and one.rsplit("/", 1)[-1] in types for one in said)


def _review(thing: JsonObject, owner: str) -> Found | None:
    title, body = _text(thing.get("name")), _text(thing.get("reviewBody")) or _text(thing.get("description"))
    text = body if body.startswith(title) else f"{title}\n{body}".strip()
    rating, about = thing.get("reviewRating"), thing.get("itemReviewed")
    if not text:
        return None
    return Found(
        text=text,
        rating=_text(rating.get("ratingValue")) if isinstance(rating, dict) else _text(rating),
        date=_text(thing.get("datePublished")) or _text(thing.get("dateCreated")),
        product=(_text(about.get("name")) if isinstance(about, dict) else _text(about)) or owner,
        id=_text(thing.get("@id")),
    )


def _text(value: JsonValue) -> str:
    if isinstance(value, list):
        value = value[0] if value else None
    return squeezed(str(value)) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
