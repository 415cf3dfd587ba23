import type { Answer } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import { type Face, faceOf } from '../slack/face.ts';
import { userName } from '../people/user-name.ts';
import { readTicket } from '../tickets/find-ticket.ts';
import type { TicketMessage } from './ticket-messages.ts';
import { workspaceOf } from '../tickets/workspace-of.ts';

/** Returns the sender identity of a ticket message in chat; undefined if the record has no author (B13, B42). */
export async function authorFace(bridge: Bridge, message: TicketMessage): Promise<Face | undefined> {
  const agent = message.source === 'AGENT' ? await agentOf(bridge, message) : undefined;
  if (agent) return faceOf(agent.name, agent.imageUrl, ':robot_face:');
  const { author, authorId } = message;
  if (!author) return undefined;
  const name = userName(author);
  if (!name) return undefined;
  return faceOf(name, author.image ?? (await pictureOf(bridge, authorId)), ':speech_balloon:');
}

/** Returns the AI agent that wrote a message: the one with the author's id, else the ticket's. */
async function agentOf(
  bridge: Bridge,
  { authorId, ticketId }: TicketMessage,
): Promise<Answer<'listAgents'>['items'][number] | undefined> {
  const ticket = await readTicket(bridge, ticketId);
  const ids = [authorId, ticket?.assignedAIAgent].filter((id) => id != null);
  if (!ticket || ids.length === 0) return undefined;
  const agents = new Map<string, Answer<'listAgents'>['items'][number]>();
  const query = { set: ids.join(','), workspaceId: workspaceOf(ticket) };
  for await (const agent of bridge.service.all('listAgents', { query })) agents.set(agent.id, agent);
  return ids.map((id) => agents.get(id)).find((agent) => agent !== undefined);
}

/** Returns a user's picture from Slack if the service has none. */
async function pictureOf({ database, bot }: Bridge, userId: string | null): Promise<string | null> {
  if (userId === null) return null;
  const row = await database.db
    .selectFrom('person')
    .select('image')
    .where('team_id', '=', bot.team)
    .where('user_id', '=', userId)
    .where('image', 'is not', null)
    .orderBy('read_at', 'desc')
    .executeTakeFirst();
  return row?.image ?? null;
}
