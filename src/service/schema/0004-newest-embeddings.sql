-- The newest tickets of all workspaces get their vectors first.
create index embedding_due_newest on embedding_due (provider, ticket_id);
