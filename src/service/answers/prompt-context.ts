import type { Agent } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { negativeFeedbackEffects } from './feedback.ts';
import { findPassages, type PassageQuery } from './passages.ts';
import type { PromptContext } from './provider.ts';
import type { QuestionContext } from './question-context.ts';

/** Returns the prompt context: the AI agent, the conversation's public messages, and relevant knowledge. */
export async function promptContextFor(
  db: ServiceDb,
  { ticket, agent, settings, conversation, text }: QuestionContext & { agent: Agent },
  found: Pick<PassageQuery, 'publicUrl' | 'meaning'>,
): Promise<PromptContext> {
  const { name } = await db
    .selectFrom('workspace')
    .select('name')
    .where('id', '=', ticket.workspace_id)
    .executeTakeFirstOrThrow();
  return {
    agent: { name: agent.name, description: agent.description, personality: agent.personality },
    workspace: name,
    ticket: { title: ticket.title, description: ticket.description },
    conversation: conversation.map(({ source, content }) => ({
      by: source === 'AGENT' ? 'agent' : 'requester',
      text: content,
    })),
    passages: await findPassages(db, { agent, ticket, text, ...found }),
    isFirst: !conversation.some(({ source }) => source === 'AGENT'),
    handsOver: negativeFeedbackEffects(agent, settings).handsOver,
  };
}
