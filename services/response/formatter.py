"""ResponseGenerator: from aggregated results to the answer, in the person's language."""

from backbone.packs import Catalogue, Pack, TextMissing
from contracts.artifacts import MADE, Attachment
from contracts.errors import Code
from contracts.execution import ExecutionStatus, TodoStatus
from contracts.packs import FollowUp
from contracts.response import NextAction, ResponseInput, ResponseOutput, UiHint
from services.response.domain.aggregate import Aggregate
from services.response.domain.formats import decide_format

PROPOSED = 3

NAMED = 20
"""Failed steps that are named one by one; how many more there are is said at the end."""


class ResponseGenerator:
    """Writes the answer; every sentence comes from a pack's texts or from a tool's result."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def generate(self, given: ResponseInput, made: Aggregate) -> ResponseOutput:
        language = given.cognitive.language
        hint = given.cognitive.plan_hint
        documents = [a for a in made.attachments if a.type.startswith(MADE)]
        actions = self._next_actions(given, made)
        return ResponseOutput(
            format=decide_format(hint.formats, made.attachments),
            text="\n".join(self._lines(given, made, documents)),
            language=language,
            attachments=made.attachments,
            next_actions=actions,
            ui_hint=UiHint(
                buttons=tuple(action.label for action in actions),
                primary_artifact=documents[0].artifact_id if documents else None,
            ),
            data=made.data,
        )

    def _lines(self, given: ResponseInput, made: Aggregate, documents: list[Attachment]) -> list[str]:
        language = given.cognitive.language
        lines = list(made.sentences)
        if documents:
            names = ", ".join(document.name for document in documents)
            lines.append(self._catalogue.say(language, "answer.document", name=names))
        if made.from_before:
            key = "answer.all_from_before" if made.from_before == made.steps else "answer.from_before"
            lines.append(self._catalogue.say(language, key, count=made.from_before, steps=made.steps))
        lines += [
            self._catalogue.say(language, "answer.failed_step", title=todo.title, reason=result.error.message)
            for todo, result in made.weak
            if result.error
        ]
        if not lines and not made.failed:
            lines += self._silent(given, language)
        stopped = given.execution.error if given.execution else None
        if stopped is not None and stopped.code == Code.BUDGET_EXHAUSTED:
            lines.append(stopped.message)
        if made.failed:
            nothing = given.execution is not None and given.execution.status is ExecutionStatus.FAILED
            lines.append(self._catalogue.say(language, "answer.failed" if nothing else "answer.partial"))
            lines += self._failures(made, language)
        return lines

    def _silent(self, given: ResponseInput, language: str) -> list[str]:
        """Of steps that say nothing: how many were done, or that none was."""
        results = given.execution.results if given.execution else ()
        count = sum(one.status is TodoStatus.SUCCEEDED for one in results)
        if results and not count:
            return [self._catalogue.say(language, "answer.not_done")]
        return [self._catalogue.say(language, "answer.commands_done", count=count)]

    def _failures(self, made: Aggregate, language: str) -> list[str]:
        say = self._catalogue.say
        failed = [
            say(language, "answer.failed_step", title=todo.title, reason=result.error.message if result.error else "")
            for todo, result in made.failed
        ]
        failed += [say(language, "answer.skipped_step", title=todo.title) for todo, _ in made.skipped]
        if len(failed) <= NAMED:
            return failed
        return [*failed[:NAMED], say(language, "answer.more", count=len(failed) - NAMED)]

    def _next_actions(self, given: ResponseInput, made: Aggregate) -> tuple[NextAction, ...]:
        if given.execution is None or given.execution.status is ExecutionStatus.FAILED or given.plan is None:
            return ()
        good = {result.todo_id for result in given.execution.results if result.status is TodoStatus.SUCCEEDED}
        done = {type_ for todo in given.plan.todos if todo.id in good for type_ in todo.produces}
        makeable = {type_ for tool in self._catalogue.tools.values() for type_ in tool.produces}
        proposed = (
            _proposed(pack, one, given.cognitive.language)
            for pack in self._catalogue.packs.values()
            for one in pack.manifest.follow_ups
            if one.makes in makeable - done and any(type_.startswith(one.after) for type_ in done)
        )
        return tuple(filter(None, proposed))[:PROPOSED]


def _proposed(pack: Pack, one: FollowUp, language: str) -> NextAction | None:
    """None where the pack lacks its words: an answer does not fail for want of a proposal."""
    try:
        return NextAction(label=pack.text(language, one.text), text=pack.text(language, f"{one.text}_text"))
    except TextMissing:
        return None
