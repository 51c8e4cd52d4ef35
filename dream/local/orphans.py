"""What a `dream up --processes` that was killed has left: services, one of which holds the port of the next one."""

from contextlib import suppress

from dream.failures import DataDirInUse
from dream.local import child
from dream.local.data_dir import DataDir
from dream.local.stack import SERVICES


def end_services(place: DataDir) -> None:
    """Ends them. The folder has to be ours."""
    for name in SERVICES:
        child.end_leftover(place.record_of(name))


def end_orphans(place: DataDir) -> None:
    """The same where the folder is nobody's; whoever runs in it keeps theirs."""
    if any(place.record_of(name).exists() for name in SERVICES):
        with suppress(DataDirInUse):
            place.lock()
            try:
                end_services(place)
            finally:
                place.unlock()
