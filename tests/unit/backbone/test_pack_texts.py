"""What a pack's text files may hold."""

import sys
from pathlib import Path

import pytest

from backbone import packs


def test_a_text_that_yaml_reads_as_something_else_leaves_the_pack_out_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "strangers" / "odd_pack"
    (folder / "texts").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "pack.yaml").write_text("name: odd_pack\nversion: 1\ntitle: {en: Odd}\n")
    (folder / "texts" / "en.yaml").write_text("yes_label: Yes\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    catalogue = packs.load(("strangers.odd_pack",))
    assert "odd_pack" not in catalogue.packs
    assert "yes_label: True is no text" in catalogue.failures["strangers.odd_pack"]
    (folder / "texts" / "en.yaml").write_text('yes_label: "Yes"\n')
    assert packs.load(("strangers.odd_pack",)).packs["odd_pack"].text("en", "yes_label") == "Yes"
    for name in ("strangers", "strangers.odd_pack"):
        sys.modules.pop(name, None)
