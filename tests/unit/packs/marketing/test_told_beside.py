"""What is told beside an answer, counted again: which ones they are, what the rows are of, what was asked before."""

import pytest

from tests.unit.packs.marketing.context import Witness
from tests.unit.packs.marketing.test_true_stock_and_answers import ran, said, written
from tests.unit.packs.marketing.told_tables import BESIDE, SITES

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.mark.parametrize(("question", "before", "key", "expected"), BESIDE)
def test_what_is_told_beside_an_answer_is_what_the_rows_say(question, before, key, expected, tmp_path):
    ctx = Witness(tmp_path)
    ctx.upload(written(SITES), "사업장.csv")
    asked = {"before": [{"question": one} for one in before]} if before else {}
    result = ran(ctx, "ask", question=question, **asked)
    found = said(ctx, key)
    assert any(expected.items() <= one.items() for one in found), (result["summary"], found)
