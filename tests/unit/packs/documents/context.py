"""A tool's context in memory, with uploaded documents and the person's memory."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from uuid import UUID, uuid4

from contracts.artifacts import Attachment
from contracts.memory import Found, MemoryItem, MemoryKind
from contracts.tools import ToolInput
from understanding.kit.data import read_data

PACK = Path(__file__).parents[4] / "packs" / "documents"
NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@cache
def texts(language: str) -> dict[str, str]:
    found: dict[str, str] = read_data(PACK / "texts" / f"{language}.yaml")
    return found


def say(key: str, language: str = "ko", **values: object) -> str:
    return texts(language)[key].format(**values)


@dataclass
class Remembered:
    """See contracts.memory.Memories: finds what shares a word with the question."""

    items: list[MemoryItem] = field(default_factory=list)

    def was_said(self, text: str, days_ago: float = 10, kind: MemoryKind = MemoryKind.TURN) -> None:
        self.items.append(
            MemoryItem(
                item_id=uuid4(), user="u", kind=kind, text=text, language="ko", session_id=uuid4(),
                recorded_at=NOW - timedelta(days=days_ago),
            )
        )  # fmt: skip

    async def keep(self, kind: MemoryKind, text: str) -> UUID:
        self.was_said(text, 0, kind)
        return self.items[-1].item_id

    async def search(self, query: str, limit: int = 5, kinds: Sequence[MemoryKind] = ()) -> Sequence[Found]:
        words = query.split()
        scored = [(sum(word in item.text for word in words), item) for item in self.items]
        best = sorted((one for one in scored if one[0]), key=lambda one: -one[0])[:limit]
        return [Found(item=item, score=score) for score, item in best if not kinds or item.kind in kinds]

    async def said_here(self, limit: int = 500) -> Sequence[MemoryItem]:
        return [one for one in self.items if one.kind is MemoryKind.TURN][-limit:]

    async def newest(self, limit: int = 20, kinds: Sequence[MemoryKind] = ()) -> Sequence[MemoryItem]:
        return self.items[::-1][:limit]

    async def forget(self, item_id: UUID) -> bool:
        return False

    async def alike(self, text: str, others: Sequence[str]) -> Sequence[float]:
        return ()


@dataclass
class FakeContext:
    """As much of contracts.tools.ToolContext as these tools touch."""

    folder: Path
    language: str = "ko"
    now: datetime = NOW
    memories: Remembered = field(default_factory=Remembered)
    files: list[ToolInput] = field(default_factory=list)
    vectors: Callable[[Sequence[str]], Sequence[Sequence[float]]] = lambda texts: ()

    def bring(self, name: str, data: bytes, type_: str = "file.document") -> None:
        digest = hashlib.sha256(data + name.encode()).hexdigest()
        path = self.folder / digest
        path.write_bytes(data)
        attachment = Attachment(
            artifact_id=digest, name=name, media_type="application/octet-stream", size=len(data), type=type_
        )
        self.files.append(ToolInput(attachment=attachment, path=path))

    def meanings(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self.vectors(texts)

    def inputs(self, type_: str) -> Sequence[ToolInput]:
        return [one for one in self.files if one.attachment.type == type_]

    def text(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)
