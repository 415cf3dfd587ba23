import { ID_PREFIXES } from '../../contract/index.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import { makeShortId } from '../tickets/numbers.ts';
import { type DemoPlaces, rowsOf } from './demo-rows.ts';
import type { DemoTicket } from './demo-tickets.ts';

/** Far below the 65,535 parameters that Postgres takes in one statement, whatever the table. */
const ROWS_AT_ONCE = 500;

/**
 * Stores tickets with all that hangs on them, in a handful of statements: one by one, as callers do, two hundred of
 * them would take seconds of the first start. Numbers are given in the order of time and the queues told of them, so
 * the next ticket follows on.
 */
export async function insertDemoTickets(
  tx: ServiceTx,
  { newId, random }: Pick<Tools, 'newId' | 'random'>,
  now: Date,
  places: DemoPlaces,
  tickets: readonly DemoTicket[],
): Promise<void> {
  const { workspaceId, queues } = places;
  const numbers = { IT: 0, PPL: 0 };
  const shortIds = new Set<string>();
  const freeShortId = (): string => {
    for (;;) {
      const shortId = makeShortId(random);
      if (!shortIds.has(shortId)) return shortId;
    }
  };
  const rows = [...tickets]
    .sort((a, b) => b.minutesAgo - a.minutesAgo)
    .map((ticket) => {
      const shortId = freeShortId();
      shortIds.add(shortId);
      const identity = { id: newId(ID_PREFIXES.ticket), number: ++numbers[ticket.queue], shortId };
      return rowsOf(ticket, identity, places, newId, now);
    });
  const all = {
    tickets: rows.map((row) => row.ticket),
    references: rows.map((row) => row.reference),
    messages: rows.flatMap((row) => row.messages),
    tags: rows.flatMap((row) => row.tags),
    ratings: rows.flatMap((row) => row.ratings),
  };
  for (const part of parts(all.tickets)) await tx.insertInto('ticket').values(part).execute();
  for (const part of parts(all.references)) await tx.insertInto('ticket_reference').values(part).execute();
  for (const part of parts(all.messages)) await tx.insertInto('ticket_message').values(part).execute();
  for (const part of parts(all.tags)) await tx.insertInto('ticket_tag').values(part).execute();
  for (const part of parts(all.ratings)) await tx.insertInto('csat').values(part).execute();
  for (const queue of ['IT', 'PPL'] as const)
    await tx
      .updateTable('queue')
      .set({ last_number: numbers[queue] })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', queues[queue])
      .execute();
}

function parts<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, index) =>
    rows.slice(index * ROWS_AT_ONCE, (index + 1) * ROWS_AT_ONCE),
  );
}
