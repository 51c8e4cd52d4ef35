"""A company's own title, colour and logo on what is made for it (`dream ask --brand`)."""

import base64
import io

from PIL import Image
from pydantic import Field, ValidationError

from contracts.artifacts import BRAND
from contracts.errors import Code
from contracts.shape import Contract
from contracts.tools import ToolContext, ToolError

_MOST_PIXELS = 4_000_000


class Branding(Contract):
    """Three settings, each as good as none where it is missing."""

    title: str | None = Field(default=None, min_length=1, max_length=120)
    colour: str | None = Field(default=None, pattern="^#[0-9a-fA-F]{6}$", description="as #rrggbb; headings and head")
    logo: str | None = Field(default=None, max_length=1_500_000, description="a PNG in base64")

    @property
    def png(self) -> bytes | None:
        return base64.b64decode(self.logo, validate=True) if self.logo else None


def read_brand(ctx: ToolContext) -> Branding:
    """The newest that was given, or one without settings. Raises TOOL_ARGUMENTS_INVALID for one that cannot be used."""
    given = ctx.inputs(BRAND)
    if not given:
        return Branding()
    try:
        brand = Branding.model_validate_json(given[-1].path.read_bytes())
        if brand.png is not None:
            _check(brand.png)
    except (ValidationError, ValueError, OSError, SyntaxError) as error:
        said = ctx.text("report.error.brand", file=given[-1].attachment.name)
        raise ToolError(Code.TOOL_ARGUMENTS_INVALID, said) from error
    return brand


def _check(logo: bytes) -> None:
    with Image.open(io.BytesIO(logo), formats=("PNG",)) as image:
        if image.width * image.height > _MOST_PIXELS:
            raise ValueError("the logo is too large")
        image.verify()
