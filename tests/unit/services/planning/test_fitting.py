"""Tables without texts are told of by their figures: which goals and tools are left, and which are named as left out."""

from contracts.tools import ToolSpec
from services.planning.domain.chain import chain
from services.planning.domain.fitting import ANY_TABLE, Fitting
from tests.unit.services.catalogues import maker

TEXTS, FIGURES = ({"file.table": frozenset(roles)} for roles in ({"text", "date"}, {"date"}))


def _particular(tool: ToolSpec, **columns: tuple[str, ...]) -> ToolSpec:
    return tool.model_copy(update={"consumes": tuple(one.model_copy(update=columns) for one in tool.consumes)})


TOOLS = (
    _particular(maker("collector", "reviews.raw", "file.table"), having=("text",)),
    _particular(maker("overview", "insight.table", "file.table"), lacking=("text",)),
    maker("stock", "ops.inventory", "file.table"),
    maker("sentiment", "insight.sentiment", "reviews.raw"),
    maker("report", "document.pdf", wants="insight.sentiment insight.table ops.inventory"),
    maker("slides", "document.slides", wants="insight.sentiment"),
)
ALL = ("insight.sentiment", "document.pdf")


def planned(fitting: Fitting, *goals: str) -> tuple[list[str], tuple[str, ...]]:
    met = fitting.met(goals, ("file.table",), TOOLS)
    return [step.tool.tool_key for step in chain(met.goals, ("file.table",), met.tools)], met.left_out


def keys(*names: str) -> list[str]:
    return [next(tool.tool_key for tool in TOOLS if tool.tool_key.endswith(name)) for name in names]


def test_a_table_of_figures_is_reported_on_by_its_figures() -> None:
    steps, left_out = planned(Fitting(FIGURES), *ALL)
    assert steps == keys("overview", "report")
    assert left_out == tuple(keys("sentiment"))


def test_a_report_alone_takes_the_figures_and_nothing_that_nobody_named() -> None:
    assert planned(Fitting(FIGURES), "document.pdf") == (keys("overview", "report"), ())


def test_a_table_of_texts_is_judged_as_ever() -> None:
    for fitting in (Fitting(TEXTS), ANY_TABLE):
        assert planned(fitting, *ALL) == (keys("collector", "sentiment", "report"), ())


def test_what_is_nothing_without_texts_stays_as_it_was_asked_for() -> None:
    """The tool itself says which column it lacks: a person may name it."""
    assert planned(Fitting(FIGURES), "insight.sentiment") == (keys("collector", "sentiment"), ())
    assert planned(Fitting(FIGURES), "insight.sentiment", "document.slides")[0][0] == keys("collector")[0]


def test_what_reads_any_table_is_not_touched() -> None:
    assert planned(Fitting(FIGURES), "ops.inventory") == (keys("stock"), ())
