"""Nouns of Korean texts, by Kiwi."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from packs.marketing.keywords.terms import stopwords

# Common and proper nouns, roots, and words in Latin letters ("AS", "USB").
_TAGS = ("NNG", "NNP", "XR", "SL")
# A compound is one when several people write it, and when its rarer part hardly occurs without it.
_COMPOUND_TEXTS = 3
_COMPOUND_SHARE = 0.4
_LONGEST_COMPOUND = 8

Run = tuple[str, ...]


@cache
def _kiwi() -> Any:  # kiwipiepy's own types are partial
    # Imported here and without the multi-word, default and typing-error dictionaries: 260 MB instead of 510 MB. What
    # is lost are names from an encyclopedia, which reviews hardly hold.
    from kiwipiepy import Kiwi

    return Kiwi(num_workers=2, load_default_dict=False, load_typo_dict=False, load_multi_dict=False)


def nouns(texts: Sequence[str]) -> Iterable[list[Run]]:
    """Runs of nouns that stand without a space between them, per text, as a stream so that the caller can report
    progress."""
    for tokens in _kiwi().tokenize(iter(texts)):
        runs: list[list[str]] = []
        end = -1
        for token in tokens:
            if token.tag not in _TAGS:
                continue
            if token.start == end and runs:
                runs[-1].append(token.form.lower())
            else:
                runs.append([token.form.lower()])
            end = token.end
        yield [tuple(run) for run in runs]


def settle(texts: Sequence[Sequence[Run]]) -> list[list[str]]:
    """Words per text. A run is one word ("고객센터") where that is how people say it, else its parts: people who write
    without spaces make runs by the thousand."""
    whole = Counter(run for runs in texts for run in set(runs) if len(run) > 1)
    parts = Counter(part for runs in texts for part in {part for run in runs for part in run})
    compounds = {
        run
        for run, count in whole.items()
        if count >= _COMPOUND_TEXTS
        and count >= _COMPOUND_SHARE * min(parts[part] for part in run)
        and len("".join(run)) <= _LONGEST_COMPOUND
    }
    skipped = stopwords("ko")
    return [
        [
            word
            for run in runs
            for word in (("".join(run),) if run in compounds else run)
            if len(word) > 1 and word not in skipped
        ]
        for runs in texts
    ]
