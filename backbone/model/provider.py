"""The provider of a process, from its settings. Without a model: the offline one, and LangChain is not imported."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from backbone.model.fallback import FallbackProvider, Link
from backbone.model.offline import OfflineProvider, OfflineRole
from backbone.model.port import ModelProvider
from backbone.model.prompts import PromptBook
from backbone.packs import Catalogue
from backbone.settings import Settings
from contracts.model import ModelRole

OFFLINE = "offline"
PROMPTS = "prompts"


def models_of(settings: Settings, role: ModelRole) -> tuple[str, ...]:
    """The models that are asked for a role, in order; none = the role is played offline."""
    first = settings.model_roles.get(role, settings.model)
    if first == OFFLINE:
        return ()
    chain = dict.fromkeys((first, *settings.model_fallbacks))
    names = list(chain)
    return tuple(names[: names.index(OFFLINE)] if OFFLINE in chain else names)


def uses_model(settings: Settings, role: ModelRole) -> bool:
    return bool(models_of(settings, role))


def prompts_of(
    service: str, folder: Path, catalogue: Catalogue, rooms: Mapping[str, Path] = MappingProxyType({})
) -> PromptBook:
    """The prompts of a service, whose code lives in `folder`, of `rooms` that it uses by name, and of all packs."""
    packs = {name: pack.folder / PROMPTS for name, pack in catalogue.packs.items()}
    return PromptBook({service: folder / PROMPTS, **rooms, **packs}, strangers=packs)


def provider_of(
    settings: Settings, offline_roles: Mapping[ModelRole, tuple[str, OfflineRole]], prompts: PromptBook
) -> ModelProvider:
    """Raises ModelMisconfigured and PromptInvalid, at the start and not at first use."""
    offline = OfflineProvider(offline_roles)
    names = {role: models_of(settings, role) for role in ModelRole}
    wanted = dict.fromkeys(name for chain in names.values() for name in chain)
    if not wanted:
        return offline
    from backbone.model.chat.models import chat_provider

    prompts.read()
    made: dict[str, Link] = {name: (name, chat_provider(name, settings, prompts)) for name in wanted}
    chains = {role: tuple(made[name] for name in chain) for role, chain in names.items()}
    return FallbackProvider(chains, offline, frozenset(offline_roles))
