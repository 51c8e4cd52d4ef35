"""DREAM_MCP_SERVERS: which servers there are, and what the operator allows them. Secrets are named, never written."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

import yaml
from pydantic import Field, TypeAdapter, ValidationError, model_validator

from contracts.shape import Contract
from contracts.tools import ConfirmPolicy, ExecutorRoute

ServerName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,26}$")]
Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", description="name of an environment variable")]
ROUTE = "mcp"


class ServerSpec(Contract):
    """One MCP server: a command that is started (stdio), or a URL (streamable HTTP)."""

    command: str | None = Field(default=None, min_length=1)
    args: tuple[str, ...] = ()
    env: dict[Variable, str] = Field(default={}, description="variables of the command, by value: nothing secret")
    env_from: dict[Variable, Variable] = Field(default={}, description="variables of the command, from ours")
    cwd: Path | None = None
    url: str | None = None
    headers_env: dict[str, Variable] = Field(default={}, description="headers, each from a variable of ours")
    tools: tuple[str, ...] | None = Field(default=None, description="the only ones that are taken; none = all")
    confirm: ConfirmPolicy = ConfirmPolicy.ALWAYS
    confirm_tools: dict[str, ConfirmPolicy] = Field(default={}, description="other policies for some of its tools")
    trust_annotations: bool = Field(default=False, description="a tool that says it only reads is believed")
    timeout_seconds: float = Field(default=60.0, gt=0, le=86_400)
    executor: ExecutorRoute = ROUTE

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("it needs either command (stdio) or url (streamable HTTP)")
        if self.url is None:
            _refuse(self.headers_env, "headers_env goes with url, not with command")
        else:
            _refuse(self.args or self.env or self.env_from or self.cwd, "args, env, env_from and cwd go with command")
            _check_url(self.url)
        strange = sorted(set(self.confirm_tools) - set(self.tools or self.confirm_tools))
        _refuse(strange, f"confirm_tools names {strange}, which tools leaves out")
        return self

    def confirms(self, tool: str) -> ConfirmPolicy:
        return self.confirm_tools.get(tool, self.confirm)

    def takes(self, tool: str) -> bool:
        return self.tools is None or tool in self.tools

    def environment(self, ours: Mapping[str, str] = os.environ) -> dict[str, str]:
        """What its process is given besides the harmless ones. Raises VariableMissing."""
        return self.env | {name: _secret(ours, variable) for name, variable in self.env_from.items()}

    def headers(self, ours: Mapping[str, str] = os.environ) -> dict[str, str]:
        """Raises VariableMissing."""
        return {name: _secret(ours, variable) for name, variable in self.headers_env.items()}


Servers = Mapping[ServerName, ServerSpec]
_SERVERS: TypeAdapter[dict[str, ServerSpec]] = TypeAdapter(dict[ServerName, ServerSpec])


class VariableMissing(Exception):
    """A variable that the configuration names is not set."""


def read_servers(value: object) -> object:
    """The setting as it stands in the environment: a JSON object, or the path of a JSON or YAML file. Raises ValueError
    with the place of what is wrong."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return {}
    found = _parsed(value.strip())
    if not isinstance(found, dict):
        why = f"DREAM_MCP_SERVERS is {type(found).__name__}, not an object of servers by name"
        raise ValueError(why)  # noqa: TRY004  # pydantic makes its errors of these
    try:
        servers = _SERVERS.validate_python(found)
    except ValidationError as error:
        # without the values: a secret may stand where it should not
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"] if part != "[key]")
        raise ValueError(f"DREAM_MCP_SERVERS: {where}: {first['msg']}") from None
    _check_names(servers)
    return servers


def _parsed(value: str) -> object:
    if value.startswith("{"):
        try:
            return json.loads(value)
        except ValueError as error:
            raise ValueError(f"DREAM_MCP_SERVERS is no JSON: {error}") from None
    try:
        # JSON is YAML
        return yaml.safe_load(Path(value).expanduser().read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"DREAM_MCP_SERVERS names a file that cannot be read: {error}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"DREAM_MCP_SERVERS: {value}: {error}") from None


def _check_names(servers: Servers) -> None:
    names = sorted(servers)
    for short in names:
        long = next((name for name in names if name.startswith(f"{short}_")), None)
        if long:
            # /mcp_a_b_c: the tool b_c of a, or the tool c of a_b?
            raise ValueError(f"DREAM_MCP_SERVERS: {short!r} and {long!r} would have the same commands; rename one")


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    _refuse(parts.scheme not in {"http", "https"} or not parts.hostname, "url is not http(s)://host/…")
    _refuse(parts.username or parts.password, "url holds a password: name a variable in headers_env instead")


def _refuse(wrong: object, why: str) -> None:
    if wrong:
        raise ValueError(why)


def _secret(ours: Mapping[str, str], variable: str) -> str:
    value = ours.get(variable)
    if not value:
        raise VariableMissing(f"the environment variable {variable} is not set")
    return value
