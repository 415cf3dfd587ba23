import { sql } from 'kysely';
import { z } from 'zod';

import type { Bridge } from '../../bridge.ts';
import type { Ticket } from '../../tickets/find-ticket.ts';
import { hasEnded } from '../../tickets/rules.ts';
import { similarToTicket } from '../../tickets/search.ts';
import type { Write } from '../../work.ts';
import { redraw, withCard } from './redraw.ts';

/**
 * The similar tickets that a card names. They are stored with it, so that it is found when one may not be named any
 * more.
 */
export const NamedSimilar = z.object({
  words: z.string(),
  at: z.iso.datetime(),
  tickets: z.array(
    z.object({
      id: z.string(),
      code: z.string(),
      url: z.string(),
      title: z.string(),
      status: z.string(),
      isSolved: z.boolean(),
      assignee: z.string().optional(),
    }),
  ),
});
export type NamedSimilar = z.infer<typeof NamedSimilar>;

const KEPT_MS = 600_000;

/**
 * Returns the similar tickets for the team's card of an open ticket, among those that everyone may read. They are
 * searched once in ten minutes, though a card is drawn at each change. Undefined if the card names none.
 * @param stored what the card named before.
 */
export async function similarFor(
  bridge: Parameters<typeof similarToTicket>[0],
  ticket: Pick<Ticket, 'id' | 'title' | 'status'>,
  stored: unknown,
): Promise<NamedSimilar | undefined> {
  if (hasEnded(ticket.status.statusGroup.label)) return undefined;
  const words = ticket.title ?? '';
  const { data: named } = NamedSimilar.safeParse(stored);
  const now = bridge.clock.now();
  if (named?.words === words && now.getTime() - Date.parse(named.at) < KEPT_MS) return named;
  const tickets = await similarToTicket(bridge, ticket);
  return tickets && { words, at: now.toISOString(), tickets };
}

/**
 * Redraws the cards that list a ticket as similar, without it: it was deleted or merged, or not everyone may read it
 * any more.
 */
export async function unnameSimilar(bridge: Bridge, ticketId: string): Promise<Write | undefined> {
  const naming = sql<boolean>`(card.names -> 'tickets') @> ${JSON.stringify([{ id: ticketId }])}::jsonb`;
  const { db } = bridge.database;
  const conversations = await withCard(db).where('card.names', 'is not', null).where(naming).execute();
  if (conversations.length === 0) return undefined;
  return async (tx) => {
    const ids = conversations.map(({ id }) => id);
    await tx.updateTable('card').set({ names: null }).where('conversation_id', 'in', ids).execute();
    await redraw(tx, bridge, conversations);
  };
}
