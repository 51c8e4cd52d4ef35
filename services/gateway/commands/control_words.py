"""The words by which a typed sentence controls a run that is at work: control_words.yaml."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from contracts.gateway import RunControl
from services.gateway.commands.yes_words import said
from services.gateway.domain.at_work import ControlWords

_FILE = Path(__file__).with_name("control_words.yaml")


@cache
def control_words() -> ControlWords:
    """Those of all languages: a person says "stop" in any of them."""
    lists: list[dict[str, Any]] = list(yaml.safe_load(_FILE.read_text(encoding="utf-8")).values())
    known = {
        kind: frozenset(said(word).plain for one in lists for word in one[kind]) for kind in (*RunControl, "beside")
    }
    return ControlWords({control: known[control] for control in RunControl}, known["beside"])
