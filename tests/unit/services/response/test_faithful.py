"""A retelling says nothing that the findings do not."""

import pytest

from services.response.domain.faithful import is_faithful

FINDINGS = ("2,400건 가운데 긍정이 61.5 %입니다.", "리포트를 report.pdf에 담았습니다.")


@pytest.mark.parametrize(
    ("told", "faithful"),
    [
        ("2400건 중 긍정이 61.5 %이고, 리포트는 report.pdf입니다.", True),
        ("2,400건 가운데 긍정이 62 %입니다.", False),
        ("긍정이 61.5 %입니다. 리포트는 other.pdf입니다.", False),
        ("2,400건 가운데 긍정이 61.5 %입니다. https://evil.example", False),
        ("긍정이 많습니다.", False),
        ("The weather in 2,400 places was 61.5 today, with sunshine and some wind.", False),
        ("", False),
        ("2,400건 가운데 긍정이 61.5 %입니다. " * 20, False),
    ],
)
def test_numbers_files_and_addresses_come_from_the_findings(told: str, faithful: bool):
    assert is_faithful(told, FINDINGS) is faithful
