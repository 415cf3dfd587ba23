-- Which AI agent wrote a message: it has no author.
alter table ticket_message add column ai_agent_id text;
update ticket_message m set ai_agent_id = t.assigned_ai_agent
  from ticket t
  where m.source = 'AGENT' and m.author_id is null and t.workspace_id = m.workspace_id and t.id = m.ticket_id;
update ticket_message m set ai_agent_id = a.ai_agent_id
  from ai_answer a
  where a.workspace_id = m.workspace_id and a.ticket_message_id = m.id and a.ai_agent_id is not null;
