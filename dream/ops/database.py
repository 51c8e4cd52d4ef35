"""Errors of the database, as the commands that speak to it need them."""

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError
from pydantic_settings import SettingsError

NO_PRIVILEGE = "42501"


class DatabaseFailed(Exception):
    """The database cannot be reached, or refuses; `sqlstate` is its code, None when it was not reached."""

    def __init__(self, message: str, sqlstate: str | None) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


@contextmanager
def database_errors() -> Iterator[None]:
    """Turns the driver's errors into DatabaseFailed. The driver enters by backbone.ledger alone, so its errors are
    known here by what they carry: an SQLSTATE, or that no connection came about."""
    try:
        yield
    except (ValidationError, SettingsError):  # settings are read on the way; both are ValueErrors, too
        raise
    except (OSError, ValueError) as error:  # a wrong address is a ValueError of the driver
        raise DatabaseFailed(str(error) or repr(error), None) from error
    except Exception as error:
        sqlstate = getattr(error, "sqlstate", None)
        if not isinstance(sqlstate, str):
            raise
        raise DatabaseFailed(str(error), sqlstate) from error
