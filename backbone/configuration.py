"""The settings of a process that starts: they can be used, or everything that is wrong with them is said at once."""

import difflib
import os
import re
from collections.abc import Callable, Iterator, Mapping

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from backbone.model.faults import ModelMisconfigured, PromptInvalid
from backbone.model.prompts import PromptBook
from backbone.model.provider import provider_of
from backbone.secret_files import SUFFIX
from backbone.settings import PREFIX, Settings, secrets, shown, variable

EX_CONFIG = 78
"""Exit code of sysexits.h: it is no use to start this again before somebody has changed its configuration."""
_OTHERS = ("DREAM_URL", "DREAM_LANG", "DREAM_CRASH_POINT", "DREAM_KEEP")
_NOT_OURS = re.compile(r"DREAM_(PACK|CHAOS|TESTS)_\w+|DREAM_\w+_(SERVICE_(HOST|PORT)|PORT)(_\w+)?")
"""Settings of packs, of tests, and what Kubernetes tells every container about the services beside it."""
_LINK = re.compile(r"(tcp|udp)://[\d.]+:\d+")


class Misconfigured(Exception):
    """Settings that cannot be used; `problems` has a line for each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def configured(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this process. Raises Misconfigured with everything that is wrong."""
    try:
        settings = Settings()
    except ValidationError as error:
        faults = {str(fault["loc"][0]): fault for fault in error.errors(include_url=False)}
        problems = [_wrong(name, fault["msg"], environment) for name, fault in faults.items()]
        # what was right is looked at as well, with defaults for the rest
        rest = {name: Settings.model_fields[name].get_default(call_default_factory=True) for name in faults}
        raise Misconfigured(problems + _together(Settings(**rest), set(faults))) from None
    if problems := _together(settings, set()):
        raise Misconfigured(problems)
    return settings


def _wrong(field: str, why: str, environment: Mapping[str, str]) -> str:
    name = variable(field)
    why = why.removeprefix("Value error, ")
    if name not in environment and f"{name}{SUFFIX}" in environment:
        return f"{why}. Expected: {_expected(field)}"
    if name in environment and f"{name}{SUFFIX}" in environment and field in secrets():
        return why
    value = environment.get(name, "")
    hint = "; Kubernetes has set it: enableServiceLinks: false keeps it from that" if _LINK.fullmatch(value) else ""
    return f"{name} is {masked(field, value)}: {why}{hint}. Expected: {_expected(field)}"


def _expected(field: str) -> str:
    known: FieldInfo | None = Settings.model_fields.get(field)
    return (known.description if known else None) or "see docs/runbook.md"


def masked(field: str, value: str) -> str:
    """A value as it may be shown."""
    if field not in secrets():
        return f"{value!r:.200}"
    if "://" in value:
        return ",".join(shown(part) for part in value.split(",")) + " (without its login)"
    return f"a secret of {len(value)} characters"


def _together(settings: Settings, known: set[str]) -> list[str]:
    """What is wrong with settings that are right each by itself; those of `known` were told already."""
    checks: list[tuple[set[str], Callable[[], object]]] = [
        ({"model", "model_roles", "model_fallbacks"}, lambda: provider_of(settings, {}, PromptBook({}))),
    ]
    return [said for fields, check in checks if not fields & known and (said := _raised(check))]


def _raised(check: Callable[[], object]) -> str:
    try:
        check()
    except (ModelMisconfigured, PromptInvalid) as error:
        return str(error)
    return ""


def unknown(environment: Mapping[str, str] = os.environ) -> Iterator[str]:
    """A sentence for each variable that looks like one of ours and is none."""
    ours = [variable(name) for name in Settings.model_fields]
    ours += [f"{variable(name)}{SUFFIX}" for name in secrets()] + list(_OTHERS)
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in ours and not _NOT_OURS.fullmatch(name):
            near = difflib.get_close_matches(name, ours, n=1, cutoff=0.7)
            yield f"{name} is not a setting" + (f": did you mean {near[0]}?" if near else "")
