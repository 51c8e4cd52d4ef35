"""Plays a song on a music box: notes to a WAV."""

import io
import wave

import numpy as np

from packs.devices.songs.library import Song

RATE = 22_050
"""Samples a second."""
OVERTONES = (1.0, 0.45, 0.22, 0.1)
RING = 0.6
"""Seconds that a note sounds on after its time."""
LOUD = 0.8
ATTACK = 0.008


def play(song: Song) -> bytes:
    """A WAV, mono, 16 bits."""
    beat = 60 / song.tempo
    samples = np.zeros(int((song.seconds + RING) * RATE) + 1)
    at = 0.0
    for note in song.notes:
        lasts = note.beats * beat
        if note.pitch:
            time = np.arange(int((lasts + RING) * RATE)) / RATE
            tone = sum(
                loud * np.sin(2 * np.pi * note.pitch * (number + 1) * time) for number, loud in enumerate(OVERTONES)
            )
            begin = int(at * RATE)
            shape = np.minimum(time / ATTACK, 1) * np.exp(-3 * time / (lasts + RING))
            shape *= np.minimum((lasts + RING - time) / RING, 1)  # no click at its end
            samples[begin : begin + len(time)] += (tone * shape)[: len(samples) - begin]
        at += lasts
    samples *= LOUD / np.abs(samples).max()
    written = io.BytesIO()
    with wave.open(written, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((samples * 32767).astype("<i2").tobytes())
    return written.getvalue()
