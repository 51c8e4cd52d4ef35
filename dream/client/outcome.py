"""How a conversation ended: for scripts as one JSON object, for people as an answer with the paths of its files."""

import json
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.markdown import Markdown

from contracts.errors import Code
from dream.client.downloads import main_document
from dream.client.gateway_client import Attachment, Frame
from dream.failures import Exit
from dream.texts import Texts

EXITS = {
    "completed": Exit.DONE,
    "partial": Exit.DONE,
    "rejected": Exit.REFUSED,
    "expired": Exit.REFUSED,
    "cancelled": Exit.REFUSED,
}
UNDECIDED = (Code.APPROVAL_MISSING, Code.DECISION_EXPIRED)
"""Why a run has failed whose call was rejected, or let wait for too long."""


@dataclass(slots=True)
class Outcome:
    """What --json prints. `status` is the run result's; `waiting` when a question found nobody, `running` when we
    left."""

    session_id: str | None = None
    run_id: str | None = None
    status: str = "failed"
    response: Any = None
    attachments: list[Attachment] = field(default_factory=list)
    events: list[Frame] = field(default_factory=list)
    error: Any = None
    exit_code: Exit | None = None

    @property
    def exit(self) -> Exit:
        """The exit code: that of the error, else that of the status. A run that failed because the person did not let
        the one call happen that it came to is refused, as one whose plan they rejected."""
        if self.exit_code is not None:
            return self.exit_code
        if self.status == "failed" and self.run_id and (self.error or {}).get("code") in UNDECIDED:
            return Exit.REFUSED
        return EXITS.get(self.status, Exit.FAILED)

    @property
    def over(self) -> bool:
        """Whether the run came to its end."""
        return self.status in EXITS or (self.status == "failed" and self.run_id is not None and self.exit_code is None)

    @property
    def document(self) -> str | None:
        """The local path of the main PDF."""
        main = main_document(self.response, self.attachments)
        return str(main["path"]) if main else None

    @property
    def in_dialogue(self) -> bool:
        """Whether the answer is a question, which the next message of the session answers."""
        hint = (self.response or {}).get("ui_hint") or {}
        return hint.get("next_action") in ("FILL", "CONFIRM")

    def fail(self, status: str, message: str, exit_code: Exit, code: int | None = None, **detail: Any) -> None:
        """Ends with an error of ours."""
        self.status, self.exit_code = status, exit_code
        self.error = {"code": code, "message": message} | ({"detail": detail} if detail else {})

    def as_json(self) -> str:
        names = ("session_id", "run_id", "status", "response", "attachments", "events", "error")
        return json.dumps({name: getattr(self, name) for name in names}, ensure_ascii=False)


def offers(outcome: Outcome) -> list[tuple[str, str]]:
    """Label and sentence of what may be said next."""
    return [(str(one["label"]), str(one["text"])) for one in (outcome.response or {}).get("next_actions") or ()]


def show(outcome: Outcome, out: Console, err: Console, texts: Texts, *, numbered: bool = False) -> None:
    """Answer and paths on standard output, the main document last; what went wrong on standard error. `numbered`: what
    may be said next has the key that says it."""
    if outcome.response:
        text = str(outcome.response.get("text", ""))
        if out.is_terminal:
            # one sentence a line, as it was written: Markdown alone would run them together
            out.print(Markdown(text.replace("\n", "  \n")))
        else:
            print(text)
        labels = [label for label, _ in offers(outcome)]
        for number, label in enumerate(labels, 1):
            print(f"  {number}) {label}" if numbered else f"  → {label}")
        buttons = (outcome.response.get("ui_hint") or {}).get("buttons") or ()
        if out.is_terminal and (others := [one for one in buttons if one not in labels]):
            print("  " + "  ".join(f"[{button}]" for button in others))
    if outcome.error:
        code = f" ({outcome.error['code']})" if outcome.error.get("code") else ""
        message = outcome.error.get("message") or texts(f"status.{outcome.status}")
        err.print(f"{message}{code}", style="red", markup=False)
    elif outcome.status in ("partial", "rejected", "cancelled"):
        err.print(texts(f"status.{outcome.status}"), style="yellow", markup=False)
    if outcome.session_id:
        line = "session.dialogue" if outcome.in_dialogue else "session.line"
        # one line: it is there to be copied
        said = texts(line, session=outcome.session_id)
        err.print(said, style="dim", markup=False, highlight=False, soft_wrap=True)
    # print, not rich: a path must not be wrapped
    paths = [str(one["path"]) for one in outcome.attachments]
    for path in sorted(paths, key=lambda path: path == outcome.document):
        print(path)
