"""GET /docs: the OpenAPI document for reading. Without a script: one from elsewhere would act with the rights of our
own pages (ADR 0023), and a gateway on a machine without the Internet has a page as well."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

HEADERS = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}
_STYLE = "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}summary{cursor:pointer}"
_STYLE += "pre{background:#f4f4f4;padding:1em;overflow-x:auto}td{padding-right:1.5em;vertical-align:top}"


def page(document: Mapping[str, Any]) -> str:
    """The document as HTML: addresses with what they take and answer, then the shapes that they refer to."""
    about, shapes = document["info"], document["components"]["schemas"]
    addresses = "".join(_addresses(document["paths"]))
    listed = "".join(
        f"<details id={_text(name)}><summary>{_text(name)}: {_text(shape.get('description', ''))}</summary>"
        f"<pre>{_text(json.dumps(shape, indent=2, ensure_ascii=False))}</pre></details>"
        for name, shape in shapes.items()
    )
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{_text(about['title'])}</title>"
        f"<style>{_STYLE}</style><h1>{_text(about['title'])}</h1><p>{_text(about['description'])}</p>"
        f"<h2>Addresses</h2>{addresses}<h2>Shapes</h2>{listed}</html>"
    )


def _addresses(paths: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[str]:
    for path, operations in paths.items():
        for method, operation in operations.items():
            yield f"<details><summary><code>{method.upper()} {_text(path)}</code></summary>"
            yield f"<p>{_text(operation.get('description', ''))}</p><table>"
            for taken in operation.get("parameters", ()):
                yield _row(taken["name"], taken["in"], taken.get("description", ""), taken["schema"])
            body = operation.get("requestBody", {}).get("content", {})
            for media_type, content in body.items():
                yield _row("body", media_type, "", content["schema"])
            yield "</table><table>"
            for status, answer in operation["responses"].items():
                schema: Mapping[str, Any] = next(
                    (one.get("schema", {}) for one in answer.get("content", {}).values()), {}
                )
                known = answer.get("description") or answer["$ref"].rpartition("/")[2]
                yield _row(status, "", known, schema)
            yield "</table></details>"


def _row(name: str, place: str, description: str, schema: Mapping[str, Any]) -> str:
    shape = str(schema.get("$ref", "")).rpartition("/")[2]
    kind = f"<a href=#{_text(shape)}>{_text(shape)}</a>" if shape else _text(schema.get("type", ""))
    return f"<tr><td>{_text(name)}<td>{_text(place)}<td>{kind}<td>{_text(description)}"


def _text(value: object) -> str:
    return escape(str(value))
