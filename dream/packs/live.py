"""`dream pack eval --live`: the cases are said to a running product, each in a session of its own, and then ended."""

from contextlib import aclosing, suppress
from uuid import uuid4

from backbone import packs
from dream.client.dialogue_talk import say_all
from dream.client.gateway_client import Client, Frame, Refused
from dream.packs import lookup
from dream.packs.cases import Case
from dream.packs.evaluation import dialogues, judged, report, wanted
from dream.texts import Texts
from understanding.offline.scoring import Expected, Heard

USER = "dream-eval"
"""Whoever asks the cases: what they remember or schedule is nobody else's."""
ENDS = frozenset({"RunCompleted", "RunFailed", "RunCancelled", "DecisionRequested", "FlowAdvanced"})
NO_FILE = "file"


async def evaluate(url: str, what: str, texts: Texts, *, as_json: bool) -> int:
    """As dream.packs.evaluation.evaluate, of what a server understands. Relative days are those of today."""
    pack = lookup.whole(lookup.find(what, texts), texts)
    async with Client(url) as client:
        found = [judged(case, await _heard(client, case)) for case in wanted(pack, texts)]
    played = [(one, (await say_all(url, f"{USER}-{uuid4()}", one))[1]) for one in dialogues(pack, texts)]
    return report(pack, found, texts, as_json=as_json, played=played)


async def _heard(client: Client, case: Case) -> Heard:
    body: Frame = {"text": case.line.text, "language": case.line.lang, "user": USER}
    if case.file:
        body["attachments"] = [await client.upload(case.file)]
    started = await client.run(body, str(uuid4()))
    session, run = str(started["session_id"]), str(started["run_id"])
    understood: Frame = {}
    asked: Frame | None = None
    async with aclosing(client.follow(session)) as frames:
        async for frame in frames:
            if frame["event"] == "CognitiveOutput":
                understood = frame["data"]
                break
            if frame["event"] in ENDS:
                asked = frame["data"]
                break
    with suppress(Refused):  # it may have ended meanwhile
        await client.control(session, run, "cancel")
    return _as_heard(understood, asked)


def _as_heard(understood: Frame, asked: Frame | None) -> Heard:
    if not understood:
        needs_file = bool(asked) and (asked or {}).get("subject", {}).get("question") == NO_FILE
        return Heard((Expected(intent="-"),), asks=not needs_file, unclear=True)
    tasks = [Expected(intent=one["intent"], slots=one.get("slots", {})) for one in understood.get("tasks", ())]
    intent = understood["intent"]
    name = f"{intent['domain']}.{intent['category']}" if intent.get("category") else intent["domain"]
    declined = any(one.declines and one.intent == name for pack in packs.load().packs.values() for one in pack.intents)
    return Heard(tuple(tasks) or (Expected(intent=name),), asks=False, unclear=False, declined=declined)
