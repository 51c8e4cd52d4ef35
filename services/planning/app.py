"""Composes the planning service."""

import asyncio
from pathlib import Path

from backbone import packs
from backbone.kept.arrivals import Arrivals
from backbone.kept.postgres import PostgresKept
from backbone.mcp.asking import following
from backbone.mcp.catalogue import with_servers
from backbone.model.provider import prompts_of, provider_of, uses_any_model
from backbone.model.recent import recent
from backbone.service import Backbone, Service
from contracts import subjects
from contracts.model import ModelRole
from services.planning.approval import ApprovalRequests
from services.planning.handlers import Planner, approvals_handler
from services.planning.planner import PLANNER, PlanGenerator, chain_offline
from services.planning.proposal import PlanProposer
from understanding.port import TopicFinder, details_of


def service(backbone: Backbone) -> Service:
    """One work handler that plans, one decision handler for what people say about plans."""
    catalogue = with_servers(packs.load(backbone.settings.packs), backbone.settings.mcp_servers)
    generator = PlanGenerator(catalogue)
    prompts = prompts_of("planning", Path(__file__).parent, catalogue)
    provider = provider_of(backbone.settings, {ModelRole.PLANNER: (PLANNER, chain_offline)}, prompts)
    talk = recent(backbone.settings, backbone.ledger, ModelRole.PLANNER)
    requests = ApprovalRequests(catalogue, backbone.settings.decision_deadline_seconds)
    topics = TopicFinder([topic for pack in catalogue.packs.values() for topic in pack.topics])
    arrivals = Arrivals(PostgresKept(backbone.pool))
    planner = Planner(
        catalogue,
        generator,
        PlanProposer(provider, generator),
        requests,
        backbone.ledger,
        topics,
        arrivals,
        talk,
        timezone=backbone.settings.timezone,
        asks_models=uses_any_model(backbone.settings),
        details=details_of(catalogue.packs.values()),
    )
    handlers = (planner.handler(), approvals_handler(catalogue, requests, backbone.settings.plan_edit_steps))

    async def ask_about_files(service: Service) -> None:
        arrivals.bus = service.bus
        await asyncio.Event().wait()  # a background task of a healthy service does not end

    background, says = (*following(catalogue), ask_about_files), (subjects.OFFERS, subjects.arrival())
    return Service("planning", backbone, handlers, relays=("planning",), background=background, says=says)
