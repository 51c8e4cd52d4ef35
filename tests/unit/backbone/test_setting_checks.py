"""Whoever is vouched for: a file of certificates that is named is read when a process starts, the system's are not."""

import ssl
from pathlib import Path

import pytest
from pydantic import ValidationError

from backbone.settings import Settings


def test_the_certificates_of_the_system_are_not_read_for_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(**_: object) -> ssl.SSLContext:
        pytest.fail("a twentieth of a second for each Settings()")

    monkeypatch.setattr(ssl, "create_default_context", read)
    assert Settings(nats_ca_file=None).nats_ca_file is None


def test_a_file_of_certificates_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="no certificates can be read there"):
        Settings(nats_ca_file=tmp_path / "nowhere.pem")
