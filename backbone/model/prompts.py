"""Prompts: YAML files with an id and a version, in prompts/ of a service or a pack. They are data, and checked.

`{name}` stands for a field (or property) of the request's variables; other braces are as they are. What `data` names
was written by somebody else than the person who asks: it is fenced, and no instruction in it counts."""

import json
import logging
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, Field, ValidationError

from backbone.model.faults import PromptInvalid
from backbone.model.fences import fenced
from contracts.model import ModelRole
from contracts.shape import Contract

log = logging.getLogger(__name__)

PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
FALLBACK_LANGUAGE = "en"
Template = str | dict[str, str]
"""In English for all, or by language."""


class Prompt(Contract):
    """One file. `id` is <where>.<name>: the service or pack, and the name of the file."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$")
    version: int = Field(ge=1)
    role: ModelRole
    system: Template
    user: Template = "{request}"
    data: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.id}@{self.version}"

    def placeholders(self) -> frozenset[str]:
        return frozenset(name for text in self._texts() for name in PLACEHOLDER.findall(text))

    def _texts(self) -> Iterator[str]:
        for template in (self.system, self.user):
            yield from (template,) if isinstance(template, str) else template.values()

    def check(self, variables: type[BaseModel]) -> None:
        """Raises PromptInvalid for a placeholder that these variables do not have."""
        unknown = sorted(name for name in self.placeholders() | {*self.data} if not _has(variables, name))
        if unknown:
            raise PromptInvalid(f"the prompt {self.key} wants {unknown}, which {variables.__name__} does not have")

    def fill(self, variables: BaseModel) -> tuple[str, str]:
        """The system text and the user text."""
        self.check(type(variables))
        language = str(getattr(variables, "language", FALLBACK_LANGUAGE))

        def filled(template: Template) -> str:
            return PLACEHOLDER.sub(lambda found: self._value(variables, found[1]), _chosen(template, language)).strip()

        return filled(self.system), filled(self.user)

    def _value(self, variables: BaseModel, name: str) -> str:
        value = shown(getattr(variables, name))
        return fenced(name, value) if name in self.data else value


def shown(value: Any) -> str:
    """A value as a model reads it: text as it is, all else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_defaults=True)
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


def _has(variables: type[BaseModel], name: str) -> bool:
    return name in variables.model_fields or isinstance(getattr(variables, name, None), property)


def _chosen(template: Template, language: str) -> str:
    if isinstance(template, str):
        return template
    return template.get(language) or template.get(FALLBACK_LANGUAGE) or next(iter(template.values()))


class PromptBook:
    """The prompts of one process, by `<where>.<name>@<version>`; read when somebody first asks for one of them.

    A file of `strangers` (packs) that is wrong is named in the log and left out; the rest works."""

    def __init__(self, folders: Mapping[str, Path], strangers: Collection[str] = ()) -> None:
        self._folders = dict(folders)
        self._strangers = frozenset(strangers)
        self._wrong: dict[str, str] = {}
        self._prompts: dict[str, Prompt] | None = None

    def find(self, prompt_id: str) -> Prompt:
        """Raises PromptInvalid for one that is not there, with the versions that are."""
        prompts = self.read()
        if prompt_id not in prompts:
            name = prompt_id.split("@", 1)[0]
            there = sorted(key for key, prompt in prompts.items() if prompt.id == name)
            why = self._wrong.get(name, f"of {name!r} there are {there}")
            raise PromptInvalid(f"no prompt {prompt_id!r}; {why}")
        return prompts[prompt_id]

    def read(self) -> Mapping[str, Prompt]:
        """All of them. Raises PromptInvalid with the name of the first file that is wrong."""
        if self._prompts is None:
            paths = [(where, path) for where, folder in self._folders.items() for path in sorted(folder.glob("*.yaml"))]
            found = [self._read(where, path) for where, path in paths]
            self._prompts = {prompt.key: prompt for prompt in found if prompt}
        return self._prompts

    def _read(self, where: str, path: Path) -> Prompt | None:
        try:
            return read_prompt(where, path)
        except PromptInvalid as error:
            if where not in self._strangers:
                raise
            self._wrong[f"{where}.{path.stem.split('-')[0]}"] = str(error)
            log.error("prompt left out", extra={"pack": where, "reason": str(error)})  # noqa: TRY400  # the reason says it all
            return None


def read_prompt(where: str, path: Path) -> Prompt:
    """The prompt in a file of a service or a pack. Raises PromptInvalid with the file's name."""
    try:
        prompt = Prompt.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, OSError, UnicodeDecodeError, ValidationError) as error:
        raise PromptInvalid(f"{path}: {error}") from error
    # an earlier version may stay beside the present one: plan.yaml, plan-1.yaml
    if prompt.id != f"{where}.{path.stem.split('-')[0]}":
        raise PromptInvalid(f"{path}: id is {prompt.id!r}, not {where}.{path.stem}")
    unused = sorted({*prompt.data} - prompt.placeholders())
    if unused:
        raise PromptInvalid(f"{path}: data names {unused}, which the templates do not use")
    return prompt
