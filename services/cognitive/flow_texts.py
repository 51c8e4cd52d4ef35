"""The texts of a flow: its pack's, and the platform's where the pack says nothing. A newcomer needs to write none."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from backbone.packs import FALLBACK_LANGUAGE, Pack
from contracts.packs import FlowSpec, PerLanguage
from services.cognitive.domain.slots import Say

DEFAULT = "flow.default"
ASK = "ask"
BETWEEN = ", "


@dataclass(frozen=True, slots=True)
class FlowTexts:
    """See services.cognitive.domain.slots.Say. `phrase` has the platform's texts."""

    pack: Pack
    spec: FlowSpec
    phrase: Say

    def __call__(self, language: str, key: str, **values: object) -> str:
        """Raises TextMissing for a key that is no text of flows and that the pack does not have."""
        own = f"flow.{self.spec.flow}."
        if self.template(language, key) is not None or not key.startswith(own):
            return self.pack.text(language, key, **values)
        name = key.removeprefix(own)
        more: dict[str, object] = {"task": self.task(language, values)}
        if name.startswith(f"{ASK}_"):
            more["slot"] = self.label(language, name.removeprefix(f"{ASK}_"))
            name = ASK
        return self.phrase(language, f"{DEFAULT}.{name}", **{**values, **more})

    def template(self, language: str, key: str) -> str | None:
        """The pack's own text, in the language or in English."""
        found = (self.pack.texts.get(one, {}).get(key) for one in (language, FALLBACK_LANGUAGE))
        return next((text for text in found if text is not None), None)

    def task(self, language: str, values: Mapping[str, object]) -> str:
        """All values that the task has, each with its name: nothing is confirmed that was not shown."""
        said = ((slot.name, str(values.get(slot.name) or "")) for slot in self.spec.slots)
        return BETWEEN.join(f"{self.label(language, name)} {value}" for name, value in said if value)

    def label(self, language: str, slot: str) -> str:
        """What a slot is called: the pack's text slot.<flow>.<name>, or its name."""
        return self.template(language, f"slot.{self.spec.flow}.{slot}") or slot.replace("_", " ")


@cache
def default_words() -> Mapping[str, PerLanguage]:
    """Words that confirm and cancel where a flow has none of its own."""
    data: Mapping[str, PerLanguage] = yaml.safe_load(Path(__file__).with_name("flow_words.yaml").read_text("utf-8"))
    return data
