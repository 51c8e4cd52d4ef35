"""Everything that is written from the code: `python -m tests.contract.documents check | write`.

Golden schemas, the AsyncAPI document, docs/openapi.json, two tables of docs/runbook.md (settings, stop budgets), and who
has which rights on the bus."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from backbone.bus import rights
from backbone.bus.rights import EXECUTION, ROUTE, Station, rights_by_user
from backbone.ledger import rights as database
from backbone.ledger.logins import role_of_service
from backbone.settings import Settings
from backbone.stopping import GATEWAY, stop_budget
from contracts import subjects
from dream.local.stack import SERVICES
from services.gateway.http.openapi import openapi
from services.gateway.http.system import ASYNCAPI
from tests.contract import asyncapi, golden
from tests.support.composed import composed

ROOT = Path(__file__).parents[2]
RIGHTS = "<!-- written by make schemas -->"
DATABASE_BEGIN = "<!-- rights in the database: written by make schemas -->"
DATABASE_END = "<!-- end of rights in the database -->"
BEGIN, END = "<!-- settings: written by make schemas -->", "<!-- end of settings -->"
STOP_BEGIN, STOP_END = "<!-- stop budgets: written by make schemas -->", "<!-- end of stop budgets -->"
LAYER = "execution"
"""Any of them: their steps are the same."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file and the text it should have; `render` is given the present text."""

    path: Path
    render: Callable[[str], str]


def documents() -> Sequence[Document]:
    """All but the golden schemas, which have rules of their own."""
    return (
        Document(ASYNCAPI, lambda _: _json(asyncapi.document())),
        Document(rights.STATIONS, lambda _: _written(_stations())),
        Document(ROOT / "docs/rights.md", _with_rights),
        Document(ROOT / "docs/openapi.json", lambda _: _json(openapi())),
        Document(ROOT / "docs/runbook.md", _with_tables),
    )


def _written(services: Iterable[Station]) -> str:
    """The text of stations.json."""
    rows = [asdict(station) for station in services]
    for row in rows:
        del row["user"]
        row["durables"] = dict(sorted(row["durables"].items()))
    return json.dumps(rows, indent=2) + "\n"


def _stations() -> list[Station]:
    """Every service with all that is installed. What each executor route has is written once."""
    with TemporaryDirectory() as folder:
        settings = Settings(artifacts_url=Path(folder).as_uri(), data_dir=Path(folder), mcp_servers={})
        found = [service.station for service in composed(settings, SERVICES).values()]
    return [_by_route(station) if station.service == EXECUTION else station for station in found]


def _by_route(station: Station) -> Station:
    own: dict[str, tuple[str, ...]] = {}
    for name, filters in station.durables.items():
        route = name.removeprefix(f"{EXECUTION}-")
        if filters == (subjects.pattern(EXECUTION, "TodoDispatched", route),):
            own[f"{EXECUTION}-{ROUTE}"] = (subjects.pattern(EXECUTION, "TodoDispatched", ROUTE),)
        else:
            own[name] = filters
    return replace(station, durables=own)


def _rights() -> str:
    """The rights of every service as Markdown, for the protocol's page."""
    rows = ["| user | publish | subscribe |", "| --- | --- | --- |"]
    for user, one in rights_by_user(("<route>",)).items():
        said, heard = ("<br>".join(f"`{subject}`" for subject in some) for some in (one.publish, one.subscribe))
        rows.append(f"| {user} | {said} | {heard} |")
    return "\n".join(rows)


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _with_rights(text: str) -> str:
    text = _between(text, DATABASE_BEGIN, DATABASE_END, list(_database_rights()))
    return f"{text.partition(RIGHTS)[0]}{RIGHTS}\n{_rights()}\n"


def _database_rights() -> Iterator[str]:
    """A row for each thing, a column for each login."""
    by_service = {service: database.rights_of(service) for service in database.LOGINS}
    things = sorted({(one.kind == "schema", one.schema, one.name) for rights in by_service.values() for one in rights})
    yield f"| | {' | '.join(map(role_of_service, by_service))} |"
    yield f"| --- |{' --- |' * len(by_service)}"
    for is_schema, schema, name in things:
        cells = []
        for rights_ in by_service.values():
            columns: dict[str, list[str]] = {}
            for one in rights_:
                if (one.schema, one.name) == (schema, name):
                    columns.setdefault(one.privilege, []).extend([one.column] if one.column else [])
            cells.append(", ".join(f"{what} ({', '.join(of)})" if of else what for what, of in columns.items()))
        yield f"| {f'schema `{schema}`' if is_schema else f'`{schema}.{name}`'} | {' | '.join(cells)} |"


def _with_tables(text: str) -> str:
    settings = ["| variable | default | meaning |", "| --- | --- | --- |", *_settings()]
    return _between(_between(text, BEGIN, END, settings), STOP_BEGIN, STOP_END, list(_stop_budgets()))


def _between(text: str, begin: str, end: str, rows: Sequence[str]) -> str:
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n" + "\n".join(rows) + f"\n{end}{after}"


def _stop_budgets() -> Iterator[str]:
    grace: float = Settings.model_fields["stop_grace_seconds"].get_default()
    both = [stop_budget(name, grace) for name in (LAYER, GATEWAY)]
    layer, gateway = (dict(budget.steps) for budget in both)
    yield "| step | a layer, s | gateway, s |"
    yield "| --- | --- | --- |"
    for step in gateway:
        yield f"| {step} | {layer.get(step, 0):g} | {gateway[step]:g} |"
    yield f"| **from SIGTERM to the end** | **{both[0].seconds:g}** | **{both[1].seconds:g}** |"
    yield f"| terminationGracePeriodSeconds | {both[0].termination_grace} | {both[1].termination_grace} |"


def _settings() -> Iterator[str]:
    prefix = Settings.model_config.get("env_prefix", "")
    for name, field in Settings.model_fields.items():
        default = _default(field)
        yield f"| `{prefix}{name.upper()}` | {f'`{default}`' if default else ''} | {field.description or ''} |"


def _default(field: FieldInfo) -> str:
    """The default as one would write it into the environment; empty for none."""
    default = field.get_default()
    if isinstance(default, SecretStr):
        return default.get_secret_value()
    if isinstance(default, bool):
        return str(default).lower()
    return "" if default in (None, ()) else str(default)


def check() -> list[str]:
    """What is not up to date, one sentence each."""
    found = [f"{finding.name} {finding.text}" for finding in golden.check()]
    for document in documents():
        text = document.path.read_text() if document.path.exists() else ""
        if document.render(text) != text:
            found.append(f"{document.path.relative_to(ROOT)} is not what the code says; run: make schemas")
    return found


def write() -> list[str]:
    """Writes all; answers what was refused."""
    for document in documents():
        text = document.path.read_text() if document.path.exists() else ""
        document.path.write_text(document.render(text))
    return [f"{finding.name} {finding.text}" for finding in golden.write()]


def main(arguments: Sequence[str]) -> int:
    """The command; 0 when all is well."""
    match arguments:
        case ["check"]:
            found = check()
        case ["write"]:
            found = write()
        case _:
            print("usage: python -m tests.contract.documents check | write", file=sys.stderr)
            return 2
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
