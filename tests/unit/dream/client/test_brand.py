"""Three settings of a company in one file that travels."""

import base64
import json
from pathlib import Path

import pytest

from dream.client.brand import BrandUnreadable, packed


def test_the_logo_goes_along_wherever_the_settings_are_read(tmp_path: Path) -> None:
    (tmp_path / "sign.png").write_bytes(b"\x89PNG a sign")
    (tmp_path / "own.yaml").write_text("title: 별빛상사\ncolour: '#7a1f5c'\nlogo: sign.png\n", encoding="utf-8")
    sign = base64.b64encode(b"\x89PNG a sign").decode()
    assert json.loads(packed(tmp_path / "own.yaml")) == {"title": "별빛상사", "colour": "#7a1f5c", "logo": sign}


@pytest.mark.parametrize("settings", ["", "- title", "font: serif", "logo: nowhere.png", "title: [", "\0"])
def test_what_is_no_brand_says_why(tmp_path: Path, settings: str) -> None:
    (tmp_path / "own.yaml").write_text(settings, encoding="utf-8")
    with pytest.raises(BrandUnreadable, match="own"):
        packed(tmp_path / "own.yaml")
