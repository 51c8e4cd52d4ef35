-- How long before an appointment a reminder comes: so that one goes with the other. None: it stands by itself.
alter table reminders add column minutes_before int
  constraint reminder_before check (minutes_before between 0 and 525600);
