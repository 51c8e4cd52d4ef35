"""A person whose lines are known beforehand."""

from collections.abc import Callable
from dataclasses import dataclass, field

from dream.client.person import NobodyThere


@dataclass
class Scripted:
    """Says `lines` one after the other; after the last one there is nobody. `editor` is what the editor does."""

    lines: list[str]
    editor: Callable[[str], str] = str
    prompts: list[str] = field(default_factory=list)
    at_terminal: bool = False
    is_script: bool = False

    async def line(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if not self.lines:
            raise NobodyThere
        return self.lines.pop(0)

    async def edit(self, text: str, suffix: str) -> str:
        return self.editor(text)
