"""`python -m services.gateway`: the gateway as a process of its own, until SIGTERM or SIGINT."""

import sys

from backbone.bus.port import BusUnavailable
from backbone.ledger.port import LedgerUnavailable
from backbone.ledger.readable import DatabaseUnfit
from backbone.process import ServiceOver, until_signal, with_uvloop
from backbone.sealing import seal
from backbone.service import Backbone
from backbone.settings import Settings
from backbone.telemetry import logs, tracing
from services.gateway.app import GatewayUnavailable, service


def main() -> None:
    """Exit code 1 with one sentence when it cannot start, and when one of its loops has ended."""
    seal()
    settings = Settings()
    logs.configure("gateway", settings.log_level, settings.log_format)
    tracing.configure("gateway", settings.otlp_endpoint)
    try:
        with_uvloop(until_signal(_serve(settings)))
    except (LedgerUnavailable, BusUnavailable) as error:
        sys.exit(f"gateway cannot start: {error}. Check DREAM_DATABASE_URL and DREAM_NATS_URL.")
    except DatabaseUnfit as error:
        sys.exit(f"gateway cannot start: {error}.")
    except GatewayUnavailable as error:
        sys.exit(f"gateway {error}")
    except ServiceOver as error:
        sys.exit(f"gateway cannot go on: {error}")


async def _serve(settings: Settings) -> None:
    backbone = await Backbone.connect(settings)
    gateway = service(backbone)
    try:
        await gateway.start()
        # the one line that scripts wait for; logs go to standard error
        print(gateway.url, flush=True)  # noqa: T201  # with port 0 this is how the address is known
        raise ServiceOver(await gateway.over())
    finally:
        await gateway.stop()
        await backbone.close()
        tracing.shutdown()


if __name__ == "__main__":
    main()
