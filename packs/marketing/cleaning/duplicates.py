"""Which rows say the same review again: those that are the same in every cell, and could have been told apart.

Many people write "좋아요" or "As described." of one product, so the same words are no sign of the same review. A row is
a duplicate if all of its cells are those of an earlier row, columns that play no role among them, the text but for
case, spaces and punctuation. Where neither a day nor an id could have told two reviews apart, the text itself has to:
only one so long that no two people write it. What differs in any cell stays, and is counted where its text is so long.
See docs/adr/0088-the-same-review-again.md.
"""

from dataclasses import dataclass

import polars as pl

from packs.marketing.cleaning.text import digest, fingerprint

_STEP = 5_000
_LONG = 40
"""Bytes of UTF-8 without spaces and punctuation: some eight words of English, some five of Korean or Japanese."""
_CELLS = ("product", "date", "rating", "review_id")


@dataclass(frozen=True, slots=True)
class Distinct:
    """The reviews that are left; `exact` and `near` rows were duplicates, to the letter or but for punctuation, and
    `repeated` of those left have the long text of another one of the same product, day and rating."""

    frame: pl.DataFrame
    exact: int = 0
    near: int = 0
    repeated: int = 0


def without_duplicates(frame: pl.DataFrame) -> Distinct:
    """Of rows that say the same review again the first stays. Needs text, the cells that are read, and `cells`."""
    if not frame.height:
        return Distinct(frame)
    if "cells" not in frame.columns:  # read before rows had them: what is known of a row stands for its cells
        known = pl.concat_str([pl.col(name).cast(pl.String).fill_null("") for name in _CELLS], separator="\x1f")
        frame = frame.with_columns(cells=known)
    rows = pl.concat([_read(frame["text"]), frame.select(*_CELLS, "cells")], how="horizontal")
    told_apart = pl.col("date").is_not_null() | pl.col("review_id").is_not_null() | pl.col("long")
    found = rows.select(
        "long",
        exact=told_apart & ~pl.struct("letters", "cells").is_first_distinct(),
        near=told_apart & ~pl.struct("words", "cells").is_first_distinct(),
        again=pl.col("long") & ~pl.struct("words", "product", "date", "rating").is_first_distinct(),
    )
    kept = found.select(~(pl.col("exact") | pl.col("near"))).to_series()
    exact = int(found["exact"].sum())
    repeated = int((found["again"] & kept).sum())
    return Distinct(frame.filter(kept), exact, frame.height - int(kept.sum()) - exact, repeated)


def _read(texts: pl.Series) -> pl.DataFrame:
    """Per text digests of its letters and of its words, a tenth of a million texts, and whether it is long."""
    parts: list[pl.DataFrame] = []
    for start in range(0, len(texts), _STEP):
        part = texts.slice(start, _STEP).to_list()
        words = [fingerprint(text) for text in part]
        read = {
            "letters": pl.Series([digest(text) for text in part], dtype=pl.Binary),
            "words": pl.Series([digest(text) for text in words], dtype=pl.Binary),
            "long": pl.Series([len(text.encode(errors="surrogatepass")) >= _LONG for text in words], dtype=pl.Boolean),
        }
        parts.append(pl.DataFrame(read))
    return pl.concat(parts)
