"""The other tables of a workbook, for what the largest of them knows nothing of."""

import re
from collections.abc import Iterator, Sequence

import fastexcel

from contracts.shape import JsonObject, JsonValue
from contracts.tools import ToolInput
from packs.marketing.asking.naming import bare_heading, name_pattern, pattern_of
from packs.marketing.asking.phrasing import compiled, either, plain, words
from packs.marketing.asking.profile import Column, Profile, profile
from packs.marketing.tables.raw import Unreadable
from packs.marketing.tables.sheet import parse_sheet

_MOST, _LARGEST = 5, 8 * 2**20
"""Sheets that are looked at, and bytes of a workbook: reading one takes seconds beyond that."""
_FEWEST = 3
"""Rows of a table; fewer are notes."""
_SHORTEST = 3
"""Letters of a name that a sentence may hold by chance."""


def others(item: ToolInput, asked: Sequence[str], *, called: bool) -> Iterator[tuple[str, Profile]]:
    """Those that the last question to do so calls by their names, or all others, in their order."""
    if item.path.suffix.lower() not in (".xlsx", ".xls", ".xlsm") and not is_workbook(item):
        return
    data = item.path.read_bytes()
    if len(data) > _LARGEST:
        return
    try:
        names = fastexcel.read_excel(data).sheet_names
        if len(names) < len(("one", "other")):
            return
        each = ([one for one in names if _is_called(one, question)] for question in reversed(asked))
        told = next(filter(None, each), [])
        wanted = told if called else [one for one in names if one not in told]
        if not wanted:
            return
        largest = parse_sheet(data).sheet
        for name in wanted[:_MOST]:
            table = parse_sheet(data, name)
            if name != largest and len(table.records) >= _FEWEST and len(table.columns) > 1:
                yield name, profile(table)
    except (fastexcel.FastExcelError, ValueError, Unreadable):
        return  # it was read a moment ago: whatever is wrong with another sheet is no answer to a question


def headed(item: ToolInput, question: str, first: Profile) -> Iterator[tuple[str, Profile]]:
    """Those of the others that have a heading which the question names, and the first does not know."""
    known = "|".join(["(?!)", *(pattern_of(one) for one in first.columns)])
    values = {plain(value) for one in first.columns for value in one.values}
    for name, found in others(item, [question], called=False):
        for one in found.columns:
            spoken = (compiled(name_pattern(it)).search(question) for it in _headings(one))
            if any(it and plain(it[0]) not in values and not compiled(known).search(it[0]) for it in spoken):
                yield name, found
                break


def _headings(column: Column) -> list[str]:
    """The heading without what is in brackets; of a day, what was done on it as well (입사 of 입사일)."""
    bare = bare_heading(column.name)
    done = [compiled(words()["of_a_day"]).sub("", bare)] if column.kind == "date" else []
    return [one for one in (bare, *done) if len(one) > 1]


def without_name(text: str, sheet: str) -> str:
    """What is asked of a sheet that is called: its rows are what it is called after ("how many repairs")."""
    named = re.escape(re.sub(r"s$", "", sheet.strip(), flags=re.IGNORECASE))
    called = rf"{named}s?(?:\s?(?:work)?(?:sheet|tab)|\s?(?:시트|탭|シート|タブ))?(?:에서는?|의|では?、?|の)?\s?"
    return re.sub(called, " rows " if text.isascii() else "", text, flags=re.IGNORECASE)


def of_this_file(params: JsonObject, item: ToolInput, language: str) -> JsonObject:
    """The question, and those before it, with one and the same word for the file, whatever it was called: its name, or
    that it is new, says nothing of its rows."""
    name = item.attachment.name
    stem = name.rpartition(".")[0]
    no_word = re.search(r"[\d_-]", stem) and re.search(r"[^\W\d_]", stem) and len(stem) > _SHORTEST
    called = [name, *([stem] if no_word else [])]
    names = "|".join(rf"(?<![\w.-]){re.escape(one)}(?![A-Za-z\d_-]|\.\w)" for one in called)
    meant = re.compile(f"{names}|{either('file_meant')}", re.IGNORECASE)
    this = str(words()["this_file"].get(language, words()["this_file"]["en"]))

    def told(asked: JsonValue) -> JsonValue:
        return {**asked, "question": meant.sub(this, str(asked["question"]))} if isinstance(asked, dict) else asked

    before = params.get("before")
    earlier: JsonObject = {"before": [told(one) for one in before]} if isinstance(before, list) else {}
    return {**params, "question": meant.sub(this, str(params.get("question", ""))), **earlier}


def is_workbook(item: ToolInput) -> bool:
    """Whether the file may have several sheets, by its name."""
    return item.attachment.name.lower().endswith((".xlsx", ".xls", ".xlsm"))


def _is_called(sheet: str, question: str) -> bool:
    name, said = plain(sheet), plain(question)
    if len(name) < _SHORTEST and name.isascii():
        return False
    stem = re.sub(r"s$", "", name)
    return len(stem) > 1 and stem in said
