-- The bridge's tables, for one Slack workspace. Ids of Slack have Slack's names: team_id, channel_id and ts. JSON that comes
-- from outside is stored as json, not jsonb: jsonb refuses NUL and lone surrogates, which people can type.

-- ---------------------------------------------------------------------------------------------------------------------
-- Conversations: threads in chat and what they contain

-- A ticket's thread: its parent message and everything in it.
create table conversation (
  id text primary key,
  team_id text not null,
  channel_id text not null,
  thread_ts text not null,
  -- The ticket; null until there is one.
  ticket_id text,
  -- The requester's thread, the thread of the queue's team (B26), or a copy of the card in direct messages (B27).
  role text not null default 'request' check (role in ('request', 'triage', 'direct')),
  -- A direct message: the only place where the thread of a private ticket may be (B14, B27).
  direct boolean not null default false,
  -- The whole channel is this ticket's, so messages at its top level belong to the ticket too (B11).
  private_channel boolean not null default false,
  -- The thread of a private ticket is on its way to a place of its own: until it is there, nothing of it is shown (B8, B11).
  relocating boolean not null default false,
  -- The parent message was deleted: the next answer starts another thread (B58).
  parent_deleted boolean not null default false,
  -- The message that is the ticket's description: the parent, or the answer to "what do you need?" (B6).
  description_ts text,
  -- Slack's timestamp of the edit that the ticket's description shows: an older edit never replaces a newer one (B6).
  description_edit_ts text,
  -- The title that the bridge made; edits of the parent change the title only while it is still this one (B6).
  title text,
  -- The user who was asked "what do you need?" and has not answered yet (B6).
  prompted_user_id text,
  -- The service's user in whose direct messages a copy of the card is (B27).
  recipient_user_id text,
  -- The service's updatedAt up to which this ticket's messages have been applied (docs/architecture.md).
  applied_until timestamptz(3),
  -- The ticket's state as the thread last announced it: the next line says what is different (B30).
  announced json,
  -- The requester wrote when the ticket was done, which reopened it (B22).
  reopened boolean not null default false,
  -- The status emoji on the first message (B29): what is wanted, what was set, and on which message.
  status_wanted text,
  status_shown text,
  status_ts text,
  -- When something of it last changed on the ticket, and when its thread was last compared with the links.
  active_at timestamptz(3) not null default clock_timestamp(),
  checked_at timestamptz(3),
  created_at timestamptz(3) not null,
  unique (team_id, channel_id, thread_ts)
);
create unique index conversation_request on conversation (ticket_id) where role = 'request';
create unique index conversation_copy on conversation (ticket_id, channel_id) where role <> 'request';
create index conversation_checked on conversation (checked_at nulls first) where ticket_id is not null;

-- The thread that a conversation had before it started another one.
create table former_thread (
  team_id text not null,
  channel_id text not null,
  thread_ts text not null,
  conversation_id text not null references conversation on delete cascade,
  primary key (team_id, channel_id, thread_ts)
);
create index former_thread_conversation on former_thread (conversation_id);

-- One part of a ticket message, and the chat message that shows it.
create table message_link (
  id text primary key,
  conversation_id text not null references conversation on delete cascade,
  ticket_message_id text not null,
  part integer not null default 0,
  team_id text not null,
  channel_id text not null,
  -- Null while the post is on its way.
  ts text,
  origin text not null check (origin in ('chat', 'service')),
  -- The edit that both sides show: Slack's edit timestamp, or the service's updatedAt.
  version text not null,
  -- Of the text that the posts show: a reaction changes a ticket message, but not its text.
  digest text,
  deleted boolean not null default false,
  unique (team_id, channel_id, ts),
  -- A message for a merged ticket is in that one's thread and in the other one's, which may be in the same channel.
  unique (ticket_message_id, channel_id, conversation_id, part)
);
create index message_link_conversation on message_link (conversation_id);

-- A file of a message in chat, and its copy on the ticket (B18).
create table file_copy (
  id text primary key,
  conversation_id text not null references conversation on delete cascade,
  ticket_id text not null,
  -- The ticket message, or the ticket if the file belongs to its description.
  target_id text not null,
  -- Slack's file, and what its message says of it; 0 bytes and empty texts if it does not, or once it is done.
  file_id text not null,
  name text not null,
  bytes bigint not null,
  mimetype text not null,
  url text not null,
  permalink text not null,
  author_id text,
  -- An answer of a form: no message has it, so none that is edited is without it.
  of_form boolean not null default false,
  -- False once it is gone from chat.
  wanted boolean not null default true,
  -- `linked`: it stays a link, and why.
  state text not null default 'waiting' check (state in ('waiting', 'copied', 'linked', 'removed')),
  reason text,
  service_file_id text,
  created_at timestamptz(3) not null,
  done_at timestamptz(3),
  unique (target_id, file_id)
);
create index file_copy_conversation on file_copy (conversation_id);
create index file_copy_open on file_copy (created_at) where state = 'waiting';

-- A file of a ticket message on its way into chat, or there, with the link of the message that shows it (B18).
create table upload (
  link_id text primary key references message_link on delete cascade,
  -- Its address, a path if it is one of the service's files; empty where only Slack is known to have it.
  url text not null,
  -- Its description, or the name of a file of the service.
  alt text not null default '',
  -- The size of a file of the service.
  bytes bigint,
  -- Slack's id, recorded before Slack is asked to show the file, so that no second file is shown.
  file_id text unique,
  -- When Slack was last asked to show it, and when Slack accepted.
  requested_at timestamptz(3),
  accepted_at timestamptz(3),
  attempts integer not null default 0
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Inbox and outbox

-- Events of both sides, stored before they are acknowledged and handled in the order of their conversation.
create table inbox (
  id text primary key,
  source text not null check (source in ('chat', 'service')),
  -- Identifies the event, whatever id the sender gave it (docs/architecture.md).
  event_key text not null,
  kind text not null,
  conversation_id text references conversation on delete set null,
  -- The event as it was parsed when it arrived, with the version of that form.
  body json not null,
  received_at timestamptz(3) not null,
  -- How often the same event came again: counted, never a reason to skip it.
  repeats integer not null default 0,
  outcome text,
  done_at timestamptz(3),
  unique (source, event_key)
) with (
  -- Room for the update that records the outcome, which touches no index.
  fillfactor = 75
);
create index inbox_received on inbox (received_at);
create index inbox_conversation on inbox (conversation_id);

-- Posts to Slack: planned in the transaction that decides them, sent by a job of their own.
create table outbox (
  id text primary key,
  conversation_id text references conversation on delete cascade,
  team_id text not null,
  channel_id text not null,
  kind text not null,
  -- The part of a ticket message that it posts, edits or deletes.
  link_id text,
  body json not null,
  state text not null check (state in ('planned', 'sending', 'sent', 'dropped', 'dead')),
  -- When the rate limit lets it go, and the method whose limit it waits for.
  not_before timestamptz(3),
  waits_for text,
  -- When the current attempt began: an outcome that is unknown is looked up only after that attempt must have ended.
  sending_since timestamptz(3),
  -- How often an outcome was unknown and had to be looked up.
  uncertain integer not null default 0,
  ts text,
  error text,
  -- The ticket and its team know that it could not be delivered (B54).
  reported boolean not null default false,
  planned_at timestamptz(3) not null,
  sent_at timestamptz(3)
);
create index outbox_open on outbox (team_id, channel_id, planned_at) where state in ('planned', 'sending');
-- The rows ahead of one that waits are counted under the lock of the rate limit: few rows are read however many wait.
create index outbox_waiting on outbox (team_id, waits_for, not_before) where state in ('planned', 'sending');
create index outbox_kinds on outbox (team_id, channel_id, kind) where state in ('planned', 'sending');
-- Cards on their way to places that have none yet.
create index outbox_copy on outbox ((body -> 'copy' ->> 'ticket')) where kind = 'card';
create index outbox_conversation on outbox (conversation_id);
create index outbox_sent on outbox (sent_at);

-- When each channel or method may be called next (generic cell rate algorithm).
create table rate_limit (
  key text primary key,
  next_at timestamptz(3) not null
);

-- Claims a post and a slot in each of its rate limits: it is marked as being sent, durably, before Slack is called. Null, and
-- nothing is changed, if a limit is used up or other posts wait or go first: how long it waits is then found out under the
-- same locks (acquireSlots). Returns whether what it posts may still be shown: what takes it back from now on sees that
-- it is being sent. Without sequential scans, as the functions of jobs.
create function claim_post(post text, link text, team text, channel text, keys text[], gaps_ms float8[], burst integer,
  methods text[], first_kinds text[], now timestamptz, late timestamptz)
returns boolean language plpgsql set enable_seqscan = off as $$
declare
  known integer;
begin
  perform from rate_limit where key = any(keys) order by key for update;
  get diagnostics known = row_count;
  -- Each time is taken after the wait for the locks.
  if known < cardinality(keys)
    or exists (select from rate_limit where key = any(keys) and next_at > clock_timestamp())
    or exists (select from outbox
      where state in ('planned', 'sending') and team_id = team and waits_for = any(methods) and not_before > late
        and id <> post)
    or exists (select from outbox
      where state in ('planned', 'sending') and team_id = team and channel_id = channel and kind = any(first_kinds)
        and (error is null or not_before > late) and id <> post)
  then
    return null;
  end if;
  update rate_limit set next_at = greatest(next_at, clock_timestamp() - gap * (burst - 1)) + gap
    from unnest(keys, gaps_ms) as taken (taken_key, gap_ms),
      lateral (select gap_ms * interval '1 millisecond' as gap) as its
    where key = taken_key;
  update outbox set state = 'sending', sending_since = now, not_before = null, waits_for = null where id = post;
  return link is null or exists (select from message_link where id = link and not deleted);
end $$;

-- The same for several posts, as far as it is their turn. All limits are locked first, in one order; a post with a limit that
-- was added since waits for its own statement, because locking that one now could deadlock.
create type turn_of_post as (id text, link_id text, team_id text, channel_id text, turn json);
create type turn as (keys text[], gaps_ms float8[], burst integer, methods text[], late_ms float8);
create function begin_posts(posts turn_of_post[], now timestamptz) returns void language plpgsql as $$
declare
  locked text[];
begin
  select array_agg(key) into locked from (
    select key from rate_limit
    where key in (select json_array_elements_text(turn -> 'keys') from unnest(posts)) order by key for update) as limits;
  perform claim_post(id, link_id, team_id, channel_id, t.keys, t.gaps_ms, t.burst, t.methods, '{}', now,
      now - t.late_ms * interval '1 millisecond')
    from unnest(posts), json_populate_record(null::turn, turn) as t where t.keys <@ locked;
end $$;

-- Records where a part of a ticket message stands, in one round trip with the end of its job and the job that reports it to
-- the service. 'more', and nothing is changed, if it was taken back meanwhile or reactions to it wait: then there is more
-- to do. The job of the report may be claimed with it (`takers`).
create function settle_post(post text, link text, its_ts text, message_lock text, sent timestamptz, report json,
  job_id bigint, claimed_by text, claim_fence integer, of_queue text, of_key text, takers json,
  out ended text, out claimed json)
language plpgsql set enable_seqscan = off as $$
declare
  stands record;
begin
  select * into stands from message_link where id = link for no key update;
  if stands is null or stands.deleted
    or has_waiting_reactions(message_lock, stands.team_id, stands.channel_id, its_ts) then
    ended := 'more';
    return;
  end if;
  update outbox set state = 'sent', ts = its_ts, sent_at = sent, error = null where id = post;
  update message_link set ts = its_ts where id = link;
  -- The job carries what the service is sent. The thread is read here: the post may have started another one (B58).
  claimed := enqueue_jobs(array['conversation'], array[stands.conversation_id], array[null], array[(
    select (report::jsonb || jsonb_build_object('copied', link, 'place', jsonb_build_object(
      'ticket_message_id', stands.ticket_message_id, 'team_id', stands.team_id, 'channel_id', stands.channel_id,
      'ts', its_ts, 'thread_ts', thread_ts)))::text
    from conversation where id = stands.conversation_id)], array[0], takers);
  ended := end_job(job_id, claimed_by, claim_fence, of_queue, of_key);
end $$;

-- Stores events and their jobs, all that came while the last ones were stored: Slack waits for the acknowledgement. Returns
-- the ids of the new ones, which get a job, and the jobs that are claimed at once (`takers`), with their events; an event that
-- came before is only counted. Rows are made in one order everywhere, so that two processes do not wait for each other. The
-- body is text: reading a json array would refuse NUL and lone surrogates in it. Without sequential scans, as the functions
-- of jobs.
create type arrived_event as (
  place integer, id text, source text, event_key text, kind text, body text, received_at timestamptz, repeats integer,
  queue text, ordering_key text, payload text, team text, channel text, root text, thread text, direct boolean,
  by_message text, ticket text, threads json
);
create function store_events(events json, takers json, out ids text[], out claimed json, out stored json)
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  arrived arrived_event[] := array(select e from json_populate_recordset(null::arrived_event, events) as e);
  fresh record;
begin
  insert into conversation (id, team_id, channel_id, thread_ts, direct, created_at)
  select distinct on (team, channel, root) thread, team, channel, root, direct, received_at
  from unnest(arrived)
  where thread is not null
    and not exists (select from conversation where team_id = team and channel_id = channel and thread_ts = root)
    and not exists (select from former_thread where team_id = team and channel_id = channel and thread_ts = root)
    and (by_message is null or not (
      exists (select from message_link where team_id = team and channel_id = channel and ts = root)
      or exists (select from inbox where source = 'chat' and event_key = by_message and conversation_id is not null)))
  order by team, channel, root, place
  on conflict (team_id, channel_id, thread_ts) do nothing;

  with stored as (
    insert into inbox (id, source, event_key, kind, conversation_id, body, received_at, repeats)
    select id, source, event_key, kind,
      coalesce(
        (select c.id from conversation c where team_id = team and channel_id = channel and thread_ts = root),
        -- The one that replaced it (B58).
        (select conversation_id from former_thread where team_id = team and channel_id = channel and thread_ts = root),
        (select conversation_id from message_link
          where by_message is not null and team_id = team and channel_id = channel and ts = root),
        (select conversation_id from inbox i where i.source = 'chat' and i.event_key = by_message),
        (select c.id from conversation c where ticket_id = ticket and role = 'request'),
        (select c.id from json_to_recordset(threads) as t (team text, channel text, root text) join conversation c
          on team_id = t.team and channel_id = t.channel and thread_ts = t.root and role = 'request' limit 1)),
      body::json, received_at, repeats
    from unnest(arrived) order by source, event_key
    on conflict (source, event_key) do update set repeats = inbox.repeats + 1 + excluded.repeats
    returning id, conversation_id
  )
  select array_agg(id order by place) as ids, array_agg(queue order by place) as queues,
    array_agg(coalesce(conversation_id, ordering_key) order by place) as keys,
    array_agg(payload order by place) as payloads, array_agg(null::text) as dedupes, array_agg(0::float8) as delays
  into fresh from unnest(arrived) join stored using (id);
  claimed := enqueue_jobs(fresh.queues, fresh.keys, fresh.dedupes, fresh.payloads, fresh.delays, takers);
  ids := fresh.ids;
  if claimed is not null then
    select json_agg(e.stored) into stored
    from (select array_agg(payload ->> 'inbox') as ids, array_agg(payload ->> 'author') as authors
        from json_to_recordset(claimed) as j (payload json)) as of_jobs,
      stored_events(of_jobs.ids, of_jobs.authors) as e;
  end if;
end $$;

-- ---------------------------------------------------------------------------------------------------------------------
-- People

-- A Slack user, the service's user they are linked to, and their profile as last read.
create table person (
  team_id text not null,
  chat_user_id text not null,
  user_id text,
  name text not null,
  image text,
  time_zone text,
  is_bot boolean not null,
  is_guest boolean not null,
  -- A deactivated user keeps their history, and is no longer offered or mentioned.
  is_deleted boolean not null default false,
  -- Who linked them; null: matched by e-mail or chat account.
  linked_by text check (linked_by in ('self', 'admin')),
  -- Of the profile: distinguishes a change that matters from one of status or presence.
  digest text,
  read_at timestamptz(3) not null,
  primary key (team_id, chat_user_id)
);
create index person_user on person (user_id);

-- Users whom the service has erased.
create sequence erased_user_number;
create table erased_user (
  user_id text primary key,
  -- The order in which users were forgotten.
  number bigint not null default nextval('erased_user_number'),
  -- Digests of their Slack accounts: their old reactions, which are still in Slack, are no news.
  accounts text[] not null,
  -- The accounts until the copies of them are cleared.
  uncleared text[],
  erased_at timestamptz(3) not null
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Cards, reactions and delivery status

-- The ticket's card in a thread, refreshed from the service's record.
create table card (
  conversation_id text primary key references conversation on delete cascade,
  channel_id text not null,
  ts text,
  -- The ticket's updatedAt that the card shows: an older state is never drawn over a newer one (B31).
  shown timestamptz(3),
  -- A card may change without its ticket: it also shows who is answering, and until when (B57).
  stale boolean not null default false,
  claimed_until timestamptz(3)
);
create index card_claimed on card (claimed_until) where claimed_until is not null;

-- The emoji that a user has on a chat message, according to the newest event (B12).
create table chat_reaction (
  team_id text not null,
  channel_id text not null,
  ts text not null,
  chat_user_id text not null,
  -- Slack's name, with its skin tone.
  name text not null,
  -- Slack's timestamp of that event: an older one never replaces a newer one.
  event_ts text collate "C" not null,
  present boolean not null,
  -- The service's user who has it on the ticket message; null while it is not there.
  user_id text,
  received_at timestamptz(3) not null,
  primary key (team_id, channel_id, ts, chat_user_id, name)
);
create index chat_reaction_unused on chat_reaction (received_at) where user_id is null;

-- The bot's emoji on a post, for the users who have it on the ticket message (B12).
create table bot_reaction (
  conversation_id text not null references conversation on delete cascade,
  ticket_message_id text not null,
  -- The character, or the name where it has none: names of one character are one emoji.
  emoji text not null,
  name text not null,
  wanted boolean not null,
  shown boolean not null default false,
  -- Slack never accepts it: it stays on the ticket only.
  refused boolean not null default false,
  primary key (conversation_id, ticket_message_id, emoji)
);

-- The bot's emoji on a message that waits for the service, or can never reach it (B47, B54).
create table delivery_status (
  team_id text not null,
  channel_id text not null,
  ts text not null,
  wanted text check (wanted in ('waiting', 'failed')),
  -- The emoji that was last set; null while none is certain to be there.
  shown text check (shown in ('waiting', 'failed')),
  -- The author knows the reason.
  author_notified boolean not null default false,
  primary key (team_id, channel_id, ts)
);

-- Records that a chat message is part of a ticket; a pair that is recorded stays unchanged.
create function link_inbound_message(new_id text, conversation text, ticket_message text, team text, channel text, its_ts text,
  its_version text, message_lock text)
returns void language plpgsql as $$
begin
  insert into message_link (id, conversation_id, ticket_message_id, team_id, channel_id, ts, origin, version)
    values (new_id, conversation, ticket_message, team, channel, its_ts, 'chat', its_version)
    on conflict do nothing;
  perform forward_earlier_reactions(message_lock, conversation, team, channel, its_ts);
end $$;

-- Adds the job that forwards the reactions that were received before their message was linked (B12), if there are any.
create function forward_earlier_reactions(message_lock text, conversation text, team text, channel text, its_ts text)
returns void language plpgsql as $$
begin
  if has_waiting_reactions(message_lock, team, channel, its_ts) then
    perform enqueue_jobs(array['conversation'], array[conversation], array[null],
      array[json_build_object('reacted', conversation, 'channel', channel, 'ts', its_ts)::text], array[0]);
  end if;
end $$;

-- The lock keeps the transaction that links the message and those that receive reactions to it apart until they end; what
-- follows the lock sees what was committed while it waited. Without sequential scans, as the functions of jobs.
create function has_waiting_reactions(message_lock text, team text, channel text, its_ts text)
returns boolean language plpgsql set enable_seqscan = off as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(31), current_schema(), message_lock), 0));
  return exists (
    select from chat_reaction
    where team_id = team and channel_id = channel and ts = its_ts and present and user_id is null);
end $$;

-- Returns stored events with their conversations, and what is known of a message and its author. By the event's key, of which
-- a message's place is the middle: the body may have what Postgres cannot read as json.
create function stored_events(ids text[], authors text[]) returns table (event_id text, stored json)
language plpgsql stable rows 10 set enable_seqscan = off set enable_hashjoin = off
  set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
begin
  return query select inbox.id, json_build_object('id', inbox.id, 'source', source, 'kind', kind, 'body', body,
    'received_at', received_at, 'done_at', done_at, 'conversation_id', conversation_id,
    'conversation', to_json(conversation), 'author', to_json(person),
    -- Not exists (…): for that, Postgres may read the whole table into a hash.
    'isLinked', kind = 'message' and (
      select id from message_link l where l.team_id = split_part(event_key, ':', 2)
        and l.channel_id = split_part(event_key, ':', 3) and l.ts = split_part(event_key, ':', 4) limit 1) is not null,
    'isDeleted', kind = 'message' and (
      select id from inbox d
      where d.source = 'chat' and d.event_key = regexp_replace(inbox.event_key, ':new$', ':deleted') limit 1) is not null)
  from unnest(ids, authors) as wanted (id, author) join inbox using (id)
    left join conversation on conversation.id = conversation_id
    left join person on person.team_id = split_part(event_key, ':', 2) and chat_user_id = author;
end $$;

-- Ends the work on events in one round trip, all that ended while the last ones were recorded: the links of the messages
-- that were added to their tickets, what is to be posted, the check of what people are to be notified of, the events'
-- outcomes, and the end of their jobs. 'gained', and nothing of it is done, where a thread that had no ticket at the start
-- (`untitled`) has one now. An event whose job another worker has has no row in the result, and nothing of it is done
-- either. The next job of the conversation comes with its event (`stored`). Jobs of posts may be claimed at once (`takers`):
-- then the first row has them, with their posts, of which those with a `turn` are being sent if it is their turn (claim_post).
create type finished_event as (
  place integer, claim job_ending, event text, outcome text, untitled text, link json, lock text, notice json, mirror json,
  planned json
);
create function finish_events(events json, at timestamptz, takers json)
returns table (place integer, ended text, next json, stored json, claimed json, posts json)
language plpgsql set enable_seqscan = off set enable_hashjoin = off
  set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  finishing finished_event[] := array(select e from json_populate_recordset(null::finished_event, events) as e);
  held integer[];
  gained integer[];
  fresh record;
  taken json;
  taken_posts text[];
  their_posts json;
begin
  select array_agg(place) into held from (
    select place from unnest(finishing)
      join job on id = (claim).id and job.worker = (claim).worker and job.fence = (claim).fence
        and state in ('running', 'done')
    order by job.id for no key update of job) as locked;
  select array_agg(place) filter (where ticket_id is not null) into gained from (
    select place, ticket_id from unnest(finishing) join conversation on conversation.id = untitled
    where place = any(held) order by conversation.id for no key update of conversation) as locked;
  if coalesce(cardinality(held), 0) < cardinality(finishing) or gained is not null then
    finishing := array(select e from unnest(finishing) as e where place = any(held) and not coalesce(place = any(gained), false));
    return query select unnest(gained), 'gained', null::json, null::json, null::json, null::json;
    if cardinality(finishing) = 0 then
      return;
    end if;
  end if;

  insert into message_link (id, conversation_id, ticket_message_id, team_id, channel_id, ts, origin, version)
    select id, conversation_id, ticket_message_id, team_id, channel_id, ts, 'chat', version
    from unnest(finishing) cross join lateral json_populate_record(null::message_link, link) where link is not null
    order by team_id, channel_id, ts
    on conflict do nothing;
  -- What follows the locks sees the reactions that were received before the message was linked (B12).
  perform pg_advisory_xact_lock(number) from (
    select hashtextextended(concat_ws(chr(31), current_schema(), lock), 0) as number
    from unnest(finishing) where lock is not null order by 1) as locks;
  -- An active thread is reconciled sooner (B50).
  update conversation set active_at = at from unnest(finishing)
    where conversation.id = link ->> 'conversation_id' and active_at < at - interval '1 minute';
  update inbox set outcome = e.outcome, done_at = at from unnest(finishing) as e where inbox.id = event;

  if exists (select from unnest(finishing) where planned is not null) then
    insert into message_link (id, conversation_id, ticket_message_id, part, team_id, channel_id, origin, version, digest)
      select id, conversation_id, ticket_message_id, part, team_id, channel_id, origin, version, digest
      from unnest(finishing) cross join lateral json_populate_recordset(null::message_link, planned -> 'links') where planned is not null
      order by ticket_message_id, channel_id, conversation_id, part
      on conflict do nothing;
    insert into outbox (id, conversation_id, team_id, channel_id, kind, link_id, body, state, planned_at)
      select id, conversation_id, team_id, channel_id, kind, link_id, body::json, 'planned', at
      from unnest(finishing) cross join lateral json_to_recordset(planned -> 'posts') as p (id text, conversation_id text, team_id text,
          channel_id text, kind text, link_id text, body text) where planned is not null;
    update conversation set applied_until = "until", active_at = at
      from unnest(finishing) cross join lateral json_to_record(planned) as a ("until" timestamptz, conversations text[])
      where conversation.id = any(conversations);
  end if;

  with input as (
    select * from unnest(finishing)
  ), noticed as (
    select distinct on (queue, "orderingKey") n.*
    from input cross join lateral json_to_record(notice)
      as n (queue text, "orderingKey" text, payload text, "delayMs" float8)
    where notice is not null
  ), waiting as materialized (
    -- Kept from starting until this transaction commits: then they find what it wrote.
    select job.queue, ordering_key from noticed join job on job.queue = noticed.queue and ordering_key = "orderingKey"
    where head and state = 'ready' and attempts = 0 and run_at > clock_timestamp()
    for key share of job skip locked
  ), added as (
    select queue, "orderingKey" as key, payload, "delayMs" as delay, 0 as place, 0::bigint as n from noticed
    where not exists (select from waiting where waiting.queue = noticed.queue and ordering_key = "orderingKey")
    union all
    -- The ticket is read in direct messages, too (B27).
    select mirror ->> 'queue', mirror ->> 'orderingKey', mirror ->> 'payload', 0, 0, 0 from input
    where mirror is not null and exists (
      select from conversation as other join conversation as own on own.ticket_id = other.ticket_id
      where own.id = link ->> 'conversation_id' and other.role = 'direct')
    union all
    select 'conversation', conversation_id,
      json_build_object('reacted', conversation_id, 'channel', channel_id, 'ts', ts)::text, 0, 0, 0
    from input cross join lateral json_populate_record(null::message_link, link) as l
    where link is not null and exists (
      select from chat_reaction as r
      where r.team_id = l.team_id and r.channel_id = l.channel_id and r.ts = l.ts and present and user_id is null)
    union all
    select 'chat', post ->> 'ordering_key', post ->> 'payload', 0, place, n
    from input cross join lateral json_array_elements(planned -> 'posts') with ordinality as p (post, n)
    where planned is not null
  )
  select array_agg(queue) as queues, array_agg(key) as keys, array_agg(null::text) as dedupes,
    array_agg(payload) as payloads, array_agg(delay) as delays into fresh
  from (select * from added order by place, n) as in_order;
  if fresh.queues is not null then
    taken := enqueue_jobs(fresh.queues, fresh.keys, fresh.dedupes, fresh.payloads, fresh.delays, takers);
  end if;
  if taken is not null then
    taken_posts := array(select payload ->> 'outbox' from json_to_recordset(taken) as j (payload json));
    perform begin_posts(array(
      select p from unnest(finishing) cross join lateral json_populate_recordset(null::turn_of_post, planned -> 'posts') as p
      where planned is not null and p.id = any(taken_posts) and p.turn is not null
      order by place), at);
    select json_agg(post) into their_posts from planned_posts(taken_posts) as p (post);
  end if;
  return query with done as materialized (
    select place, ended, next from end_jobs(array(select claim from unnest(finishing)))
      join unnest(finishing) on id = (claim).id
  ), following as (
    select event_id, stored
    from (select array_agg(next -> 'payload' ->> 'inbox') as ids, array_agg(next -> 'payload' ->> 'author') as authors
        from done where next is not null) as of_jobs,
      stored_events(of_jobs.ids, of_jobs.authors)
  )
  select place, ended, next, stored,
      case when row_number() over () = 1 then taken end, case when row_number() over () = 1 then their_posts end
    from done left join following on event_id = next -> 'payload' ->> 'inbox';
end $$;

-- Returns rows of the outbox with their conversations and links.
create function planned_posts(ids text[]) returns setof json
language sql stable as $$
  select json_build_object('row', to_json(outbox), 'conversation', to_json(conversation), 'link', to_json(message_link))
  from outbox left join conversation on conversation.id = conversation_id
    left join message_link on message_link.id = link_id
  where outbox.id = any(ids)
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Notifications, questions and reminders

-- Who set a field of a ticket: nobody is notified of their own changes (B43).
create table ticket_change (
  ticket_id text not null,
  field text not null,
  -- As JSON.
  value text not null,
  -- Made in chat, and recorded before it is written; otherwise from the service's event.
  in_chat boolean not null,
  user_id text,
  at timestamptz(3) not null,
  primary key (ticket_id, field, value, in_chat)
);
create index ticket_change_at on ticket_change (at);

-- The state of a ticket that people were last notified of: the next change is compared with it (B43).
create table notification_state (
  ticket_id text primary key,
  seen json not null,
  -- The service's updatedAt up to which its messages were checked.
  messages_until timestamptz(3),
  -- When the last check began, by the database's clock: it covers what was scheduled before.
  checked_at timestamptz(3) not null
);
-- Ticket messages that people were notified of, or did not need to be: an edit is no news.
create table notified_message (
  ticket_message_id text primary key,
  notified_at timestamptz(3) not null
);
create index notified_message_at on notified_message (notified_at);

-- The notifications that a user wants; no row: the default.
create table notification_preference (
  team_id text not null,
  chat_user_id text not null,
  level text not null check (level in ('all', 'mine', 'none')),
  primary key (team_id, chat_user_id)
);

-- A question to one user in direct messages, redrawn in place when its content changes (B39, B40).
create table question (
  kind text not null check (kind in ('approval', 'survey')),
  ticket_id text not null,
  user_id text not null,
  team_id text not null,
  channel_id text not null,
  -- Null while the post is on its way.
  ts text,
  -- A digest of its content.
  shown text,
  asked_at timestamptz(3) not null,
  -- Of a survey: the answer, and when it was first given.
  score integer check (score between 1 and 5),
  feedback text,
  answered_at timestamptz(3),
  primary key (kind, ticket_id, user_id)
);
-- One survey for each ticket, even if its requester changes (B40).
create unique index question_survey_once on question (ticket_id) where kind = 'survey';

-- Who knows that messages in this thread are for the team only (B15).
create table note_hint (
  conversation_id text not null references conversation on delete cascade,
  chat_user_id text not null,
  primary key (conversation_id, chat_user_id)
);

-- When a ticket's team is to be reminded of it, and why: each once, even across restarts.
create table reminder (
  ticket_id text not null,
  kind text not null,
  at timestamptz(3) not null,
  -- When it was sent, or turned out to be unnecessary.
  sent_at timestamptz(3),
  primary key (ticket_id, kind, at)
);
create index reminder_open on reminder (at) where sent_at is null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Forms, Home and observed channels

-- A form that a user has submitted: kept until it is a ticket (B37).
create table form_draft (
  id text primary key,
  team_id text not null,
  chat_user_id text not null,
  -- Where it was opened.
  context json not null,
  -- By block id.
  filled json not null,
  -- The modal in which it was submitted.
  submitted_view text not null unique,
  -- The user knows that it is kept until the service answers again: notified once, and again when it is a ticket.
  delay_notified boolean not null default false,
  updated_at timestamptz(3) not null
);

-- The Home tabs that users have opened (B38): only these are redrawn when something changes.
create table home (
  team_id text not null,
  chat_user_id text not null,
  -- What the user looks at.
  part text not null default 'all',
  page integer not null default 1,
  -- An error, shown once.
  notice text,
  -- The tickets it shows; null until it was drawn.
  tickets text[],
  digest text,
  opened_at timestamptz(3) not null,
  primary key (team_id, chat_user_id)
);

-- Channels that are only observed: nothing is written there, and nothing for them at the service (B56).
create table observed_channel (
  team_id text not null,
  channel_id text not null,
  queue_id text not null,
  workspace_id text not null,
  requested_by text not null,
  since timestamptz(3) not null,
  primary key (team_id, channel_id)
);

-- The tickets that would have been opened there, by the first message of their thread.
create table observed_ticket (
  team_id text not null,
  channel_id text not null,
  ts text not null,
  title text not null,
  -- Why it would have been opened: a rule and a few words.
  reason text not null,
  chat_user_id text not null,
  seen_at timestamptz(3) not null,
  primary key (team_id, channel_id, ts)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- The bridge itself

create table setting (
  key text primary key,
  value json not null
);

-- How far each of reconciliation's reads has come.
create table cursor (
  key text primary key,
  position timestamptz(3) not null
);
