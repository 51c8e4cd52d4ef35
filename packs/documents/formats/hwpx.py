"""HWPX, the zipped XML of Hangul documents: sections of paragraphs, tables row by row, by names without namespaces."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from packs.documents.formats import zipped
from packs.documents.formats.pages import Page, Unreadable

_SECTION = re.compile(r"^Contents/section(\d+)\.xml$")
MANIFEST = "META-INF/manifest.xml"
BETWEEN = " | "
_SIGNS = {"lineBreak": "\n", "tab": "\t", "nbSpace": " ", "fwSpace": " ", "hyphen": "-"}


def sections(names: list[str]) -> list[str]:
    """The members that hold text, in reading order."""
    found = [(int(match.group(1)), name) for name in names if (match := _SECTION.match(name))]
    return [name for _, name in sorted(found)]


def read(path: Path) -> list[Page]:
    """Raises Unreadable."""
    with zipped.opened(path) as archive:
        names = archive.namelist()
        if MANIFEST in names and b"encryption-data" in zipped.member(archive, MANIFEST):
            raise Unreadable("encrypted")
        texts = [_text(zipped.member(archive, name)) for name in sections(names)]
    if not texts:
        raise Unreadable("broken")
    return [Page(None, "\n".join(texts))]


def _text(xml: bytes) -> str:
    zipped.refuse_entities(xml)
    section = _Section()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = section.start
    parser.EndElementHandler = section.end
    parser.CharacterDataHandler = section.characters
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    try:
        parser.Parse(xml, True)  # noqa: FBT003  # isfinal takes no name
    except expat.ExpatError as error:
        raise Unreadable("broken") from error
    return "\n".join(section.lines[0])


def _refuse(*_: object) -> None:
    raise Unreadable("unsafe")


@dataclass(slots=True)
class _Section:
    """Where the parser is: a paragraph may hold a table, whose cells hold paragraphs."""

    lines: list[list[str]] = field(default_factory=lambda: [[]])
    paragraphs: list[list[str]] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    in_text: int = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        match name.rsplit(" ", 1)[-1]:
            case "p":
                self.paragraphs.append([])
            case "t":
                self.in_text += 1
            case "tr":
                self.rows.append([])
            case "tc":
                self.lines.append([])
            case sign if self.in_text and self.paragraphs and sign in _SIGNS:
                self.paragraphs[-1].append(_SIGNS[sign])
            case _:
                pass

    def end(self, name: str) -> None:
        match name.rsplit(" ", 1)[-1]:
            case "p" if self.paragraphs:
                self.lines[-1].append("".join(self.paragraphs.pop()))
            case "t":
                self.in_text -= 1
            case "tc" if len(self.lines) > 1:
                cell = " ".join(" ".join(self.lines.pop()).split())
                if self.rows:
                    self.rows[-1].append(cell)
            case "tr" if self.rows:
                row = BETWEEN.join(self.rows.pop())
                into = self.paragraphs[-1] if self.paragraphs else self.lines[-1]
                into.append(f"\n{row}" if self.paragraphs else row)
            case _:
                pass

    def characters(self, text: str) -> None:
        if self.in_text and self.paragraphs:
            self.paragraphs[-1].append(text)
