import { sql } from 'kysely';
import { z } from 'zod';

import type { Bridge } from '../../bridge.ts';
import { checkOf } from '../../inbox/store.ts';
import { readSetting } from '../../settings.ts';
import { type BodyOf, CLASSES, type Done, type NewWork, type Work, workFor, workKind } from '../../work.ts';
import { redrawCards } from '../cards/index.ts';

/** Looks regularly whether a queue has other readers than before: no event of the service says so. */
export const WATCH = workKind('watch-queues', CLASSES.reminder, z.object({}));

/** The tickets of a queue that was switched are shown as they may be now, a page at a time. */
export const HIDE = workKind(
  'show-queue',
  CLASSES.reminder,
  z.object({ queue: z.string(), workspace: z.string(), cursor: z.string().nullable() }),
);

const KEY = 'queue-readers';
const Known = z.record(z.string(), z.string());
/** At most so often, however shortly settings are kept. */
const EVERY_MS = 1_000;
const PAGE = 100;

const watch = (delayMs: number): NewWork =>
  workFor(WATCH, 'watch-queues', {}, { mergeKey: 'watch-queues', delayMs });

export async function beginWatch({ engine }: Bridge): Promise<void> {
  await engine.transaction(async (tx) => tx.plan.add(watch(0)));
}

/** Compares the readers of all queues with those of the last time. */
export async function watchQueues(bridge: Bridge): Promise<Done> {
  const known = (await readSetting(bridge.database.db, KEY, Known)) ?? {};
  const now: Record<string, string> = {};
  const switched: { queue: string; workspace: string }[] = [];
  for (const workspace of await bridge.channels.workspaceIds())
    for await (const { id, visibility } of bridge.service.all('listQueues', {
      query: { workspaceId: workspace },
    })) {
      // As they are for everyone, and so were those of a bridge that did not look yet.
      const readers = visibility ?? 'workspace';
      if (readers !== (known[id] ?? 'workspace')) switched.push({ queue: id, workspace });
      if (readers !== 'workspace') now[id] = readers;
    }
  if (switched.length > 0) bridge.channels.forget();
  const { keptMs } = bridge.channels;
  return {
    outcome: `${switched.length} queues have other readers`,
    write: async (tx) => {
      const value = JSON.stringify(now);
      if (switched.length > 0)
        await tx
          .insertInto('setting')
          .values({ key: KEY, value })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
          .execute();
      // Once more when other processes do not know the queue as it was any more.
      for (const one of switched)
        for (const delayMs of [0, keptMs])
          tx.plan.add(workFor(HIDE, one.queue, { ...one, cursor: null }, { delayMs }));
      tx.plan.add(watch(Math.max(keptMs, EVERY_MS)));
    },
  };
}

/** Returns those of some tickets of which something is shown in chat. */
async function shownAmong({ database }: Bridge, ticketIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select wanted.id from unnest(${ticketIds}::text[]) as wanted (id)
    where exists (select from conversation where ticket_id = wanted.id)
      or exists (select from shown_ticket where ticket_id = wanted.id)
      or exists (select from notice where ticket_id = wanted.id)
      or exists (select from card where names is not null
        and (names -> 'tickets') @> jsonb_build_array(jsonb_build_object('id', wanted.id)))`.execute(
    database.db,
  );
  return rows.map(({ id }) => id);
}

/** Checks those tickets of a queue that are shown anywhere in chat, and draws their cards anew: they did not change. */
export async function hideTickets(bridge: Bridge, { body }: Work<BodyOf<typeof HIDE>>): Promise<Done> {
  const { queue, workspace, cursor } = body;
  const { items, nextCursor } = await bridge.service.listTickets({
    query: {
      workspaceId: workspace,
      queueId: queue,
      includeArchived: true,
      includeUnpublished: true,
      limit: PAGE,
      ...(cursor !== null && { cursor }),
    },
  });
  const shown = await shownAmong(
    bridge,
    items.map(({ id }) => id),
  );
  return {
    outcome: `${shown.length} of ${items.length} tickets are shown`,
    write: async (tx) => {
      for (const id of shown) await redrawCards(tx, bridge, id);
      tx.plan.add(...shown.map(checkOf));
      if (nextCursor !== null) tx.plan.add(workFor(HIDE, queue, { ...body, cursor: nextCursor }));
    },
  };
}
