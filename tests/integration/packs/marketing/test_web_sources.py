"""Feeds, pages and tables on the web become rows of reviews; a source that fails does not lose the others."""

import gzip
import io
import json
import zipfile
from typing import Any

import jsonschema
import openpyxl
import pytest

from contracts.errors import Code
from contracts.tools import ToolError
from packs.marketing.artifacts import RAW, read_reviews
from packs.marketing.tools import collector
from tests.unit.packs.marketing.context import PACK
from tests.unit.packs.marketing.site import OPEN, Answer, serving
from understanding.kit.data import read_data

CSV = "review,rating,date,product\nVery good bag,5,2024-01-05,Bag\nBroke at once,1,2024-02-06,Bag\n"
RSS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE rss [<!ENTITY secret SYSTEM "file:///etc/passwd">]>
<rss version="2.0" xmlns:im="http://itunes.apple.com/rss"><channel><title>Reviews of the Clean Robot</title>
<item><title>Broke after a week</title><description>&lt;p&gt;The brush &lt;b&gt;stopped&lt;/b&gt; &amp;amp; smelt. &secret;&lt;/p&gt;</description>
<pubDate>Tue, 05 Mar 2024 23:30:00 -0800</pubDate><guid>r-1</guid><im:rating>1</im:rating></item>
<item><title>Great</title><description>Great helper for our flat</description><pubDate>2024-03-09</pubDate></item>
<item><description>청소가 정말 편해졌어요</description></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Kettle</title>
<entry><title>Nice</title><updated>2024-05-01T10:00:00Z</updated><id>urn:1</id>
<content type="html">&lt;p&gt;Boils fast.&lt;/p&gt;</content></entry></feed>"""
PRODUCT = {
    "@context": "https://schema.org",
    "@graph": [
        {
            "@type": ["Product", "Thing"],
            "name": "Kettle K2",
            "aggregateRating": {"@type": "AggregateRating", "ratingValue": 3.5, "reviewCount": "120"},
            "review": [
                {
                    "@type": "Review",
                    "name": "Loud",
                    "reviewBody": "Boils fast but   loud.",
                    "datePublished": "2024-04-02",
                    "reviewRating": {"@type": "Rating", "ratingValue": "3", "bestRating": "5"},
                    "author": {"@type": "Person", "name": "Kim Secret"},
                },
                {
                    "@type": "http://schema.org/Review",
                    "description": "正直、期待以上でした",
                    "reviewRating": {"ratingValue": 5},
                },
                {"@type": "Review", "author": "nobody"},
            ],
        }
    ],
}
LINKED = f"""<!DOCTYPE html><html><head><title>Shop</title><script type="application/ld+json">{{broken</script>
<script type="application/ld+json">{json.dumps(PRODUCT)}</script></head><body><p>Welcome to the shop.</p></body></html>"""
BLOCKS = (
    "<html><head><title>Blender B1</title></head><body><div class='review-list'>"
    + "".join(
        f"<div class='review-item'><span class='stars' aria-label='{stars} out of 5 stars'></span>"
        f"<time datetime='2024-06-0{stars}T10:00'>June</time><p class='review-text'>{text}</p><a>Helpful?</a></div>"
        for stars, text in ((5, "Smooth every time"), (2, "The lid leaks a lot"), (4, "Strong motor, good value"))
    )
    + "</div></body></html>"
)
ARTICLE = (
    "<html><head><title>A year with the blender</title><meta property='article:published_time' content='2024-07-01'>"
    "</head><body><nav><a href='/'>Home</a></nav><article><h1>A year with the blender</h1>"
    + "".join(
        f"<p>In month {number} it worked well and the family still uses it nearly every single day.</p>"
        for number in range(1, 8)
    )
    + "</article><footer>Imprint</footer></body></html>"
)


@pytest.fixture(scope="module")
def house():
    with serving() as site:
        yield site


@pytest.fixture
def site(house):
    house.pages.clear()
    return house


@pytest.fixture
def collect(ctx):
    """The collector with loopback allowed, held to its YAML as `run` is."""
    spec = read_data(PACK / "tools" / "collector.yaml")

    def call(*sources: str, **params):
        given = {"sources": list(sources)} | params
        jsonschema.validate(given, spec["params_schema"])
        result = collector.collect(given, ctx, OPEN)
        jsonschema.validate(result, spec["result_schema"])
        return result

    return call


def table(ctx):
    return read_reviews(ctx, RAW).frame


def workbook() -> bytes:
    book = openpyxl.Workbook()
    for row in (["review", "rating"], ["Very good bag", 5], ["Broke at once", 1]):
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("path", "body", "content_type", "format_"),
    [
        ("/a.csv", CSV, "text/csv", "csv"),
        ("/export?id=7", CSV, "application/octet-stream", "csv"),
        ("/a.tsv", CSV.replace(",", "\t"), "text/plain", "tsv"),
        (
            "/api",
            json.dumps({"reviews": [{"text": "Very good bag"}, {"text": "Broke at once"}]}),
            "application/json",
            "json",
        ),
        ("/a.jsonl", '{"text": "Very good bag"}\n{"text": "Broke at once"}\n', "", "jsonl"),
        ("/a.xlsx", workbook(), "", "xlsx"),
    ],
)
def test_a_table_is_read_as_an_uploaded_one_is(ctx, site, collect, path, body, content_type, format_):
    result = collect(site.put(path, body, content_type))
    assert result["files"][0]["format"] == format_
    assert result["sources"] == [
        {
            "url": site.url(path),
            "name": f"127.0.0.1{path.split('?')[0]}",
            "kind": "table",
            "rows": 2,
            "error": None,
        }
    ]
    assert table(ctx)["text"].to_list() == ["Very good bag", "Broke at once"]


@pytest.mark.parametrize("content_type", ["application/rss+xml", "text/html; charset=utf-8", ""])
def test_a_feed_gives_a_row_for_each_entry_and_no_file_of_this_machine(ctx, site, collect, content_type):
    result = collect(site.put("/rss", RSS, content_type))
    assert (result["sources"][0]["kind"], result["rows_kept"]) == ("feed", 3)
    frame = table(ctx)
    assert frame["text"].to_list()[1:] == ["Great helper for our flat", "청소가 정말 편해졌어요"]
    assert frame["text"][0].startswith("Broke after a week\nThe brush stopped & smelt.")
    assert "root:" not in "".join(frame["text"])
    assert [str(day) for day in frame["date"]] == ["2024-03-05", "2024-03-09", "None"], "the writer's own day"
    assert frame["rating"].to_list() == [1.0, None, None]
    assert set(frame["product"]) == {"Reviews of the Clean Robot"}
    assert frame["review_id"][0] == "r-1"


def test_an_atom_feed_is_a_feed_too(ctx, site, collect):
    collect(site.put("/atom", ATOM, "application/atom+xml"))
    row = table(ctx).row(0, named=True)
    assert (row["text"], str(row["date"]), row["product"]) == ("Nice\nBoils fast.", "2024-05-01", "Kettle")


def test_a_feed_whose_entities_explode_is_survived(site, collect):
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY e0 "lol">{levels}]><rss version="2.0"><channel><item><description>&e9; words</description></item></channel></rss>'
    result = collect(site.put("/a.csv", CSV), site.put("/rss", bomb))
    assert result["sources"][0]["rows"] == 2


def test_a_page_that_states_its_reviews_gives_a_row_for_each(ctx, site, collect):
    collect(site.put("/p", LINKED, "text/html"))
    frame = table(ctx)
    assert frame["text"].to_list() == ["Loud\nBoils fast but loud.", "正直、期待以上でした"]
    assert frame["rating"].to_list() == [3.0, 5.0]
    assert set(frame["product"]) == {"Kettle K2"}
    assert str(frame["date"][0]) == "2024-04-02"
    assert "Secret" not in str(frame.rows()), "no tool needs names"


def test_a_page_with_blocks_of_reviews_gives_a_row_for_each(ctx, site, collect):
    collect(site.put("/p", BLOCKS, "text/html"))
    frame = table(ctx)
    assert frame["text"].to_list() == ["Smooth every time", "The lid leaks a lot", "Strong motor, good value"]
    assert frame["rating"].to_list() == [5.0, 2.0, 4.0]
    assert [str(day) for day in frame["date"]] == ["2024-06-05", "2024-06-02", "2024-06-04"]
    assert set(frame["product"]) == {"Blender B1"}


def test_any_other_page_is_one_row_of_its_main_text_with_its_date(ctx, site, collect):
    collect(site.put("/p", ARTICLE, "text/html"))
    (row,) = table(ctx).rows(named=True)
    assert "In month 7 it worked well" in row["text"] and "Imprint" not in row["text"]
    assert (str(row["date"]), row["product"]) == ("2024-07-01", "A year with the blender")


def test_an_old_korean_page_is_read_in_its_own_encoding(ctx, site, collect):
    page = BLOCKS.replace("Smooth every time", "뚜껑이 똠방각하처럼 꽉 닫혀요").encode("cp949")
    collect(site.put("/p", page, "text/html; charset=euc-kr"))
    assert table(ctx)["text"][0] == "뚜껑이 똠방각하처럼 꽉 닫혀요"


def test_files_and_addresses_become_one_table_and_a_failed_source_is_named(ctx, site, collect):
    ctx.upload(CSV.encode(), "mine.csv")
    site.pages["/gone"] = Answer(status=404)
    result = collect(
        site.put("/rss", RSS), site.url("/gone"), site.put("/empty", "<rss version='2.0'></rss>"), "http://10.0.0.1/"
    )
    assert [(one["kind"], one["rows"]) for one in result["sources"]] == [("feed", 3), (None, 0), (None, 0), (None, 0)]
    codes = [one["error"]["code"] for one in result["sources"][1:]]
    assert codes == [Code.EXTERNAL_UNAVAILABLE, Code.TABLE_EMPTY, Code.ADDRESS_REFUSED]
    assert "404" in result["sources"][1]["error"]["message"]
    assert (result["rows_kept"], [one["name"] for one in result["files"]]) == (5, ["mine.csv", "127.0.0.1/rss"])
    assert read_reviews(ctx, RAW).quality.files == ("mine.csv", "127.0.0.1/rss")


def test_addresses_that_differ_in_their_query_have_names_that_differ_and_do_not_show_it(site, collect):
    result = collect(site.put("/a?key=geheim", CSV), site.put("/a?key=2", CSV))
    assert [(one["name"], one["rows"]) for one in result["sources"]] == [("127.0.0.1/a", 2), ("127.0.0.1/a (2)", 2)]
    assert [one["name"] for one in result["files"]] == ["127.0.0.1/a", "127.0.0.1/a (2)"]


def test_when_no_source_gave_rows_every_reason_is_told(site, collect):
    site.put("/pdf", b"%PDF-1.7 paper")
    site.put("/csv", "rating,date\n5,2024-01-05\n")
    with pytest.raises(ToolError) as raised:
        collect(site.url("/pdf"), site.url("/csv"), "http://192.168.0.1/a.csv")
    error = raised.value
    told: Any = error.detail["sources"]
    assert (error.code, error.retryable) == (Code.TABLE_UNREADABLE, False)
    assert [one["code"] for one in told] == [
        Code.TABLE_UNREADABLE,
        Code.TEXT_COLUMN_MISSING,
        Code.ADDRESS_REFUSED,
    ]
    assert all(one["reason"] in error.message for one in told)


@pytest.mark.parametrize(
    ("status", "code", "retryable"), [(503, Code.EXTERNAL_UNAVAILABLE, True), (404, Code.EXTERNAL_UNAVAILABLE, False)]
)
def test_a_fault_that_may_pass_is_worth_another_attempt(site, collect, status, code, retryable):
    site.pages["/"] = Answer(status=status)
    with pytest.raises(ToolError) as raised:
        collect(site.url("/"))
    assert (raised.value.code, raised.value.retryable) == (code, retryable)
    assert str(status) in raised.value.message


def test_the_tool_itself_refuses_loopback(site, run):
    site.put("/a.csv", CSV)
    site.heard.clear()
    with pytest.raises(ToolError) as raised:
        run("collector", sources=[site.url("/a.csv"), f"http://localhost:{site.port}/a.csv"])
    assert (raised.value.code, raised.value.retryable) == (Code.ADDRESS_REFUSED, False)
    assert "127.0.0.1" in raised.value.message
    assert site.heard == []


@pytest.mark.parametrize("language", ["ko", "en", "ja"])
def test_every_reason_has_its_sentence_in_every_language(ctx, site, collect, language):
    ctx.language = language
    with pytest.raises(ToolError) as raised:
        collect("http://10.0.0.1/", "http://user:pw@shop.example/", "http://[::1", site.url("/nothing"))
    assert "{" not in raised.value.message and "pw" not in raised.value.message


def test_a_workbook_that_unpacks_to_too_much_is_not_opened(site, collect):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as book:
        for number in range(3):
            book.writestr(f"xl/{number}.xml", b"\0" * 80_000_000)
    with pytest.raises(ToolError) as raised:
        collect(site.put("/a.xlsx", buffer.getvalue()))
    assert raised.value.code == Code.TABLE_UNREADABLE


def test_a_packed_table_is_a_table(site, collect):
    assert collect(site.put("/a.csv", gzip.compress(CSV.encode()), Content_Encoding="gzip"))["rows_kept"] == 2
