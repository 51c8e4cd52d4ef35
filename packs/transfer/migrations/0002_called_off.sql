-- A transfer for a later day can be called off before that day: by a transfer of its own, whose entries are the opposite ones.
-- Nothing is edited or deleted; what was called off stays in the books with what has undone it.
alter table transfers add column undoes uuid constraint transfers_undone_once unique references transfers;
alter table transfers add check (undoes is null or (payee_id is null and undoes <> transfer_id));

-- What undoes a transfer gives back exactly what that one took, to whom it took it from, before the day it was for.
create function check_undoing() returns trigger language plpgsql set search_path = pack_transfer as $$
begin
  if not exists (
    select from transfers t
    where t.transfer_id = new.undoes and t.payee_id is not null and t.owner = new.owner and t.value_on > new.ordered_on
  ) then
    raise exception 'transfer % is not the payer''s, or not for a later day', new.undoes
      using errcode = 'check_violation', constraint = 'transfers_undone_before_their_day';
  end if;
  if exists (
    select account_id, amount from entries where transfer_id = new.transfer_id
    except select account_id, -amount from entries where transfer_id = new.undoes
  ) then
    raise exception 'transfer % does not give back what % took', new.transfer_id, new.undoes
      using errcode = 'check_violation', constraint = 'entries_undone';
  end if;
  return null;
end $$;
create constraint trigger undoing_checked after insert on transfers deferrable initially deferred
  for each row when (new.undoes is not null) execute function check_undoing();
