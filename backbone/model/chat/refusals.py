"""Refusals in the streams of OpenAI's interface: LangChain reads them of whole answers and drops them from chunks."""

from collections.abc import Mapping
from typing import Any

CONVERT = "_convert_chunk_to_generation_chunk"
"""What LangChain's models of this interface make a chunk of an answer with."""


class _HearsRefusals:
    def _convert_chunk_to_generation_chunk(self, chunk: Mapping[str, Any], *told: Any, **named: Any) -> Any:
        made = getattr(super(), CONVERT)(chunk, *told, **named)
        choices = chunk.get("choices") or chunk.get("chunk", {}).get("choices") or [{}]
        refusal = (choices[0].get("delta") or {}).get("refusal")
        if made is not None and refusal:
            made.message.additional_kwargs["refusal"] = refusal
        return made


def hears_refusals(model: Any) -> Any:
    """The model, so that what it refuses with is in the chunks of its streams; others as they are."""
    kind = type(model)
    if hasattr(kind, CONVERT):
        # the constructor is LangChain's own, by the maker's name, so the class is changed behind it
        object.__setattr__(model, "__class__", type(kind.__name__, (_HearsRefusals, kind), {"__module__": __name__}))
    return model


def refusal_in(chunk: Any) -> str:
    """What a chunk of an answer refuses with; empty for nothing."""
    blocks = chunk.content if isinstance(chunk.content, list) else []
    found = [str(one.get("refusal") or "") for one in blocks if isinstance(one, dict) and one.get("type") == "refusal"]
    return "".join([str(chunk.additional_kwargs.get("refusal") or ""), *found])
