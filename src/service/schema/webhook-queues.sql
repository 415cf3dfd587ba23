-- What a webhook may read is its own, so that it survives a change of its owner.

alter table webhook
  -- The queues whose tickets it gets, at first those of the key that made it; null: all.
  add column queue_ids text[];
update webhook w set queue_ids = k.queue_ids from api_key k where k.workspace_id = w.workspace_id and k.id = w.key_id;
