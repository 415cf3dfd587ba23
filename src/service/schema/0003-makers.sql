-- Who made a webhook or an API key, and which webhooks serve chat.

-- The person in whose session it was made, or in whose session the API key was made that made it.
alter table webhook add column made_by text;
alter table api_key add column made_by text;
-- A chat program (the bridge) registered it: its secret and the end of its URL are for that program's key alone.
alter table webhook add column serves_chat boolean not null default false;

alter table webhook drop constraint webhook_deactivated_reason_check;
alter table webhook add constraint webhook_deactivated_reason_check
  check (deactivated_reason in ('key-revoked', 'person-left', 'gone', 'failing'));

update webhook w set serves_chat = true from api_key k
where k.workspace_id = w.workspace_id and k.id = w.key_id and k.source = 'CHAT';

-- Earlier versions recorded that only in the audit log.
update api_key k set made_by = a.actor_id from audit_entry a
where a.workspace_id = k.workspace_id and a.subject_id = k.id and a.action = 'api-key.created'
  and a.actor_id is not null;
update webhook w set made_by = a.actor_id from audit_entry a
where a.workspace_id = w.workspace_id and a.subject_id = w.id and a.action = 'settings.changed'
  and a.detail ->> 'operation' = 'createWebhook' and a.actor_id is not null and w.key_id is null;

create index api_key_made_by on api_key (workspace_id, made_by) where made_by is not null;
create index webhook_made_by on webhook (workspace_id, made_by) where made_by is not null;
