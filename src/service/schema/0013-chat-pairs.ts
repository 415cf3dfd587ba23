import type { Migration } from '../../platform/database/migrate.ts';

/**
 * What a chat pair (channel, timestamp) made before, in one round trip. Callers with the same pair follow each other
 * until their transactions end; the look-up is a statement of its own, and so sees what was committed while it waited.
 */
export const chatPairs: Migration = {
  name: '0013-chat-pairs',
  sql: `
create function ticket_of_pair(of_workspace text, of_channel text, of_ts text) returns text language plpgsql as $$
declare
  stored text;
begin
  perform pg_advisory_xact_lock(
    hashtextextended(array_to_json(array['ticket', of_workspace, of_channel, of_ts])::text, 0));
  select ticket_id into stored from chat_thread
    where workspace_id = of_workspace and channel_id = of_channel and message_ts = of_ts;
  return stored;
end $$;

create function message_of_pair(of_workspace text, of_channel text, of_ts text) returns text language plpgsql as $$
declare
  stored text;
begin
  perform pg_advisory_xact_lock(
    hashtextextended(array_to_json(array['message', of_workspace, of_channel, of_ts])::text, 0));
  select ticket_message_id into stored from chat_message
    where workspace_id = of_workspace and channel_id = of_channel and ts = of_ts;
  return stored;
end $$;
`,
};
