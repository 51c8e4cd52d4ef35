"""What came in less what went out, where a document has a table of each and not what is left."""

from collections.abc import Sequence

from packs.documents.alike import said
from packs.documents.computing import SURE, UNKNOWN, Computed, shown
from packs.documents.evidence import Meanings
from packs.documents.grids import Cell, Grid, cues, grids, is_of_all
from packs.documents.passages import Passage
from packs.documents.wording import Wording, stands_any


def balanced(text: str, passages: Sequence[Passage], meanings: Meanings) -> Computed | None:
    """None where that is not asked, or there are not one table of what came in and one of what went out that share the
    column which is meant."""
    words = Wording(text, meanings)
    both = all(stands_any(words.asked, cues()[name]) for name in ("income", "spending"))
    if not stands_any(words.asked, cues()["balance"] if both else cues()["surplus"]):
        return None
    every = grids(passages)
    sides = [[grid for grid in every if _is_of(grid, name)] for name in ("income", "spending")]
    if [len(some) for some in sides] != [1, 1]:
        return None
    (came,), (went,) = sides
    column = _column(words, [name for name in came.columns if name in went.columns])
    if column is None:
        return None
    totals = [_total(grid, column) for grid in (came, went)]
    told = [
        passages[0].text,
        came.title,
        went.title,
        column,
        *(" ".join(cues()[name]) for name in ("income", "spending")),
    ]
    unsaid = words.unsaid([*told, *cues()["surplus"], *cues()["balance"]])
    if unsaid > UNKNOWN:
        return None
    value = abs(totals[0] - totals[1])
    one = came.of(column=column)[0]
    names = [grid.head[0] if came.title == went.title and grid.head else grid.title for grid in (came, went)]
    terms = tuple(f"{name}: {shown(total, [one])}" for name, total in zip(names, totals, strict=True))
    of = f"{names[0]} / {names[1]}, {column}"
    return Computed("difference", shown(value, [one]), of, terms, page=one.row.page, sure=unsaid <= SURE)


def _is_of(grid: Grid, name: str) -> bool:
    other = "spending" if name == "income" else "income"
    title = said(" ".join([grid.title, *grid.head[:1]]))
    return stands_any(title, cues()[name]) and not stands_any(title, cues()[other])


def _column(words: Wording, names: Sequence[str]) -> str | None:
    """The one that the question names most plainly; of several alike the one that tells what came of it, not the
    budget."""
    rated = {name: words.named(name) for name in names}
    best = [name for name in names if rated[name] == max(rated.values())]
    settled = [name for name in best if stands_any(said(name), cues()["settled"])]
    some = best if len(best) == 1 else settled
    return some[0] if len(some) == 1 else None


def _total(grid: Grid, column: str) -> float:
    """As the table tells it; else of all its rows."""
    whole: list[Cell] = [cell for cell in grid.cells if cell.column == column and is_of_all(cell.label)]
    return whole[-1].number if whole else sum(cell.number for cell in grid.of(column=column))
