"""What the films show: a film's `scene` in films.yaml is a sky and layers over it, from the back to the front. What is
painted is the red, green and blue of every pixel (0..1) at a moment.

A scene is a function of time alone; chance is that of a fixed seed, so that a film is the same whenever it is made."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

WIDTH, HEIGHT = 320, 180
SEED = 7
BURST_SECONDS = 1.6

Picture = npt.NDArray[np.float32]
Scene = Callable[[float], Picture]
Layer = Callable[[Picture, float], None]
"""Paints itself over what is behind it, at a time."""
Colour = Sequence[float]

_ROWS = np.linspace(0, 1, HEIGHT, dtype=np.float32)[:, None, None]
_DOWN, _ACROSS = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)


def scene(told: Mapping[str, Any]) -> Scene:
    """{sky: [top, bottom], later: [top, bottom]?, seconds?, layers: [{kind: …}, …]}"""
    first = np.array(told["sky"], np.float32)
    last = np.array(told.get("later", told["sky"]), np.float32)
    layers = [_LAYERS[one["kind"]](**{name: value for name, value in one.items() if name != "kind"})
              for one in told["layers"]]  # fmt: skip

    def at(time: float) -> Picture:
        top, bottom = first + (last - first) * min(1.0, time / told.get("seconds", 1))
        view: Picture = np.broadcast_to(top * (1 - _ROWS) + bottom * _ROWS, (HEIGHT, WIDTH, 3)).astype(np.float32)
        for layer in layers:
            layer(view, time)
        return view

    return at


def _disc(light: Colour, at: Sequence[float], radius: float, blur: float, rises: float = 0, until: float = 1) -> Layer:
    """Sun or moon with a soft edge, which may rise so many rows."""
    x, y = at

    def paint(view: Picture, time: float) -> None:
        away = np.hypot(_ACROSS - x, _DOWN - y + rises * min(1.0, time / until))
        view += np.clip((radius + blur - away) / blur, 0, 1)[:, :, None] * np.array(light, np.float32)

    return paint


def _edge(height: float, waves: Sequence[Sequence[float]], time: float) -> npt.NDArray[Any]:
    """The row at which something begins, for each column: waves of [amplitude, length, speed, phase]."""
    parts = [much * np.sin(_ACROSS / long + time * fast + phase) for much, long, fast, phase in waves]
    return np.asarray(height + sum(parts), np.float32)


def _hills(colour: Colour, height: float, waves: Sequence[Sequence[float]] = (), foam: Colour = ()) -> Layer:
    """Land or water below its edge, which may have foam."""

    def paint(view: Picture, time: float) -> None:
        top = _edge(height, waves, time)
        view[top < _DOWN] = colour
        if foam:
            view[(top < _DOWN) & (top + 1.5 > _DOWN)] = foam

    return paint


def _veil(colour: Colour, height: float, waves: Sequence[Sequence[float]], high: float) -> Layer:
    """Light above an edge, so high, in flickering strips."""

    def paint(view: Picture, time: float) -> None:
        low = _edge(height, waves, time)
        lit = np.clip(1 - (low - _DOWN) / high, 0, 1) * (low > _DOWN) * (0.6 + 0.4 * np.sin(_ACROSS / 5 + time * 2))
        view += lit[:, :, None].astype(np.float32) * np.array(colour, np.float32)

    return paint


def _dots(  # what a film says of them
    *, count: int, light: float, size: int = 1, falls: Sequence[float] = (0, 0), sways: float = 0, turns: float = 0
) -> Layer:
    """Stars, rain, snow: all over the picture, as fast as `falls` says, from least to most; `turns` about the pole."""
    chance = np.random.default_rng(SEED)
    x, y = chance.uniform(0, WIDTH, count), chance.uniform(0, HEIGHT, count)
    slow, fast = falls
    speed, bright = chance.uniform(slow, fast, count), light * chance.uniform(0.6, 1.0, (count, 1))

    def paint(view: Picture, time: float) -> None:
        around, out = np.arctan2(y - 60, x - WIDTH / 2) + time * turns, np.hypot(x - WIDTH / 2, y - 60)
        across = WIDTH / 2 + out * np.cos(around) + sways * np.sin(time + speed)
        _add(view, across % WIDTH, (60 + out * np.sin(around) + speed * time) % HEIGHT, bright, size)

    return paint


def _bursts(count: int, every: float) -> Layer:
    """Fireworks, one after the other."""
    chance = np.random.default_rng(SEED)
    bursts = [(chance.uniform(40, 280), chance.uniform(30, 85), chance.uniform(0.25, 1.0, 3)) for _ in range(count)]
    angles, reach = chance.uniform(0, 2 * np.pi, 130), chance.uniform(0.3, 1.0, 130)

    def paint(view: Picture, time: float) -> None:
        for number, (x, y, colour) in enumerate(bursts):
            age = time - number * every
            if 0 < age < BURST_SECONDS:
                out = 62 * reach * (1 - np.exp(-2.4 * age))
                fallen = y + out * np.sin(angles) + 16 * age * age
                _add(view, x + out * np.cos(angles), fallen, colour * (1 - age / BURST_SECONDS), 2)

    return paint


def _add(view: Picture, x: Any, y: Any, light: Any, size: int) -> None:
    """Adds light at points; those outside the picture are not seen."""
    for right, low in np.ndindex(size, size):
        across, down = np.round(x).astype(int) + right, np.round(y).astype(int) + low
        seen = (across >= 0) & (across < WIDTH) & (down >= 0) & (down < HEIGHT)
        view[down[seen], across[seen]] += np.broadcast_to(light, (*np.shape(x), 3))[seen]


_LAYERS: Mapping[str, Callable[..., Layer]] = {
    "disc": _disc, "hills": _hills, "veil": _veil, "dots": _dots, "bursts": _bursts,
}  # fmt: skip
