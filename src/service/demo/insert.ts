import { type Insertable, sql } from 'kysely';

import { ID_PREFIXES } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import { indexWritten } from '../search/index/indexing.ts';
import type { DueWarning } from '../tickets/due-times.ts';
import { makeShortId } from '../tickets/numbers.ts';
import { recordWarnings } from '../warnings/records.ts';
import { fillInboxes } from '../warnings/tell.ts';
import { type DemoChat, type DemoThread, talkOf } from './chat.ts';
import { type DemoPlaces, type DemoRows, rowsOf } from './rows.ts';
import type { DemoTicket } from './tickets.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * Stores tickets with all that hangs on them, in a handful of statements: one by one, as callers do, two hundred of
 * them would take seconds of the first start. Numbers are given in the order of time and the queues' counters updated,
 * so the next ticket follows on.
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
    'target_result',
    rows.flatMap((row) => row.results),
  );
  for (const { ticket, warnings } of rows)
    for (const warning of warnings) await tellPast(tx, ticket, warning, newId);
  await readUntil(tx, workspaceId, now);
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
  // Postgres counts the rows itself within a minute; until then it would plan for empty tables, and lists take seconds.
  await sql`analyze person, ticket, ticket_message, ticket_approver, ticket_follower, notification`.execute(
    tx,
  );
  return talks.map(({ shown }) => shown);
}

/** Tells what was told of a ticket's target when it was due. */
async function tellPast(
  tx: ServiceTx,
  ticket: DemoRows['ticket'],
  warning: DueWarning,
  newId: NewId,
): Promise<void> {
  const { workspace_id: workspaceId, id, queue_id, assignee_id = null } = ticket;
  const context = { newId, now: warning.at };
  const told = await recordWarnings(tx, { workspaceId, id }, [warning], {
    ...context,
    isSilent: () => false,
  });
  for (const record of told)
    await fillInboxes(tx, { workspace_id: workspaceId, id, queue_id, assignee_id }, record, context);
}

const DAY_MS = 24 * 60 * 60_000;

/** Marks notifications from before the last day as read. */
async function readUntil(tx: ServiceTx, workspaceId: string, now: Date): Promise<void> {
  await tx
    .updateTable('notification')
    .set({ read_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('created_at', '<', new Date(now.getTime() - DAY_MS))
    .execute();
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
