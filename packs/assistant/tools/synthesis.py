"""assistant.synthesis: the supervisor's last word (source design 001): what was done, what failed, and why."""

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext, Upstream


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Sentences of the workers in plan order; failures are named, and what succeeded stays."""
    failed = [one for one in context.upstream if not one.succeeded]
    done = len(context.upstream) - len(failed)
    sentences = [sentence for one in context.upstream for sentence in _told(one, context)]
    if failed:
        sentences.append(context.text("synthesis.partial", done=done, failed=len(failed)))
    # without a model nobody could do better in another round: what failed was repeated by itself
    return {"summary": list[JsonValue](dict.fromkeys(sentences)), "done": done, "failed": len(failed), "complete": True}


def _told(one: Upstream, context: ToolContext) -> list[str]:
    if not one.succeeded:
        reason = one.error or context.text("synthesis.no_reason")
        return [context.text("synthesis.failed", title=one.title, reason=reason)]
    summary = one.result.get("summary")
    said = [str(sentence) for sentence in summary] if isinstance(summary, list) else []
    return said or [context.text("synthesis.done", title=one.title)]
