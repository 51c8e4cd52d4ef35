"""Files of tools: their inputs out of the artifact store, as local files, and what they made into it."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from backbone.artifacts.port import (
    ArtifactDamaged,
    ArtifactStore,
    ArtifactStoreRefused,
    ArtifactStoreUnavailable,
    ArtifactUnknown,
)
from contracts.artifacts import Attachment
from contracts.errors import Code
from contracts.tools import ToolInput
from services.execution.tools.faults import NotKept, ToolFault


@asynccontextmanager
async def laid_out(store: ArtifactStore, attachments: Sequence[Attachment]) -> AsyncIterator[list[ToolInput]]:
    """The inputs as local files, for as long as the tool needs them. Raises ToolFault."""
    async with AsyncExitStack() as holds:
        try:
            paths = await holds.enter_async_context(store.held([one.artifact_id for one in attachments]))
        except ArtifactUnknown as error:
            raise ToolFault(Code.ARTIFACT_UNKNOWN, f"an input is not in the artifact store: {error}") from error
        except (ArtifactStoreUnavailable, ArtifactDamaged) as error:
            raise _unavailable(ToolFault, error) from error
        yield [ToolInput(attachment=one, path=path) for one, path in zip(attachments, paths, strict=True)]


async def keep(store: ArtifactStore, saved: Sequence[Mapping[str, Any]]) -> tuple[Attachment, ...]:
    """Stores what a tool saved. Raises ToolFault, and NotKept while the store is away."""
    files = (_keep(store, Attachment.model_validate(one["attachment"]), one["path"]) for one in saved)
    return tuple(await asyncio.gather(*files))


async def _keep(store: ArtifactStore, attachment: Attachment, path: str) -> Attachment:
    try:
        digest, _ = await store.put(Path(path), attachment.media_type)
    except FileNotFoundError:
        digest = ""
    except ArtifactStoreUnavailable as error:
        raise _unavailable(NotKept, error) from error
    if digest != attachment.artifact_id:
        raise ToolFault(Code.TOOL_RESULT_INVALID, f"{attachment.name} changed after it was saved")
    return attachment


def _unavailable(fault: type[ToolFault], error: Exception) -> ToolFault:
    """A store that refuses does so the next time too: an operator is needed, not another attempt."""
    return fault(Code.ARTIFACT_STORE_UNAVAILABLE, str(error), retryable=not isinstance(error, ArtifactStoreRefused))
