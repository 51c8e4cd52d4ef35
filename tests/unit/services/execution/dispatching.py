"""The dispatcher under test, with the platform's real words."""

from typing import Any

from services.execution.domain.fold import Rules
from services.execution.handlers import dispatcher
from tests.unit.services.catalogues import catalogue


def under(**rules: Any) -> Any:
    """A dispatcher under some rules."""
    return dispatcher(Rules(catalogue().say, **rules))


DISPATCHER = under()
