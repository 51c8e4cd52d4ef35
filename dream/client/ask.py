"""`dream ask`: one sentence to an answer with its files."""

from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console

from dream.cli.error_messages import error_message
from dream.cli.running import Interrupted, Interrupts
from dream.client import downloads, target
from dream.client.conversation import Conversation
from dream.client.gateway_client import Client, Refused
from dream.client.outcome import Outcome, show
from dream.client.person import NobodyThere, Person, Terminal
from dream.client.prompt import DecisionPrompt
from dream.client.target import Target
from dream.client.view import Brief, view_for
from dream.failures import Exit
from dream.local.data_dir import DataDir
from dream.texts import Texts


@dataclass(frozen=True, slots=True)
class Request:
    """What a person wants, and how."""

    text: str
    data_dir: Path
    files: tuple[Path, ...] = ()
    session: str | None = None
    language: str | None = None
    approve: bool = False
    budget: dict[str, float] | None = None
    out: Path | None = None
    json: bool = False
    url: str | None = None
    verbose: bool = False
    user: str | None = None
    timezone: str | None = None
    brand: bytes | None = None
    """As `dream.client.brand` packs it."""


@dataclass(slots=True)
class Talking:
    """What the turns of one talk share: sentences that were typed although a question waited, and what was told."""

    kept: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)


async def ask(request: Request, texts: Texts, interrupts: Interrupts, person: Person | None = None) -> int:
    """Runs the request and shows its outcome; returns the exit code."""
    console = Console(stderr=True)
    outcome = Outcome()
    person = person or Terminal(silent=request.json and not console.is_terminal)
    await settle(_ask(request, texts, interrupts, person, console, outcome), outcome, texts, interrupts)
    if request.json:
        print(outcome.as_json())
    else:
        show(outcome, Console(), console, texts)
    return outcome.exit


async def _ask(
    request: Request, texts: Texts, interrupts: Interrupts, person: Person, console: Console, outcome: Outcome
) -> None:
    async with target.server(request.url, request.data_dir, texts, interrupts) as server:
        await converse(request, server, texts, person, console, outcome, interrupts)


async def settle(work: Coroutine[Any, Any, None], outcome: Outcome, texts: Texts, interrupts: Interrupts) -> None:
    """Waits for the work; whatever ends it early becomes part of the outcome."""
    try:
        await interrupts.guard(work)
    except Interrupted:
        if not outcome.over:
            outcome.fail("running" if outcome.run_id else "cancelled", _left(outcome, texts), Exit.INTERRUPTED)
    except Exception as error:
        if not blamed(error, outcome, texts):
            raise


def blamed(error: Exception, outcome: Outcome, texts: Texts) -> bool:
    """Whether the error is a known one; it is part of the outcome then."""
    known = error_message(error, texts)
    if known is None:
        return False
    # a refusal after the run began is no wrong usage of ours
    begun = outcome.run_id is not None and isinstance(error, Refused)
    outcome.fail("failed", known.message, Exit.FAILED if begun else known.exit_code, known.code)
    return True


def _left(outcome: Outcome, texts: Texts) -> str:
    if not outcome.run_id:
        return texts("ask.interrupted")
    return texts("ask.left", session=outcome.session_id)


async def converse(  # noqa: PLR0913, PLR0917  # the parts of a conversation
    request: Request,
    server: Target,
    texts: Texts,
    person: Person,
    console: Console,
    outcome: Outcome,
    interrupts: Interrupts | None = None,
    *,
    talking: Talking | None = None,
) -> None:
    """One run on one server, from the upload of its files to the download of its answer. As a turn of a talk it shows
    no more of its progress than has to be."""

    def say(key: str, **values: object) -> None:
        console.print(texts(key, **values), markup=False, highlight=False)

    view = view_for(console, texts, quiet=request.json)
    view = view if talking is None else Brief(view)
    prompt_console = Console(stderr=True, quiet=request.json and not console.is_terminal)
    kept = talking.kept if talking else None
    decisions = DecisionPrompt(person, prompt_console, texts, kept, strict=person.is_script and talking is None)
    async with Client(server.url) as client:
        # Ctrl-C is a question only where somebody can answer it
        asking = interrupts if person.at_terminal else None
        told = talking.told if talking else None
        conversation = Conversation(
            client, decisions, view, approve=request.approve, say=say, interrupts=asking, told=told
        )
        try:
            after = await conversation.start(await _body(client, request))
            outcome.session_id, outcome.run_id, outcome.status = conversation.session, conversation.run, "running"
            DataDir(request.data_dir).remember(conversation.session)
            if request.session:
                await conversation.remind()
            await conversation.follow(after, log_lines=request.verbose)
        except NobodyThere:
            _nobody(conversation, outcome, texts)
        finally:
            _tell(conversation, outcome)
        if outcome.response and outcome.response.get("attachments"):
            folder = request.out or request.data_dir / "out" / downloads.folder_of(conversation.run)
            outcome.attachments = await downloads.fetch(client, outcome.response["attachments"], folder)


async def _body(client: Client, request: Request) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        given = list(request.files)
        if request.brand:
            given.append(Path(folder) / "own.brand.json")
            given[-1].write_bytes(request.brand)
        attachments = [await client.upload(file, request.session) for file in given]
    body: dict[str, Any] = {"text": request.text, "attachments": attachments, "auto_approve": request.approve}
    if request.budget:
        body["budget"] = request.budget
    if request.session:
        body["session_id"] = request.session
    if request.language:
        body["language"] = request.language
    if request.user:
        body["user"] = request.user
    if request.timezone:
        body["profile"] = {"timezone": request.timezone}
    return body


def _tell(conversation: Conversation, outcome: Outcome) -> None:
    story = conversation.story
    outcome.events = conversation.events
    outcome.response = dict(story.response) if story.response else None
    if story.over:
        outcome.status, outcome.error = story.status, story.error


def _nobody(conversation: Conversation, outcome: Outcome, texts: Texts) -> None:
    """A question, and no terminal: say which, and how to answer it."""
    question = next(iter(conversation.story.questions.values()), {"question": "?", "kind": "?", "decision_id": "?"})
    values = {"question": question["question"], "session": conversation.session, "decision": question["decision_id"]}
    how = texts("nobody.plan" if question["kind"] == "plan" else "nobody.other", **values)
    outcome.fail("waiting", f"{texts('nobody.asked', **values)} {how}", Exit.FAILED, decision_id=values["decision"])
