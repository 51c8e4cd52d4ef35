"""Every setting, from the environment: DREAM_*. Checked when a process starts, with the name in the error."""

from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from backbone.mcp.config import Servers, read_servers
from contracts.budgets import Budget
from contracts.model import ModelRole
from contracts.shape import Timezone


def _split(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
"""Comma separated in the environment."""

ModelName = Annotated[str, Field(pattern=r"^(offline|[a-z][a-z0-9_]*:\S+)$")]
"""`offline`, or provider:model as LangChain names them, openai:gpt-5-mini say."""
ModelNames = Annotated[tuple[ModelName, ...], NoDecode, BeforeValidator(_split)]


class Settings(BaseSettings):
    """Settings of one process. Only the addresses change between one machine and many."""

    model_config = SettingsConfigDict(env_prefix="DREAM_", frozen=True, extra="ignore")

    nats_url: str = Field(
        default="nats://127.0.0.1:4222",
        repr=False,
        description="nats-server with JetStream, nats://user:password@host:4222 ([yours](#a-nats-server-of-your-own))",
    )
    nats_nkey_file: Path | None = Field(
        default=None, description="file with the nkey seed of this service's NATS user; read again at each reconnect"
    )
    nats_ca_file: Path | None = Field(
        default=None, description="certificates that vouch for NATS, PEM, for a tls:// URL; none = the system's"
    )
    database_url: SecretStr = Field(default=SecretStr("postgresql://127.0.0.1:5432/dream"), description="the ledger")
    database_role: str = Field(default="dream_service", description="least privileged role that services act as")
    database_pool: int = Field(default=8, ge=2, le=100, description="connections per process at most")
    artifacts_url: str = Field(default="file://./.dream/artifacts", description="artifact store")
    packs: Names = Field(default=(), description="names, comma separated; empty = all installed, and those of ./packs")
    pack_path: str = Field(
        default="", description="folders with further packs, separated as in PATH; a pack in <folder>/<name>"
    )

    timezone: Timezone = Field(
        default="Asia/Seoul", min_length=1, description="where days begin for people who do not say"
    )

    model: ModelName = Field(default="offline", description="chat model, provider:name; offline = no model at all")
    model_base_url: str | None = Field(default=None, description="server of that provider's models; none = its own")
    model_api_key: SecretStr | None = Field(
        default=None, description="key for that provider; none = the one of its SDK, OPENAI_API_KEY say"
    )
    model_roles: dict[ModelRole, ModelName] = Field(
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
    port: int = Field(default=8765, ge=0, le=65535, description="port the gateway listens on; 0 = any free")
    health_port: int = Field(default=0, ge=0, le=65535, description="health and metrics of a layer service; 0 = none")

    bus_declare: bool = Field(
        default=True, description="create the JetStream stream and consumers when they are missing"
    )
    bus_max_bytes: int = Field(default=2 * 1024**3, ge=16 * 1024**2, description="size of the JetStream stream")
    bus_max_age_hours: float = Field(default=24.0, gt=0, description="age at which the bus forgets; the ledger never")

    executors: Names = Field(default=(), description="executor routes to serve; empty = all")
    executor_concurrency: int = Field(default=64, ge=1, le=1024, description="todos in flight per executor route")
    session_concurrency: int = Field(
        default=64,
        ge=1,
        description="todos of one session in flight at once; four times as many while they take no time",
    )
    lease_seconds: float = Field(default=30.0, ge=1, description="a tool's lease lasts so long without a sign of life")
    run_budget: Budget = Field(default=Budget(), description="limits of a run, as JSON; empty = none")
    session_budget: Budget = Field(default=Budget(), description="limits of a session, as JSON; empty = none")
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
    liveness_seconds: float = Field(default=10.0, gt=0, description="between two looks for runs that are stuck")
    upload_max_bytes: int = Field(default=100 * 1024**2, ge=1024)

    log_level: str = Field(default="INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$")
    log_format: str = Field(default="json", pattern="^(json|text)$")
    otlp_endpoint: str | None = Field(default=None, description="traces go there; none = not recorded")

    data_dir: Path = Field(default=Path(".dream"), description="embedded servers and local artifacts")


def shown(url: str) -> str:
    """An address for people and logs: without user and password, whatever signs these hold."""
    before, _, rest = url.rpartition("@")
    scheme, mark, _ = before.partition("://")
    return f"{scheme}://{rest}" if mark else rest
