-- ---------------------------------------------------------------------------------------------------------------------
-- The index of words is written in TypeScript (search/index-words.ts), which can read Markdown. Triggers only mark what
-- has to be indexed: no writer can forget it. The transaction that wrote it indexes it before it ends; what a transaction
-- left, a loop indexes soon after (search/indexing.ts).

drop trigger index_ticket_insert on ticket;
drop trigger index_ticket_update on ticket;
drop trigger index_message_insert on ticket_message;
drop trigger index_message_update on ticket_message;
drop trigger index_message_delete on ticket_message;
drop trigger index_message_words_insert on ticket_message;
drop trigger index_message_words_update on ticket_message;
drop trigger index_renamed_person on person;
drop trigger index_document on knowledge_base_document;
drop function index_written_ticket();
drop function index_written_message();
drop function index_message_words();
drop function index_renamed_person();
drop function index_document();
drop function index_ticket(text, text);
drop function store_words(text, text);

-- What is there is indexed again in the background, and again whenever a newer version reads words in another way.
alter table search_setting add column reader_version integer not null default 0;
update search_setting set indexed_language = null where exists (select from ticket);

alter table ticket_search
  drop column document,
  drop column notes,
  drop column characters;
-- The stems of the title, for the share of it that was searched for; ticket_word finds tickets by it.
drop index ticket_search_title_words;
-- The title without case and in one spelling of accents, to find an exact title.
update ticket_search set title = lower(title);
drop index ticket_search_exact_title;
create index ticket_search_exact_title on ticket_search using hash (title);

-- The words of a ticket: one row for each of its texts, and one for each message. A text of more words than a row can hold
-- has several.
create table ticket_word (
  workspace_id text not null,
  ticket_id text not null,
  -- Empty for the texts of the ticket itself.
  message_id text not null default '',
  -- 'text' is the description, people, references, file names and public custom fields. A 'note' (a private message, private
  -- custom fields) is searched only for who may read it.
  field text not null check (field in ('title', 'text', 'message', 'note')),
  part integer not null default 0,
  -- When the ticket was created.
  ticket_at timestamptz(3) not null,
  words tsvector not null,
  primary key (workspace_id, ticket_id, message_id, field, part),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index ticket_word_words on ticket_word using gin (words) with (gin_pending_list_limit = 256);
-- Small, and its matches rank first.
create index ticket_word_title on ticket_word using gin (words) with (gin_pending_list_limit = 256) where field = 'title';
create index ticket_word_newest on ticket_word (workspace_id, ticket_at desc);

-- What has to be indexed, and the transaction that marked it.
create table search_mark (
  workspace_id text not null,
  ticket_id text not null,
  -- Empty for the ticket's own texts.
  message_id text not null,
  transaction_id bigint not null default (pg_current_xact_id()::text::bigint)
);
create index search_mark_transaction on search_mark (transaction_id);

create function mark_ticket() returns trigger language plpgsql set search_path from current as $$
begin
  insert into search_mark (workspace_id, ticket_id, message_id) values (new.workspace_id, new.id, '');
  return null;
end $$;
create trigger mark_ticket_insert after insert on ticket for each row execute function mark_ticket();
create trigger mark_ticket_update
  after update of title, description, published, archived_at, private, requester_id, assignee_id, author_id,
    request_type_id, custom_fields, created_at
  on ticket for each row when (
    (old.title, old.description, old.published, old.archived_at, old.private, old.requester_id, old.assignee_id,
      old.author_id, old.request_type_id, old.custom_fields, old.created_at)
    is distinct from (new.title, new.description, new.published, new.archived_at, new.private, new.requester_id,
      new.assignee_id, new.author_id, new.request_type_id, new.custom_fields, new.created_at))
  execute function mark_ticket();

-- The references of a ticket; their lexemes name the queue, not its prefix, which may change.
create function mark_reference() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op <> 'INSERT' then
    insert into search_mark (workspace_id, ticket_id, message_id) values (old.workspace_id, old.ticket_id, '');
  end if;
  if tg_op <> 'DELETE' then
    insert into search_mark (workspace_id, ticket_id, message_id) values (new.workspace_id, new.ticket_id, '');
  end if;
  return null;
end $$;
create trigger mark_reference after insert or update or delete on ticket_reference
  for each row execute function mark_reference();

create function mark_message() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op <> 'INSERT' then
    insert into search_mark (workspace_id, ticket_id, message_id) values (old.workspace_id, old.ticket_id, old.id);
  end if;
  if tg_op = 'INSERT' or tg_op = 'UPDATE' and new.ticket_id <> old.ticket_id then
    insert into search_mark (workspace_id, ticket_id, message_id) values (new.workspace_id, new.ticket_id, new.id);
  end if;
  return null;
end $$;
create trigger mark_message_insert_delete after insert or delete on ticket_message
  for each row execute function mark_message();
create trigger mark_message_update after update of content, private, deleted_at, ticket_id on ticket_message for each row
  when ((old.content, old.private, old.deleted_at, old.ticket_id)
    is distinct from (new.content, new.private, new.deleted_at, new.ticket_id))
  execute function mark_message();

-- A file's name is found like the words of its message or ticket.
create function mark_file() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op <> 'INSERT' and old.attached_at is not null then
    insert into search_mark (workspace_id, ticket_id, message_id)
      values (old.workspace_id, old.ticket_id, coalesce(old.ticket_message_id, ''));
  end if;
  if tg_op <> 'DELETE' and new.attached_at is not null then
    insert into search_mark (workspace_id, ticket_id, message_id)
      values (new.workspace_id, new.ticket_id, coalesce(new.ticket_message_id, ''));
  end if;
  return null;
end $$;
create trigger mark_file_insert_delete after insert or delete on file for each row execute function mark_file();
create trigger mark_file_update after update of ticket_id, ticket_message_id, attached_at, name on file for each row
  when ((old.ticket_id, old.ticket_message_id, old.attached_at, old.name)
    is distinct from (new.ticket_id, new.ticket_message_id, new.attached_at, new.name))
  execute function mark_file();

-- Marks the tickets that have a value in a custom field of one of these types; most workspaces have no such field, and
-- then no ticket is read.
create function mark_value(of_workspace text, value text, types text[]) returns void
language sql set search_path from current as $$
  insert into search_mark (workspace_id, ticket_id, message_id)
    select t.workspace_id, t.id, '' from ticket t
    where t.workspace_id = of_workspace and t.custom_fields <> '{}'
      and exists (select from custom_field f where f.workspace_id = of_workspace and f.type = any(types))
      and jsonb_path_exists(t.custom_fields, '$.* ? (@ == $value)', jsonb_build_object('value', value))
$$;

create function mark_tickets_of_person() returns trigger language plpgsql set search_path from current as $$
begin
  insert into search_mark (workspace_id, ticket_id, message_id)
    select workspace_id, id, '' from ticket where workspace_id = new.workspace_id and requester_id = new.id
    union select workspace_id, id, '' from ticket where workspace_id = new.workspace_id and assignee_id = new.id
    union select workspace_id, id, '' from ticket where workspace_id = new.workspace_id and author_id = new.id
      and author_id is distinct from requester_id;
  perform mark_value(new.workspace_id, new.id, array['USER_SELECT', 'USER_MULTI_SELECT']);
  return null;
end $$;
create trigger mark_tickets_of_person after update of first_name, last_name, email on person for each row
  when ((old.first_name, old.last_name, old.email) is distinct from (new.first_name, new.last_name, new.email))
  execute function mark_tickets_of_person();

create function mark_tickets_of_tag() returns trigger language plpgsql set search_path from current as $$
begin
  perform mark_value(old.workspace_id, old.id, array['TAG_SELECT']);
  return null;
end $$;
create trigger mark_tickets_of_tag after update of name or delete on tag for each row
  execute function mark_tickets_of_tag();

create function mark_tickets_of_status() returns trigger language plpgsql set search_path from current as $$
begin
  perform mark_value(old.workspace_id, old.id, array['STATUS_SELECT']);
  return null;
end $$;
create trigger mark_tickets_of_status after update of label or delete on status for each row
  execute function mark_tickets_of_status();

create function mark_tickets_of_option() returns trigger language plpgsql set search_path from current as $$
begin
  perform mark_value(old.workspace_id, old.id, array['SELECT', 'MULTI_SELECT']);
  return null;
end $$;
create trigger mark_tickets_of_option after update of value or delete on custom_field_option for each row
  execute function mark_tickets_of_option();

-- Whether a field is private decides who finds a ticket by its value.
create function mark_tickets_of_form() returns trigger language plpgsql set search_path from current as $$
declare
  changed request_type_custom_field := case when tg_op = 'DELETE' then old else new end;
  key text := (select f.key from custom_field f
    where f.workspace_id = changed.workspace_id and f.id = changed.custom_field_id);
begin
  -- A private field is private on tickets of other types too, where these do not have it.
  insert into search_mark (workspace_id, ticket_id, message_id)
    select t.workspace_id, t.id, '' from ticket t
    where t.workspace_id = changed.workspace_id and t.request_type_id = changed.request_type_id and t.custom_fields ? key;
  if changed.private or tg_op = 'UPDATE' then
    insert into search_mark (workspace_id, ticket_id, message_id)
      select t.workspace_id, t.id, '' from ticket t
      where t.workspace_id = changed.workspace_id and t.request_type_id is distinct from changed.request_type_id
        and t.custom_fields <> '{}' and t.custom_fields ? key;
  end if;
  return null;
end $$;
create trigger mark_tickets_of_form_insert_delete after insert or delete on request_type_custom_field
  for each row execute function mark_tickets_of_form();
create trigger mark_tickets_of_form_update after update of private, custom_field_id on request_type_custom_field
  for each row when ((old.private, old.custom_field_id) is distinct from (new.private, new.custom_field_id))
  execute function mark_tickets_of_form();

create function mark_tickets_of_field() returns trigger language plpgsql set search_path from current as $$
begin
  insert into search_mark (workspace_id, ticket_id, message_id)
    select t.workspace_id, t.id, '' from ticket t
    where t.workspace_id = old.workspace_id and t.custom_fields <> '{}' and t.custom_fields ? old.key;
  return null;
end $$;
create trigger mark_tickets_of_field_delete after delete on custom_field
  for each row execute function mark_tickets_of_field();
create trigger mark_tickets_of_field_update after update of key, type on custom_field for each row
  when ((old.key, old.type) is distinct from (new.key, new.type)) execute function mark_tickets_of_field();

-- A document without words has to be indexed.
alter table knowledge_base_document alter column words drop not null, alter column words drop default;
update knowledge_base_document set words = null;
create index knowledge_base_document_unread on knowledge_base_document (workspace_id, id) where words is null;
create function mark_document() returns trigger language plpgsql set search_path from current as $$
begin
  new.words := null;
  return new;
end $$;
create trigger mark_document before update of title, content on knowledge_base_document
  for each row when ((old.title, old.content) is distinct from (new.title, new.content)) execute function mark_document();

-- Vectors are made of public texts; they follow soon after a write.
create function schedule_written_ticket() returns trigger language plpgsql set search_path from current as $$
begin
  perform schedule_embedding(new.workspace_id, new.id);
  return null;
end $$;
create trigger schedule_ticket_insert after insert on ticket for each row execute function schedule_written_ticket();
create trigger schedule_ticket_update after update of title, description on ticket for each row
  when ((old.title, old.description) is distinct from (new.title, new.description))
  execute function schedule_written_ticket();

create function schedule_written_message() returns trigger language plpgsql set search_path from current as $$
declare
  written ticket_message := case when tg_op = 'DELETE' then old else new end;
begin
  if not written.private then
    perform schedule_embedding(t.workspace_id, t.id) from ticket t
      where t.workspace_id = written.workspace_id and t.id = written.ticket_id;
  end if;
  return null;
end $$;
create trigger schedule_message_insert after insert or delete on ticket_message
  for each row execute function schedule_written_message();
create trigger schedule_message_update after update of content, private, deleted_at on ticket_message for each row
  when ((old.content, old.private, old.deleted_at) is distinct from (new.content, new.private, new.deleted_at))
  execute function schedule_written_message();
