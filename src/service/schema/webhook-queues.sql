-- What a webhook may read is its own, so that it survives a change of its owner.

alter table webhook
  -- The queues whose tickets it gets, at first those of the key that made it; null: all.
  add column queue_ids text[];
update webhook w set queue_ids = k.queue_ids from api_key k where k.workspace_id = w.workspace_id and k.id = w.key_id;

-- A process of the version before this one names none.
create function keep_queues_of_webhook() returns trigger language plpgsql as $$
begin
  if new.queue_ids is null then
    new.queue_ids := (select queue_ids from api_key where workspace_id = new.workspace_id and id = new.key_id);
  end if;
  return new;
end $$;
create trigger keep_queues_of_webhook before insert on webhook for each row execute function keep_queues_of_webhook();
