"""Named crash points. A test sets DREAM_CRASH_POINT=<service>:<point>:<n> and the process dies there at the n-th pass,
by SIGKILL, as a pulled plug would do it. Without the variable a point costs one comparison."""

import os
import signal

POINTS = ("received", "decided", "appended", "published", "settled")

_target = os.environ.get("DREAM_CRASH_POINT", "")
_passes = 0


def point(service: str, name: str) -> None:
    """Passes a crash point of a service."""
    if _target and _target.startswith(f"{service}:{name}:"):
        global _passes  # noqa: PLW0603  # the count is the process's own
        _passes += 1
        if _passes >= int(_target.rsplit(":", 1)[1]):
            os.kill(os.getpid(), signal.SIGKILL)
