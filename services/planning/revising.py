"""What a person's reason for rejecting a plan makes of it: other rows, other days, steps less or more."""

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import Protocol

from backbone.packs import Catalogue
from contracts.cognitive import CognitiveOutput, Entity
from contracts.planning import Plan, PlanningOutput
from contracts.shape import JsonObject, ToolKey
from services.planning.domain.chain import GoalUnreachable
from services.planning.domain.dependency import PlanInvalid
from services.planning.domain.editing import all_but, edit, only_named, replaced, taken_out, without_named
from services.planning.domain.request import takes_days, takes_period, with_details, with_period
from services.planning.places import Placed, places_in
from services.planning.planner import PlanGenerator
from services.planning.unheard import Hearing, without_effect
from services.planning.wishes import Told, Wishes
from understanding.port import Named, TopicFinder, period_in

LANGUAGES = ("ko", "en", "ja")
"""A reason may be in another language than the plan."""


@dataclass(frozen=True, slots=True)
class Revision:
    """The plan as it is wanted, or as it was; what its steps mean now, and what was said that cannot be done.
    `refused`: why steps that are named cannot be taken out."""

    plan: Plan
    told: Told
    refused: str = ""


class Details(Protocol):
    """Finds the numbers that words say of what is made (understanding.port.details_of)."""

    def find(self, text: str, goals: Collection[str]) -> Sequence[Entity]: ...


@dataclass(frozen=True, slots=True)
class Revising:
    """Reads a reason for a plan."""

    catalogue: Catalogue
    generator: PlanGenerator
    topics: TopicFinder
    wishes: Wishes
    details: Details

    async def revised(
        self,
        last: PlanningOutput,
        reason: str,
        understood: CognitiveOutput | None,
        today: date,
        gone: Collection[ToolKey] = (),
    ) -> Revision:
        """`understood` is the request that the plan is for; without it no step is added. `today` is the person's.
        `gone`: the tools whose steps were taken out of it before."""
        plan, language = last.plan, last.language
        placed = places_in(reason, len(plan.todos))
        # a number that tells a step is no number of rows
        said = placed.rest if placed else reason
        dated, cannot = self._in_days(plan, said, today, language)
        cannot += self._not_there(plan, placed, language)
        changed = await self.wishes.changed(dated, said, last.attachments, language, today)
        before = replace(changed.before, lines=last.understood)
        named = self.topics.find(changed.rest)
        # days that are named tell which rows are meant; the words beside them name no steps, unless a topic has them
        days_alone = dated != plan and not placed and not (named.goals or named.left_out)
        patch = [] if days_alone else self._steps(plan, changed.rest, placed, named)
        told, refused = changed.told, ""
        try:
            revised = edit(dated, [*changed.patch, *patch], self.catalogue.tools) if changed.patch or patch else dated
            revised, missing = await self._with_more(revised, plan, changed.rest, named, understood, gone)
            revised = self._with_numbers(revised, said)
            cannot += missing
        except PlanInvalid as error:
            # what is named cannot be taken out: the person is asked, the plan is as it was
            revised, told = plan, before
            refused = self.catalogue.say(language, error.text, **error.detail)
        if placed.only and not refused:
            cannot += self._kept(revised, plan, placed, language)
        if revised != plan and not placed:
            cannot += self._unheard((plan, revised), said, changed.rest, language, today)
        return Revision(revised, Told(told.lines, (*told.cannot, *cannot)), refused)

    def differences(self, last: PlanningOutput, output: PlanningOutput) -> str:
        """What is another in the new version, as it is: steps that went and came, the rows that are meant."""
        say, language = self.catalogue.say, output.language
        old, new = ({todo.id: todo.title for todo in one.plan.todos} for one in (last, output))
        gone = ", ".join(title for one, title in old.items() if one not in new)
        more = ", ".join(title for one, title in new.items() if one not in old)
        parts = [say(language, "plan.part.removed", steps=gone)] if gone else []
        parts += [say(language, "plan.part.added", steps=more)] if more else []
        if output.understood != last.understood:
            rows = " · ".join(output.understood)
            parts.append(say(language, "plan.part.rows", rows=rows) if rows else say(language, "plan.part.all_rows"))
        return ", ".join(parts) or say(language, "plan.part.arguments")

    def _in_days(self, plan: Plan, said: str, today: date, language: str) -> tuple[Plan, tuple[str, ...]]:
        """The plan about the days that are named; or that none of its steps can look at some days alone."""
        period = period_in(said, today)
        if period is None:
            return plan, ()
        tools = [self.catalogue.tools.get(todo.tool) for todo in plan.todos]
        if not any(takes_period(tool) or takes_days(tool) for tool in tools):
            return plan, (self.catalogue.say(language, "plan.no_period"),)
        patch = with_period(plan, self.catalogue.tools, period)
        return (edit(plan, patch, self.catalogue.tools) if patch else plan), ()

    def _not_there(self, plan: Plan, placed: Placed, language: str) -> tuple[str, ...]:
        """The numbers that are named, of which there is no step."""
        numbers = ", ".join(map(str, placed.beyond))
        say = self.catalogue.say
        return (say(language, "plan.no_such_step", number=numbers, count=len(plan.todos)),) if numbers else ()

    def _kept(self, revised: Plan, plan: Plan, placed: Placed, language: str) -> tuple[str, ...]:
        """The steps that stay beside those that alone were wanted."""
        wanted = {plan.todos[place].id for place in placed.only}
        steps = ", ".join(todo.title for todo in revised.todos if todo.id not in wanted)
        return (self.catalogue.say(language, "plan.kept", steps=steps),) if steps else ()

    async def _with_more(
        self,
        plan: Plan,
        last: Plan,
        said: str,
        named: Named,
        understood: CognitiveOutput | None,
        gone: Collection[ToolKey],
    ) -> tuple[Plan, tuple[str, ...]]:
        """The plan with what the reason names and nothing in the last one makes, perhaps in place of what that makes;
        or why that cannot be made."""
        made = {type_ for todo in last.todos for type_ in todo.produces}
        goals = [goal for goal in named.goals if goal not in made and goal not in named.left_out]
        if understood is None or not goals:
            return plan, ()
        try:
            fitting = await self.wishes.fitting(understood.attachments)
            more = self.generator.extended(plan, understood, goals, fitting, gone)
        except GoalUnreachable as error:
            return plan, (why_impossible(self.catalogue, error, understood.language),)
        as_well = self._says(said, "plan.more_pattern")
        patch = replaced(more, plan) if self._says(said, "plan.instead_pattern") and not as_well else []
        return (edit(more, patch, self.catalogue.tools) if patch else more), ()

    def _with_numbers(self, plan: Plan, said: str) -> Plan:
        """The plan whose steps make as many or as much as the words say ("4 slides", "20 seconds")."""
        goals = {type_ for todo in plan.todos for type_ in todo.produces}
        said_so = self.details.find(said, goals)
        found: JsonObject = {one.type: one.value for one in said_so if isinstance(one.value, int | float)}
        patch = with_details(plan, self.catalogue.tools, found)
        return edit(plan, patch, self.catalogue.tools) if patch else plan

    def _unheard(self, plans: tuple[Plan, Plan], said: str, rest: str, language: str, today: date) -> tuple[str, ...]:
        """The parts of the reason that say nothing of the plan, as it was and as it is."""
        goals = {type_ for plan in plans for todo in plan.todos for type_ in todo.produces}

        def means(part: str) -> bool:
            named = self.topics.find(part)
            by_title = without_named(plans[0], part, self.catalogue.tools)
            days = period_in(part, today) is not None
            return days or bool(named.goals or named.left_out or by_title or self.details.find(part, goals))

        say = self.catalogue.say
        hearing = Hearing(*([say(one, f"plan.{kind}_pattern") for one in LANGUAGES] for kind in ("cut", "idle")))
        parts = without_effect(said, rest, hearing, means)
        return tuple(say(language, "plan.unheard", said=part) for part in parts)

    def _steps(self, plan: Plan, reason: str, placed: Placed, named: Named) -> list[JsonObject]:
        """The patch that takes out what the reason wants left out, by place or by name; or all but what it wants alone;
        or what it names, unless it wants that added."""
        tools = self.catalogue.tools
        if placed.only:
            return all_but(plan, placed.only)
        if placed.out:
            return taken_out(plan, placed.out, without_named(plan, "", tools, named.left_out))
        if named.left_out:
            return without_named(plan, "", tools, named.left_out)
        if self._says(reason, "plan.only_pattern"):
            return only_named(plan, reason, named.goals)
        so_many = any(isinstance(one.value, int | float) for one in self.details.find(reason, named.goals))
        if so_many or any(self._says(reason, f"plan.{kind}_pattern") for kind in ("more", "instead")):
            return []
        return without_named(plan, reason, tools, named.goals)

    def _says(self, reason: str, key: str) -> bool:
        patterns = (self.catalogue.say(language, key) for language in LANGUAGES)
        return re.search("|".join(patterns), reason, re.IGNORECASE) is not None


def why_impossible(catalogue: Catalogue, error: GoalUnreachable, language: str) -> str:
    """In the person's words: the file that is needed, or what no tool makes."""
    key = "plan.needs_input" if error.missing.startswith("file.") else "plan.unreachable"
    return catalogue.say(language, key, missing=_type_name(catalogue, error.missing, language))


def _type_name(catalogue: Catalogue, type_: str, language: str) -> str:
    """What people call an artifact type; the first pack that has a word for it has it for all."""
    for pack in catalogue.packs.values():
        with suppress(KeyError):
            return pack.text(language, f"artifact.{type_}")
    return type_
