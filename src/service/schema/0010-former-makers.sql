-- Step 0003 knew of earlier versions only what people made in their sessions. What was made with the keys that they made
-- there is theirs too, and so on.
with recursive made (workspace_id, id, made_by) as (
  select workspace_id, id, made_by from api_key where made_by is not null
  union
  select k.workspace_id, k.id, m.made_by from made m
    join audit_entry a on a.workspace_id = m.workspace_id and a.actor_key_id = m.id and a.action = 'api-key.created'
    join api_key k on k.workspace_id = a.workspace_id and k.id = a.subject_id and k.made_by is null
)
update api_key k set made_by = m.made_by from made m
where k.workspace_id = m.workspace_id and k.id = m.id and k.made_by is null;
update webhook w set made_by = k.made_by from api_key k
where k.workspace_id = w.workspace_id and k.id = w.key_id and k.made_by is not null and w.made_by is null;

-- Who had left before the update left what they made at work. It stops as it would have stopped; an admin can take it
-- over.
create temporary table gone on commit drop as
  select workspace_id, id from person
  where role <> 'admin' or deactivated_at is not null or erased_at is not null;
with stopped as (
  update webhook w set active = false, deactivated_reason = 'person-left', updated_at = now()
  from gone g where g.workspace_id = w.workspace_id and g.id = w.made_by and w.active
  returning w.workspace_id, w.id, w.name, w.made_by
)
insert into audit_entry (workspace_id, id, action, subject_id, reason, created_at)
select workspace_id, 'aud_' || replace(gen_random_uuid()::text, '-', ''), 'webhook.deactivated', id,
  coalesce('The webhook “' || nullif(name, '') || '”', 'A webhook') || ' was turned off, because ' || made_by
    || ', who made it, is no longer an active admin.', now()
from stopped;
with stopped as (
  update api_key k set revoked_at = now(), stopped_at = now()
  from gone g where g.workspace_id = k.workspace_id and g.id = k.made_by and k.revoked_at is null
  returning k.workspace_id, k.id, k.name, k.made_by
)
insert into audit_entry (workspace_id, id, action, subject_id, reason, created_at)
select workspace_id, 'aud_' || replace(gen_random_uuid()::text, '-', ''), 'api-key.revoked', id,
  'The API key “' || name || '” was revoked, because ' || made_by || ', who made it, is no longer an active admin.', now()
from stopped;
drop table gone;

-- Accounts of Slack with which people signed in before step 0007, which did not know their workspaces: when one is no
-- longer trusted, they and their sessions have to end.
update identity i set team_id = c.chat_team_id from chat_user c
where c.workspace_id = i.workspace_id and c.person_id = i.person_id and c.chat_user_id = i.subject
  and i.team_id is null;
