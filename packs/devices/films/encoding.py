"""A film to an MP4 that a browser plays."""

from pathlib import Path

import av
import numpy as np

from packs.devices.films.library import Film
from packs.devices.films.scenes import HEIGHT, WIDTH, scene

FPS = 12


def encode(film: Film, path: Path) -> int:
    """Paints and writes every frame, one at a time; returns how many there are."""
    painted, frames = scene(film.scene), round(film.seconds * FPS)
    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"}) as container:
        stream = container.add_stream("libx264", rate=FPS, options={"preset": "veryfast", "crf": "26"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.codec_context.thread_count = 1  # others use the machine too
        for number in range(frames):
            pixels = (np.clip(painted(number / FPS), 0, 1) * 255).astype(np.uint8)
            picture = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            picture.pts = number
            container.mux(stream.encode(picture))
        container.mux(stream.encode())
    return frames
