-- When the encoder changes, vectors of the one before find nothing any more: they are made anew, and looked for by their
-- encoder's name at the cost of what is found, also when that is nothing.
create index items_encoder on memory.items (encoder);

-- The encoder whose vectors are made anew. While services of two versions run side by side, only one of them makes over
-- what the other has made: otherwise each would undo the other's work for as long as both are there.
create table memory.encoder_in_use (
  one     boolean primary key default true check (one),
  encoder text not null,
  seen_at timestamptz not null
);

grant select, insert, update on memory.encoder_in_use to dream_service;
