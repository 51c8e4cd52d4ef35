"""The marketing pack's tools at work: documents, slides, films and pages that are opened again, and sites that are read."""

from tests.unit.packs.marketing.conftest import ctx, run, shared, undrawn

__all__ = ["ctx", "run", "shared", "undrawn"]
