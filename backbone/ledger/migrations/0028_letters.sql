-- What is remembered goes into the index of its letters at once: the list of what waits to be put there took more than the
-- index, and every search reads all of it (docs/adr/0079).
do $$ declare letters regclass; begin
  for letters in select inhrelid::regclass from pg_inherits where inhparent = 'memory.items_letters'::regclass loop
    execute format('alter index %s set (fastupdate = off)', letters);
    perform gin_clean_pending_list(letters);
  end loop;
end $$;
