"""Migrations are the owner's, where services have another login."""

from pathlib import Path

import pytest

from dream.database import DatabaseFailed
from dream.maintain import migrate_here
from dream.texts import chosen


@pytest.mark.parametrize(("told", "port"), [(None, 7), ("postgresql://other@127.0.0.1:9/dream", 9)])
async def test_the_owner_migrates_unless_the_command_names_another(monkeypatch, tmp_path: Path, told, port) -> None:
    monkeypatch.setenv("DREAM_DATABASE_OWNER_URL", "postgresql://owner@127.0.0.1:7/dream")
    monkeypatch.setenv("DREAM_DATABASE_URL", "postgresql://dream_service@127.0.0.1:8/dream")
    with pytest.raises(DatabaseFailed, match=rf"127\.0\.0\.1', {port}\b"):
        await migrate_here(told, tmp_path, chosen())
