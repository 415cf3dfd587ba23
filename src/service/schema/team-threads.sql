-- What the team's threads in a triage channel show of their tickets; notes, unless somebody chooses more.

alter table chat_channel add column team_thread text not null default 'notes'
  check (team_thread in ('everything', 'answers', 'notes'));
