import type { Agent } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { afterNoHelp } from './feedback.ts';
import { findPassages, type Looked } from './passages.ts';
import type { Asked } from './provider.ts';
import type { Considered } from './situation.ts';

/** Returns the prompt context: the AI agent, the conversation's public messages, and relevant knowledge. */
export async function askedOf(
  db: ServiceDb,
  { ticket, agent, settings, said, text }: Considered & { agent: Agent },
  found: Pick<Looked, 'publicUrl' | 'meaning'>,
): Promise<Asked> {
  const { name } = await db
    .selectFrom('workspace')
    .select('name')
    .where('id', '=', ticket.workspace_id)
    .executeTakeFirstOrThrow();
  return {
    agent: { name: agent.name, description: agent.description, personality: agent.personality },
    workspace: name,
    ticket: { title: ticket.title, description: ticket.description },
    conversation: said.map(({ source, content }) => ({
      by: source === 'AGENT' ? 'agent' : 'requester',
      text: content,
    })),
    passages: await findPassages(db, { agent, ticket, text, ...found }),
    isFirst: !said.some(({ source }) => source === 'AGENT'),
    handsOver: afterNoHelp(agent, settings).handsOver,
  };
}
