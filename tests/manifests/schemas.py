"""Run with the Python of deploy/requirements.txt: what schemas say of objects, and KEDA's fields of its triggers.

Reads cases from standard input, each a list of objects; writes what was found in each, sentences."""

import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import celpy
import kubernetes_validate
import yaml
from jsonschema import Draft202012Validator

SCHEMAS = Path(__file__).parents[2] / "deploy/schemas"
VERSIONS = ("1.31", "1.37")
"""The oldest that these manifests are for, and the newest that the schemas know."""
PRESERVE = "x-kubernetes-preserve-unknown-fields"
Json = dict[str, Any]


def closed(schema: Any) -> Any:
    """OpenAPI of a CRD as JSON Schema: no field but those it names, int-or-string, and null where that may be."""
    if not isinstance(schema, dict):
        return schema
    made: Json = {key: value for key, value in schema.items() if key not in ("format", "nullable")}
    for key in ("properties", "patternProperties"):
        if key in made:
            made[key] = {name: closed(value) for name, value in made[key].items()}
    for key in ("items", "additionalProperties", "not"):
        if key in made:
            made[key] = closed(made[key])
    for key in ("allOf", "anyOf", "oneOf"):
        if key in made:
            made[key] = [closed(part) for part in _open(made[key])]
    if schema.get("x-kubernetes-int-or-string"):
        made.pop("type", None)
        made["type"] = ["integer", "string"]
    if "properties" in schema and "additionalProperties" not in schema and not schema.get(PRESERVE):
        made["additionalProperties"] = False
    if schema.get("nullable") and "type" in made:
        made["type"] = [*([made["type"]] if isinstance(made["type"], str) else made["type"]), "null"]
    return made


def _open(parts: list[Any]) -> list[Any]:
    """Parts of anyOf and its like name only some of the fields: they must not close the others."""
    return [part | {PRESERVE: True} if isinstance(part, dict) else part for part in parts]


@cache
def definitions() -> dict[tuple[str, str], Json]:
    """Schemas of custom resources by apiVersion and kind."""
    found: dict[tuple[str, str], Json] = {}
    for path in sorted(SCHEMAS.glob("*.yaml")):
        for crd in yaml.load_all(path.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            for version in crd["spec"]["versions"]:
                if version["served"]:
                    schema = version["schema"]["openAPIV3Schema"]
                    # what every object has, and the definition does not say
                    schema["properties"] |= {"apiVersion": {}, "kind": {}, "metadata": {PRESERVE: True}}
                    found[f"{crd['spec']['group']}/{version['name']}", crd["spec"]["names"]["kind"]] = schema
    return found


@cache
def validator(api: str, kind: str) -> Draft202012Validator:
    return Draft202012Validator(closed(definitions()[api, kind]))


def check(one: Json) -> Iterator[str]:
    name = f"{one['kind']} {one['metadata']['name']}"
    api = one["apiVersion"]
    if (api, one["kind"]) in definitions():
        for error in validator(api, one["kind"]).iter_errors(one):
            yield f"{name}: {error.json_path}: {error.message}"
        for path, told in rules(definitions()[api, one["kind"]], one, "$"):
            yield f"{name}: {path}: {told}"
        if one["kind"] == "ScaledObject":
            yield from (f"{name}: {told}" for told in triggers(one))
        return
    if "." in api.partition("/")[0] and not api.partition("/")[0].endswith(".k8s.io"):
        yield f"{name}: nobody knows {api}; its definition belongs into deploy/schemas"
        return
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(one, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            yield f"{name}: Kubernetes {version}: {'.'.join(map(str, error.path))}: {error.message}"
        except (kubernetes_validate.SchemaNotFoundError, kubernetes_validate.InvalidSchemaError) as error:
            yield f"{name}: Kubernetes {version}: {error}"


def rules(schema: Json, value: Any, path: str) -> Iterator[tuple[str, str]]:
    """What CEL rules of a definition say of a value, and of what is in it."""
    for rule in schema.get("x-kubernetes-validations", ()):
        if "oldSelf" not in rule["rule"] and holds(rule["rule"], json.dumps(value)) is False:
            yield path, rule.get("message", rule["rule"])
    if isinstance(value, dict):
        for key, inner in value.items():
            part = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
            if isinstance(part, dict):
                yield from rules(part, inner, f"{path}.{key}")
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        for number, inner in enumerate(value):
            yield from rules(schema["items"], inner, f"{path}[{number}]")


@cache
def program(rule: str) -> Any:
    """None for one with functions that only an API server has."""
    try:
        environment = celpy.Environment()
        return environment.program(environment.compile(rule))
    except celpy.CELParseError:
        return None


@cache
def holds(rule: str, value: str) -> bool | None:
    """None where nobody can say outside of an API server."""
    if (runner := program(rule)) is None:
        return None
    try:
        return bool(runner.evaluate({"self": celpy.json_to_cel(json.loads(value))}))
    except celpy.CELEvalError:
        return None


@cache
def scalers() -> dict[str, dict[str, Json]]:
    told = json.loads((SCHEMAS / "keda-scalers.json").read_text("utf-8"))["scalers"]
    return {one["type"]: {parameter["name"]: parameter for parameter in one["parameters"]} for one in told}


def triggers(one: Json) -> Iterator[str]:
    """KEDA reads a trigger's metadata itself: its definition takes any."""
    for number, trigger in enumerate(one["spec"]["triggers"]):
        known = scalers().get(trigger["type"])
        if known is None:
            yield f"trigger {number}: nobody knows the type {trigger['type']!r}"
            continue
        told = trigger.get("metadata", {})
        yield from (f"trigger {number}: unknown field {name}" for name in sorted(told.keys() - known.keys()))
        for name, parameter in known.items():
            if name not in told and not parameter.get("optional") and "default" not in parameter:
                yield f"trigger {number}: {name} is missing"


def main() -> None:
    cases = json.load(sys.stdin)
    seen: dict[str, list[str]] = {}
    found = []
    for objects in cases:
        said: list[str] = []
        for one in objects:
            # planted mistakes change one object of many: each is looked at once
            key = json.dumps(one, sort_keys=True)
            if key not in seen:
                seen[key] = list(check(one))
            said += seen[key]
        found.append(said)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
