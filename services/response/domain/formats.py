"""FormatDecider: text, image, pdf, video or mixed (source design 004 section 2.2)."""

from collections.abc import Sequence

from contracts.artifacts import MADE, Attachment
from contracts.cognitive import OutputFormat


def decide_format(asked: Sequence[OutputFormat], attachments: Sequence[Attachment]) -> OutputFormat:
    """What was asked for, if it was made; else what there is. Several kinds that were asked for are mixed."""
    made = {kind for attachment in attachments if (kind := _kind(attachment))}
    # text is always there
    wanted = [kind for kind in dict.fromkeys(asked) if kind in made or kind is OutputFormat.TEXT]
    if len(wanted) == 1:
        return wanted[0]
    if len(wanted) > 1 or len(made) > 1:
        return OutputFormat.MIXED
    return made.pop() if made else OutputFormat.TEXT


def _kind(attachment: Attachment) -> OutputFormat | None:
    """Slides, tables and pages have no name of their own among the formats: text beside files is mixed."""
    media_type = attachment.media_type
    if media_type == "application/pdf":
        return OutputFormat.PDF
    if media_type.startswith("image/"):
        return OutputFormat.IMAGE
    if media_type.startswith("video/"):
        return OutputFormat.VIDEO
    return OutputFormat.MIXED if attachment.type.startswith(MADE) else None
