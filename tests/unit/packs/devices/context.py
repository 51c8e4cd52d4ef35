"""As much of a tool's context as the devices touch: texts of the pack, settings, what was saved and said."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from contracts.artifacts import Attachment
from understanding.kit.data import read_data

PACK = Path(__file__).parents[4] / "packs" / "devices"
NOW = datetime(2026, 11, 22, 4, 0, tzinfo=UTC)


@cache
def texts(language: str) -> dict[str, str]:
    found: dict[str, str] = read_data(PACK / "texts" / f"{language}.yaml")
    return found


@dataclass
class FakeContext:
    """See contracts.tools.ToolContext. Ten thousand seconds of use are over in one."""

    workdir: Path
    language: str = "ko"
    now: datetime = NOW
    timezone: str = "Asia/Seoul"
    config: Mapping[str, str] = field(default_factory=lambda: {"SPEED": "10000"})
    saved: dict[str, bytes] = field(default_factory=dict)
    words: list[tuple[float, str]] = field(default_factory=list)

    def save(self, data: bytes | Path, *, name: str, media_type: str, type_: str, **meta: object) -> Attachment:
        content = data.read_bytes() if isinstance(data, Path) else data
        self.saved[name] = content
        return Attachment(artifact_id="0" * 64, name=name, media_type=media_type, size=len(content), type=type_)

    def progress(self, fraction: float, message: str = "") -> None:
        self.words.append((fraction, message))

    def log(self, line: str) -> None:
        pass

    def text(self, key: str, **values: object) -> str:
        return texts(self.language)[key].format(**values)
