"""python -m bench NAME|all [--json] [options of the bench]; `--help` after a name shows its options."""

import importlib
import signal
import sys
from collections.abc import Callable

BENCHES = {
    "analyst": "requests about tables over real servers: right, wrong, and other figures told as the answer",
    "book": "seconds of a question about a document of a hundred pages, as PDF and as text, over real servers",
    "dag": "makespan of an uneven DAG and a thousand todos in one plan, beside LangGraph",
    "dialogues": "whole dialogues over real servers: right, wrong, wrong money; exits with 1 when money went wrong",
    "documents": "questions about documents over real servers: answered rightly, and said not to be in them",
    "dispatcher": "a decision's cost per todo in plans of 10 to 10,000",
    "growth": "runs over an empty ledger, over one with many sessions, and after analyze",
    "job": "what orchestration adds to the main job, a report about reviews, beside the same calls in a plain script",
    "memory": "search over 100,000 memories of one person, and of a thousand people",
    "overhead": "durable runs of no-op todos through five processes, beside LangGraph on the same Postgres",
    "peers": "the same beside LangGraph, DBOS and Temporal in one sitting; `make bench-peers` installs them",
    "prompt": "reading a session's conversation for a prompt, after 20 turns and after 500",
    "recall": "how often a past turn is found again by what a person remembers of it",
    "recovery": "the first run in a session of 100,000 events after its services have died, beside a short one",
    "storage": "what a conversation of 50 turns takes on disk, beside LangGraph's checkpoints of it",
    "sentiment": "polarity of texts not seen in training",
    "sockets": "memory and work of the gateway for sockets that wait, and a turn of somebody else meanwhile",
    "turns": "what a turn does to a transfer that is shown, by labelled turns: paid, changed, dropped, or still open",
    "understanding": "intents and slots of sentences that the model has not seen, per language",
    "table": "seconds of a table of 100,000 rows: profile, questions, the same again; a report of 2,400 reviews",
    "tracing": "what traces cost: no-op runs through five processes with and without them",
    "toolbox": "acquire and release of a lease on a tool group, on an embedded Postgres",
}


def main(argv: list[str]) -> int:
    """Dispatches to bench.<name>:main. Exit code 2 for an unknown name."""
    if not argv or argv[0] in ("-h", "--help"):
        sys.stdout.write("usage: python -m bench NAME|all [--json] [options]\n\n")
        sys.stdout.writelines(f"  {name:<12} {what}\n" for name, what in BENCHES.items())
        return 0
    name, *rest = argv
    if name == "all":
        return max(_run(one, rest) for one in BENCHES)
    if name not in BENCHES:
        sys.stderr.write(f"no bench {name!r}; there are: {', '.join(BENCHES)}, all\n")
        return 2
    return _run(name, rest)


def _run(name: str, argv: list[str]) -> int:
    # who ends a bench ("timeout", a job of CI) ends the servers and services that it has started
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    bench: Callable[[list[str]], int] = importlib.import_module(f"bench.{name}").main
    return bench(argv)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("stopped; what it had started has ended")
