"""What is to be remembered is kept without the particle that quotes it, and with every mark that is part of it."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from contracts.reading import Clause
from packs.assistant.reading import read_memory

NOW = datetime(2026, 11, 22, 13, 0, tzinfo=ZoneInfo("Asia/Seoul"))


@pytest.mark.parametrize(
    ("language", "text", "kept"),
    [
        ("ko", "공유기 비번 moon88? 라고 외워둬", "공유기 비번 moon88?"),
        ("ko", "공유기 비번 moon88?라고 적어놔", "공유기 비번 moon88?"),
        ("ko", "자전거 자물쇠는 ‘40-19’라고 기억해줘", "자전거 자물쇠는 40-19"),
        ("ko", "차고 번호는 66 이라고 메모해줘", "차고 번호는 66"),
        ("ko", "문의 메일은 help@shop.kr이라고 저장해줘", "문의 메일은 help@shop.kr"),
        ("ko", "모임은 지하에서 한다 고 기억해줘", "모임은 지하에서 한다"),
        ("ko", "이모가 천천히 오라고 했다고 기억해", "이모가 천천히 오라고 했다"),
        ("en", 'remember that the router password is "moon88!"', "the router password is moon88!"),
        ("en", "note that the lock says 'A-7'", "the lock says A-7"),
        ("en", "remember the dogs' food is in the shed", "the dogs' food is in the shed"),
        ("ja", "ルーターのパスワードは moon88! と覚えて", "ルーターのパスワードは moon88!"),
        ("ja", "鍵の番号は「40-19」とメモしておいて", "鍵の番号は40-19"),
        ("ja", "合図はせーの！って覚えといて", "合図はせーの"),
        ("ja", "猫の名前はポトと覚えて", "猫の名前はポト"),
    ],
)
def test_the_particle_that_quotes_is_no_part_of_what_is_kept(language: str, text: str, kept: str):
    assert [one.get("text") for one in read_memory(Clause(text, language, NOW))] == [kept]
