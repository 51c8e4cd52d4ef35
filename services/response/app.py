"""Composes the response service."""

from pathlib import Path

from backbone import packs
from backbone.live import Live
from backbone.model.provider import prompts_of, provider_of, uses_any_model, uses_model
from backbone.model.recent import recent
from backbone.packs import Catalogue
from backbone.service import Backbone, Background, Service
from contracts import subjects
from contracts.model import ModelRole
from services.response.formatter import ResponseGenerator
from services.response.handlers import Responder, response_desk_handler
from services.response.report import Report
from services.response.reporter import Reporter
from services.response.watch import watching


def service(backbone: Backbone) -> Service:
    """A work handler that ends every run, and a decision handler for those cancelled before they are at work.
    Beside them the watch over runs that nobody moves."""
    catalogue = packs.load(backbone.settings.packs)
    generator = ResponseGenerator(catalogue)
    reporter = _reporter(backbone, catalogue)
    live = Live() if reporter else None
    talk = recent(backbone.settings, backbone.ledger, ModelRole.REPORTER)
    responder = Responder(
        catalogue,
        generator,
        Report(generator, reporter),
        backbone.ledger,
        talk,
        live,
        asks_models=uses_any_model(backbone.settings),
    )
    handlers = (responder.handler(), response_desk_handler(catalogue))
    background: list[Background] = [watching(catalogue)]

    async def show_words(service: Service) -> None:
        if live is not None:
            await live.run(service.bus)

    if live is not None:
        background.append(show_words)
    says = (subjects.LIVE,)
    return Service("response", backbone, handlers, relays=("response",), background=background, says=says)


def _reporter(backbone: Backbone, catalogue: Catalogue) -> Reporter | None:
    """None where no model tells the findings: they stand as the tools have said them."""
    if not uses_model(backbone.settings, ModelRole.REPORTER):
        return None
    prompts = prompts_of("response", Path(__file__).parent, catalogue)
    return Reporter(provider_of(backbone.settings, {}, prompts))
