"""RSS and Atom feeds to reviews. The bytes were fetched by us: the parser itself never goes anywhere."""

import html
import io
import re
from collections.abc import Mapping
from typing import Any, Final

from packs.marketing.tables.values import parse_date
from packs.marketing.web.rows import Found, squeezed

MOST_ENTRIES: Final = 10_000
_TAG = re.compile(r"<[^<>]{0,2000}>")
_RATINGS: Final = ("im_rating", "rating", "review_rating", "ratingvalue")


def read_feed(data: bytes, content_type: str) -> list[Found]:
    """The entries in the feed's order; none when the bytes are no feed."""
    import feedparser  # type: ignore[import-untyped]  # ships no types

    # A stream, because bytes could be taken for the name of a file.
    parsed = feedparser.parse(io.BytesIO(data), response_headers={"content-type": content_type})
    feed = _plain(str(parsed.feed.get("title", "")))
    return [_entry(entry, feed) for entry in parsed.entries[:MOST_ENTRIES]]


def _entry(entry: Mapping[str, Any], feed: str) -> Found:
    title, body = _plain(str(entry.get("title", ""))), _plain(_body(entry))
    rating = next((str(entry[name]) for name in _RATINGS if entry.get(name)), "")
    return Found(
        # The title of a review says as much as the review: "Broke after a week".
        text=body if body.startswith(title) else f"{title}\n{body}".strip(),
        rating=rating,
        date=_date(entry),
        product=feed,
        id=str(entry.get("id", "")),
    )


def _body(entry: Mapping[str, Any]) -> str:
    contents = [str(part.get("value", "")) for part in entry.get("content", [])]
    return max([*contents, str(entry.get("summary", ""))], key=len)


def _date(entry: Mapping[str, Any]) -> str:
    """The writer's own day where we can read it, else the parser's, which is in UTC."""
    for name in ("published", "updated"):
        said, written = str(entry.get(name) or ""), entry.get(f"{name}_parsed")
        if written is not None and parse_date(said) is None:
            return f"{written.tm_year:04}-{written.tm_mon:02}-{written.tm_mday:02}"
        if said:
            return said
    return ""


def _plain(markup: str) -> str:
    return squeezed(html.unescape(_TAG.sub(" ", markup)))
