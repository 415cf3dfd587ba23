-- Programs that people connect by OAuth, and what people allowed them.

-- A program that registered itself; its name is what it says of itself.
create table oauth_client (
  id text primary key,
  name text not null,
  redirect_uris text[] not null,
  created_at timestamptz(3) not null,
  -- When somebody first allowed it something; until then it is forgotten after a day.
  used_at timestamptz(3)
);
create index oauth_client_unused on oauth_client (created_at) where used_at is null;

-- A person allowed a program to act as them. Of codes and tokens only the digests are stored.
create table oauth_grant (
  workspace_id text not null,
  id text not null,
  person_id text not null,
  client_id text not null references oauth_client on delete cascade,
  scopes text[] not null,
  -- The code that is exchanged once for the first tokens.
  code_hash bytea not null unique,
  code_until timestamptz(3) not null,
  code_used_at timestamptz(3),
  code_challenge text not null,
  redirect_uri text not null,
  access_hash bytea unique,
  access_until timestamptz(3),
  refresh_hash bytea unique,
  -- The one before: whoever sends it has it from somebody else, or lost the answer.
  previous_refresh_hash bytea unique,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  expires_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, person_id) references person on delete cascade
);
create index oauth_grant_person on oauth_grant (workspace_id, person_id);
create index oauth_grant_client on oauth_grant (client_id);
create index oauth_grant_expires on oauth_grant (expires_at);
