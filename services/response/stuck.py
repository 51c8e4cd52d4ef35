"""Why a stuck run is ended, in its person's language and for whoever operates the product."""

from backbone.liveness.turns import EXECUTOR, Turn
from backbone.liveness.view import Liveness
from backbone.packs import Catalogue
from contracts.errors import Code, ErrorInfo
from contracts.shape import JsonObject


def nobody(seen: Liveness) -> Turn:
    """A run without anybody whose turn it is."""
    return Turn("nobody", seen.last, seen.began, None, None)


def why(catalogue: Catalogue, seen: Liveness, turn: Turn) -> ErrorInfo:
    """RUN_STUCK: who should have acted, since when, and after which event."""
    detail: JsonObject = {
        "actor": turn.actor,
        "what": turn.what,
        "since": turn.since.isoformat(),
        "last_event": seen.last,
    }
    language = seen.language or "en"
    code = Code.RUN_STUCK
    if turn.actor.startswith(EXECUTOR):
        route = turn.actor.removeprefix(EXECUTOR)
        sentence = catalogue.say(language, f"error.{int(code)}.route", route=route)
        detail |= {"route": route, "setting": "DREAM_EXECUTORS"}
    else:
        sentence = catalogue.say(language, f"error.{int(code)}")
    return ErrorInfo(code=code, message=sentence, retryable=True, detail=detail)
