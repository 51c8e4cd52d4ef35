-- What a person has not seen yet is looked for whenever a socket opens: few events, which may lie anywhere in a session of
-- any length. The types are backbone.ledger.port.REMINDERS.
create index if not exists events_reminders on only ledger.events (stream_id, version)
  where type in ('ReminderDue', 'ReminderSeen');
create index concurrently if not exists events_0_reminders on ledger.events_0 (stream_id, version)
  where type in ('ReminderDue', 'ReminderSeen');
alter index ledger.events_reminders attach partition ledger.events_0_reminders;
create index concurrently if not exists events_1_reminders on ledger.events_1 (stream_id, version)
  where type in ('ReminderDue', 'ReminderSeen');
alter index ledger.events_reminders attach partition ledger.events_1_reminders;
create index concurrently if not exists events_2_reminders on ledger.events_2 (stream_id, version)
  where type in ('ReminderDue', 'ReminderSeen');
alter index ledger.events_reminders attach partition ledger.events_2_reminders;
create index concurrently if not exists events_3_reminders on ledger.events_3 (stream_id, version)
  where type in ('ReminderDue', 'ReminderSeen');
alter index ledger.events_reminders attach partition ledger.events_3_reminders;
