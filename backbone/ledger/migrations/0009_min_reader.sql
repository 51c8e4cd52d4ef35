-- The oldest program that may work with this database, told by the number of a migration which it has to know. A migration
-- that takes away what older programs need sets it, in its own file: update dream_meta.min_reader set migration = <number>.
create table dream_meta.min_reader (
  single boolean primary key default true check (single),
  migration integer not null
);
insert into dream_meta.min_reader (migration) values (0);
grant usage on schema dream_meta to dream_service;
grant select on dream_meta.min_reader to dream_service;
