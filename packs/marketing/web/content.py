"""Fetched bytes to a table: what they are is decided by their beginning, then by what the server calls them. RSS and
Atom feeds to reviews. The bytes were fetched by us: the parser itself never goes anywhere."""

import codecs
import html
import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final, Literal
from urllib.parse import unquote, urlsplit

from packs.marketing.tables.decode import decode
from packs.marketing.tables.raw import RawTable, Unreadable
from packs.marketing.tables.read import read_table
from packs.marketing.tables.values import parse_date
from packs.marketing.web.fetch import Fetched
from packs.marketing.web.found import Found, squeezed, table
from packs.marketing.web.pages import read_page

Kind = Literal["feed", "page", "table"]

_BEGINNING: Final = 4_096
_FEED = re.compile(rb"<(?:rss|feed|rdf:RDF|channel)[\s>]", re.IGNORECASE)
_FEEDS: Final = frozenset({"application/rss+xml", "application/atom+xml"})
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
# As browsers read them: pages are written in the wider encoding and named by the narrower.
_WIDER: Final = {"euc_kr": "cp949", "shift_jis": "cp932", "iso8859-1": "cp1252", "ascii": "cp1252"}
_KNOWN: Final = frozenset({"utf-8", "utf-16", "cp949", "cp932", "cp1252", "euc_jp", "iso2022_jp", "gb18030", "big5"})
# A workbook of 20 MB may unpack to a thousand times that.
_MOST_UNPACKED: Final = 200_000_000


@dataclass(frozen=True, slots=True)
class Content:
    """A source's rows. Of a feed and a page the columns are certain."""

    kind: Kind
    table: RawTable


def read_content(page: Fetched) -> Content:
    """Raises Unreadable for what is none of feed, page and table."""
    match kind_of(page):
        case "feed":
            return Content("feed", table(read_feed(page.data, page.content_type), "feed"))
        case "page":
            return Content("page", table(read_page(_text(page), page.url), "page"))
        case "table":
            if page.data.startswith(b"PK\x03\x04"):
                _check_size(page.data)
            return Content("table", read_table(page.data, PurePosixPath(urlsplit(page.url).path).name))


def kind_of(page: Fetched) -> Kind:
    """A server's word counts only where the bytes say nothing: feeds are often called text/html."""
    start = page.data[:_BEGINNING].lstrip(b"\xef\xbb\xbf \t\r\n")
    called = page.content_type.split(";")[0].strip().lower()
    feed, markup = _FEED.search(start), _HTML.search(start)
    if feed and start.startswith(b"<") and not (markup and markup.start() < feed.start()):
        return "feed"
    if markup or start.startswith(b"<") or ("html" in called and b"<" in start):
        return "page"
    return "feed" if called in _FEEDS else "table"


def name_of(url: str) -> str:
    """A source as people call it: host and path. Its query may hold a key that does not belong into a report."""
    parts = urlsplit(url)
    name = f"{parts.hostname or ''}{unquote(parts.path)}".rstrip("/")
    return name if len(name) <= 80 else f"{name[:39]}…{name[-40:]}"


def _text(page: Fetched) -> str:
    head = page.data[:_BEGINNING].decode("latin-1")
    said = _CHARSET.search(page.content_type) or _CHARSET.search(head)
    if said is not None and (encoding := _encoding(said[1])):
        return page.data.decode(encoding, errors="replace")
    decoded = decode(page.data)
    if decoded is None:
        raise Unreadable("binary")
    return decoded.text


def _encoding(name: str) -> str | None:
    """None for what no page should be written in; some of Python's codecs are slow on purpose-built input."""
    try:
        found = codecs.lookup(name).name
    except LookupError:
        return None
    found = _WIDER.get(found, found)
    return found if found in _KNOWN else None


def _check_size(data: bytes) -> None:
    try:
        unpacked = sum(item.file_size for item in zipfile.ZipFile(io.BytesIO(data)).infolist())
    except (zipfile.BadZipFile, ValueError) as error:
        raise Unreadable("workbook") from error
    if unpacked > _MOST_UNPACKED:
        raise Unreadable("workbook")


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
