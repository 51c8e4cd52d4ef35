"""`python -m backbone.healthcheck`: exit 0 when this container's process is ready, 1 with its answer when not.

For engines that ask by a command inside of the container, where there is no curl."""

import http.client
import os
import sys
from collections.abc import Mapping

SECONDS = 4.0


def port(environment: Mapping[str, str]) -> int:
    """Of a layer's health, or the gateway's own."""
    return int(environment.get("DREAM_HEALTH_PORT") or 0) or int(environment.get("DREAM_PORT") or 8765)


def main(environment: Mapping[str, str] = os.environ) -> int:
    """One question; what is missing is told on standard output, which the engine keeps."""
    connection = http.client.HTTPConnection("127.0.0.1", port(environment), timeout=SECONDS)
    try:
        connection.request("GET", "/health/ready", headers={"Host": "localhost"})
        answer = connection.getresponse()
        said = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        print(f"no answer: {error!r}")  # noqa: T201  # it is a command
        return 1
    finally:
        connection.close()
    if answer.status != http.client.OK:
        print(said[:1000])  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
