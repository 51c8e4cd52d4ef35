-- A message that brings no file is about the files that the session has. They are few, and may lie hundreds of turns back:
-- they are found without reading what was said since.
create index events_brought on ledger.events (stream_id, version)
  where (type = 'ArtifactUploaded' or type = 'MessageReceived' and data @> '{"attachments": [{}]}'
      or type = 'DecisionAnswered' and data @> '{"answer": {"attachments": [{}]}}');
