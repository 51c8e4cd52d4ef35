-- From a trace to its runs. A run that we began ourselves has the id of its trace; the others, whose callers trace too,
-- are few: only they are in this index.
create index if not exists events_callers_trace on only ledger.events (substr(traceparent, 4, 32))
  where type = 'MessageReceived' and substr(traceparent, 4, 32) <> replace(run_id::text, '-', '');
create index concurrently if not exists events_0_callers_trace on ledger.events_0 (substr(traceparent, 4, 32))
  where type = 'MessageReceived' and substr(traceparent, 4, 32) <> replace(run_id::text, '-', '');
alter index ledger.events_callers_trace attach partition ledger.events_0_callers_trace;
create index concurrently if not exists events_1_callers_trace on ledger.events_1 (substr(traceparent, 4, 32))
  where type = 'MessageReceived' and substr(traceparent, 4, 32) <> replace(run_id::text, '-', '');
alter index ledger.events_callers_trace attach partition ledger.events_1_callers_trace;
create index concurrently if not exists events_2_callers_trace on ledger.events_2 (substr(traceparent, 4, 32))
  where type = 'MessageReceived' and substr(traceparent, 4, 32) <> replace(run_id::text, '-', '');
alter index ledger.events_callers_trace attach partition ledger.events_2_callers_trace;
create index concurrently if not exists events_3_callers_trace on ledger.events_3 (substr(traceparent, 4, 32))
  where type = 'MessageReceived' and substr(traceparent, 4, 32) <> replace(run_id::text, '-', '');
alter index ledger.events_callers_trace attach partition ledger.events_3_callers_trace;
