"""The packs that come with the product pass the check that the product has for packs."""

import pytest

from backbone import packs
from dream.packs import check, lint_rules
from dream.texts import Texts
from understanding.offline.pack import PackUnderstanding
from understanding.offline.understand import SentenceReader


def test_dream_pack_check_has_nothing_to_say_about_any_of_them(
    every_pack: tuple[PackUnderstanding, ...], everything: SentenceReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    # how long their patterns take, tests/architecture/test_patterns.py says of all
    monkeypatch.setattr(lint_rules, "_slow_on", lambda _: None)
    folders = [one.folder.resolve() for one in packs.load(tuple(one.name for one in every_pack)).packs.values()]
    assert {"assistant", "devices", "documents", "marketing", "platform", "transfer"} <= {one.name for one in folders}
    texts, models = Texts("en"), {frozenset(folders): everything}
    found = check.all_findings(folders, texts, models)
    assert [texts(f"finding.{one.kind}", value=one.value, more=one.more) for one in found] == []
    assert len(models) == 1  # nothing was built again
