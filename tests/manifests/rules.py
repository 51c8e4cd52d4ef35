"""Rules by name: each looks at one overlay and tells what it finds, one sentence each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.manifests.facts import Facts
from tests.manifests.objects import Manifests

Rule = Callable[[Manifests, Facts], Iterator[str]]
RULES: dict[str, Rule] = {}


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, in which overlay, and by which rule."""

    overlay: str
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.overlay}: {self.rule}: {self.text}"


def rule(name: str) -> Callable[[Rule], Rule]:
    def register(function: Rule) -> Rule:
        RULES[name] = function
        return function

    return register


def findings(manifests: Manifests, facts: Facts) -> list[Finding]:
    """What all rules find."""
    return [finding for name in RULES for finding in found_by(name, manifests, facts)]


def found_by(name: str, manifests: Manifests, facts: Facts) -> list[Finding]:
    """What one rule finds. One that cannot read an object has found something as well."""
    try:
        return [Finding(manifests.name, name, text) for text in RULES[name](manifests, facts)]
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        return [Finding(manifests.name, name, f"an object has another shape: {error!r}")]
