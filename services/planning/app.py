"""Composes the planning service."""

from backbone import packs
from backbone.model.offline.provider import OfflineProvider
from backbone.model.offline.topics import TopicFinder
from backbone.service import Backbone, Service
from contracts.model import ModelRole
from services.planning.approval import ApprovalDesk
from services.planning.graph import PlanningGraph
from services.planning.handlers import Planner, plan_desk_handler
from services.planning.planner import PLANNER, PlanGenerator, chain_offline


def service(backbone: Backbone) -> Service:
    """One work handler that plans, one decision handler for what people say about plans."""
    catalogue = packs.load(backbone.settings.packs)
    generator = PlanGenerator(catalogue)
    provider = OfflineProvider({ModelRole.PLANNER: (PLANNER, chain_offline)})
    desk = ApprovalDesk(catalogue, backbone.settings.decision_deadline_seconds)
    topics = TopicFinder([topic for pack in catalogue.packs.values() for topic in pack.topics])
    planner = Planner(catalogue, generator, PlanningGraph(provider, generator), desk, backbone.ledger, topics)
    handlers = (planner.handler(), plan_desk_handler(catalogue, desk))
    return Service("planning", backbone, handlers, relays=("planning",))
