"""Scenes and their frames. What stands still is drawn once; a frame pays only for what moves in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from PIL import Image, ImageDraw

FPS = 24
FADE = 10
_RISE = 22
_PROGRESS_HEIGHT = 5

Motion = Literal["still", "fade", "rise", "rightwards"]
SIZES: dict[str, tuple[int, int]] = {"16:9": (1280, 720), "9:16": (720, 1280), "1:1": (720, 720)}


@dataclass(frozen=True, slots=True)
class Format:
    """The picture's size in pixels, and where things may stand in it."""

    width: int
    height: int

    @property
    def wide(self) -> bool:
        return self.width > self.height

    @property
    def tall(self) -> bool:
        return self.height > self.width

    @property
    def margin(self) -> int:
        return 72 if self.wide else 48

    @property
    def top(self) -> int:
        """Players of short films lay their own signs over the upper and lower edge."""
        return 132 if self.tall else 54 if self.wide else 44

    @property
    def bottom(self) -> int:
        return self.height - (150 if self.tall else 54 if self.wide else 44)

    def letters(self, size: int) -> int:
        """A size of letters, larger where the picture is upright: it is seen on a telephone."""
        return round(size * 1.18) if self.tall else size

    @property
    def inner(self) -> int:
        return self.width - 2 * self.margin


@dataclass(frozen=True, slots=True)
class Layer:
    """A picture that comes in: when (s after the scene's start), for how long, and how."""

    image: Image.Image
    at: tuple[int, int]
    motion: Motion = "still"
    start: float = 0.0
    seconds: float = 0.6


@dataclass(frozen=True, slots=True)
class Scene:
    """`ground` is wider than the picture where the view drifts over it, a pixel per frame."""

    name: str
    ground: Image.Image
    layers: Sequence[Layer]
    caption: str
    dark: bool = False
    drift: bool = False


def eased(moment: float) -> float:
    """Quick at first, gentle at the end."""
    return 1 - (1 - min(1.0, max(0.0, moment))) ** 3


def film(scenes: Sequence[Scene], lengths: Sequence[int], size: Format) -> Iterator[Image.Image]:
    """Every frame of the film, one at a time; each scene fades in over the last frame of the one before."""
    total, done = sum(lengths), 0
    last: Image.Image | None = None
    for scene, length in zip(scenes, lengths, strict=True):
        for number, picture in enumerate(_frames(scene, length, size)):
            frame = picture
            if last is not None and number < FADE:
                frame = Image.blend(last, picture, eased((number + 1) / (FADE + 1)))
            done += 1
            yield _with_progress(frame, done / total, dark=scene.dark)
            if number == length - 1:
                last = picture


def poster(scene: Scene, size: Format) -> Image.Image:
    """The scene with everything in its place."""
    return list(_frames(scene, 2, size, pace=1000.0))[-1]


def _frames(scene: Scene, length: int, size: Format, pace: float | None = None) -> Iterator[Image.Image]:
    """`pace` above 1 runs the movements faster, so that a short scene still stands a while when they are done."""
    ends = max((layer.start + layer.seconds for layer in scene.layers if layer.motion != "still"), default=0.0)
    pace = pace or max(1.0, ends / (0.6 * length / FPS))
    settled = scene.ground if scene.drift else scene.ground.copy()
    waiting = list(scene.layers)
    for number in range(length):
        now = number / FPS * pace
        frame = settled.crop((number, 0, number + size.width, size.height)) if scene.drift else settled
        while not scene.drift and waiting and _is_done(waiting[0], now):
            _place(settled, waiting.pop(0), 1.0)
        frame = frame if scene.drift else settled.copy()
        for layer in waiting:
            _place(frame, layer, (now - layer.start) / layer.seconds)
        yield frame


def _is_done(layer: Layer, now: float) -> bool:
    return layer.motion == "still" or now >= layer.start + layer.seconds


def _place(frame: Image.Image, layer: Layer, moment: float) -> None:
    x, y = layer.at
    if layer.motion == "still" or moment >= 1:
        frame.paste(layer.image, layer.at, layer.image)
        return
    if moment <= 0:
        return
    part = eased(moment)
    image = layer.image
    match layer.motion:
        case "rightwards":
            shown = image.crop((0, 0, max(1, round(image.width * part)), image.height))
            frame.paste(shown, (x, y), shown)
        case "fade" | "rise":
            mask = image.getchannel("A").point([round(alpha * part) for alpha in range(256)])
            frame.paste(image, (x, y + (round(_RISE * (1 - part)) if layer.motion == "rise" else 0)), mask)


def _with_progress(frame: Image.Image, done: float, *, dark: bool) -> Image.Image:
    """A thin line along the lower edge says how much of the film is left."""
    pen = ImageDraw.Draw(frame)
    edge = frame.height - _PROGRESS_HEIGHT
    pen.rectangle((0, edge, frame.width, frame.height), fill="#2b4a6f" if dark else "#dfe5ec")
    pen.rectangle((0, edge, round(frame.width * done), frame.height), fill="#8fb3dc" if dark else "#27548a")
    return frame
