"""What understanding takes of memory: a process with it beside one without, as the cognitive service loads it.

`python -m bench.understanding_memory [with]` prints this process's resident MB."""

import subprocess
import sys
from datetime import UTC, datetime

import psutil

from backbone import packs
from contracts.cognitive import CognitiveInput
from understanding.offline.pack import read_pack
from understanding.offline.understand import SentenceReader

SENTENCES = ("지난 분기 리뷰 감성 분석해줘", "Send 30,000 won to Mom tomorrow", "明日の午後3時に歯医者の予定を入れて")


def understander() -> SentenceReader:
    """Over all installed packs, as the cognitive service builds it."""
    catalogue = packs.load()
    return SentenceReader(
        [read_pack(one.name, one.folder, one.texts) for one in catalogue.packs.values() if one.intents]
    )


def added_megabytes() -> float:
    """Resident memory of a process that understands, less that of one which has merely loaded the packs."""
    return _measured("with") - _measured()


def _measured(*args: str) -> float:
    command = [sys.executable, "-m", "bench.understanding_memory", *args]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    packs.load()
    if sys.argv[1:] == ["with"]:
        model = understander()
        for sentence in SENTENCES:
            model.understand(CognitiveInput(text=sentence), datetime.now(UTC))
    print(psutil.Process().memory_info().rss / 1024**2)
