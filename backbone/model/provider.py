"""The provider of a process, from its settings. Without a model: the offline one, and LangChain is not imported. One
provider over several: for each role a chain of models, asked one after the other until one answers."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from backbone.model.faults import ModelDeclined, ModelUnavailable
from backbone.model.offline import OfflineProvider, OfflineRole
from backbone.model.port import Answer, LoopAnswer, LoopRequest, ModelAnswer, ModelProvider, ModelRequest, OnChunk
from backbone.model.prompts import PromptBook
from backbone.model.resting import Resting
from backbone.packs import Catalogue
from backbone.settings import Settings
from contracts.errors import Code
from contracts.model import ModelCalled, ModelRole

OFFLINE = "offline"
RESTS = frozenset({Code.MODEL_UNAVAILABLE, Code.MODEL_TIMEOUT})
"""After these the next request may wait as long as the last."""
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


def uses_any_model(settings: Settings) -> bool:
    """Whether a model is asked about anything at all."""
    return any(uses_model(settings, role) for role in ModelRole)


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


log = logging.getLogger(__name__)

Link = tuple[str, ModelProvider]
"""A model's name, and who asks it."""
Answered = TypeVar("Answered", ModelAnswer[Any], LoopAnswer)


class FallbackProvider:
    """See backbone.model.port.ModelProvider. `offline` is the end of every chain of a role that it has."""

    def __init__(
        self, chains: Mapping[ModelRole, Sequence[Link]], offline: ModelProvider, offline_roles: frozenset[ModelRole]
    ) -> None:
        self._chains = chains
        self._offline = offline
        self._offline_roles = offline_roles
        self._resting = Resting()

    async def ask(self, request: ModelRequest[Answer]) -> ModelAnswer[Answer]:
        """Raises what the last of the chain raised, when the role cannot be played offline."""

        async def ask(provider: ModelProvider) -> ModelAnswer[Answer]:
            return await provider.ask(request)

        links = list(self._chains[request.role])
        if request.role in self._offline_roles or not links:
            links.append(("offline", self._offline))
        answered, failed = await self._first(links, ask, request.on_chunk)
        return ModelAnswer(answered.answer, _told(answered.called, failed))

    async def step(self, request: LoopRequest) -> LoopAnswer:
        """The end of the chain is the agent's own policy, which always has a next step."""

        async def step(provider: ModelProvider) -> LoopAnswer:
            return await provider.step(request)

        answered, failed = await self._first(
            [*self._chains[request.role], ("offline", self._offline)], step, request.on_chunk
        )
        return LoopAnswer(answered.step, _told(answered.called, failed))

    async def _first(
        self, links: Sequence[Link], ask: Callable[[ModelProvider], Awaitable[Answered]], on_chunk: OnChunk | None
    ) -> tuple[Answered, list[ModelCalled]]:
        """The first answer, and the records of those who had none. One that rests is asked where it is the last. Raises
        what the last raised, with all of it counted."""
        failed: list[ModelCalled] = []
        for place, (name, provider) in enumerate(links, 1):
            if place < len(links) and (rests := self._resting.now(name)):
                failed.append(rests)
                continue
            try:
                answered = await ask(provider)
            except (ModelUnavailable, ModelDeclined) as fault:
                log.warning("a model failed", extra={"model": name, "code": int(fault.code), "reason": fault.message})
                if fault.code in RESTS:
                    self._resting.failed(name, fault.called)
                if place == len(links):
                    fault.called = _told(fault.called, failed)
                    raise
                failed.append(fault.called)
                if on_chunk:
                    on_chunk("")
            else:
                self._resting.answered(name)
                return answered, failed
        raise AssertionError("a chain has a link at least")


def _told(called: ModelCalled, failed: Sequence[ModelCalled]) -> ModelCalled:
    """The record with what was spent before it, and why the last before it failed."""
    if not failed:
        return called
    return called.model_copy(
        update={
            "attempts": called.attempts + sum(one.attempts for one in failed),
            "input_tokens": called.input_tokens + sum(one.input_tokens for one in failed),
            "output_tokens": called.output_tokens + sum(one.output_tokens for one in failed),
            "cost": called.cost + sum(one.cost for one in failed),
            "latency_seconds": called.latency_seconds + sum(one.latency_seconds for one in failed),
            "fell_back_from": tuple(f"{one.provider}:{one.model}" for one in failed),
            "error": called.error or failed[-1].error,
        }
    )
