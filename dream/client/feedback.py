"""`dream feedback`: what a person thinks of a run."""

import json
from collections.abc import Sequence
from typing import Any

from dream.client import run_selector, target
from dream.client.gateway_client import Client
from dream.failures import CommandFailed, Exit
from dream.texts import Texts


def correction(
    intent: str | None, slots: Sequence[str], plan: Sequence[str], answer: str | None, texts: Texts
) -> dict[str, Any]:
    """As the protocol has it, of the command's options. Raises CommandFailed for a slot without a value."""
    given: dict[str, Any] = {"intent": intent, "plan": list(plan) or None, "answer": answer}
    values: dict[str, Any] = {}
    for one in slots:
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            raise CommandFailed(texts("feedback.slot_odd", slot=one), Exit.USAGE)
        values[name.strip()] = _value(value.strip())
    given["slots"] = values or None
    return {name: value for name, value in given.items() if value is not None}


async def give(which: run_selector.Which, body: dict[str, Any], texts: Texts) -> int:
    """Records it, and says so."""
    async with Client(await target.required(which.url, which.data_dir, texts)) as client:
        session, run = await run_selector.find(client, which, texts)
        given = await client.feedback(session, {"run_id": run, **body})
    print(texts("feedback.given", run=run, version=given["version"]))
    return Exit.DONE


def _value(text: str) -> Any:
    """A number or a truth as JSON has it; everything else is text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, (bool, int, float)) else text
