"""Frames to an MP4 that a browser plays while it still loads."""

from collections.abc import Iterable
from pathlib import Path

import av
import numpy as np
from av.video.reformatter import Colorspace, VideoReformatter
from PIL import Image

from packs.marketing.film.stage import FPS, Format

# Rec. 709 with the limited range: what players assume of a picture of this size.
_REC_709, _LIMITED = 1, 1


def encode(frames: Iterable[Image.Image], path: Path, size: Format) -> int:
    """Writes H.264 in yuv420p and returns how many frames there are. Holds one frame at a time."""
    count = 0
    # One for all frames: each new one would set up its tables again.
    reformatter = VideoReformatter()
    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"}) as container:
        stream = container.add_stream("libx264", rate=FPS, options={"preset": "veryfast", "crf": "22"})
        stream.width, stream.height, stream.pix_fmt = size.width, size.height, "yuv420p"
        context = stream.codec_context
        context.thread_count = 2
        context.colorspace = context.color_primaries = context.color_trc = _REC_709
        context.color_range = _LIMITED
        for image in frames:
            picture = av.VideoFrame.from_ndarray(np.asarray(image), format="rgb24")
            picture = reformatter.reformat(picture, format="yuv420p", dst_colorspace=Colorspace.ITU709)
            picture.pts = count
            container.mux(stream.encode(picture))
            count += 1
        container.mux(stream.encode())
    return count
