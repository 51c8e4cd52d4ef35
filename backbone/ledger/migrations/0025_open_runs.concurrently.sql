-- The oldest open run of a session, from which on a decider folds that knows nothing of runs that are over (docs/adr/0058).
create index concurrently if not exists open_runs_of_stream on ledger.open_runs (stream_id, version);
