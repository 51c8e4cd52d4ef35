"""The data files of the pack are read with a safe loader, whichever parser PyYAML has."""

import pytest

from packs.documents.data import load


def test_a_data_file_is_what_it_says():
    assert "difference" in load("computed.yaml")
    assert all(isinstance(word, str) for words in load("alike.yaml") for word in words)


def test_a_file_that_is_not_there_is_an_error():
    with pytest.raises(FileNotFoundError):
        load("nothing.yaml")
