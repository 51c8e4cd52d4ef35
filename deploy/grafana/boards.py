"""What the boards show. Queries over gauges that one process tells for all take their maximum."""

from deploy.grafana.panels import RUN, Board, Figure, Graph, Query, Runs, Services, Trace

RATE = "[$__rate_interval]"


def rate(metric: str, by: str, only: str = "") -> str:
    """Per second, summed by labels."""
    return f"sum by ({by}) (rate({metric}{only}{RATE}))"


def quantile(share: float, metric: str, by: str, only: str = "") -> str:
    """Of a histogram, by labels; le is added."""
    return f"histogram_quantile({share}, sum by (le, {by}) (rate({metric}_bucket{only}{RATE})))"


OVERVIEW = Board(
    "dream-overview",
    "Dream Agent: overview",
    "Is everything well? What fires has its page in docs/runbook.md, Alerts.",
    (
        (
            "Runs",
            (
                Figure("Open runs", "short", Query("sum(dream_runs_open)")),
                Figure("Stuck runs", "short", Query('sum(dream_runs_open{state="stuck"})'), limits=(1, 5)),
                Figure("Questions that are open", "short", Query('dream:decisions:max{state="open"}')),
                Figure("Beyond their deadline", "short", Query('dream:decisions:max{state="overdue"}'), limits=(1, 5)),
                Figure("Dead letters", "short", Query("max(dream_dead_letters_open)"), limits=(1, 100)),
                Figure("Failed runs", "percentunit", Query("dream:runs_failed:ratio15m"), limits=(0.1, 0.25)),
                Graph("Runs that ended", "ops", (Query("dream:runs_ended:rate15m", "{{outcome}}"),)),
                Graph(
                    "Open runs by whose turn it is", "short", (Query("sum by (state) (dream_runs_open)", "{{state}}"),)
                ),
                Graph(
                    "Stuck runs that were helped",
                    "ops",
                    (Query(rate("dream_runs_healed_total", "outcome"), "{{outcome}}"),),
                ),
            ),
        ),
        (
            "Processes",
            (
                Graph(
                    "Processes that take work", "short", (Query("sum by (service) (dream_service_up)", "{{service}}"),)
                ),
                Graph("Lag of event loops", "s", (Query("dream:loop_lag_seconds:max", "{{instance}}"),)),
                Graph("Lag of relays", "s", (Query("dream:relay_lag_seconds:max", "{{producer}}"),)),
                Figure("Certificates end in", "d", Query("min(dream:certificate_days:min)"), width=8),
                Graph("What NATS refuses", "ops", (Query(rate("dream_bus_violations_total", "kind"), "{{kind}}"),)),
                Graph("What Postgres refuses", "ops", (Query(rate("dream_ledger_refused_total", "kind"), "{{kind}}"),)),
                Graph(
                    "Spans that are lost", "ops", (Query(rate("dream_spans_dropped_total", "reason"), "{{reason}}"),)
                ),
                Graph(
                    "Runs without a trace", "ops", (Query(rate("dream_runs_untraced_total", "reason"), "{{reason}}"),)
                ),
            ),
        ),
    ),
)
A_RUN = Board(
    RUN,
    "Dream Agent: a run and its trace",
    "The trace of a run has its id without dashes.",
    (
        ("The run", (Trace("Its trace"),)),
        (
            "Runs",
            (
                Runs("The newest runs", '{ name = "invoke_workflow dream.run" }'),
                Runs("Runs with an error", '{ name = "invoke_workflow dream.run" && status = error }'),
            ),
        ),
        ("Who sends to whom", (Services("Services"),)),
    ),
    fields=(("trace_id", "Trace", ""), ("gateway", "Gateway", "http://127.0.0.1:8765")),
    links=(("This run in the product", "${gateway}/runs?trace_id=${trace_id}"),),
)
LAYERS = Board(
    "dream-layers",
    "Dream Agent: layers",
    "What handlers do with their messages, and what waits for them.",
    (
        (
            "Messages",
            (
                Graph(
                    "Settled",
                    "ops",
                    (Query(rate("dream_messages_handled_total", "handler", '{handler=~"$handler"}'), "{{handler}}"),),
                ),
                Graph(
                    "Tried again, or refused",
                    "ops",
                    (
                        Query(
                            rate(
                                "dream_messages_handled_total",
                                "handler, outcome",
                                '{handler=~"$handler", outcome!="done"}',
                            ),
                            "{{handler}} {{outcome}}",
                        ),
                    ),
                ),
                Graph(
                    "Given up",
                    "ops",
                    (Query(rate("dream_dead_letters_total", "handler, code"), "{{handler}} {{code}}"),),
                ),
                Graph(
                    "Waiting",
                    "short",
                    (Query('dream:consumer_lag_messages:max{handler=~"$handler"}', "{{handler}}"),),
                    "Not delivered, and delivered but not settled.",
                ),
                Graph(
                    "Not delivered",
                    "short",
                    (Query('max by (handler) (dream_consumer_pending_messages{handler=~"$handler"})', "{{handler}}"),),
                ),
                Graph(
                    "Delivered, not settled",
                    "short",
                    (
                        Query(
                            'max by (handler) (dream_consumer_unsettled_messages{handler=~"$handler"})', "{{handler}}"
                        ),
                    ),
                ),
            ),
        ),
        (
            "Time",
            (
                Graph(
                    "From drain to settled, 95 of 100",
                    "s",
                    (
                        Query(
                            quantile(0.95, "dream_handle_seconds", "handler", '{handler=~"$handler"}'),
                            "{{handler}}",
                            exemplars=True,
                        ),
                    ),
                    "Points are runs: they lead to their traces.",
                    12,
                ),
                Graph(
                    "Messages in one transaction, half of them",
                    "short",
                    (Query(quantile(0.5, "dream_drain_messages", "handler", '{handler=~"$handler"}'), "{{handler}}"),),
                    width=12,
                ),
            ),
        ),
    ),
    choices=(("handler", "label_values(dream_messages_handled_total, handler)"),),
)
TOOLS = Board(
    "dream-tools",
    "Dream Agent: executors and tools",
    "Attempts of todos by tool, leases, timers.",
    (
        (
            "Attempts",
            (
                Graph(
                    "Attempts by outcome",
                    "ops",
                    (Query(rate("dream_todo_seconds_count", "outcome", '{tool=~"$tool"}'), "{{outcome}}"),),
                ),
                Graph(
                    "Attempts by tool",
                    "ops",
                    (Query(rate("dream_todo_seconds_count", "tool", '{tool=~"$tool"}'), "{{tool}}"),),
                ),
                Graph(
                    "Duration, 95 of 100",
                    "s",
                    (
                        Query(
                            quantile(0.95, "dream_todo_seconds", "tool", '{tool=~"$tool"}'), "{{tool}}", exemplars=True
                        ),
                    ),
                    "Points are runs: they lead to their traces.",
                ),
            ),
        ),
        (
            "Leases, timers",
            (
                Graph(
                    "Leases", "short", (Query("dream:leases:max", "{{state}}"),), "Held, and todos that wait for one."
                ),
                Graph("Timers that fired", "ops", (Query(rate("dream_timers_fired_total", "type"), "{{type}}"),)),
                Graph("The most overdue timer", "s", (Query("max(dream_timer_late_seconds)", "late"),)),
            ),
        ),
        (
            "Waiting for executors",
            (
                Graph(
                    "Messages by route",
                    "short",
                    (Query('dream:consumer_lag_messages:max{handler=~"execution-.*"}', "{{handler}}"),),
                    width=24,
                ),
            ),
        ),
    ),
    choices=(("tool", "label_values(dream_todo_seconds_count, tool)"),),
)
MODELS = Board(
    "dream-models",
    "Dream Agent: models and cost",
    "Calls, tokens, money and time by provider and role.",
    (
        (
            "Calls",
            (
                Graph(
                    "Calls", "ops", (Query(rate("dream_model_calls_total", "provider, role"), "{{provider}} {{role}}"),)
                ),
                Graph("Calls that fail", "percentunit", (Query("dream:model_failed:ratio10m", "{{provider}}"),)),
                Graph(
                    "Failures by code",
                    "ops",
                    (
                        Query(
                            rate("dream_model_calls_total", "provider, outcome", '{outcome!="answered"}'),
                            "{{provider}} {{outcome}}",
                        ),
                    ),
                ),
                Graph(
                    "Duration, 95 of 100",
                    "s",
                    (
                        Query(
                            quantile(0.95, "dream_model_seconds", "provider, role"),
                            "{{provider}} {{role}}",
                            exemplars=True,
                        ),
                    ),
                    "Points are runs: they lead to their traces.",
                    24,
                ),
            ),
        ),
        (
            "Cost",
            (
                Figure("In the last hour", "currencyUSD", Query("sum(dream:model_cost_usd:increase1h)"), width=8),
                Graph(
                    "USD an hour",
                    "currencyUSD",
                    (
                        Query(
                            "sum by (provider, role) (rate(dream_model_cost_usd_total[$__rate_interval])) * 3600",
                            "{{provider}} {{role}}",
                        ),
                    ),
                ),
                Graph(
                    "Tokens",
                    "short",
                    (Query(rate("dream_model_tokens_total", "provider, direction"), "{{provider}} {{direction}}"),),
                ),
            ),
        ),
    ),
)
LEDGER = Board(
    "dream-ledger",
    "Dream Agent: ledger and bus",
    "What is recorded, published and kept; connections to the database.",
    (
        (
            "Relays",
            (
                Graph("Events that are not published", "short", (Query("dream:relay_lag_events:max", "{{producer}}"),)),
                Graph("Age of the oldest of them", "s", (Query("dream:relay_lag_seconds:max", "{{producer}}"),)),
                Graph("Published", "ops", (Query(rate("dream_events_relayed_total", "producer"), "{{producer}}"),)),
                Graph(
                    "Oldest writing transaction",
                    "s",
                    (Query("dream:oldest_writer_seconds:max", "open for"),),
                    "Of the whole server: relays publish nothing that is younger.",
                ),
                Graph("Refused by a full stream", "ops", (Query(f"sum(rate(dream_bus_full_total{RATE}))", "batches"),)),
                Graph(
                    "Messages of strangers",
                    "ops",
                    (Query(rate("dream_dead_letters_passed_over_total", "handler, code"), "{{handler}} {{code}}"),),
                ),
            ),
        ),
        (
            "Tables",
            (
                Graph("Rows", "short", (Query("dream:ledger_rows:max", "{{table}}"),), "As Postgres estimates them."),
                Graph("Dead letters that are open", "short", (Query("max(dream_dead_letters_open)", "open"),)),
                Figure(
                    "Read",
                    "s",
                    Query("time() - max(dream_ledger_read_timestamp_seconds)"),
                    "How old these figures are.",
                    (60, 120),
                    8,
                ),
            ),
        ),
        (
            "Connections",
            (
                Graph("Waiting for one, 95 of 100", "s", (Query("dream:pool_wait_seconds:p95", "{{pool}}"),), width=12),
                Graph(
                    "Open",
                    "short",
                    (Query("sum by (pool, state) (dream_pool_connections)", "{{pool}} {{state}}"),),
                    width=12,
                ),
            ),
        ),
    ),
)
GATEWAY = Board(
    "dream-gateway",
    "Dream Agent: gateway",
    "Sockets, and what comes in and goes out.",
    (
        (
            "Clients",
            (
                Graph(
                    "Sockets",
                    "short",
                    (Query("sum(dream_sockets)", "all"), Query("sum by (instance) (dream_sockets)", "{{instance}}")),
                ),
                Graph(
                    "Events of the gateway",
                    "ops",
                    (
                        Query(
                            'sum(rate(dream_events_relayed_total{producer="gateway"}[$__rate_interval]))', "published"
                        ),
                    ),
                    "What people have sent: sentences, answers, controls.",
                ),
                Graph("Runs that ended", "ops", (Query("dream:runs_ended:rate15m", "{{outcome}}"),)),
            ),
        ),
        (
            "Processes",
            (
                Graph("Processes", "short", (Query('sum(dream_service_up{service="gateway"})', "gateways"),), width=12),
                Graph("Lag of event loops", "s", (Query("dream:loop_lag_seconds:max", "{{instance}}"),), width=12),
            ),
        ),
    ),
)
BOARDS = (OVERVIEW, A_RUN, LAYERS, TOOLS, MODELS, LEDGER, GATEWAY)
