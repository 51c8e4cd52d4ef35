"""What the films show: each scene paints a moment of it, as red, green and blue of every pixel (0..1).

A scene is a function of time alone; chance is that of a fixed seed, so that a film is the same whenever it is made."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

WIDTH, HEIGHT = 320, 180

Picture = npt.NDArray[np.float32]
Scene = Callable[[float], Picture]

_ROWS = np.linspace(0, 1, HEIGHT, dtype=np.float32)[:, None, None]
_DOWN, _ACROSS = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)


def _between(top: tuple[float, float, float], bottom: tuple[float, float, float]) -> Picture:
    """A ground that goes from one colour to another."""
    high, low = np.array(top, np.float32), np.array(bottom, np.float32)
    ground: Picture = high * (1 - _ROWS) + low * _ROWS
    return np.broadcast_to(ground, (HEIGHT, WIDTH, 3)).astype(np.float32)


def _dots(ground: Picture, x: Any, y: Any, light: Any, size: int = 1) -> None:
    """Adds light at points; those outside the picture are not seen."""
    for right in range(size):
        for low in range(size):
            across, down = np.round(x).astype(int) + right, np.round(y).astype(int) + low
            seen = (across >= 0) & (across < WIDTH) & (down >= 0) & (down < HEIGHT)
            ground[down[seen], across[seen]] += np.broadcast_to(light, (*np.shape(x), 3))[seen]


def _disc(x: float, y: float, radius: float, blur: float) -> npt.NDArray[np.float32]:
    """How much of each pixel is in a disc with a soft edge."""
    away = np.hypot(_ACROSS - x, _DOWN - y)
    inside: npt.NDArray[np.float32] = np.clip((radius + blur - away) / blur, 0, 1)[:, :, None].astype(np.float32)
    return inside


def stars() -> Scene:
    """A night sky that turns about its pole, over hills."""
    chance = np.random.default_rng(7)
    angle, away = chance.uniform(0, 2 * np.pi, 420), chance.uniform(10, 300, 420)
    light, phase = chance.uniform(0.3, 1.0, (420, 1)), chance.uniform(0, 6.3, (420, 1))
    hills = 150 - 14 * np.sin(_ACROSS / 31) - 7 * np.sin(_ACROSS / 11 + 1)

    def at(time: float) -> Picture:
        sky = _between((0.01, 0.02, 0.10), (0.10, 0.14, 0.34))
        turned = angle + time * 0.05
        twinkle = light * (0.75 + 0.25 * np.sin(time * 4 + phase))
        _dots(sky, 160 + away * np.cos(turned), 60 + away * np.sin(turned), twinkle, 2)
        sky += _disc(255, 38, 13, 3) * np.array((0.9, 0.85, 0.6), np.float32)
        sky[hills < _DOWN] = (0.02, 0.03, 0.06)
        return sky

    return at


def sea() -> Scene:
    """Waves under the sun."""

    def at(time: float) -> Picture:
        view = _between((0.45, 0.72, 0.95), (0.85, 0.93, 1.0))
        view += _disc(240, 40, 15, 26) * np.array((0.5, 0.4, 0.1), np.float32)
        for number in range(7):
            top = 82 + number * 14 + (2 + number) * np.sin(_ACROSS / (14 + 5 * number) + time * (1.5 - 0.1 * number))
            deep = 1 - number * 0.09
            wet = top < _DOWN
            view[wet] = (0.05 * deep, 0.35 * deep + 0.1, 0.55 * deep + 0.15)
            foam = wet & (top + 1.5 > _DOWN)
            view[foam] = (0.8, 0.92, 0.97)
        return view

    return at


def rain() -> Scene:
    """Rain on a lake."""
    chance = np.random.default_rng(11)
    x, y, speed = chance.uniform(0, WIDTH, 260), chance.uniform(0, HEIGHT, 260), chance.uniform(170, 260, 260)
    rings, begin = chance.uniform((0, 130), (WIDTH, 175), (12, 2)), chance.uniform(0, 1, 12)

    def at(time: float) -> Picture:
        view = _between((0.28, 0.32, 0.38), (0.42, 0.47, 0.52))
        view[125:] = (0.20, 0.27, 0.33)
        for part in range(6):
            _dots(view, x - part * 0.4, (y + speed * time + part * 2) % HEIGHT, 0.16)
        for (across, down), first in zip(rings, begin, strict=True):
            age = (time + first) % 1.0
            away = np.hypot(_ACROSS - across, (_DOWN - down) * 2.6)
            view[np.abs(away - age * 26) < 1] += 0.3 * (1 - age)
        return view

    return at


def snow() -> Scene:
    """Snow over firs."""
    chance = np.random.default_rng(13)
    x, y, speed = chance.uniform(0, WIDTH, 240), chance.uniform(0, HEIGHT, 240), chance.uniform(14, 42, 240)
    firs = chance.uniform((0, 95), (WIDTH, 130), (9, 2))

    def at(time: float) -> Picture:
        view = _between((0.16, 0.22, 0.36), (0.55, 0.62, 0.74))
        view[152 + 4 * np.sin(_ACROSS / 40) < _DOWN] = (0.90, 0.93, 0.97)
        for across, top in firs:
            inside = (np.abs(_ACROSS - across) < (_DOWN - top) * 0.34) & (_DOWN < 158) & (top < _DOWN)
            view[inside] = (0.07, 0.20, 0.16)
        sway = 6 * np.sin(time + speed)
        _dots(view, (x + sway) % WIDTH, (y + speed * time) % HEIGHT, 0.8, 2)
        return view

    return at


def sunrise() -> Scene:
    """The sun comes up behind mountains."""
    near = 138 - 18 * np.sin(_ACROSS / 37 + 2) - 6 * np.sin(_ACROSS / 13)
    far = 122 - 22 * np.sin(_ACROSS / 53)

    def at(time: float) -> Picture:
        day = min(1.0, time / 7)
        view = _between(
            (0.08 + 0.3 * day, 0.10 + 0.45 * day, 0.28 + 0.6 * day), (0.6 + 0.4 * day, 0.35 + 0.4 * day, 0.3)
        )
        height = 150 - 95 * day
        view += _disc(160, height, 70, 120) * np.array((0.25, 0.13, 0.02), np.float32)
        view += _disc(160, height, 17, 3) * np.array((0.8, 0.6, 0.2), np.float32)
        view[far < _DOWN] = (0.22 + 0.1 * day, 0.18 + 0.16 * day, 0.26 + 0.08 * day)
        view[near < _DOWN] = (0.07, 0.09 + 0.1 * day, 0.12)
        return view

    return at


def fireworks() -> Scene:
    """Fireworks over a town."""
    chance = np.random.default_rng(17)
    bursts = [
        (first * 0.7, chance.uniform(40, 280), chance.uniform(30, 85), chance.uniform(0.25, 1.0, 3))
        for first in range(12)
    ]
    angles, reach = chance.uniform(0, 2 * np.pi, 130), chance.uniform(0.3, 1.0, 130)
    roofs = 168 - 16 * chance.uniform(0, 1, 32)

    def at(time: float) -> Picture:
        view = _between((0.01, 0.01, 0.05), (0.06, 0.05, 0.14))
        for first, across, high, colour in bursts:
            age = time - first
            if 0 < age < 1.6:  # a burst is out after that
                out = 62 * reach * (1 - np.exp(-2.4 * age))
                x, y = across + out * np.cos(angles), high + out * np.sin(angles) + 16 * age * age
                _dots(view, x, y, colour * (1 - age / 1.6), 2)
        view[np.repeat(roofs, 10)[None, :] < _DOWN] = (0.03, 0.03, 0.05)
        return view

    return at


def aurora() -> Scene:
    """Northern lights over snow."""
    sky_stars = np.random.default_rng(19).uniform((0, 0), (WIDTH, 110), (150, 2))

    def at(time: float) -> Picture:
        view = _between((0.01, 0.02, 0.07), (0.05, 0.10, 0.18))
        _dots(view, sky_stars[:, 0], sky_stars[:, 1], 0.6)
        for number, colour in enumerate(((0.1, 0.9, 0.5), (0.2, 0.6, 0.8), (0.6, 0.2, 0.7))):
            low = (
                105 - 14 * number + 16 * np.sin(_ACROSS / 45 + time * 0.6 + number * 2) + 5 * np.sin(_ACROSS / 9 - time)
            )
            veil = np.clip(1 - (low - _DOWN) / 75, 0, 1) * (low > _DOWN) * (0.6 + 0.4 * np.sin(_ACROSS / 5 + time * 2))
            view += veil[:, :, None].astype(np.float32) * np.array(colour, np.float32) * 0.5
        view[150 + 5 * np.sin(_ACROSS / 60) < _DOWN] = (0.55, 0.65, 0.72)
        return view

    return at


SCENES: Mapping[str, Callable[[], Scene]] = {
    "stars": stars, "sea": sea, "rain": rain, "snow": snow, "sunrise": sunrise, "fireworks": fireworks,
    "aurora": aurora,
}  # fmt: skip
