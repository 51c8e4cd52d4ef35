"""Golden JSON Schemas: `python -m tests.contract.golden check | write`. The wire as files, so that a change of it is seen.

check: code and files agree, and the code still reads what every committed version of a file described (docs/adr/0004).
write: brings the files up to date; refuses a break within one schema version."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from contracts import asking, cognitive, execution, live, memory, packs, planning, registry, response, tools
from contracts.shape import Contract, Event
from tests.contract.compatibility import Break, Schema, breaks

FOLDER = Path(__file__).parents[2] / "contracts/schemas"
ACCEPTED = "accepted_breaks.json"

INPUTS: tuple[type[Contract], ...] = (
    cognitive.CognitiveInput,
    planning.PlanningInput,
    execution.ExecutionInput,
    response.ResponseInput,
    live.LogLine,
    live.Chunk,
    live.Recorded,
    asking.ServiceStatus,
    asking.Offer,
    memory.MeaningWanted,
    memory.MeaningFound,
)
FILES: tuple[type[Contract], ...] = (tools.ToolSpec, packs.PackManifest, packs.IntentSpec, packs.TopicSpec)
"""What packs are written in; a pack that somebody else keeps must go on working."""
VERSIONS: Mapping[str, int] = {}
"""Versions above 1 of what is no event, by name. Events say it themselves, in `schema_version`."""

History = Callable[[str], Sequence[str]]
"""Committed texts of a golden file by its name, newest first; empty without git."""


class Accepted(dict[str, str]):
    """Breaks that were accepted with a reason: hash of the golden that was broken -> the reason."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that fails the check: the file, and what to do."""

    name: str
    text: str


class _Wire(GenerateJsonSchema):
    """States every default, also those made by a factory: they are left out on the wire, so they are part of it."""

    def default_schema(self, schema: Any) -> dict[str, Any]:
        factory = schema.get("default_factory")
        if factory is not None and not schema.get("default_factory_takes_data"):
            schema = {**schema, "default": factory()}
        return super().default_schema(schema)


def current() -> dict[str, Schema]:
    """File name -> schema, of every contract as the code has it now."""
    found: dict[str, Schema] = {}
    for contract in (*registry.EVENTS.values(), *INPUTS, *FILES):
        version = contract.schema_version if issubclass(contract, Event) else VERSIONS.get(contract.__name__, 1)
        schema = contract.model_json_schema(schema_generator=_Wire)
        schema["$schema"] = _Wire.schema_dialect
        if issubclass(contract, Event):
            schema["examples"] = [contract.example]
        found[f"{contract.__name__}.v{version}.json"] = schema
    return found


def render(schema: Schema) -> str:
    """The text of a golden file."""
    return json.dumps(schema, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def fingerprint(text: str) -> str:
    """Names one text of a golden file in the list of accepted breaks."""
    return sha256(text.encode()).hexdigest()[:16]


def check(folder: Path = FOLDER, history: History | None = None) -> list[Finding]:
    """Everything that is not as it should be; empty when all is well."""
    wanted, accepted = current(), _accepted(folder)
    there = {path.name: path.read_text() for path in folder.glob("*.v*.json")}
    found = [Finding(name, "is missing; run: make schemas") for name in sorted(wanted.keys() - there.keys())]
    for name, schema in sorted(wanted.items()):
        text = there.get(name)
        if text is None:
            continue
        broken = _broken(schema, [text, *(history or git_history(folder))(name)], accepted)
        if broken:
            found.append(Finding(name, f"{_told(broken)}\n{_advice(name)}"))
        elif text != render(schema):
            found.append(Finding(name, "is not what the code says; run: make schemas, and look at the difference"))
    found += [Finding(name, text) for name, text in _old_versions(wanted, there)]
    return found


def write(folder: Path = FOLDER, history: History | None = None, accept: str = "") -> list[Finding]:
    """Writes what changed; answers what it refused to write. `accept` is the reason for accepting breaks."""
    folder.mkdir(parents=True, exist_ok=True)
    accepted, refused = _accepted(folder), []
    for name, schema in current().items():
        path, text = folder / name, render(schema)
        before = [path.read_text()] if path.exists() else []
        before += (history or git_history(folder))(name)
        broken = _broken(schema, before, accepted)
        if broken and not accept:
            refused.append(Finding(name, f"{_told(broken)}\n{_advice(name)}"))
            continue
        if broken:
            # the text that is replaced, and the committed one it may differ from
            accepted.update({fingerprint(one): f"{name}: {accept}" for one in before[:2]})
            (folder / ACCEPTED).write_text(json.dumps(accepted, ensure_ascii=False, indent=2, sort_keys=True) + "\n")
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    return refused


def git_history(folder: Path) -> History:
    """Committed versions, from git where there is a repository."""

    def of(name: str) -> list[str]:
        log = _git(folder, "log", "--format=%H", "--", name)
        return [text for commit in log.split() if (text := _git(folder, "show", f"{commit}:./{name}"))]

    return of


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def _broken(schema: Schema, before: Sequence[str], accepted: Accepted) -> list[Break]:
    """Breaks against every earlier text, newest first, up to one whose break was accepted."""
    seen: dict[str, Break] = {}
    for text in dict.fromkeys(before):
        if fingerprint(text) in accepted:
            break
        seen.update({str(one): one for one in breaks(json.loads(text), schema)})
    return list(seen.values())


def _old_versions(wanted: Mapping[str, Schema], there: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    latest = {name.split(".v", 1)[0]: _version(name) for name in wanted}
    for name in sorted(there.keys() - wanted.keys()):
        type_ = name.split(".v", 1)[0]
        if type_ not in latest:
            yield name, "describes a contract that is gone: events of it may be in a ledger; keep the contract"
        elif _version(name) > latest[type_]:
            yield name, f"is newer than the code, which is at version {latest[type_]}"
        elif type_ in registry.EVENTS and (type_, _version(name)) not in registry.UPCASTERS:
            yield name, f"has no upcaster to version {_version(name) + 1}; add one to contracts.registry.UPCASTERS"
    for type_, version in latest.items():
        for missing in range(1, version):
            if f"{type_}.v{missing}.json" not in there:
                yield f"{type_}.v{missing}.json", "is gone; old versions stay, they say what old events look like"


def _version(name: str) -> int:
    return int(name.split(".v", 1)[1].removesuffix(".json"))


def _accepted(folder: Path) -> Accepted:
    path = folder / ACCEPTED
    return Accepted(json.loads(path.read_text()) if path.exists() else {})


def _told(broken: Sequence[Break]) -> str:
    return "breaks what is in ledgers already:\n" + "\n".join(f"    {one}" for one in broken)


def _advice(name: str) -> str:
    type_ = name.split(".v", 1)[0]
    step = (
        f"raise {type_}.schema_version and add an upcaster to contracts.registry.UPCASTERS"
        if type_ in registry.EVENTS
        else f"raise its number in tests.contract.golden.VERSIONS and go on reading version {_version(name)}"
    )
    return f"    Instead: {step} (docs/adr/0004). If no release has it: python -m tests.contract.golden write --accept REASON"


def main(arguments: Sequence[str]) -> int:
    """The command; 0 when all is well."""
    match arguments:
        case ["check"]:
            found = check()
        case ["write"]:
            found = write()
        case ["write", "--accept", reason]:
            found = write(accept=reason)
        case _:
            print("usage: python -m tests.contract.golden check | write [--accept REASON]", file=sys.stderr)
            return 2
    for finding in found:
        print(f"{finding.name} {finding.text}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
