import type { Migration } from '../../platform/database/migrate.ts';

/** Linking what people said, and what must be looked at with it, in one round trip each. */
export const linkSaid: Migration = {
  name: '0021-link-said',
  sql: `
-- Whether emoji that people hold on a message were heard of and wait to be carried (B12). The lock keeps whoever links
-- the message and whoever hears of an emoji on it apart until the transaction ends; what follows the lock sees what was
-- committed while it waited. Without sequential scans, as in the functions of lanes.
create function heard_earlier(message_lock text, team text, channel text, its_ts text)
returns boolean language plpgsql set enable_seqscan = off as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(31), current_schema(), message_lock), 0));
  return exists (
    select from chat_reaction
    where team_id = team and channel_id = channel and ts = its_ts and present and user_id is null);
end $$;

-- Records that a message that a person wrote in chat is one of a ticket; a pair that is recorded stays as it is.
create function link_said(new_id text, conversation text, ticket_message text, team text, channel text, its_ts text,
  its_version text, message_lock text)
returns boolean language plpgsql as $$
begin
  insert into message_link (id, conversation_id, ticket_message_id, team_id, channel_id, ts, origin, version)
    values (new_id, conversation, ticket_message, team, channel, its_ts, 'chat', its_version)
    on conflict do nothing;
  return heard_earlier(message_lock, team, channel, its_ts);
end $$;
`,
};
