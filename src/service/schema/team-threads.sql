-- What the team's threads in a triage channel show of their tickets; channels linked before keep what they have.

alter table chat_channel add column team_thread text not null default 'everything'
  check (team_thread in ('everything', 'answers', 'notes'));
update chat_channel set team_thread = 'notes' where type = 'TRIAGE';
