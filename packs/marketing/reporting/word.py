"""The report as a Word document, from the same content as the PDF: somebody will go on writing in it."""

import io
from collections.abc import Mapping
from typing import Any

from docx import Document
from docx.document import Document as Doc
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

from contracts.shape import JsonObject
from packs.marketing.charts.style import ACCENT
from packs.marketing.letters import plain_spec

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_FONTS = {"ko": "Malgun Gothic", "ja": "Yu Gothic", "en": "Calibri"}
"""What Word has on every machine of the language."""
_ROOM = 166
"""Millimetres of a line."""
_TABLES = {"inventory": ("standing", "orders")}


def written(content: JsonObject, charts: Mapping[str, bytes], logo: bytes | None) -> bytes:
    """A DOCX; `charts` are PNGs by section. The content is `document.compose`'s, whole or shortened."""
    told: Mapping[str, Any] = plain_spec(content)
    document = _opened(str(told["language"]), str(told["colour"] or ACCENT))
    if logo:
        document.add_picture(io.BytesIO(logo), height=Mm(12))
    document.add_heading(told["title"], 0)
    document.add_paragraph(" · ".join(filter(None, (told["period"], told["files"], told["made"]))))
    for said in told["about"]:
        document.add_paragraph(said)
    if told["facts"]:
        _table(document, [fact[0] for fact in told["facts"]], [[fact[1] for fact in told["facts"]]])
    if told["boss"]:
        _first_page(document, told["boss"])
    for name, heading in told["headings"].items():
        part = told.get(name)
        if not part and name not in charts:
            continue
        document.add_heading(heading, 1)
        _section(document, name, part)
        if name in charts:
            document.add_picture(io.BytesIO(charts[name]), width=Mm(_ROOM))
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _opened(language: str, colour: str) -> Doc:
    document = Document()
    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm((210 - _ROOM) / 2)
    for name in ("Normal", "Title", "Heading 1", "Heading 2", "List Bullet", "List Number"):
        style = document.styles[name]
        style.font.name = _FONTS.get(language, _FONTS["en"])
        # letters of Korea, Japan and China have a font of their own in each style
        style.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), style.font.name)
        if name not in ("Normal", "List Bullet", "List Number"):
            style.font.color.rgb = RGBColor.from_string(colour.lstrip("#").upper())
    document.styles["Normal"].font.size = Pt(10)
    return document


def _first_page(document: Doc, told: Mapping[str, Any]) -> None:
    """What is the matter, what to do and why, how sure that is."""
    matter, todo, sure = told["headings"]
    document.add_heading(matter, 1)
    _points(document, told["matter"])
    document.add_heading(todo, 1)
    for task in told["todo"]:
        line = document.add_paragraph(style="List Number")
        line.add_run(task["what"]).bold = True
        line.add_run("".join(f"\n{said}" for said in (task["why"], task["heard"] and f"“{task['heard']}”") if said))
    document.add_heading(sure, 1)
    _points(document, told["sure"])


def _section(document: Doc, name: str, part: Any) -> None:
    if name == "quotes":
        for group in part or ():
            document.add_heading(group["title"], 2)
            for quote in group["quotes"]:
                line = document.add_paragraph(f"“{quote['text']}” ", style="List Bullet")
                line.add_run(quote["source"]).italic = True
        return
    if isinstance(part, list):
        _points(document, part)
        return
    _points(document, (part or {}).get("notes") or ())
    for key in _TABLES.get(name, ("table",)):
        if found := (part or {}).get(key):
            if key == "orders":
                document.add_heading(part["orders_title"], 2)
            _table(document, found["head"], found["rows"])
    for key in ("note", "remark"):
        if said := (part or {}).get(key):
            document.add_paragraph(said)


def _points(document: Doc, lines: Any) -> None:
    for line in lines:
        document.add_paragraph(line, style="List Bullet")


def _table(document: Doc, head: list[str], rows: list[list[str]]) -> None:
    """First column left, figures right."""
    table = document.add_table(rows=0, cols=len(head), style="Light Grid Accent 1")
    for cells in (head, *rows):
        for at, (cell, said) in enumerate(zip(table.add_row().cells, cells, strict=True)):
            cell.text = said
            if at:
                cell.paragraphs[0].alignment = WD_ALIGN_PARAGRAPH.RIGHT
    document.add_paragraph()
