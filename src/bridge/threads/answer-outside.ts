import { z } from 'zod';

import type { Bridge } from '../bridge.ts';
import { enqueueMirror } from '../inbox/store.ts';
import type { Turn } from '../inbox/turn.ts';
import { conversationOfThread, talkThread } from './conversations.ts';
import { noRoot } from '../slack/ids.ts';
import { chatUsersOf } from '../people/people.ts';
import { settingOr } from '../settings.ts';
import { isOwnNote } from '../tickets/add-note.ts';
import { directWith } from '../slack/direct-with.ts';
import type { Ticket } from '../tickets/find-ticket.ts';
import { messagesOf } from './ticket-messages.ts';
import { workspaceOf } from '../tickets/workspace-of.ts';

/** A hint that something about a ticket changed; the record is the truth. */
export interface TicketHint {
  ticketId: string;
}

/**
 * Returns when the bridge first ran: older answers are not announced. Read at every start, because the first one sets
 * it.
 */
export async function answersSince({ database, clock }: Pick<Bridge, 'database' | 'clock'>): Promise<string> {
  return settingOr(database.db, 'answers-since', z.iso.datetime(), clock.now().toISOString());
}

/**
 * Handles a ticket created outside chat: the first public reply by anyone but its requester starts a direct message to
 * them, if they are known in chat (B1). The conversation is linked before anything is posted, and its first message is
 * planned with the first reply.
 */
export async function answerOutside(bridge: Bridge, turn: Turn<TicketHint>, ticket: Ticket): Promise<void> {
  if (talkThread(ticket) || ticket.requesterId === null)
    return turn.finish('no thread: the ticket was made outside chat');
  const user = (await chatUsersOf(bridge, [ticket.requesterId])).get(ticket.requesterId);
  const answered = user === undefined ? undefined : await firstAnswer(bridge, ticket);
  if (user === undefined || answered === undefined)
    return turn.finish('B1 made outside chat: not answered yet, or the requester is not in chat');
  const channel = await directWith(bridge, user);
  if (channel === undefined) return turn.finish('B0a chat has no direct conversation with the requester');
  await turn.finish('B1 an answer begins a direct conversation with the requester', async (tx) => {
    const thread = { team: bridge.bot.team, channel, root: noRoot(ticket.id), direct: true };
    const { id, ticket_id } = await conversationOfThread(tx, thread, bridge);
    if (ticket_id === null)
      await tx
        .updateTable('conversation')
        .set({ ticket_id: ticket.id, applied_until: answered })
        .where('id', '=', id)
        .execute();
    await enqueueMirror(tx, id, ticket.id);
  });
}

/** Returns when the first reply since the bridge first ran was last changed; undefined if there is none. */
async function firstAnswer(bridge: Bridge, ticket: Ticket): Promise<string | undefined> {
  const since = await answersSince(bridge);
  let first: { createdAt: string; updatedAt: string } | undefined;
  for (const message of await messagesOf(bridge, ticket.id, {
    workspaceId: workspaceOf(ticket),
    updatedFrom: since,
  })) {
    if (message.private || message.deleted || isOwnNote(message)) continue;
    if (message.authorId === ticket.requesterId || message.createdAt < since) continue;
    if (!first || message.createdAt < first.createdAt) first = message;
  }
  return first?.updatedAt;
}
