"""Settings that cannot be used, by the name of their variable: what the operator is told."""

from pydantic import ValidationError

from backbone.settings import NO_JSON, Settings, secrets, variable
from dream.texts import Texts


def told(error: ValidationError, texts: Texts) -> str | None:
    """A line for each setting that is wrong, with what may stand there; None for an error about something else."""
    if error.title != Settings.__name__:
        return None
    return "\n".join(_line(fault["msg"], str(fault["loc"][0]), fault.get("input"), texts) for fault in error.errors())


def _line(message: str, field: str, given: object, texts: Texts) -> str:
    why = message.removeprefix("Value error, ")
    key = "settings.no_json" if why.startswith(NO_JSON) else "settings.wrong"
    value = "…" if field in secrets() else f"{given!r:.100}"
    return texts(key, name=variable(field), why=why, value=value, means=_means(field))


def _means(field: str) -> str:
    known = Settings.model_fields.get(field)
    return (known.description if known else None) or "docs/runbook.md"
