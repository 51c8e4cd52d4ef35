"""One sentence and an exit code for every way in which a command is known to fail."""

import errno
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from dream.failures import CommandFailed, DataDirInUse, DataDirUnusable, EmbeddedServerFailed, Exit
from dream.local import serverlog
from dream.ops.database import DatabaseFailed
from dream.texts import Texts

if TYPE_CHECKING:
    from backbone.ledger.migrate import PacksUnmigrated
    from backbone.ledger.readable import LedgerRefused

_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG})
"""What the system answers when a file may not be read or written there."""


class ErrorMessage(NamedTuple):
    """What the person is told; `code` is that of contracts/errors.py, where there is one."""

    message: str
    exit_code: Exit
    code: int | None = None


def error_message(error: Exception, texts: Texts) -> ErrorMessage | None:
    """None for an error nobody foresaw: a bug, whose traceback is to be seen."""
    return _of_files(error, texts) or _known(error, texts)


def _of_files(error: Exception, texts: Texts) -> ErrorMessage | None:
    """A full disk, whoever has met it, and what the system does not let us read or write."""
    if isinstance(error, CommandFailed):
        return None
    if any(said in str(error) for said in (serverlog.FULL, serverlog.QUOTA, serverlog.NO_ROOM)):
        return ErrorMessage(texts("disk.full", error=error), Exit.FAILED)
    if isinstance(error, OSError) and error.filename and error.errno in _REFUSED:
        return ErrorMessage(texts("file.refused", path=error.filename, why=error.strerror), Exit.USAGE)
    return None


def _known(error: Exception, texts: Texts) -> ErrorMessage | None:
    # imported here: it is only asked for after something failed, and a start has no time for it
    from backbone.bus.port import BusUnavailable
    from backbone.ledger.migrate import MigrationChanged, PacksUnmigrated
    from backbone.ledger.port import LedgerUnavailable
    from backbone.ledger.readable import LedgerRefused
    from dream.client.gateway_client import Refused, ServerGone

    match error:
        case CommandFailed():
            return ErrorMessage(error.message, error.exit_code)
        case DataDirInUse() | DataDirUnusable():
            key = "data_dir.busy" if isinstance(error, DataDirInUse) else "data_dir.unusable"
            return ErrorMessage(texts(key, error=error), Exit.USAGE)
        case Refused():
            return ErrorMessage(error.detail, Exit.USAGE if error.status < 500 else Exit.FAILED, error.code)
        case DatabaseFailed() | LedgerRefused() | PacksUnmigrated():
            return _of_database(error, texts)
        case ServerGone() | EmbeddedServerFailed() | LedgerUnavailable() | BusUnavailable() | MigrationChanged():
            gone = isinstance(error, ServerGone)
            return ErrorMessage(texts("server.gone", error=error) if gone else str(error), Exit.FAILED)
        case _:
            return ErrorMessage(str(error), Exit.FAILED) if _of_gateway(error) else _of_settings(error, texts)


def _of_database(error: "DatabaseFailed | LedgerRefused | PacksUnmigrated", texts: Texts) -> ErrorMessage:
    from backbone.ledger.migrate import PacksUnmigrated
    from backbone.ledger.readable import DatabaseTooNew

    if isinstance(error, PacksUnmigrated):
        lines = [texts("migrate.pack_left_out", name=name, why=why) for name, why in error.failures.items()]
        return ErrorMessage("\n".join(lines), Exit.FAILED)
    if not isinstance(error, DatabaseTooNew):
        return ErrorMessage(texts("database.unreachable", error=error), Exit.FAILED)
    told = texts("database.too_new", needed=f"{error.needed:04}", known=f"{error.known:04}")
    return ErrorMessage(told, Exit.USAGE)


def _of_settings(error: Exception, texts: Texts) -> ErrorMessage | None:
    from backbone.artifacts.bucket import AddressWrong
    from backbone.model.faults import ModelMisconfigured, PromptInvalid
    from backbone.secret_files import SecretUnusable
    from dream.cli import settings_errors

    told = None
    if isinstance(error, ValidationError):
        told = settings_errors.told(error, texts)
    elif isinstance(error, AddressWrong | ModelMisconfigured | PromptInvalid | SecretUnusable):
        told = str(error)
    return ErrorMessage(told, Exit.USAGE) if told else None


def _of_gateway(error: Exception) -> bool:
    from services.gateway.http.server import GatewayUnavailable

    return isinstance(error, GatewayUnavailable)
