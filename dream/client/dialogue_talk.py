"""Says dialogues to a running product through the gateway's public interface, as a client would."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from uuid import uuid4

import httpx

from dream.client.dialogue_file import ZONE, DialogueLine, Turn, misses
from dream.client.question import Reply, understand

Json = dict[str, Any]
PATIENCE = 90.0
"""Seconds for one turn: the machine may be busy."""


async def say_all(url: str, person: str, dialogue: DialogueLine) -> tuple[list[str], list[str]]:
    """The answers, one per turn, and what is wrong with them; from the first turn to the last, whatever fails."""
    answers: list[str] = []
    wrong: list[str] = []
    async with httpx.AsyncClient(
        base_url=url, trust_env=False, timeout=PATIENCE, verify=url.startswith("https:")
    ) as http:
        talk = PlayedDialogue(http, person, {file.name: file.text.encode() for file in dialogue.files})
        for number, turn in enumerate(dialogue.turns, 1):
            try:
                answer = await talk.say(turn)
            except (httpx.HTTPError, TimeoutError) as error:
                wrong.append(f"turn {number} {turn.say!r}: {error!r}")
                answers.append("")
                continue
            answers.append(answer)
            if missed := misses(turn, answer):
                wrong.append(f"turn {number} {turn.say!r}: the answer {answer!r} {'; '.join(missed)}")
    return answers, wrong


class PlayedDialogue:
    """A session. What is typed while a question waits answers it where it can, as in `dream chat`; plans are approved
    by the client, as with `--yes`: what moves money asks all the same."""

    def __init__(
        self, http: httpx.AsyncClient, person: str, files: Mapping[str, bytes], patience: float = PATIENCE
    ) -> None:
        self._patience = patience
        self._http = http
        self._files = files
        self._how: Json = {"user": person, "profile": {"timezone": ZONE.key}}
        self.session_id = ""
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
        self.session_id = run["session_id"]
        self._how = {"session_id": self.session_id}
        return await self._heard(run["run_id"])

    async def _answer(self, decision: Json, answer: Json) -> str:
        path = f"/sessions/{self.session_id}/decisions/{decision['decision_id']}"
        await self._post(path, {"answer": answer})
        return await self._heard(decision["run_id"], answered=decision["decision_id"])

    async def _heard(self, run_id: str, answered: str = "") -> str:
        async def look() -> str | None:
            state = (await self._http.get(f"/sessions/{self.session_id}")).raise_for_status().json()
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

        return await _eventually(look, self._patience)

    async def _upload(self, name: str) -> Json:
        query = {"name": name} | ({"session_id": self.session_id} if self.session_id else {})
        answer = await self._http.post("/artifacts", params=query, content=self._files[name])
        stored: Json = answer.raise_for_status().json()
        return stored

    async def _post(self, path: str, body: Json) -> Json:
        answer = await self._http.post(path, json=body, headers={"Idempotency-Key": str(uuid4())})
        accepted: Json = answer.raise_for_status().json()
        return accepted


async def _eventually(look: Callable[[], Awaitable[str | None]], patience: float) -> str:
    async with asyncio.timeout(patience):
        while True:
            if (found := await look()) is not None:
                return found
            await asyncio.sleep(0.05)
