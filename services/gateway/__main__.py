"""`python -m services.gateway`: the gateway as a process of its own, until SIGTERM or SIGINT."""

import sys

from backbone.health import Probes
from backbone.patience import FOREVER
from backbone.process import ServiceOver, connected, run
from backbone.settings import Settings
from services.gateway.app import service
from services.gateway.commands.runs import NAME
from services.gateway.http.server import GatewayUnavailable, HttpServer


def main() -> None:
    """See backbone.process.run."""
    try:
        run(NAME, serve)
    except GatewayUnavailable as error:
        sys.exit(f"gateway {error}")


async def serve(settings: Settings, probes: Probes) -> None:
    """Listens first, then waits for what it needs, then serves until it is over or cancelled."""
    http = HttpServer(settings, probes)
    await http.start()
    try:
        backbone = await connected(settings, probes)
        probes.service = gateway = service(backbone, http=http)
        try:
            await gateway.start(FOREVER)
            # the one line that scripts wait for; logs go to standard error
            print(gateway.url, flush=True)  # noqa: T201  # with port 0 this is how the address is known
            raise ServiceOver(await gateway.over())
        finally:
            await gateway.stop()
            await backbone.close()
    finally:
        await http.stop()


if __name__ == "__main__":
    main()
