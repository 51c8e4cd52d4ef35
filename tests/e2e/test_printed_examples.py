"""What the help of `dream chat` prints as an example is typed as it stands, and works."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

import dream
from tests.e2e.world import World
from understanding.kit.data import read_data

pytestmark = pytest.mark.timeout(120)
TEXTS = Path(dream.__file__).parent / "texts"


@pytest.mark.parametrize("language", ["en", "ko", "ja"])
async def test_the_piped_conversation_pays(bank_house: World, tmp_path: Path, language: str) -> None:
    printed = read_data(TEXTS / f"{language}.yaml")["help.chat"]
    example = re.search(r"printf '(?P<lines>[^']+)' \| dream chat", printed)
    assert example is not None
    chat = await asyncio.create_subprocess_exec(
        Path(sys.executable).with_name("dream"), "chat", "--url", bank_house.stack.url, "--data-dir", str(tmp_path),
        "--language", language, "--user", f"piped-{language}-{os.getpid()}",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip
    told, _ = await chat.communicate(example["lines"].replace("\\n", "\n").encode())
    said = told.decode()
    assert chat.returncode == 0, said
    done = {"en": "The transfer is complete", "ko": "이체가 완료됐어요.", "ja": "送金が完了しました。"}
    assert done[language] in said
