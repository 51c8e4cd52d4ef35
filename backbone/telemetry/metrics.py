"""Prometheus metrics. Labels are names from code (service, type, outcome), never ids nor what people say: series are
bounded. What one process measures for all (the ledger's gauges) others show as 0 or not at all: take the maximum."""

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
for _outcome in ("RunCompleted", "RunFailed", "RunCancelled"):
    RUNS.labels(_outcome)  # from 0 on: what begins with 1 has not increased, and no alert would hear of the first
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
LEDGER_REFUSED = Counter("dream_ledger_refused_total", "What Postgres has refused us, by kind", ["kind"])
for _kind in ("login", "right"):
    LEDGER_REFUSED.labels(_kind)
SOCKETS = Gauge("dream_sockets", "Open WebSocket connections")
MODEL_CALLS = Counter("dream_model_calls_total", "Model calls", ["role", "provider", "outcome"])
MODEL_TOKENS = Counter("dream_model_tokens_total", "Tokens read and written", ["role", "provider", "direction"])
TIMERS_FIRED = Counter("dream_timers_fired_total", "Timers put into the ledger", ["type"])
RUNS_OPEN = Gauge("dream_runs_open", "Open runs, by whose turn it is; told by the one process that watches", ["state"])
RUNS_HEALED = Counter("dream_runs_healed_total", "Stuck runs: message sent again, moved again, parked", ["outcome"])
for _outcome in ("moved", "resent", "parked"):
    RUNS_HEALED.labels(_outcome)
LOOP_LAG = Gauge("dream_loop_lag_seconds", "Longest time that the event loop was late lately, seconds")
SPANS_DROPPED = Counter("dream_spans_dropped_total", "Spans of traces that reach nobody, by reason", ["reason"])
for _reason in ("full", "undelivered", "behind"):
    SPANS_DROPPED.labels(_reason)
RUNS_UNTRACED = Counter(
    "dream_runs_untraced_total", "Runs whose trace is not recorded: above the rate, or outside of the share", ["reason"]
)
for _reason in ("rate", "ratio"):
    RUNS_UNTRACED.labels(_reason)

# What each process knows of itself.
SERVICE_UP = Gauge("dream_service_up", "1 while the service takes work in this process", ["service"])
CONSUMER_PENDING = Gauge(
    "dream_consumer_pending_messages", "Messages that a consumer has not delivered yet", ["handler"]
)
CONSUMER_UNSETTLED = Gauge(
    "dream_consumer_unsettled_messages", "Messages delivered and not settled, at all processes of it", ["handler"]
)
POOL_WAIT = Histogram(
    "dream_pool_wait_seconds",
    "Waiting for a connection to the database, seconds",
    ["pool"],
    buckets=(0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30),
)
POOL_CONNECTIONS = Gauge("dream_pool_connections", "Connections that are open: used or idle", ["pool", "state"])
CERTIFICATE_DAYS = Gauge("dream_certificate_days", "Days until the certificate of a server ends", ["peer"])
MODEL_SECONDS = Histogram(
    "dream_model_seconds",
    "Duration of model calls, with their retries, seconds",
    ["role", "provider"],
    buckets=(0.001, 0.01, 0.05, 0.25, 1, 2.5, 5, 10, 30, 60, 120),
)
MODEL_COST = Counter(
    "dream_model_cost_usd_total", "What models have cost by their list prices, USD", ["role", "provider"]
)

# What the process that leads the watch over runs reads from the ledger (backbone/ledger/gauges.py).
LEDGER_READ = Gauge("dream_ledger_read_timestamp_seconds", "When these gauges were read last, seconds since 1970")
RELAY_LAG_EVENTS = Gauge("dream_relay_lag_events", "Events recorded and not published, at most 10000", ["producer"])
RELAY_LAG_SECONDS = Gauge("dream_relay_lag_seconds", "Age of the oldest event that is not published", ["producer"])
OLDEST_WRITER = Gauge(
    "dream_ledger_oldest_writer_seconds", "Age of the oldest writing transaction of the server, for which relays wait"
)
LEDGER_ROWS = Gauge("dream_ledger_rows", "Rows of a table, as Postgres estimates them", ["table"])
DEAD_LETTERS_OPEN = Gauge("dream_dead_letters_open", "Dead letters that nobody has settled")
DECISIONS = Gauge("dream_decisions", "Questions that wait for people; overdue: 30 s past their deadline", ["state"])
TIMER_LATE = Gauge("dream_timer_late_seconds", "For how long the most overdue timer is due")
LEASES = Gauge("dream_leases", "Leases of tools that are held, and todos that wait for one", ["state"])
