/** A row in every table of the first schemas, written as their versions wrote them. */
export const DATA: Record<string, string> = {
  service: `
set search_path = service;
insert into workspace (id, name, slug, settings_id, created_at, updated_at) values ('wsp_1', 'Acme', 'acme', 'wst_1', '2026-01-01', '2026-01-01');
insert into person (workspace_id, id, first_name, email, created_at, updated_at) values ('wsp_1', 'usr_1', 'Ada', 'ada@acme.example', '2026-01-01', '2026-01-01');
insert into chat_user (workspace_id, id, person_id, chat_user_id, created_at, updated_at) values ('wsp_1', 'chu_1', 'usr_1', 'U1', '2026-01-01', '2026-01-01');
insert into status_group (workspace_id, id, label, kind) values ('wsp_1', 'sgr_1', 'Open', 'OPEN');
insert into status (workspace_id, id, label, position, system, status_group_id, created_at, updated_at) values ('wsp_1', 'sts_1', 'Open', 0, true, 'sgr_1', '2026-01-01', '2026-01-01');
insert into queue (workspace_id, id, name, prefix, settings_id, last_number, created_at, updated_at) values ('wsp_1', 'que_1', 'IT', 'IT', 'qst_1', 1, '2026-01-01', '2026-01-01');
insert into queue_prefix values ('wsp_1', 'IT', 'que_1');
insert into request_type (workspace_id, id, name, created_at, updated_at) values ('wsp_1', 'rqt_1', 'Laptop', '2026-01-01', '2026-01-01');
insert into chat_channel (workspace_id, id, channel_id, type, queue_id, created_at, updated_at) values ('wsp_1', 'chn_1', 'C1', 'REQUEST', 'que_1', '2026-01-01', '2026-01-01');
insert into tag (workspace_id, id, name, created_at, updated_at) values ('wsp_1', 'tag_1', 'printer', '2026-01-01', '2026-01-01');
insert into ticket (workspace_id, id, queue_id, number, short_id, title, description, priority, source, requester_id, author_id, status_id, created_at, updated_at, stamped_at) values ('wsp_1', 'tkt_1', 'que_1', 1, 'abc', 'The printer burns', 'Since noon', 'HIGH', 'CHAT', 'usr_1', 'usr_1', 'sts_1', '2026-01-01', '2026-01-02', '2026-01-02');
insert into ticket_reference values ('wsp_1', 'que_1', 1, 'tkt_1');
insert into ticket_tag values ('wsp_1', 'tkt_1', 'tag_1');
insert into csat (workspace_id, id, ticket_id, person_id, score, created_at, updated_at) values ('wsp_1', 'cst_1', 'tkt_1', 'usr_1', 5, '2026-01-01', '2026-01-01');
insert into chat_thread (workspace_id, id, ticket_id, channel_id, message_ts, created_at, updated_at) values ('wsp_1', 'cth_1', 'tkt_1', 'C1', '1.1', '2026-01-01', '2026-01-01');
insert into ticket_message (workspace_id, id, ticket_id, content, author_id, source, status, created_at, updated_at) values ('wsp_1', 'msg_1', 'tkt_1', 'Still burning', 'usr_1', 'CHAT', 'CREATED', '2026-01-01', '2026-01-01');
insert into chat_message (workspace_id, id, ticket_message_id, channel_id, ts, created_at, updated_at) values ('wsp_1', 'cms_1', 'msg_1', 'C1', '1.2', '2026-01-01', '2026-01-01');
insert into webhook (workspace_id, id, url, secret, event_types, created_at, updated_at) values ('wsp_1', 'whk_1', 'http://127.0.0.1:9/hook', 'an old plain secret', '{Ticket}', '2026-01-01', '2026-01-01');
insert into event (workspace_id, id, type, action, body, created_at) values ('wsp_1', 'evt_1', 'Ticket', 'created', '{}', '2026-01-01');
insert into delivery (workspace_id, id, webhook_id, event_id, state, created_at, updated_at) values ('wsp_1', 'dlv_1', 'whk_1', 'evt_1', 'delivered', '2026-01-01', '2026-01-01');`,
  bridge: `
set search_path = bridge;
insert into conversation (id, team_id, channel_id, root_ts, ticket_id, created_at) values ('cnv_1', 'T1', 'C1', '1.1', 'tkt_1', '2026-01-01');
insert into inbox (id, source, event_key, kind, conversation_id, body, received_at) values ('inb_1', 'chat', 'k', 'message', 'cnv_1', '{}', '2026-01-01');
insert into message_link (id, conversation_id, ticket_message_id, team_id, channel_id, ts, origin, version) values ('lnk_1', 'cnv_1', 'msg_1', 'T1', 'C1', '1.2', 'chat', '1.2');
insert into card (conversation_id, channel_id, ts) values ('cnv_1', 'C1', '1.3');
insert into outbox (id, conversation_id, team_id, channel_id, kind, body, state, planned_at) values ('out_1', 'cnv_1', 'T1', 'C1', 'post', '{}', 'sent', '2026-01-01');
insert into pace values ('C1', '2026-01-01');
insert into person (team_id, chat_user_id, name, is_bot, is_guest, read_at) values ('T1', 'U1', 'Ada', false, false, '2026-01-01');
insert into setting values ('k', '{}');`,
};
