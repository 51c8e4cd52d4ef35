-- Whose files are whose (docs/adr/0091): which file, by its SHA-256, somebody with a key has uploaded or was shown in a
-- session of theirs. The file itself is in the artifact store, once for all who have the same.
create table access.files (
  user_id text not null check (user_id ~ '^\S(.*\S)?$' and length(user_id) <= 200),
  digest  bytea not null check (length(digest) = 32),
  primary key (user_id, digest)
);
