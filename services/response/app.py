"""Composes the response service."""

from backbone import packs
from backbone.service import Backbone, Service
from services.response.formatter import ResponseGenerator
from services.response.graph import ResponseGraph
from services.response.handlers import Responder


def service(backbone: Backbone) -> Service:
    """One work handler that ends every run."""
    catalogue = packs.load(backbone.settings.packs)
    generator = ResponseGenerator(catalogue)
    responder = Responder(catalogue, generator, ResponseGraph(generator), backbone.ledger)
    return Service("response", backbone, (responder.handler(),), relays=("response",))
