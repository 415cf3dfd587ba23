import type { Migration } from '../../platform/database/migrate.ts';

/** Channels that are only watched (B56), and the sign that a message crossed (B54). */
export const commands: Migration = {
  name: '0014-commands',
  sql: `
-- Channels that are only watched: nothing is written there, nor at the service for them (B56).
create table observed_channel (
  team_id      text not null,
  channel_id   text not null,
  queue_id     text not null,
  workspace_id text not null,
  asked_by     text not null,
  since        timestamptz(3) not null,
  primary key (team_id, channel_id)
);

-- The tickets that would have been opened there, by the first message of their thread.
create table observed_ticket (
  team_id      text not null,
  channel_id   text not null,
  ts           text not null,
  title        text not null,
  -- What would have opened it: a rule and a few words.
  way          text not null,
  chat_user_id text not null,
  seen_at      timestamptz(3) not null,
  primary key (team_id, channel_id, ts)
);

-- A queue may have each message that is on its ticket bear a quiet sign of it (B54).
alter table receipt drop constraint receipt_wanted_check;
alter table receipt add constraint receipt_wanted_check check (wanted in ('waiting', 'failed', 'crossed'));
`,
};
