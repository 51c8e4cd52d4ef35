"""Every setting, from the environment: DREAM_*. Checked when a process starts, with the name in the error. What single
settings have to be; what is wrong with one is said without it where it may hold a password."""

import json
import logging
import os
import ssl
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, SecretStr
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from backbone import secret_files
from backbone.mcp.config import Servers, read_servers
from contracts.gateway import Budget
from contracts.model import ModelRole
from contracts.shape import Timezone


def address(*schemes: str) -> AfterValidator:
    """Of a URL with one of the schemes. What is wrong with it is said without it: it may hold a password."""

    def check(value: Any) -> Any:
        url = value.get_secret_value() if isinstance(value, SecretStr) else value
        for part in url.split(","):
            scheme = part.partition("://")[0]
            if "://" in part and scheme not in schemes:
                raise ValueError(f"its scheme is {scheme!r}, not one of {', '.join(schemes)}")
            try:
                _ = urlsplit(part if "://" in part else f"//{part}").port
            except ValueError:
                raise ValueError("its port is no number, or a sign in its password is not percent-encoded") from None
        return value

    return AfterValidator(check)


def _named(file: Any) -> Any:
    """An empty variable names no file: that is how one that others have is taken away from a container."""
    return None if file == "" else file  # and nothing else that is false


def vouching(file: Path | None) -> Path | None:
    """Certificates in PEM, which can be read. Without a file they are the system's, which are not read here: that would
    take longer than all other settings together."""
    if file is None:
        return None
    try:
        ssl.create_default_context(cafile=file)
    except OSError as error:
        raise ValueError(f"no certificates can be read there: {error.strerror or error}") from None
    return file


log = logging.getLogger(__name__)
PREFIX = "DREAM_"
NO_JSON = "it is not JSON"


def _split(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _parsed(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value or "{}")
    except json.JSONDecodeError as error:
        raise ValueError(f"{NO_JSON}: {error}") from None


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
"""Comma separated in the environment."""

ModelName = Annotated[str, Field(pattern=r"^(offline|[a-z][a-z0-9_]*:\S+)$")]
"""`offline`, or provider:model as LangChain names them, openai:gpt-5-mini say."""
ModelNames = Annotated[tuple[ModelName, ...], NoDecode, BeforeValidator(_split)]


class _Files(PydanticBaseSettingsSource):
    """Secret settings whose variable names a file."""

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        raise NotImplementedError  # pydantic-settings asks for it; __call__ gives all at once

    def __call__(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in secrets():
            try:
                if value := secret_files.value_of(variable(name), os.environ):
                    found[name] = value
            except secret_files.SecretUnusable as error:
                found[name] = error  # the field's own validation refuses it, beside what is wrong with others
        return found


def _usable(value: object) -> object:
    if isinstance(value, secret_files.SecretUnusable):
        raise value
    return value


class Settings(BaseSettings):
    """Settings of one process. Only the addresses change between one machine and many."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore", hide_input_in_errors=True)

    _files: dict[str, Path] = PrivateAttr(default_factory=dict)

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self._files = {
            name: file
            for name in secrets()
            if name not in values and (file := secret_files.file_of(variable(name), os.environ))
        }

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, _Files(settings_cls), env_settings

    def current(self, name: str) -> str:
        """A secret setting as it is now. One that came from a file is read again: it may have been replaced. What
        cannot be read is as it was, for now."""
        value = getattr(self, name)
        known = value.get_secret_value() if isinstance(value, SecretStr) else str(value)
        if (file := self._files.get(name)) is None:
            return known
        try:
            return secret_files.read(f"{variable(name)}{secret_files.SUFFIX}", file)
        except secret_files.SecretUnusable as error:
            log.warning("%s; going on with what it was at the start", error)
            return known

    nats_url: Annotated[str, BeforeValidator(_usable), address("nats", "tls", "ws", "wss")] = Field(
        default="nats://127.0.0.1:4222",
        repr=False,
        description="nats-server with JetStream, nats://user:password@host:4222 ([yours](#a-nats-server-of-your-own))",
    )
    nats_nkey_file: Annotated[Path | None, BeforeValidator(_named)] = Field(
        default=None, description="file with the nkey seed of this service's NATS user; read again at each reconnect"
    )
    nats_ca_file: Annotated[Path | None, BeforeValidator(_named), AfterValidator(vouching)] = Field(
        default=None, description="certificates that vouch for NATS, PEM, for a tls:// URL; none = the system's"
    )
    database_url: Annotated[SecretStr, BeforeValidator(_usable), address("postgresql", "postgres")] = Field(
        default=SecretStr("postgresql://127.0.0.1:5432/dream"), description="the ledger"
    )
    database_role: str = Field(
        default="",
        description="role that services act as; none = its own, else `dream_service` ([rights](rights.md#postgres))",
    )
    database_pool: int = Field(default=8, ge=2, le=100, description="connections per process at most")
    database_owner_url: SecretStr | None = Field(
        default=None, description="the ledger as its owner, for migrations; none = as `DREAM_DATABASE_URL` says"
    )
    database_packs_secret: Annotated[SecretStr, BeforeValidator(_usable)] = Field(
        default=SecretStr(""),
        description="what packs' passwords follow from, for cognitive, execution and migrations; none = the password in"
        " `DREAM_DATABASE_URL`",
    )
    database_logins: Path | None = Field(
        default=None,
        description="folder with a file for each login of a service that holds its `DREAM_DATABASE_URL`: migrations set"
        " those passwords",
    )
    artifacts_url: str = Field(
        default="file://./.dream/artifacts",
        repr=False,
        description="artifact store: file://<folder>, s3://<bucket>/<prefix>, gs://…, az://…"
        " ([object store](#an-object-store))",
    )
    artifacts_cache_bytes: int = Field(
        default=2 * 1024**3, ge=0, description="local copies of artifacts that lie in a bucket, in the temporary folder"
    )
    packs: Names = Field(default=(), description="names, comma separated; empty = all installed, and those of ./packs")
    pack_path: str = Field(
        default="", description="folders with further packs, separated as in PATH; a pack in <folder>/<name>"
    )

    cache_dir: str = Field(
        default="",
        description="what may be made again, such as weights that were learned; empty = ~/.cache/dream-agent",
    )

    timezone: Timezone = Field(
        default="Asia/Seoul", min_length=1, description="where days begin for people who do not say"
    )

    model: ModelName = Field(default="offline", description="chat model, provider:name; offline = no model at all")
    model_base_url: str | None = Field(default=None, description="server of that provider's models; none = its own")
    model_api_key: Annotated[SecretStr | None, BeforeValidator(_usable)] = Field(
        default=None, description="key for that provider; none = the one of its SDK, OPENAI_API_KEY say"
    )
    model_roles: Annotated[dict[ModelRole, ModelName], NoDecode, BeforeValidator(_parsed)] = Field(
        default={}, description='other models for some roles, as JSON: {"planner": "anthropic:…"}'
    )
    model_fallbacks: ModelNames = Field(
        default=(), description="models asked next when one fails, comma separated; the last is always offline"
    )
    model_timeout_seconds: float = Field(default=60.0, gt=0, description="silence of a model, from its last chunk on")

    mcp_servers: Annotated[Servers, NoDecode, BeforeValidator(read_servers)] = Field(
        default={}, description="MCP servers whose tools join the catalogue: JSON, or a file ([MCP](mcp.md))"
    )

    host: str = Field(default="127.0.0.1", description="address the gateway listens on")
    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^/?#@\s]+(/[^?#\s]*)?$",
        description="what clients call the gateway behind a proxy, https://dream.example say; pages of it may ask",
    )
    allowed_hosts: Names = Field(
        default=(),
        description="further names of the gateway, comma separated: others but localhost, `DREAM_HOST` and that of"
        " `DREAM_PUBLIC_URL` are refused",
    )
    auth: Literal["off", "keys"] = Field(
        default="off",
        description="`keys`: the gateway answers only those who show a key of `dream admin access create`, or a browser"
        " that has logged in with one; `off`: everybody who reaches it",
    )
    sockets_per_person: int = Field(
        default=50,
        ge=1,
        description="sockets and event streams that a person may have open at a gateway, where keys are asked for",
    )
    port: int = Field(default=8765, ge=0, le=65535, description="port the gateway listens on; 0 = any free")
    live_seconds: float = Field(
        default=30.0,
        ge=1,
        description="a process counts as dead, in `/health/live`, when its event loop has not turned for so long",
    )
    health_port: int = Field(default=0, ge=0, le=65535, description="health and metrics of a service; 0 = none")

    bus_declare: bool = Field(
        default=True, description="create the JetStream stream and consumers when they are missing"
    )
    bus_max_bytes: int = Field(default=2 * 1024**3, ge=16 * 1024**2, description="size of the JetStream stream")
    bus_max_age_hours: float = Field(default=24.0, gt=0, description="age at which the bus forgets; the ledger never")

    bus_replicas: int = Field(default=1, ge=1, le=5, description="servers of a NATS cluster that keep the stream")

    executors: Names = Field(default=(), description="executor routes to serve; empty = all")
    executor_concurrency: int = Field(default=64, ge=1, le=1024, description="todos in flight per executor route")
    session_concurrency: int = Field(
        default=64,
        ge=1,
        description="todos of one session in flight at once; four times as many while they take no time",
    )
    lease_seconds: float = Field(default=30.0, ge=1, description="a tool's lease lasts so long without a sign of life")
    run_budget: Annotated[Budget, NoDecode, BeforeValidator(_parsed)] = Field(
        default=Budget(), description="limits of a run, as JSON; empty = none"
    )
    session_budget: Annotated[Budget, NoDecode, BeforeValidator(_parsed)] = Field(
        default=Budget(), description="limits of a session, as JSON; empty = none"
    )
    tool_processes: int = Field(default=2, ge=1, le=64, description="worker processes for CPU tools")
    tool_sandbox: str = Field(
        default="auto",
        pattern="^(auto|required|off)$",
        description="worker processes are confined where the kernel can; or no tool runs where it cannot; or never",
    )
    tool_folders: str = Field(
        default="", description="further folders that they may read and write, separated as in PATH"
    )

    run_timeout_seconds: float = Field(default=300.0, gt=0, description="longest wait of POST /agent/run")
    ack_wait_seconds: float = Field(default=5.0, gt=0, description="after a crash its messages come again so soon")
    stop_grace_seconds: float = Field(
        default=3.0, ge=0, le=3600, description="work in flight has so long to end when a service is told to stop"
    )
    decision_deadline_seconds: float = Field(default=86_400.0, gt=0)
    plan_edit_steps: int = Field(
        default=200,
        ge=1,
        le=1000,
        description="steps that a plan has at most after a person has edited it; one that has more may keep as many",
    )
    liveness_seconds: float = Field(default=10.0, gt=0, description="between two looks for runs that are stuck")
    upload_max_bytes: int = Field(
        default=400 * 1024**2, ge=1024, description="largest file; a million reviews are some 100 to 250 MB"
    )

    log_level: str = Field(default="INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$")
    log_format: str = Field(default="json", pattern="^(json|text)$")
    otlp_endpoint: str | None = Field(
        default=None,
        repr=False,
        description="traces go there, http://collector:4318/v1/traces; none = not recorded ([tracing](tracing.md))",
    )
    otlp_headers: SecretStr = Field(
        default=SecretStr(""), description="headers of the collector: name=value, comma separated"
    )
    trace_ratio: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="share of runs that are traced, each whole; where the caller traces, its traceparent decides",
    )
    traces_per_second: float = Field(
        default=5.0,
        gt=0,
        description="new traces a second, at most, of a process that takes messages; whoever calls with a trace has it",
    )
    trace_url: str | None = Field(
        default=None,
        pattern=r"^https?://\S*\{trace_id\}\S*$",
        description="page of a trace, https://grafana.example/explore?…{trace_id} say; runs link there",
    )

    data_dir: Path = Field(default=Path(".dream"), description="embedded servers and local artifacts")

    @property
    def otlp_header_fields(self) -> dict[str, str]:
        """`otlp_headers`, by name."""
        pairs = (part.partition("=") for part in self.otlp_headers.get_secret_value().split(",") if part.strip())
        return {name.strip(): value.strip() for name, _, value in pairs}


def variable(field: str) -> str:
    """The name of a setting in the environment."""
    return f"{PREFIX}{field.upper()}"


def secrets() -> tuple[str, ...]:
    """The settings that are, or may hold, a secret: these can come from files, and are never shown."""
    fields = Settings.model_fields.items()
    return tuple(name for name, field in fields if field.repr is False or "SecretStr" in str(field.annotation))


def shown(url: str) -> str:
    """An address for people and logs: without user and password, whatever signs these hold."""
    before, _, rest = url.rpartition("@")
    scheme, mark, _ = before.partition("://")
    return f"{scheme}://{rest}" if mark else rest
