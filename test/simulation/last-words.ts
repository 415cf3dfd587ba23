import { inThread } from '../drills/harness/both-sides.ts';
import type { Conversation } from '../drills/harness/story.ts';
import { type Trouble, troubleOf } from './promises.ts';
import type { World } from './world.ts';

/** In which all requesters have their threads. */
const CHANNEL = 'it-help';

/** The conversations in which no other one goes on: a reply in such a one would bring the words of the others with it. */
export async function withoutMerged(
  { client: service }: Pick<World, 'client'>,
  conversations: readonly Conversation[],
): Promise<Conversation[]> {
  const followed = new Set<Conversation | undefined>();
  for (const conversation of conversations) {
    const goesOnIn = await whereItGoesOn(service, conversation.ticketId, conversations);
    if (goesOnIn !== conversation) followed.add(goesOnIn);
  }
  return conversations.filter((conversation) => !followed.has(conversation));
}

/** The last replies to merged tickets that the thread does not show in which those go on. */
export async function missingWhereMerged(
  { chat, client: service }: Pick<World, 'chat' | 'client'>,
  conversations: readonly Conversation[],
  repliedIn: readonly Conversation[],
): Promise<Trouble[]> {
  const { bot } = await chat.state();
  const missing: Trouble[] = [];
  for (const { ticketId, lines } of repliedIn) {
    const goesOnIn = await whereItGoesOn(service, ticketId, conversations);
    // Threads of private tickets, which everybody reads, show nothing more.
    if (goesOnIn === undefined || goesOnIn.ticketId === ticketId || goesOnIn.audience.isPrivate) continue;
    const shown = inThread('team', await chat.thread(CHANNEL, goesOnIn.root), bot);
    const last = lines.at(-1)?.text;
    if (!shown.some(({ text }) => text === last))
      missing.push(troubleOf('lost', `“${last}” on ${ticketId}, which goes on in ${goesOnIn.ticketId}`));
  }
  return missing;
}

/** The conversation in which that of a ticket goes on: its own, unless it was merged. */
async function whereItGoesOn(
  service: World['client'],
  ticketId: string,
  conversations: readonly Conversation[],
): Promise<Conversation | undefined> {
  const { mergedIntoId } = await service.readTicket({ params: { id: ticketId } });
  if (mergedIntoId !== null) return whereItGoesOn(service, mergedIntoId, conversations);
  return conversations.find((one) => one.ticketId === ticketId);
}
