-- Workflows react to posts, and remind several people in one step.
alter table chat_request
  drop constraint chat_request_kind_check,
  drop constraint chat_request_workspace_id_run_id_step_id_key,
  add constraint chat_request_kind_check check (kind in ('post', 'direct-message', 'reaction')),
  -- The post that is reacted to; the content is the emoji.
  add column reacts_to text;
create unique index chat_request_step on chat_request (workspace_id, run_id, step_id, coalesce(user_id, ''));
