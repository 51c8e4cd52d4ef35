-- From a trace to its runs. A run that we began ourselves has the id of its trace; the others, whose callers trace too,
-- are few: only they are in this index.
create index events_callers_trace on ledger.events (substr(traceparent, 4, 32))
  where type = 'MessageReceived' and substr(traceparent, 4, 32) <> replace(run_id::text, '-', '');
