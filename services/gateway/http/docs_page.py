"""GET /docs: the OpenAPI document for reading. Without a script: one from elsewhere would act with the rights of our
own pages (ADR 0023), and a gateway on a machine without the Internet has a page as well."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

HEADERS = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}


def page(document: Mapping[str, Any]) -> str:
    """The document as HTML: addresses with what they take and answer, then the shapes that they refer to."""
    templates = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
    return templates.get_template("docs.html").render(document, json=json.dumps)
