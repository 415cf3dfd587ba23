-- Which Slack workspaces are trusted, and by which accounts people signed in.

-- A Slack workspace (T…) that a bridge serves, or an organisation (E…), for the whole service. Anybody may have one and
-- give its people any e-mail address: the people of one that is not trusted are guests of their own.
create table chat_team (
  id text primary key,
  name text,
  -- The organisation that a workspace belongs to; its trust covers the workspace.
  organisation_id text,
  trusted boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
-- The app was installed there before this step.
insert into chat_team (id, name, organisation_id, trusted, created_at, updated_at)
select distinct on (team_id) team_id, team_name, enterprise_id, true, created_at, updated_at
from chat_app where team_id is not null order by team_id, created_at;

alter table identity add column id text;
update identity set id = 'idn_' || md5(issuer || ' ' || subject);
alter table identity alter column id set default 'idn_' || replace(gen_random_uuid()::text, '-', '');
alter table identity alter column id set not null;
create unique index identity_id on identity (workspace_id, id);
-- The Slack workspace of the account, if it is one of Slack.
alter table identity add column team_id text;
-- The account with which the person signed in; null: by a link, or before this step.
alter table session add column identity_id text;
