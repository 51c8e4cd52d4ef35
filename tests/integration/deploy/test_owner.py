"""Migrations are the owner's, where services have other logins, whose passwords they set."""

from pathlib import Path

import pytest

from backbone.secret_files import SecretUnusable
from dream.cli.database_commands import migrate_here, passwords
from dream.ops.database import DatabaseFailed
from dream.texts import chosen


@pytest.mark.parametrize(("told", "port"), [(None, 7), ("postgresql://other@127.0.0.1:9/dream", 9)])
async def test_the_owner_migrates_unless_the_command_names_another(monkeypatch, tmp_path: Path, told, port) -> None:
    monkeypatch.setenv("DREAM_DATABASE_OWNER_URL", "postgresql://owner@127.0.0.1:7/dream")
    monkeypatch.setenv("DREAM_DATABASE_URL", "postgresql://dream_service@127.0.0.1:8/dream")
    with pytest.raises(DatabaseFailed, match=rf"127\.0\.0\.1', {port}\b"):
        await migrate_here(told, tmp_path, chosen())


def test_logins_are_the_files_of_a_folder_as_kubernetes_mounts_them(tmp_path: Path) -> None:
    folder, secret = tmp_path / "logins", tmp_path / "packs"
    (folder / "..2026_01_02").mkdir(parents=True)
    for name, text in (("gateway", "postgresql://dream_gateway:a@db/x\n"), ("planning", "postgresql://p:b@db/x")):
        (folder / "..2026_01_02" / name).write_text(text)
        (folder / name).symlink_to(f"..2026_01_02/{name}")
    secret.write_text("s3cret\n")
    told = {"DREAM_DATABASE_LOGINS": str(folder), "DREAM_DATABASE_PACKS_SECRET_FILE": str(secret)}
    urls = ["postgresql://dream_gateway:a@db/x", "postgresql://p:b@db/x"]
    assert passwords(told) == {"logins": urls, "packs_secret": "s3cret"}
    assert passwords({}) == {"logins": [], "packs_secret": ""}
    with pytest.raises(SecretUnusable, match="nowhere"):
        passwords({"DREAM_DATABASE_LOGINS": str(tmp_path / "nowhere")})
