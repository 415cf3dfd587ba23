-- When a message came to its ticket, by the stamps of that; never changed. One of chat stands on its ticket at the time
-- at which it was sent (created_at), which may be long before. Null: it came before there was this column.
alter table ticket_message add column stored_at timestamptz(3);
