"""The shapes of a deck: slides with their texts and charts, before anything is drawn."""

from dataclasses import dataclass, field, replace
from typing import Literal

from packs.marketing.slides.answers import Objection, Step
from packs.marketing.slides.native import Chart

Section = Literal["title", "facts", "likes", "sentiment", "trend", "voices", "objections", "competitor", "next"]
Tone = Literal["main", "positive", "negative", "warm"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number large enough to be seen from the last row."""

    value: str
    label: str
    note: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Voice:
    text: str
    source: str
    positive: bool = True


Part = Figure | Chart | Voice | Objection | Step | str


@dataclass(frozen=True, slots=True)
class Page:
    """`lead` is the one sentence to remember, `aside` what stands beside a chart, `notes` what the speaker says."""

    section: Section
    title: str
    lead: str
    body: tuple[Part, ...]
    aside: tuple[str, ...] = ()
    voices: tuple[Voice, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Story:
    title: str
    subtitle: tuple[str, ...]
    footer: str
    source: str
    pages: tuple[Page, ...]
    summary: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for."""

    title: str | None = None
    product: str | None = None
    audience: str | None = None
    slides: int | None = None


_FIRST: tuple[Section, ...] = ("facts", "competitor", "sentiment", "likes", "trend", "objections", "next", "voices")
"""What is kept where there are to be fewer slides; of one kind those that come first."""
FEWEST = 2
"""A title alone tells nothing."""


def shortened(story: Story, slides: int | None) -> Story:
    """As many slides as are wished, the title included, or as near to it as there is something to tell."""
    if slides is None or slides > len(story.pages):
        return story
    ranked = sorted(range(len(story.pages)), key=lambda at: (_FIRST.index(story.pages[at].section), at))
    kept = sorted(ranked[: max(slides, FEWEST) - 1])
    return replace(story, pages=tuple(story.pages[at] for at in kept))
