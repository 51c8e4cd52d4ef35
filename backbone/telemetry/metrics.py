"""Prometheus metrics. Labels are names from code (service, type, outcome), never ids: series are bounded."""

from prometheus_client import Counter, Gauge, Histogram

HANDLED = Counter("dream_messages_handled_total", "Messages settled, by handler and outcome", ["handler", "outcome"])
BATCH_SIZE = Histogram(
    "dream_drain_messages",
    "Messages handled in one transaction",
    ["handler"],
    buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256),
)
HANDLE_SECONDS = Histogram(
    "dream_handle_seconds",
    "From drain to settled, seconds",
    ["handler"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 120),
)
RELAYED = Counter("dream_events_relayed_total", "Events published to the bus and acknowledged", ["producer"])
DEAD_LETTERS = Counter("dream_dead_letters_total", "Messages given up, by handler and error code", ["handler", "code"])
DEAD_LETTERS_PASSED_OVER = Counter(
    "dream_dead_letters_passed_over_total",
    "Messages that the ledger does not have, beyond those that are kept as dead letters, by handler and error code",
    ["handler", "code"],
)
RUNS = Counter("dream_runs_total", "Runs ended, by outcome", ["outcome"])
TODO_SECONDS = Histogram(
    "dream_todo_seconds",
    "Duration of todo attempts, seconds",
    ["tool", "outcome"],
    buckets=(0.01, 0.1, 0.5, 1, 5, 15, 60, 300),
)
BUS_VIOLATIONS = Counter(
    "dream_bus_violations_total",
    "What NATS has refused: publish, subscribe, answer (rights that are missing), login, certificate",
    ["kind"],
)
BUS_FULL = Counter("dream_bus_full_total", "Batches of events that a full stream has refused; they are sent again")
SOCKETS = Gauge("dream_sockets", "Open WebSocket connections")
MODEL_CALLS = Counter("dream_model_calls_total", "Model calls", ["role", "provider", "outcome"])
MODEL_TOKENS = Counter("dream_model_tokens_total", "Tokens read and written", ["role", "provider", "direction"])
TIMERS_FIRED = Counter("dream_timers_fired_total", "Timers put into the ledger", ["type"])
RUNS_OPEN = Gauge("dream_runs_open", "Open runs, by whose turn it is; told by the one process that watches", ["state"])
RUNS_HEALED = Counter("dream_runs_healed_total", "Stuck runs: message sent again, moved again, parked", ["outcome"])
LOOP_LAG = Gauge("dream_loop_lag_seconds", "Longest time that the event loop was late lately, seconds")
SPANS_DROPPED = Counter("dream_spans_dropped_total", "Spans of traces that reach nobody, by reason", ["reason"])
