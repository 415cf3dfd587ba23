import { type Insertable, sql } from 'kysely';

import { ID_PREFIXES } from '../../contract/index.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import { indexWritten } from '../search/index/indexing.ts';
import { makeShortId } from '../tickets/numbers.ts';
import { type DemoChat, type DemoThread, talkOf } from './chat.ts';
import { type DemoPlaces, rowsOf } from './rows.ts';
import type { DemoTicket } from './tickets.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * Stores tickets with all that hangs on them, in a handful of statements: one by one, as callers do, two hundred of
 * them would take seconds of the first start. Numbers are given in the order of time and the queues' counters updated, so
 * the next ticket follows on.
 * @param chat the channel of tickets that are `inChat`; undefined if the demo has no chat.
 * @returns the messages to show in chat.
 */
export async function insertDemoTickets(
  tx: ServiceTx,
  { newId, random }: Pick<Tools, 'newId' | 'random'>,
  now: Date,
  places: DemoPlaces,
  tickets: readonly DemoTicket[],
  chat: DemoChat | undefined,
): Promise<DemoThread[]> {
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
      const rows = rowsOf(ticket, identity, places, newId, now);
      if (!ticket.inChat || !chat) return { ...rows, talk: undefined };
      const talk = talkOf(ticket, rows, chat, `${ticket.queue}-${identity.number}`, newId);
      return { ...rows, ...talk.rows, talk };
    });
  const talks = rows.flatMap(({ talk }) => (talk ? [talk] : []));
  await insertRows(
    tx,
    'ticket',
    rows.map((row) => row.ticket),
  );
  await insertRows(
    tx,
    'ticket_reference',
    rows.map((row) => row.reference),
  );
  await insertRows(
    tx,
    'ticket_stop',
    rows.flatMap((row) => row.stops),
  );
  await insertRows(
    tx,
    'ticket_message',
    rows.flatMap((row) => row.messages),
  );
  await insertRows(
    tx,
    'ticket_tag',
    rows.flatMap((row) => row.tags),
  );
  await insertRows(
    tx,
    'csat',
    rows.flatMap((row) => row.ratings),
  );
  await insertRows(
    tx,
    'chat_thread',
    talks.map(({ thread }) => thread),
  );
  await insertRows(
    tx,
    'chat_message',
    talks.flatMap(({ copies }) => copies),
  );
  await indexWritten(tx, Infinity);
  for (const queue of ['IT', 'PPL'] as const)
    await tx
      .updateTable('queue')
      .set({ last_number: numbers[queue] })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', queues[queue])
      .execute();
  return talks.map(({ shown }) => shown);
}

/** Rows, in one statement and as one value: the parameters of a thousand would be too many. */
async function insertRows<Name extends keyof Tables>(
  tx: ServiceTx,
  table: Name,
  rows: readonly Insertable<Tables[Name]>[],
): Promise<void> {
  if (rows.length === 0) return;
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const columns = sql.join([...names].map((name) => sql.ref(name)));
  await sql`insert into ${sql.table(table)} (${columns})
    select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)})`.execute(
    tx,
  );
}
