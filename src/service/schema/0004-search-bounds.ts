import type { Migration } from '../../platform/database/migrate.ts';

// What keeps a search short however many tickets there are (docs/api.md, Search): titles apart from everything else, the
// words of titles for typing errors, and who may see a ticket beside its index.
export const searchBounds: Migration = {
  name: '0004-search-bounds',
  sql: `
-- Rewriting the index of 100,000 tickets takes longer than a step may: it is made anew in the background instead.
truncate ticket_search;
update search_setting set indexed_language = null where exists (select 1 from ticket);

alter table ticket_search
  -- Only its requester, author, assignee, approvers and followers may find it.
  add column private boolean not null default false,
  -- The title alone: its index is small, and what it finds comes first.
  add column title_words tsvector not null default '';

-- A word of a title as it is written, in lower case. Never removed, and a word that two transactions write at the same
-- moment is in it twice, so that no write waits for another one or fails because of it; a search takes each once.
create table title_word (
  workspace_id text not null references workspace on delete cascade,
  word text not null
);
create index title_word_known on title_word (workspace_id, word);

-- The subselect is limited so that each word is looked up in the index: planned as a join, all words were read each time.
create function note_title_words(of_workspace text, title text) returns void
language sql set search_path from current as $$
  insert into title_word (workspace_id, word)
    select of_workspace, lexeme from unnest(to_tsvector('simple', title))
    where length(lexeme) between 3 and 40 and lexeme !~ '^[-0-9.,:/]*$'
      and (select 1 from title_word w where w.workspace_id = of_workspace and w.word = lexeme limit 1) is null
$$;

create index title_word_like on title_word using gin (word gin_trgm_ops);
-- Words of titles much like one. The threshold is lower than the extension's own (0.6), which takes a swapped pair of
-- letters in a short word for another word; it is set for this function alone.
create function words_like(asked text, of_workspaces text[], most integer) returns table (word text)
language sql stable set search_path from current set pg_trgm.word_similarity_threshold = 0.25 as $$
  select w.word from title_word w
  where asked <% w.word and w.workspace_id = any(of_workspaces)
  group by w.word order by word_similarity(asked, w.word) + similarity(asked, w.word) desc, w.word
  limit most
$$;
create index ticket_search_title_words on ticket_search using gin (title_words);
-- A title of any length fits into a hash index.
create index ticket_search_exact_title on ticket_search using hash (lower(title));
drop function titles_like(text[], text[], integer);
drop index ticket_search_title;

-- What was written last waits in a list that every search reads from end to end; the usual 4 MB of it cost more than
-- the search.
alter index ticket_search_document set (gin_pending_list_limit = 256);
alter index ticket_search_notes set (gin_pending_list_limit = 256);
alter index ticket_search_title_words set (gin_pending_list_limit = 256);
alter index title_word_like set (gin_pending_list_limit = 256);

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
    created_at = excluded.created_at, listed = excluded.listed, private = excluded.private, title = excluded.title,
    title_words = excluded.title_words, document = excluded.document, notes = excluded.notes,
    characters = excluded.characters;
  perform note_title_words(t.workspace_id, t.title) from ticket t
    where t.workspace_id = of_workspace and t.id = of_ticket and t.title is not null;
exception when program_limit_exceeded then
  -- A text that cannot be indexed is no reason to refuse it. Who may find the ticket is settled all the same.
  update ticket_search s set listed = t.published and t.archived_at is null, private = t.private
    from ticket t where t.workspace_id = of_workspace and t.id = of_ticket
      and s.workspace_id = t.workspace_id and s.ticket_id = t.id;
end $$;

drop trigger index_ticket_update on ticket;
create trigger index_ticket_update after update of title, description, published, archived_at, private on ticket
  for each row when ((old.title, old.description, old.published, old.archived_at, old.private)
    is distinct from (new.title, new.description, new.published, new.archived_at, new.private))
  execute function index_written_ticket();
`,
};
