-- When a thread is compared once more: a message without an event was too young, because its event might have been
-- under way.
alter table conversation add column check_again_at timestamptz(3);
create index conversation_check_again on conversation (check_again_at) where check_again_at is not null;
