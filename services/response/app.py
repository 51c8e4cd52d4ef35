"""Composes the response service."""

from backbone import packs
from backbone.service import Backbone, Service
from services.response.formatter import ResponseGenerator
from services.response.graph import ResponseGraph
from services.response.handlers import Responder, response_desk_handler
from services.response.watch import watching


def service(backbone: Backbone) -> Service:
    """A work handler that ends every run, and a decision handler for those cancelled before they are at work.
    Beside them the watch over runs that nobody moves."""
    catalogue = packs.load(backbone.settings.packs)
    generator = ResponseGenerator(catalogue)
    responder = Responder(catalogue, generator, ResponseGraph(generator), backbone.ledger)
    handlers = (responder.handler(), response_desk_handler(catalogue))
    return Service("response", backbone, handlers, relays=("response",), background=(watching(catalogue),))
