"""Plays dialogues through the gateway's public interface, each as a person with an account of their own, and reads
from the bank's books what was paid."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import asyncpg
import httpx

from bench.dialogue_file import Booked, Dialogue, Paid, Turn, differences, misses, plain, shown
from dream.question import Reply, understand

Json = dict[str, Any]
PATIENCE = 90.0
"""Seconds for one turn: the machine may be busy."""
_BOOKS = """select t.amount, t.memo, t.value_on, t.ordered_on,
 (select array_agg(distinct name) from (
    select unnest(n.names) as name from pack_transfer.payee_names n where n.payee_id = t.payee_id
    union select n.names[1] || ' (' || n.bank || ')' from pack_transfer.payee_names n where n.payee_id = t.payee_id
    union select n.bank || ' ' || n.names[1] from pack_transfer.payee_names n where n.payee_id = t.payee_id
 ) called) as names
 from pack_transfer.transfers t where t.owner = $1 and t.payee_id is not null order by t.made_at"""


@dataclass(slots=True)
class Played:
    """How a dialogue went. `wrong` says of each failing turn what is wrong; `unpaid` and `overpaid` are wrong money."""

    dialogue: Dialogue
    answers: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    unpaid: list[Paid] = field(default_factory=list)
    overpaid: list[Booked] = field(default_factory=list)

    @property
    def wrong_money(self) -> bool:
        return bool(self.unpaid or self.overpaid)

    @property
    def right(self) -> bool:
        return not self.wrong and not self.wrong_money

    def reasons(self) -> list[str]:
        """All that is wrong, for people."""
        unpaid = [f"not paid: {shown(one)}" for one in self.unpaid]
        return [*self.wrong, *unpaid, *(f"paid though it should not be: {shown(one)}" for one in self.overpaid)]


async def play(url: str, owner_url: str, dialogue: Dialogue) -> Played:
    """The dialogue from its first turn to its last, whatever fails on the way."""
    person = f"bench-{dialogue.id}-{uuid4()}"
    played = Played(dialogue)
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=PATIENCE) as http:
        talk = Talk(http, person, {file.name: file.text.encode() for file in dialogue.files})
        for number, turn in enumerate(dialogue.turns, 1):
            try:
                answer = await talk.say(turn)
            except (httpx.HTTPError, TimeoutError) as error:
                played.wrong.append(f"turn {number} {turn.say!r}: {error!r}")
                played.answers.append("")
                continue
            played.answers.append(answer)
            if wrong := misses(turn, answer):
                played.wrong.append(f"turn {number} {turn.say!r}: the answer {answer!r} {'; '.join(wrong)}")
    played.unpaid, played.overpaid = differences(dialogue.expect.paid, await booked(owner_url, person))
    return played


async def booked(owner_url: str, person: str) -> list[Booked]:
    """What the bank's books say of a person. A payee goes by any name in any language, perhaps with the bank."""
    connection = await asyncpg.connect(owner_url)
    try:
        rows = await connection.fetch(_BOOKS, person)
    finally:
        await connection.close()
    return [
        Booked(
            names=frozenset(plain(name) for name in row["names"]),
            amount=row["amount"],
            memo=row["memo"],
            date=row["value_on"] if row["value_on"] != row["ordered_on"] else None,
        )
        for row in rows
    ]


class Talk:
    """A session. What is typed while a question waits answers it where it can, as in `dream chat`; plans are approved
    by the client, as with `--yes`: what moves money asks all the same."""

    def __init__(self, http: httpx.AsyncClient, person: str, files: Mapping[str, bytes]) -> None:
        self._http = http
        self._files = files
        self._how: Json = {"user": person, "profile": {"timezone": "Asia/Seoul"}}
        self._session = ""
        self._open: Json | None = None

    async def say(self, turn: Turn) -> str:
        """What a person reads as the answer: the text, the question, or why not."""
        attached = [await self._upload(name) for name in turn.attach]
        decision, self._open = self._open, None
        if decision is not None and not attached:
            reply = understand(decision, turn.say)
            if isinstance(reply, Reply) and not reply.files:
                return await self._answer(decision, reply.answer)
        body = {"text": turn.say, "auto_approve": True, "attachments": attached, **self._how}
        run = await self._post("/agent/run-async", body)
        self._session = run["session_id"]
        self._how = {"session_id": self._session}
        return await self._heard(run["run_id"])

    async def _answer(self, decision: Json, answer: Json) -> str:
        path = f"/sessions/{self._session}/decisions/{decision['decision_id']}"
        await self._post(path, {"answer": answer})
        return await self._heard(decision["run_id"], answered=decision["decision_id"])

    async def _heard(self, run_id: str, answered: str = "") -> str:
        async def look() -> str | None:
            state = (await self._http.get(f"/sessions/{self._session}")).raise_for_status().json()
            run = next((one for one in state["runs"] if one["run_id"] == run_id), None)
            asked = [one for one in state["open_decisions"] if one["run_id"] == run_id]
            asked = [one for one in asked if one["decision_id"] != answered]
            if asked:
                self._open = asked[0]
                labels = [option["label"] for option in asked[0].get("options") or ()]
                return " ".join([asked[0]["question"], *labels])
            if run is None or run["status"] not in ("completed", "partial", "failed", "cancelled"):
                return None
            response, error = run.get("response"), run.get("error")
            return str(response["text"] if response else (error or {}).get("message", run["status"]))

        return await _eventually(look)

    async def _upload(self, name: str) -> Json:
        query = {"name": name} | ({"session_id": self._session} if self._session else {})
        answer = await self._http.post("/artifacts", params=query, content=self._files[name])
        stored: Json = answer.raise_for_status().json()
        return stored

    async def _post(self, path: str, body: Json) -> Json:
        answer = await self._http.post(path, json=body, headers={"Idempotency-Key": str(uuid4())})
        accepted: Json = answer.raise_for_status().json()
        return accepted


async def _eventually(look: Callable[[], Awaitable[str | None]]) -> str:
    async with asyncio.timeout(PATIENCE):
        while True:
            if (found := await look()) is not None:
                return found
            await asyncio.sleep(0.05)
