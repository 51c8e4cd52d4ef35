"""Answers as bytes."""

from pydantic import BaseModel
from starlette.responses import Response

JSON = "application/json"


def json_answer(body: bytes, status: int = 200) -> Response:
    """JSON that is written already."""
    return Response(body, status, media_type=JSON)


def model_answer(model: BaseModel, status: int = 200) -> Response:
    """A model, with its defaults written out."""
    return json_answer(model.model_dump_json().encode(), status)
