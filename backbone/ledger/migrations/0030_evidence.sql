-- Whether streams have these messages, as somebody was told of them: with an append that follows from them one question
-- less (docs/adr/0081). One without a digest is not asked about. What is compared is everything that an event says;
-- backbone.witness makes the same digest of a message. It runs with the rights of who calls it.
create function ledger.has(p_streams uuid[], p_versions int[], p_digests bytea[]) returns boolean
language plpgsql stable set enable_seqscan = off as $$
declare
  found_digest bytea;
begin
  for i in 1 .. cardinality(p_digests) loop
    continue when p_digests[i] is null;
    select sha256(convert_to(concat_ws(E'\x1f',
        e.version, e.event_id, e.type, e.schema_version, e.producer, coalesce(e.route, ''), coalesce(e.run_id::text, ''),
        e.correlation_id, coalesce(e.causation_id::text, ''), coalesce(e.traceparent, ''),
        (extract(epoch from e.recorded_at) * 1000000)::bigint, e.data::text), 'UTF8'))
      into found_digest
      from ledger.events e where e.stream_id = p_streams[i] and e.version = p_versions[i];
    if found_digest is distinct from p_digests[i] then
      raise exception 'stream % has no such event at version %', p_streams[i], p_versions[i] using errcode = 'DR412';
    end if;
  end loop;
  return true;
end $$;
