-- Each service speaks in its own voice: who acts as the role of one service appends its events, and nobody else's. Those who act
-- as the role of all, as earlier versions do, are not told apart (docs/adr/0036). A row that may come costs no call.
create function ledger.another_voice() returns trigger language plpgsql as $$
begin
  raise exception '% does not speak for %', case current_setting('role') when 'none' then session_user::text
    else current_setting('role') end, new.producer using errcode = '42501';
end $$;
create trigger own_voice before insert on ledger.events for each row
  when (case current_setting('role') when 'none' then session_user::text else current_setting('role') end
          in ('dream_gateway', 'dream_cognitive', 'dream_planning', 'dream_execution', 'dream_response', 'dream_admin')
        and 'dream_' || case new.producer when 'timers' then 'execution' else new.producer end
          <> case current_setting('role') when 'none' then session_user::text else current_setting('role') end)
  execute function ledger.another_voice();
