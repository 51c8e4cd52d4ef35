"""Whether arguments and results are what a tool's schema says."""

from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import NoReturn

import jsonschema_rs
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.exceptions import Unresolvable

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolSpec
from services.execution.tools.faults import ToolFault

MESSAGE_LIMIT = 300


@dataclass(eq=False)
class Schema:
    """One schema. What it allows is known at once; what it does not is looked at again, for words that say why."""

    schema: JsonObject

    @cached_property
    def _quick(self) -> jsonschema_rs.Draft202012Validator | None:
        """None for a schema that it does not take."""
        with suppress(ValueError):
            return jsonschema_rs.Draft202012Validator(self.schema, retriever=_nothing)
        return None

    @cached_property
    def _slow(self) -> Draft202012Validator:
        return Draft202012Validator(self.schema, registry=Registry())

    @cached_property
    def _nothing_is_fine(self) -> bool:
        return self._slow.is_valid({})

    def problem(self, value: JsonObject) -> str:
        """Of the first that is not as it should be, where and what; empty when there is none. Raises ToolFault when the
        schema itself says nothing: it refers to what is not in it."""
        if not value and self._nothing_is_fine:
            return ""  # no arguments, no result: most small tools, and a check costs more than they do
        with suppress(ValueError):  # letters that are half of one, numbers without end
            if self._quick is not None and self._quick.is_valid(value):
                return ""
        try:
            error = next(self._slow.iter_errors(value), None)
        except (Unresolvable, RecursionError) as broken:
            raise ToolFault(Code.TOOL_BROKEN, f"the schema cannot be used: {broken}"[:MESSAGE_LIMIT]) from None
        if error is None:
            return ""
        where = "/".join(str(part) for part in error.absolute_path) or "the object"
        return f"{where}: {error.message[:MESSAGE_LIMIT]}"


def _nothing(uri: str) -> NoReturn:
    """A schema is whole in itself: nothing is fetched for it."""
    raise LookupError(uri)


@dataclass(eq=False, slots=True)
class Schemas:
    """Those of the tools that are called here."""

    _known: dict[tuple[str, str], Schema] = field(init=False, default_factory=dict)

    def check_arguments(self, spec: ToolSpec, params: JsonObject) -> None:
        """Raises ToolFault."""
        self._check(spec, "params_schema", params, Code.TOOL_ARGUMENTS_INVALID)

    def check_result(self, spec: ToolSpec, result: JsonObject) -> None:
        """Raises ToolFault."""
        self._check(spec, "result_schema", result, Code.TOOL_RESULT_INVALID)

    def _check(self, spec: ToolSpec, which: str, value: JsonObject, code: Code) -> None:
        key = (spec.tool_key, which)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Schema(getattr(spec, which))
        if problem := known.problem(value):
            raise ToolFault(code, f"{spec.tool_key}: {problem}")
