-- The app was installed there before the operator kept a list of trusted Slack workspaces: it is on that list.
alter table workspace add column former boolean not null default false;
update workspace set former = true;
