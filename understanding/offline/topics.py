"""Topics: things named beside the main intent, and the goals that intent and topics make together."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from contracts.artifacts import FOUND
from contracts.packs import IntentSpec, TopicSpec
from contracts.patterns import bounded

_LEFT_OUT_BEFORE = re.compile(
    r"\b(?:without|except(?: for)?|excluding|(?:not |isn['’]t )includ(?:e|ing)|omit(?:ting)?|leaving out|skip"
    r"|leave|leave out|drop|forget|no|not|no need for|(?:(?:do|does|did|should|must)(?:n['’]t| not)|never) "
    r"(?:need|want|make|do|write|ask for|include|contain|show|use|mention|add|put in|have))"
    r"\s+(?:the |any |a |an )?(?:\w+,? (?:or|and|nor) (?:the |any |a |an )?)?$",
    re.IGNORECASE,
)
_LEFT_OUT_AFTER = bounded(
    r"\s*(?:분석|리포트|보고서|문구|자료|파일)?(?:(?:이?나|와|과|이?랑|하고|,)\s?\S{1,8}?)?"
    r"(?:까지)?(?: ?(?:같은|따위|이런)(?: ?[건거것게])?)?(?:은|는|을|를|이|가|도)?"
    r" ?(?:빼고|빼줘|빼 ?주|제외|말고|없이|없어도|필요 ?없|됐(?:고|어|습)|사양"
    r"|안 ?\S{1,4}(?: \S{1,4})?도|(?:하|만들|넣|주)지 ?(?:말|마|않))"
    r"|(?:分析|抽出)?(?:(?:や|と|、|も)[^\s、。]{1,6}?)?(?:とか|など|なんか)?(?:は|を|も|の方は|の(?:ステップ|部分|工程|作業)[はを]?)?"
    r"(?:除|抜[いきくけ]|外[しす]|省[いきくけ]|飛ばし|スキップ|やめ|カット|削除|なし|以外|いら|いり|要ら|要り|不要|結構|必要な|必要あり"
    r"|(?:じゃ|では?)な[くい]|(?:作ら|し|出さ|入れ|載せ|含め|使わ|見せ)な(?:い|くて))"
)
_REST = 8
"""Characters of the ending behind what leaves something out."""

BEFORE = 30
"""Characters before a word that may leave it out."""
ALONE = 0.7


@dataclass(frozen=True, slots=True)
class Named:
    """Goals that the sentence asks for by a topic's words, and those it wants left out.

    `alone`: the sentence is hardly more than such a word ("트렌드요").
    """

    goals: tuple[str, ...] = ()
    left_out: frozenset[str] = frozenset()
    alone: bool = False


class TopicFinder:
    """Compiled once from all packs' topics; their order is the order of goals."""

    def __init__(self, topics: Sequence[TopicSpec]) -> None:
        self._patterns = [
            (topic.goal, [bounded(word) for words in topic.words.values() for word in words]) for topic in topics
        ]
        self._names = [
            (topic.goal, [bounded(word) for words in topic.names.values() for word in words]) for topic in topics
        ]

    def find(self, text: str) -> Named:
        goals: list[str] = []
        left_out: list[str] = []
        longest = 0
        for goal, patterns in self._patterns:
            matches = [match for pattern in patterns if (match := pattern.search(text))]
            if matches:
                longest = max(longest, *(len(match.group()) for match in matches))
                (left_out if any(_is_left_out(text, match) for match in matches) else goals).append(goal)
        for goal, patterns in self._names:
            matches = [match for pattern in patterns for match in pattern.finditer(text)]
            if any(_is_left_out(text, match) for match in matches):
                left_out.append(goal)
        alone = longest >= ALONE * max(1, sum(char.isalnum() for char in text))
        wanted = tuple(goal for goal in dict.fromkeys(goals) if goal not in left_out)
        return Named(goals=wanted, left_out=frozenset(left_out), alone=alone)

    def only_leaves_out(self, text: str) -> bool:
        """Whether all that is said is what is not wanted ("no video, please"): a request for nothing."""
        spans = (match.span() for _, patterns in self._names for one in patterns for match in one.finditer(text))
        ends = [end for start, last in spans if (end := _left_out_to(text, start, last)) is not None]
        return bool(ends) and len(text.rstrip()) - max(ends) <= _REST

    def combine(self, spec: IntentSpec, named: Named) -> tuple[str, ...]:
        """The intent's goals and the named ones.

        Several goals of one family (what is found out) are what the intent gives when nothing is named: named goals of
        that family take their place. A single one is what the intent is about, and stays.
        """
        own, replaced = own_goals(spec), {_family(goal) for goal in named.goals}
        kept = [goal for goal in spec.goals if goal in own or goal in named.goals or _family(goal) not in replaced]
        wanted = [goal for goal in dict.fromkeys([*kept, *named.goals]) if goal not in named.left_out]
        return self.in_order(wanted)

    def in_order(self, goals: Iterable[str]) -> tuple[str, ...]:
        """Each once, as plans have them."""
        order = {goal: at for at, (goal, _) in enumerate(self._patterns)}
        return tuple(sorted(dict.fromkeys(goals), key=lambda goal: order.get(goal, len(order))))


def own_goals(spec: IntentSpec) -> frozenset[str]:
    """The goals that an intent is about: the only one of its family. Several are what it gives by default."""
    families = [_family(goal) for goal in spec.goals]
    return frozenset(goal for goal in spec.goals if families.count(_family(goal)) == 1)


def is_found(goal: str) -> bool:
    """Whether it is something to be found out, as opposed to made: what a report may tell of."""
    return goal.startswith(FOUND)


def _family(goal: str) -> str:
    return FOUND[0] if is_found(goal) else goal.partition(".")[0]


def _is_left_out(text: str, match: re.Match[str]) -> bool:
    return _left_out_to(text, *match.span()) is not None


def _left_out_to(text: str, start: int, end: int) -> int | None:
    """Where what leaves the word out ends, if anything does."""
    if (after := _LEFT_OUT_AFTER.match(text, end)) is not None:
        return after.end()
    return end if _LEFT_OUT_BEFORE.search(text[max(start - BEFORE, 0) : start]) else None
