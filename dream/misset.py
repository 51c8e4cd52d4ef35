"""Settings that cannot be used, by the name of their variable: what the operator is told."""

import re

from pydantic import ValidationError
from pydantic_settings import SettingsError

from backbone.settings import Settings
from dream.texts import Texts

_FIELD = re.compile(r'field "(\w+)"')


def told(error: ValidationError | SettingsError, texts: Texts) -> str | None:
    """A line for each setting that is wrong, with what may stand there; None for an error about something else."""
    if isinstance(error, SettingsError):
        found = _FIELD.search(str(error))
        return texts("settings.no_json", name=_name(found[1]), means=_means(found[1])) if found else None
    if error.title != Settings.__name__:
        return None
    return "\n".join(
        texts(
            "settings.wrong",
            name=_name(str(fault["loc"][0])),
            why=fault["msg"].removeprefix("Value error, "),
            value="…" if _is_secret(str(fault["loc"][0])) else f"{fault.get('input')!r:.100}",
            means=_means(str(fault["loc"][0])),
        )
        for fault in error.errors(include_url=False)
    )


def _name(field: str) -> str:
    return f"DREAM_{field.upper()}"


def _means(field: str) -> str:
    known = Settings.model_fields.get(field)
    return (known.description if known else None) or "docs/runbook.md"


def _is_secret(field: str) -> bool:
    known = Settings.model_fields.get(field)
    return known is not None and "Secret" in str(known.annotation)
