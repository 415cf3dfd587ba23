import type { Migration } from '../../platform/database/migrate.ts';

/** An event of a thread that is known, in the round trip that stores it. */
export const storeInThread: Migration = {
  name: '0020-store-in-thread',
  sql: `
-- As store_event, in the thread's own conversation or the one that took its place (B58); null, and nothing is stored,
-- where there is none yet. Without sequential scans, as in the functions of lanes.
create function store_in_thread(team text, channel text, root text, new_id text, its_key text, its_kind text,
  its_body json, received timestamptz, queue text, trace text)
returns integer language plpgsql set enable_seqscan = off as $$
declare
  conversation text := coalesce(
    (select c.id from conversation c where c.team_id = team and c.channel_id = channel and c.root_ts = root),
    (select f.conversation_id from former_root f where f.team_id = team and f.channel_id = channel and f.root_ts = root));
begin
  if conversation is null then
    return null;
  end if;
  return store_event(new_id, 'chat', its_key, its_kind, conversation, its_body, received, queue, conversation, trace);
end $$;
`,
};
