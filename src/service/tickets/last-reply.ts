import { sql } from 'kysely';

import { jsonInstant } from '../instants.ts';

/** The AI agent that wrote a message `m`. */
export const writingAgent = sql`(
    select json_build_object('id', g.id, 'name', g.name, 'imageUrl', g.image_url)
    from ai_agent g where g.workspace_id = m.workspace_id and g.id = m.ai_agent_id)`;

/** The workflow that wrote a message `m`. */
export const writingWorkflow = sql`(
    select json_build_object('id', w.id, 'name', w.name)
    from workflow w where w.workspace_id = m.workspace_id and w.id = m.workflow_id)`;

/** The message of a row `m`, with so many characters of its Markdown, in the record of its ticket. */
export const lastReplyJson = (characters: number) => sql`json_build_object(
  'id', m.id, 'authorId', m.author_id, 'agent', ${writingAgent}, 'workflow', ${writingWorkflow}, 'source', m.source,
  'excerpt', left(m.content, ${sql.lit(characters)}), 'createdAt', ${jsonInstant('m.created_at')})`;
