/**
 * What each step of the bridge's schema made room for, as the version that brought it wrote it: a row at least in every
 * table that the step made. The newest step needs rows too: with the step after it they are of an earlier version.
 */
export const ROWS: Record<string, string> = {
  '0001-initial': `
insert into pace values ('T1:C1:post', '2026-01-01');
insert into person (team_id, chat_user_id, user_id, name, is_bot, is_guest, time_zone, read_at)
  values ('T1', 'U1', 'usr_1', 'Ada', false, false, 'Europe/Berlin', '2026-01-01');
insert into setting values ('a setting of before', '{"kept": true}');`,
  '0002-reconciliation': `insert into cursor values ('a channel of before', '2026-01-01');`,
  '0003-receipts': `
insert into receipt (team_id, channel_id, ts, wanted, shown, told) values ('T1', 'C1', '1.1', 'failed', 'failed', true);
insert into former_root select team_id, channel_id, '1.2', id from conversation limit 1;`,
  '0004-reactions': `
insert into chat_reaction (team_id, channel_id, ts, chat_user_id, name, event_ts, present, heard_at)
  values ('T1', 'C1', '1.1', 'U1', 'tada', '1.3', true, clock_timestamp());
insert into bot_reaction (conversation_id, ticket_message_id, emoji, name, wanted, shown)
  select id, 'msg_1', '🎉', 'tada', true, true from conversation limit 1;`,
  '0005-files': `
insert into message_link (id, conversation_id, ticket_message_id, part, team_id, channel_id, ts, origin, version)
  select 'lnk_of_a_file', id, 'msg_1', 1000, team_id, channel_id, '1.4', 'service', '2026-01-01' from conversation limit 1;
insert into upload (link_id, url, file_id, asked_at, taken_at)
  values ('lnk_of_a_file', 'https://files.example/1.png', 'F1', '2026-01-01', '2026-01-01');`,
  '0006-people': `
insert into link_code (team_id, chat_user_id, code_hash, created_at, expires_at)
  values ('T1', 'U1', 'a fingerprint', '2026-01-01', '2026-01-01');`,
  '0010-cards': `insert into told_note select id, 'U1' from conversation limit 1;`,
  '0011-notices': `
insert into act (ticket_id, field, value, in_chat, user_id, at) values ('tkt_1', 'title', '"A chair"', true, 'usr_1', clock_timestamp());
insert into heard_ticket values ('tkt_1', '{}', '2026-01-01', '2026-01-01');
insert into heard_message values ('msg_1', clock_timestamp());
insert into notice_preference values ('T1', 'U1', 'mine');
insert into ask (kind, ticket_id, user_id, team_id, channel_id, ts, shown, asked_at)
  values ('survey', 'tkt_1', 'usr_1', 'T1', 'D1', '1.5', 'a digest', '2026-01-01');`,
  '0013-forms': `
insert into form_draft (id, team_id, chat_user_id, place, context, filled, updated_at)
  values ('drf_1', 'T1', 'U1', 'new', '{}', '{}', clock_timestamp());`,
  '0013-home': `insert into home (team_id, chat_user_id, opened_at) values ('T1', 'U9', '2026-01-01');`,
  '0014-commands': `
insert into observed_channel values ('T1', 'C9', 'que_1', 'wsp_1', 'U1', '2026-01-01');
insert into observed_ticket values ('T1', 'C9', '1.6', 'A title', 'B2 a mention', 'U1', clock_timestamp());`,
  '0015-reminders': `insert into reminder values ('tkt_1', 'unassigned', '2026-01-01', '2026-01-01');`,
};
