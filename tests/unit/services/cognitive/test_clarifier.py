"""Questions in the person's words, and what their answers lead to."""

import re
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import jsonschema
import pytest

from contracts.artifacts import Attachment
from contracts.cognitive import CognitiveInput
from contracts.errors import Code
from contracts.shape import JsonObject
from services.cognitive.clarifier import AmbiguityDetector, Question, asked_in
from services.cognitive.domain.ambiguity import Ask, Proceed, QuestionKind, Refuse, Reply, Verdict, decide
from services.cognitive.domain.answers import answer_schema, read_answer
from understanding.offline.understand import SentenceReader
from understanding.result import Ambiguity, Choice, Doubt

TABLE = Attachment(artifact_id="a" * 64, name="r.csv", media_type="text/csv", size=9, type="file.table")
LETTER = Attachment(artifact_id="b" * 64, name="letter.pdf", media_type="application/pdf", size=9, type="file.document")


@pytest.fixture
def detector(pack, platform):
    return AmbiguityDetector((pack, platform))


@pytest.fixture
def ask(understander: SentenceReader, detector: AmbiguityDetector, now: datetime):
    def of(text: str, *answers: str, attachments=(), asked=()) -> Question:
        understood = understander.understand(CognitiveInput(text=text, answers=answers), now)
        verdict = detector.decide(understood, attachments, asked)
        assert isinstance(verdict, Ask)
        return detector.question(verdict, understood.language)

    return of


def test_analyze_alone_asks_what_to_analyze_and_offers_the_intents_by_name(ask):
    question = ask("분석해줘", attachments=(TABLE,))
    assert question.text == "무엇을 분석할까요?"
    assert {(option.value, option.label) for option in question.options} >= {
        ("ANALYSIS.sentiment", "감성 분석"),
        ("ANALYSIS.keyword", "키워드 분석"),
    }
    jsonschema.validate({"text": "감성"}, question.answer_schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"text": ""}, question.answer_schema)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("analyze this please", "What shall I analyze?"),
        ("分析してください", "何を分析しましょうか。"),
        ("만들어줘", "무엇을 만들까요?"),
    ],
)
def test_questions_are_in_the_language_of_the_message(ask, text, asked):
    assert ask(text).text == asked


@pytest.mark.parametrize("answer", ["감성", "감성 분석", "ANALYSIS.sentiment", "고객들이 만족하는지 분석해줘"])
def test_any_kind_of_answer_continues_the_run(understander, detector, now, answer):
    said = read_answer({"text": answer})
    understood = understander.understand(CognitiveInput(text="분석해줘", answers=said.words), now)
    assert said.files == ()
    assert detector.decide(understood, [TABLE], [QuestionKind.SUBJECT]) == Proceed()
    assert understood.plan_hint.goals == ("insight.sentiment",)


def test_a_missing_file_is_asked_for_and_what_was_uploaded_is_the_answer(ask):
    question = ask("이 리뷰들 감성 분석해줘")
    assert question.kind is QuestionKind.FILE
    assert question.options == ()
    answer: JsonObject = {"attachments": [TABLE.model_dump(mode="json")]}
    jsonschema.validate(answer, question.answer_schema)
    assert read_answer(answer) == ((), (TABLE,))
    wrongs: list[JsonObject] = [{}, {"attachments": []}, {"attachments": ["x"]}, {"other": 1}, {"choice": "x"}]
    for wrong in wrongs:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, question.answer_schema)


def test_an_option_may_be_chosen_by_its_value_and_nothing_else(ask):
    question = ask("분석해줘", attachments=(TABLE,))
    chosen: JsonObject = {"choice": "ANALYSIS.sentiment", "text": "지난달 것만"}
    jsonschema.validate(chosen, question.answer_schema)
    assert read_answer(chosen).words == ("ANALYSIS.sentiment", "지난달 것만")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"choice": "ANALYSIS.unheard_of"}, question.answer_schema)


def test_a_file_named_by_its_id_alone_is_read_too():
    assert read_answer({"attachments": ["a" * 64, {"name": "broken"}]}) == ((), ("a" * 64,))


def test_a_file_of_another_kind_is_named_in_the_question(ask):
    assert "letter.pdf" in ask("이 리뷰들 감성 분석해줘", attachments=(LETTER,)).text


def test_the_second_question_is_not_the_first_one_again(ask):
    first = ask("분석해줘")
    second = ask("분석해줘", "배고파", asked=asked_in([first.subject]))
    assert second.text != first.text
    assert second.kind is first.kind is QuestionKind.SUBJECT


def test_a_person_who_never_says_it_is_refused_after_three_questions(understander, detector, now):
    asked: list[QuestionKind] = []
    answers: list[str] = []
    verdict: Verdict = Proceed()
    for _ in range(9):
        understood = understander.understand(CognitiveInput(text="분석해줘", answers=tuple(answers)), now)
        verdict = detector.decide(understood, [], asked)
        if isinstance(verdict, Refuse):
            break
        assert isinstance(verdict, Ask)
        asked.append(verdict.kind)
        answers.append("글쎄 몰라")
    assert isinstance(verdict, Refuse)
    assert len(asked) == 3
    error = detector.refusal(verdict, "ko")
    assert error.code is Code.INTENT_UNSUPPORTED
    assert error.message.startswith("무엇을 하면 되는지")


def test_small_talk_is_declined_by_saying_how_to_ask_what_can_be_done(understander, detector, now):
    understood = understander.understand(CognitiveInput(text="배고파"), now)
    verdict = detector.decide(understood, [])
    assert isinstance(verdict, Reply)
    assert "뭘 할 수 있어?" in detector.reply(verdict, "ko")


def test_an_inquiry_is_answered_in_every_language(understander, detector, now):
    for text, language in (("뭘 할 수 있어?", "ko"), ("What can you do?", "en"), ("何ができますか", "ja")):
        understood = understander.understand(CognitiveInput(text=text), now)
        verdict = detector.decide(understood, [])
        assert isinstance(verdict, Reply)
        assert understood.language == language
        assert len(detector.reply(verdict, language)) > 50


def test_every_text_the_code_asks_for_exists_in_every_language(pack):
    keys = {spec.label for spec in pack.intents} | {topic.label for topic in pack.topics}
    keys |= {spec.answer for spec in pack.intents if spec.answer}
    own = set(QuestionKind) - {QuestionKind.SLOT, QuestionKind.ORDER}
    keys |= {f"refusal.{one}" for one in own} | {"question.file.other"}
    own -= {QuestionKind.WHAT}  # the platform asks that
    keys |= {f"question.{one}{again}" for one in own for again in ("", ".again")}
    for language, texts in pack.texts.items():
        assert keys - texts.keys() == set(), language


def test_the_platform_can_ask_whatever_a_pack_does_not(every_pack):
    (platform,) = (pack for pack in every_pack if pack.name == "platform")
    kinds = set(QuestionKind) - {QuestionKind.FILE}
    keys = {f"{kind}.{one}" for one in kinds for kind in ("question", "refusal")}
    for language in ("ko", "en", "ja"):
        assert keys - platform.texts[language].keys() == set(), language


def test_the_platform_says_what_can_be_asked_for_where_nothing_is_close(every_pack):
    (platform,) = (pack for pack in every_pack if pack.name == "platform")
    for language in ("ko", "en", "ja"):
        for key in ("question.what.examples", "question.what.again.examples"):
            assert "play a song" in platform.text(key, language, examples="play a song")


def test_every_pack_has_the_texts_of_its_intents_and_of_the_slots_it_requires(every_pack):
    for pack in every_pack:
        keys = {spec.label for spec in pack.intents}
        keys |= {
            f"question.slot.{spec.intent.split('.')[-1]}.{slot}" for spec in pack.intents for slot in spec.requires
        }
        for language in ("ko", "en", "ja"):
            assert keys - pack.texts.get(language, {}).keys() == set(), (pack.name, language)


def test_what_is_missing_is_asked_for_in_the_words_of_the_pack(everything, every_pack, now):
    detector = AmbiguityDetector(every_pack)
    understood = everything.understand(CognitiveInput(text="노래 틀어줘"), now)
    verdict = detector.decide(understood, [])
    assert isinstance(verdict, Ask)
    question = detector.question(verdict, "ko")
    assert question.text.startswith("어떤 노래를 틀어 드릴까요?")
    assert question.subject == {"question": "slot", "needs": [], "intent": "DEVICES.song", "slot": "title"}
    assert detector.question(verdict, "en").text.startswith("Which song shall I play?")


BESIDE_A_TRANSFER = CognitiveInput(text="엄마한테 3만원 보내고 내일 3시에 병원 일정 추가해줘")


def test_what_needs_no_word_is_done_beside_a_transfer_and_nobody_is_asked_for_the_order(everything, every_pack, now):
    both = everything.understand(BESIDE_A_TRANSFER, now)
    assert AmbiguityDetector(every_pack).decide(both, []) == Proceed()
    assert [task.intent for task in both.tasks] == ["TRANSFER", "ASSISTANT.calendar"]


def test_what_cannot_be_done_in_one_go_is_put_in_order_by_the_person(everything, every_pack, now):
    detector = AmbiguityDetector(every_pack)
    names = ("TRANSFER", "ASSISTANT.calendar")
    named = {spec.intent: (spec.label, pack.name) for pack in every_pack for spec in pack.intents}
    apart = tuple(Choice(value=name, label=named[name][0], pack=named[name][1]) for name in names)
    understood = everything.understand(BESIDE_A_TRANSFER, now).model_copy(update={"apart": apart})
    verdict = detector.decide(understood, [])
    assert isinstance(verdict, Ask)
    assert verdict.kind is QuestionKind.ORDER
    labels = [option.label for option in detector.question(verdict, "ko").options]
    assert labels == ["이체", "일정"]
    chosen = everything.understand(BESIDE_A_TRANSFER.model_copy(update={"answers": ("일정",)}), now)
    assert detector.decide(chosen, [], [verdict.kind]) == Proceed()
    assert [task.intent for task in chosen.tasks] == ["ASSISTANT.calendar", "TRANSFER"]  # the rest is not forgotten


def test_a_question_without_a_text_of_its_pack_is_put_in_the_words_of_another(everything, every_pack, now):
    detector = AmbiguityDetector([pack for pack in every_pack if pack.name != "marketing"])
    understood = everything.understand(CognitiveInput(text="그거 해줘"), now)
    verdict = detector.decide(understood.model_copy(update={"pack": "transfer"}), [])
    assert isinstance(verdict, Ask)
    assert not detector.question(replace(verdict, choices=()), "ja").text.startswith("question.")


@pytest.mark.parametrize("text", ["지금이 몇 시쯤 됐나요", "tell me what time it is now", "いま何時か分かる？"])
def test_what_time_it_is_is_told_on_the_clock_of_the_person(everything, every_pack, now, text):
    detector = AmbiguityDetector(every_pack)
    understood = everything.understand(CognitiveInput(text=text), now)
    verdict = detector.decide(understood, [])
    assert isinstance(verdict, Reply)
    here = now.astimezone(timezone(timedelta(hours=9))).replace(hour=16, minute=5)
    said = detector.reply(verdict, understood.language, here)
    spoken = {"ko": "오후 4시 5분", "en": "4:05 pm", "ja": "午後4時5分"}
    assert spoken[understood.language] in said and str(here.year) in said
    early = {"ko": "오전 12시", "en": "12:05 am", "ja": "午前12時"}
    assert early[understood.language] in detector.reply(verdict, understood.language, here.replace(hour=0))


def test_what_can_be_done_names_every_pack(everything, every_pack, now):
    detector = AmbiguityDetector(every_pack)
    verdict = detector.decide(everything.understand(CognitiveInput(text="뭘 할 수 있어?"), now), [])
    assert isinstance(verdict, Reply)
    said = detector.reply(verdict, "ko")
    assert all(word in said for word in ("감성", "이체", "일정", "날씨", "문서"))


def test_texts_have_the_same_keys_and_placeholders_in_every_language(pack):
    def shape(texts):
        return {key: set(re.findall(r"{(\w+)}", text)) for key, text in texts.items()}

    assert shape(pack.texts["ko"]) == shape(pack.texts["en"]) == shape(pack.texts["ja"])


def test_every_question_kind_has_a_valid_closed_schema():
    for kind in QuestionKind:
        schema = answer_schema(kind)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["additionalProperties"] is False


@pytest.mark.parametrize("doubt", Doubt)
def test_every_doubt_has_its_question(doubt, understander, now):
    read = understander.understand(CognitiveInput(text="리뷰 감성 분석해줘"), now)
    asked = decide(read.model_copy(update={"ambiguities": (Ambiguity(doubt=doubt),)}), [])
    assert isinstance(asked, Ask)
    assert asked.kind not in {QuestionKind.FILE, QuestionKind.SLOT, QuestionKind.ORDER}
