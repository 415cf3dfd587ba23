import type { Migration } from '../../platform/database/migrate.ts';

export const answers: Migration = {
  name: '0006-answers',
  sql: `
-- What automated agents made of each question, written with the answer itself: a question is answered once, whatever
-- is killed meanwhile.
create table agent_answer (
  workspace_id text not null,
  ticket_id text not null,
  -- The message that asked, or the ticket itself.
  question_id text not null,
  agent_id text,
  outcome text not null check (outcome in ('answered', 'silent', 'handed-over', 'no-answer')),
  reason text not null,
  ticket_message_id text,
  created_at timestamptz(3) not null,
  primary key (workspace_id, ticket_id, question_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index agent_answer_message on agent_answer (workspace_id, ticket_message_id) where ticket_message_id is not null;

-- What documents say, in the language of the search; agents look their answers up in it.
alter table knowledge_base_document add column words tsvector not null default '';
create function index_document() returns trigger language plpgsql set search_path from current as $$
declare
  words regconfig := (select language from search_setting)::regconfig;
begin
  new.words := setweight(to_tsvector(words, new.title), 'A')
    || setweight(to_tsvector(words, left(new.content, 80000)), 'B');
  return new;
exception when program_limit_exceeded then
  -- A text that cannot be indexed is no reason to refuse it.
  return new;
end $$;
create trigger index_document before insert or update of title, content on knowledge_base_document
  for each row execute function index_document();
update knowledge_base_document set title = title;
create index knowledge_base_document_words on knowledge_base_document using gin (words);
`,
};
