import type { Migration } from '../../platform/database/migrate.ts';

// A search looks through everything that is written on a ticket and the names of its people, and knows every word that
// was ever written, so that a typing error finds what it meant wherever that stands (docs/api.md, Search).
export const searchEverything: Migration = {
  name: '0017-search-everything',
  sql: `
-- Made anew in the background, as after a change of language.
truncate ticket_search;
update search_setting set indexed_language = null where exists (select 1 from ticket);

-- A word as it is written, in lower case. Never removed, and a word that two transactions write at the same moment is in
-- it twice, so that no write waits for another one or fails because of it; a search takes each once.
create table search_word (
  workspace_id text not null references workspace on delete cascade,
  word text not null
);
create index search_word_known on search_word (workspace_id, word);
create index search_word_like on search_word using gin (word gin_trgm_ops) with (gin_pending_list_limit = 256);

-- The subselect is limited so that each word is looked up in the index: planned as a join, all words were read each time.
create function note_words(of_workspace text, written text) returns void
language sql set search_path from current as $$
  insert into search_word (workspace_id, word)
    select of_workspace, lexeme from unnest(to_tsvector('simple', left(written, 20000)))
    where length(lexeme) between 3 and 30 and lexeme ~ '^[[:alpha:]]+$'
      and (select 1 from search_word w where w.workspace_id = of_workspace and w.word = lexeme limit 1) is null
$$;

drop function words_like(text, text[], integer);
drop function note_title_words(text, text);
drop table title_word;

-- Words much like one; the edit distance decides among them. The threshold is lower than the extension's own (0.3),
-- which takes a wrong letter in a short word for another word; it is set for this function alone.
create function words_like(asked text, of_workspaces text[], most integer) returns table (word text)
language sql stable set search_path from current set pg_trgm.similarity_threshold = 0.25 as $$
  select w.word from search_word w
  where w.word % asked and w.workspace_id = any(of_workspaces)
  group by w.word order by similarity(asked, w.word) desc, w.word
  limit most
$$;

create or replace function index_ticket(of_workspace text, of_ticket text) returns void
language plpgsql set search_path from current as $$
declare
  words regconfig := (select language from search_setting)::regconfig;
begin
  insert into ticket_search (workspace_id, ticket_id, created_at, listed, private, title, title_words, document, notes,
    characters)
  select t.workspace_id, t.id, t.created_at, t.published and t.archived_at is null, t.private, coalesce(t.title, ''),
    to_tsvector(words, coalesce(t.title, '')),
    setweight(to_tsvector(words, coalesce(t.title, '')), 'A')
      || setweight(to_tsvector(words, left(coalesce(t.description, ''), 20000)), 'B')
      || setweight(to_tsvector(words, coalesce(p.names, '')), 'B')
      || setweight(to_tsvector(words, coalesce(m.said, '')), 'C')
      || array_to_tsvector(array[lower(q.prefix || '-' || t.number)]),
    setweight(to_tsvector(words, coalesce(m.noted, '')), 'D'),
    length(coalesce(m.said, '')) + length(coalesce(m.noted, ''))
  from ticket t
  join queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id
  left join lateral (
    select string_agg(concat_ws(' ', first_name, last_name), ' ') as names from person
    where workspace_id = of_workspace and id in (t.requester_id, t.assignee_id, t.author_id)
  ) p on true
  left join lateral (
    select left(string_agg(x.content, ' ' order by x.created_at desc) filter (where not x.private), 80000) as said,
      left(string_agg(x.content, ' ' order by x.created_at desc) filter (where x.private), 80000) as noted
    from (select left(content, 20000) as content, private, created_at from ticket_message
      where workspace_id = of_workspace and ticket_id = of_ticket and deleted_at is null
      order by created_at desc limit 200) x
  ) m on true
  where t.workspace_id = of_workspace and t.id = of_ticket
  on conflict (workspace_id, ticket_id) do update set
    created_at = excluded.created_at, listed = excluded.listed, private = excluded.private, title = excluded.title,
    title_words = excluded.title_words, document = excluded.document, notes = excluded.notes,
    characters = excluded.characters;
  perform note_words(t.workspace_id, concat_ws(' ', t.title, t.description, (
      select string_agg(concat_ws(' ', first_name, last_name), ' ') from person
      where workspace_id = of_workspace and id in (t.requester_id, t.assignee_id, t.author_id)), (
      select string_agg(left(content, 20000), ' ') from ticket_message x
      where x.workspace_id = of_workspace and x.ticket_id = of_ticket and not x.private and x.deleted_at is null)))
    from ticket t where t.workspace_id = of_workspace and t.id = of_ticket;
exception when program_limit_exceeded then
  -- A text that cannot be indexed is no reason to refuse it. Who may find the ticket is settled all the same.
  update ticket_search s set listed = t.published and t.archived_at is null, private = t.private
    from ticket t where t.workspace_id = of_workspace and t.id = of_ticket
      and s.workspace_id = t.workspace_id and s.ticket_id = t.id;
end $$;

create function index_message_words() returns trigger language plpgsql set search_path from current as $$
begin
  perform note_words(new.workspace_id, new.content);
  return null;
end $$;
create trigger index_message_words_insert after insert on ticket_message
  for each row when (not new.private) execute function index_message_words();
create trigger index_message_words_update after update of content, private on ticket_message
  for each row when (not new.private and (old.content, old.private) is distinct from (new.content, new.private))
  execute function index_message_words();

drop trigger index_ticket_update on ticket;
create trigger index_ticket_update
  after update of title, description, published, archived_at, private, requester_id, assignee_id, author_id, queue_id, number
  on ticket for each row when (
    (old.title, old.description, old.published, old.archived_at, old.private, old.requester_id, old.assignee_id,
      old.author_id, old.queue_id, old.number)
    is distinct from (new.title, new.description, new.published, new.archived_at, new.private, new.requester_id,
      new.assignee_id, new.author_id, new.queue_id, new.number))
  execute function index_written_ticket();

-- Somebody's new name is found on their newest tickets at once; on others, when these change.
create function index_renamed_person() returns trigger language plpgsql set search_path from current as $$
begin
  perform index_ticket(t.workspace_id, t.id) from (
    select workspace_id, id from ticket
    where workspace_id = new.workspace_id and new.id in (requester_id, assignee_id)
    order by created_at desc limit 200) t;
  return null;
end $$;
create trigger index_renamed_person after update of first_name, last_name on person for each row
  when ((old.first_name, old.last_name) is distinct from (new.first_name, new.last_name))
  execute function index_renamed_person();
`,
};
