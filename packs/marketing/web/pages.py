"""HTML pages to reviews: those stated for machines, else the blocks that look like reviews, else the main text. The
reviews that a page states for machines: schema.org Review in JSON-LD."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pydantic import JsonValue

from contracts.shape import JsonObject
from packs.marketing.tables.values import parse_rating
from packs.marketing.web.found import Found, squeezed

Node = Any
"""An element of lxml, which ships no types."""

FEWEST_BLOCKS: Final = 3
_SHORTEST: Final = 5
_BLOCK = re.compile(
    r"(?:^|[-_\s])(?:reviews?|comments?|testimonials?|feedbacks?)(?:$|[-_\s])|review(?:item|card)", re.IGNORECASE
)
_BODY = re.compile(r"(?:^|[-_\s])(?:text|body|content|message|description|review-?body)(?:$|[-_\s])", re.IGNORECASE)
_STARS = re.compile(r"(?<!\d)(\d{1,9}(?:[.,]\d{1,9})?)\s{0,6}(?:/|out of|stars?)", re.IGNORECASE)


def read_page(text: str, url: str) -> list[Found]:
    """No rows when the page has no text to read."""
    import trafilatura

    tree = trafilatura.load_html(text)
    if tree is None:
        return []
    scripts = [str(one.text_content()) for one in tree.xpath("//script[contains(@type, 'ld+json')]")]
    rows = read_linked(scripts)
    title = squeezed(str(tree.findtext(".//title") or ""))
    return rows or _blocks(tree, title) or _main(tree, url)


def _blocks(tree: Node, title: str) -> list[Found]:
    """Siblings called "review" or "comment", the group with most text. Fewer than three are no list of reviews."""
    groups: dict[tuple[Node, str], list[Node]] = defaultdict(list)
    for block in tree.xpath("//body//*[@class]"):
        parent = block.getparent()
        if _BLOCK.search(block.get("class")) and parent is not None:
            groups[parent, f"{block.tag}"].append(block)
    lists = [[_block(block, title) for block in group] for group in groups.values() if len(group) >= FEWEST_BLOCKS]
    filled = [[row for row in rows if len(row.text) >= _SHORTEST] for rows in lists]
    best = max(filled, key=lambda rows: sum(len(row.text) for row in rows), default=[])
    return best if len(best) >= FEWEST_BLOCKS else []


def _block(block: Node, title: str) -> Found:
    bodies = [one for one in block.iterdescendants() if _BODY.search(str(one.get("class") or ""))]
    text = max((squeezed(str(one.text_content())) for one in bodies), key=len, default="")
    dates = [str(one.get("datetime") or one.text_content()) for one in block.iter("time")]
    written = squeezed(dates[0]) if dates else ""
    return Found(text or squeezed(str(block.text_content())), _stars(block), written, title)


def _stars(block: Node) -> str:
    for one in block.iter():
        for name in ("data-rating", "data-score", "aria-label", "title"):
            said = str(one.get(name) or "")
            if parse_rating(said) is not None:
                return said
            if (stars := _STARS.search(said)) is not None:
                return stars[1]
    return ""


def _main(tree: Node, url: str) -> list[Found]:
    import trafilatura

    document = trafilatura.bare_extraction(tree, url=url, include_comments=False, with_metadata=True)
    if document is None or isinstance(document, dict) or not document.text:
        return []
    return [Found(squeezed(document.text), date=document.date or "", product=squeezed(document.title or ""))]


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
