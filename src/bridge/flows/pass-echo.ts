import { sql } from 'kysely';

import type { Bridge } from '../bridge.ts';
import type { Turn } from '../intake/turn.ts';
import { type Conversation, copiesOf } from '../links/conversations.ts';
import type { TicketHint } from './answer-outside.ts';

/**
 * Ends the turn of an echo (`isEcho`) that tells a thread of nothing but its own words (B16), without reading its
 * ticket: most events of a lively thread are such, and a new message changes nothing else of a ticket. The record
 * decides: all that changed since the conversation's cursor came from this thread, and nobody follows the talk in a
 * direct message of theirs (B27), or the ticket is mirrored as for any event. Throws ServiceError.
 * @returns false where there may be something to mirror.
 */
export async function passEcho(bridge: Bridge, turn: Turn<TicketHint>): Promise<boolean> {
  const { db } = bridge.database;
  const conversation = await db
    .selectFrom('conversation')
    .selectAll()
    .where('id', '=', turn.conversationId)
    .where('ticket_id', '=', turn.event.ticketId)
    .where('role', '=', 'request')
    .executeTakeFirst();
  if (!conversation?.applied_until) return false;
  const copies = await copiesOf(db, turn.event.ticketId);
  if (copies.some(({ role }) => role === 'direct')) return false;
  const messages: { id: string; updatedAt: string; reacted: boolean }[] = [];
  const query = {
    ticketId: turn.event.ticketId,
    sortBy: 'updatedAt' as const,
    sortDirection: 'asc' as const,
    updatedFrom: conversation.applied_until.toISOString(),
  };
  for await (const { id, ticketId, updatedAt, reactions } of bridge.service.all('listTicketMessages', {
    query,
  }))
    if (ticketId === turn.event.ticketId) messages.push({ id, updatedAt, reacted: reactions.length > 0 });
  const until = messages.map(({ updatedAt }) => updatedAt).reduce((a, b) => (a > b ? a : b), '');
  if (until === '' || messages.some(({ reacted }) => reacted)) return false;
  if (!(await areOurs(bridge, conversation, messages))) return false;
  await turn.finish('B16 an echo of this thread', async (tx) => {
    await tx
      .updateTable('conversation')
      .set({ applied_until: until, active_at: bridge.clock.now() })
      .where('id', '=', conversation.id)
      .execute();
  });
  return true;
}

/** Whether each of these messages came from this thread, and no emoji of the bot's stands in it that may have to go. */
async function areOurs(
  { database }: Bridge,
  { id }: Conversation,
  messages: readonly { id: string }[],
): Promise<boolean> {
  const ids = messages.map((message) => message.id);
  const { rows } = await sql<{ from_chat: number; reacted: boolean }>`
    select (select count(distinct ticket_message_id) from message_link
        where conversation_id = ${id} and ticket_message_id = any(${ids}::text[]) and origin = 'chat') as from_chat,
      exists (select 1 from bot_reaction where conversation_id = ${id}) as reacted`.execute(database.db);
  return rows[0]?.from_chat === new Set(ids).size && !rows[0].reacted;
}
