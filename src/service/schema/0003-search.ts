import type { Migration } from '../../platform/database/migrate.ts';

// What tickets say, kept by triggers: whoever writes a ticket or a message, by whatever way, also writes its index, in
// the same transaction. The texts taken in are bounded (newest messages first), because a tsvector that grows past
// 1 MB is refused by Postgres, and with it the write that caused it.
export const search: Migration = {
  name: '0003-search',
  sql: `
create extension if not exists pg_trgm with schema public;

create table search_setting (
  only_row boolean primary key default true check (only_row),
  -- A text search configuration; not regconfig, which pg_upgrade refuses in tables.
  language text not null,
  -- What every row of the index is in; another one while it is being made anew.
  indexed_language text,
  -- Those who make vectors; each ticket that changes is noted for all of them.
  providers text[] not null default '{}'
);
insert into search_setting (language, indexed_language)
  select 'english', case when exists (select 1 from ticket) then null else 'english' end;

create table ticket_search (
  workspace_id text not null,
  ticket_id text not null,
  created_at timestamptz(3) not null,
  -- Whether lists show it: published and not archived.
  listed boolean not null,
  title text not null,
  -- Title (A), description (B), public messages (C).
  document tsvector not null,
  -- Private messages (D), apart: not everybody may find a ticket by them.
  notes tsvector not null,
  -- Characters of messages taken in so far.
  characters integer not null,
  primary key (workspace_id, ticket_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index ticket_search_document on ticket_search using gin (document);
create index ticket_search_notes on ticket_search using gin (notes);
create index ticket_search_title on ticket_search using gin (title gin_trgm_ops);
create index ticket_search_newest on ticket_search (workspace_id, created_at desc) where listed;

-- Tickets whose vector is to be made (again). A change while it is being made raises the revision, and the row stays.
create table embedding_due (
  provider text not null,
  workspace_id text not null,
  ticket_id text not null,
  revision integer not null default 0,
  primary key (provider, workspace_id, ticket_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);

create table ticket_embedding (
  provider text not null,
  workspace_id text not null,
  ticket_id text not null,
  -- Of the model and the text: where it is the same, nothing is asked of the provider.
  content_hash bytea not null,
  -- One signed byte per dimension.
  vector bytea not null,
  stored_at timestamptz not null,
  primary key (provider, workspace_id, ticket_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index ticket_embedding_stored on ticket_embedding (provider, workspace_id, stored_at);

create function note_embedding_due(of_workspace text, of_ticket text) returns void
language sql set search_path from current as $$
  insert into embedding_due (provider, workspace_id, ticket_id)
    select provider, of_workspace, of_ticket from search_setting, unnest(providers) as provider order by provider
    on conflict (provider, workspace_id, ticket_id) do update set revision = embedding_due.revision + 1
$$;

create function index_ticket(of_workspace text, of_ticket text) returns void
language plpgsql set search_path from current as $$
declare
  words regconfig := (select language from search_setting)::regconfig;
begin
  insert into ticket_search (workspace_id, ticket_id, created_at, listed, title, document, notes, characters)
  select t.workspace_id, t.id, t.created_at, t.published and t.archived_at is null, coalesce(t.title, ''),
    setweight(to_tsvector(words, coalesce(t.title, '')), 'A')
      || setweight(to_tsvector(words, left(coalesce(t.description, ''), 20000)), 'B')
      || setweight(to_tsvector(words, coalesce(m.said, '')), 'C'),
    setweight(to_tsvector(words, coalesce(m.noted, '')), 'D'),
    length(coalesce(m.said, '')) + length(coalesce(m.noted, ''))
  from ticket t
  left join lateral (
    select left(string_agg(x.content, ' ' order by x.created_at desc) filter (where not x.private), 80000) as said,
      left(string_agg(x.content, ' ' order by x.created_at desc) filter (where x.private), 80000) as noted
    from (select left(content, 20000) as content, private, created_at from ticket_message
      where workspace_id = of_workspace and ticket_id = of_ticket and deleted_at is null
      order by created_at desc limit 200) x
  ) m on true
  where t.workspace_id = of_workspace and t.id = of_ticket
  on conflict (workspace_id, ticket_id) do update set
    created_at = excluded.created_at, listed = excluded.listed, title = excluded.title, document = excluded.document,
    notes = excluded.notes, characters = excluded.characters;
exception when program_limit_exceeded then
  -- A text that cannot be indexed is no reason to refuse it.
  null;
end $$;

create function index_written_ticket() returns trigger language plpgsql set search_path from current as $$
begin
  perform index_ticket(new.workspace_id, new.id);
  if tg_op = 'INSERT' or (old.title, old.description) is distinct from (new.title, new.description) then
    perform note_embedding_due(new.workspace_id, new.id);
  end if;
  return null;
end $$;
create trigger index_ticket_insert after insert on ticket for each row execute function index_written_ticket();
create trigger index_ticket_update after update of title, description, published, archived_at on ticket for each row
  when ((old.title, old.description, old.published, old.archived_at)
    is distinct from (new.title, new.description, new.published, new.archived_at))
  execute function index_written_ticket();

create function index_written_message() returns trigger language plpgsql set search_path from current as $$
declare
  words regconfig := (select language from search_setting)::regconfig;
  written ticket_message;
  appended boolean := false;
begin
  if tg_op = 'DELETE' then written := old; else written := new; end if;
  -- A reply, the usual case, is added to what there is; reading a long conversation again for each would cost more with each.
  if tg_op = 'INSERT' then
    begin
      update ticket_search set
        document = case when new.private then document
          else document || setweight(to_tsvector(words, left(new.content, 20000)), 'C') end,
        notes = case when new.private then notes || setweight(to_tsvector(words, left(new.content, 20000)), 'D')
          else notes end,
        characters = characters + least(length(new.content), 20000)
      where workspace_id = new.workspace_id and ticket_id = new.ticket_id and characters < 80000;
      appended := found;
    exception when program_limit_exceeded then
      null;
    end;
  end if;
  if not appended then
    perform index_ticket(written.workspace_id, written.ticket_id);
  end if;
  if not written.private then
    perform note_embedding_due(t.workspace_id, t.id) from ticket t
      where t.workspace_id = written.workspace_id and t.id = written.ticket_id;
  end if;
  return null;
end $$;
create trigger index_message_insert after insert on ticket_message for each row execute function index_written_message();
create trigger index_message_update after update of content, private, deleted_at on ticket_message for each row
  when ((old.content, old.private, old.deleted_at) is distinct from (new.content, new.private, new.deleted_at))
  execute function index_written_message();
create trigger index_message_delete after delete on ticket_message for each row execute function index_written_message();

-- Titles that bear words much like these. The threshold is lower than the extension's own (0.6), which takes a swapped
-- pair of letters in a short word for another word; it is set for this function alone.
create function titles_like(of_workspaces text[], of_words text[], most integer)
returns table (workspace_id text, ticket_id text, likeness real)
language sql stable set search_path from current set pg_trgm.word_similarity_threshold = 0.3 as $$
  select s.workspace_id, s.ticket_id, sum(word_similarity(word, s.title)) as likeness
  from unnest(of_words) as word join ticket_search s on word <% s.title
  where s.workspace_id = any(of_workspaces) and s.listed
  group by s.workspace_id, s.ticket_id
  order by likeness desc, s.ticket_id desc
  limit most
$$;
`,
};
