"""A ToolContext in memory: what a tool saves becomes an input of the tools that run after it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pypdfium2
from pydantic import JsonValue

from contracts.artifacts import Attachment
from contracts.tools import ToolInput
from understanding.kit.data import read_data

PACK = Path(__file__).parents[4] / "packs" / "marketing"
NOW = datetime(2025, 9, 15, 12, 0, tzinfo=UTC)


@cache
def texts(language: str) -> dict[str, str]:
    found: dict[str, str] = read_data(PACK / "texts" / f"{language}.yaml")
    return found


@dataclass
class FakeContext:
    """`saved` holds every artifact in the order of saving."""

    folder: Path
    language: str = "ko"
    now: datetime = NOW
    idempotency_key: str = "test"
    saved: list[ToolInput] = field(default_factory=list)
    steps: list[tuple[float, str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    @property
    def workdir(self) -> Path:
        path = self.folder / "work"
        path.mkdir(exist_ok=True)
        return path

    def inputs(self, type_: str) -> Sequence[ToolInput]:
        return [item for item in self.saved if item.attachment.type == type_]

    def save(self, data: bytes | Path, *, name: str, media_type: str, type_: str, **meta: JsonValue) -> Attachment:
        content = data.read_bytes() if isinstance(data, Path) else data
        digest = hashlib.sha256(content).hexdigest()
        path = self.folder / digest
        path.write_bytes(content)
        attachment = Attachment(
            artifact_id=digest, name=name, media_type=media_type, size=len(content), type=type_, meta=dict(meta)
        )
        self.saved.append(ToolInput(attachment=attachment, path=path))
        return attachment

    def upload(self, data: bytes, name: str = "reviews.csv") -> None:
        self.save(data, name=name, media_type="application/octet-stream", type_="file.table")

    def meanings(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Nobody makes vectors here: what is read is read by rules."""
        return []

    def progress(self, fraction: float, message: str = "") -> None:
        self.steps.append((fraction, message))

    def log(self, line: str) -> None:
        self.lines.append(line)

    def text(self, key: str, **values: object) -> str:
        """Strict: a missing key fails the test."""
        return texts(self.language)[key].format(**values)

    def newest(self, type_: str) -> bytes:
        return self.inputs(type_)[-1].path.read_bytes()

    def pages_with(self, colour: tuple[int, int, int]) -> int:
        """Pages of the newest PDF on which the colour is seen: charts are drawn there, not pasted as images."""
        pages = pypdfium2.PdfDocument(self.newest("document.pdf"))
        seen = [page.render(scale=1).to_pil().convert("RGB").getcolors(1 << 20) or () for page in pages]
        return sum(any(found == colour for _, found in colours) for colours in seen)


@dataclass
class Witness(FakeContext):
    """Notes every text that is asked for, so that none reaches a person uncounted."""

    said: list[tuple[str, dict[str, object]]] = field(default_factory=list)

    def text(self, key: str, **values: object) -> str:
        self.said.append((key, values))
        return super().text(key, **values)
