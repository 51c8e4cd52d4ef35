-- The ledger resumes a todo (docs/adr/0050): nobody writes LangGraph's checkpoints any more. Programs that still ask for
-- rights to them have to be replaced first.
drop schema if exists checkpoints cascade;
update dream_meta.min_reader set migration = 26;
