import { sql } from 'kysely';
import { z } from 'zod';

import type { Bridge } from '../../bridge.ts';
import { ticketCheck } from '../../inbox/store.ts';
import { readSetting } from '../../settings.ts';
import { type BodyOf, CLASSES, type Done, type NewWork, type Work, workFor, workKind } from '../../work.ts';
import { redrawCards } from '../cards/index.ts';

const JOB = 'watch-queues';

/** Checks regularly whether the readers of a queue have changed, because the service sends no event for that. */
export const WATCH_QUEUES = workKind(JOB, CLASSES.reminder, z.object({}));

/** Updates what is shown in chat of the tickets of a queue whose readers have changed, one page at a time. */
export const SHOW_QUEUE = workKind(
  'show-queue',
  CLASSES.reminder,
  z.object({ queue: z.string(), workspace: z.string(), cursor: z.string().nullable() }),
);

const READERS_KEY = 'queue-readers';
/** The readers by queue, of queues that not everyone in the workspace may read. */
const Readers = z.record(z.string(), z.string());
/** Shortest interval between checks, even if settings are cached for less. */
const MIN_INTERVAL_MS = 1_000;
const TICKETS_PER_PAGE = 100;

const checkAfter = (delayMs: number): NewWork => workFor(WATCH_QUEUES, JOB, {}, { mergeKey: JOB, delayMs });

export const nextCheck = ({ channels }: Bridge): NewWork =>
  checkAfter(Math.max(channels.keptMs, MIN_INTERVAL_MS));

export async function startWatching({ engine }: Bridge): Promise<void> {
  await engine.transaction(async (tx) => tx.plan.add(checkAfter(0)));
}

/** Compares the readers of all queues with those of the last check. */
export async function watchQueues(bridge: Bridge): Promise<Done> {
  const known = (await readSetting(bridge.database.db, READERS_KEY, Readers)) ?? {};
  const current: Record<string, string> = {};
  const switched: { queue: string; workspace: string }[] = [];
  for (const workspace of await bridge.channels.workspaceIds())
    for await (const { id, visibility } of bridge.service.all('listQueues', {
      query: { workspaceId: workspace },
    })) {
      // The default, also for queues that were not checked before.
      const readers = visibility ?? 'workspace';
      if (readers !== (known[id] ?? 'workspace')) switched.push({ queue: id, workspace });
      if (readers !== 'workspace') current[id] = readers;
    }
  if (switched.length > 0) bridge.channels.forget();
  const { keptMs } = bridge.channels;
  return {
    outcome: `the readers of ${switched.length} queues changed`,
    write: async (tx) => {
      const value = JSON.stringify(current);
      if (switched.length > 0)
        await tx
          .insertInto('setting')
          .values({ key: READERS_KEY, value })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
          .execute();
      // And again once other processes no longer have the old settings in their caches.
      for (const { queue, workspace } of switched)
        for (const delayMs of [0, keptMs])
          tx.plan.add(workFor(SHOW_QUEUE, queue, { queue, workspace, cursor: null }, { delayMs }));
      tx.plan.add(nextCheck(bridge));
    },
  };
}

/** Returns those of the tickets that are shown anywhere in chat. */
async function onlyShown({ database }: Bridge, ticketIds: readonly string[]): Promise<string[]> {
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

/**
 * Checks the threads and redraws the cards of those of a queue's tickets that are shown in chat. The tickets themselves
 * did not change, so no event of the service leads to this.
 */
export async function updateShownTickets(
  bridge: Bridge,
  { body }: Work<BodyOf<typeof SHOW_QUEUE>>,
): Promise<Done> {
  const { queue, workspace, cursor } = body;
  const { items, nextCursor } = await bridge.service.listTickets({
    query: {
      workspaceId: workspace,
      queueId: queue,
      includeArchived: true,
      includeUnpublished: true,
      limit: TICKETS_PER_PAGE,
      ...(cursor !== null && { cursor }),
    },
  });
  const shown = await onlyShown(
    bridge,
    items.map(({ id }) => id),
  );
  return {
    outcome: `${shown.length} of ${items.length} tickets are shown`,
    write: async (tx) => {
      for (const id of shown) await redrawCards(tx, bridge, id);
      tx.plan.add(...shown.map(ticketCheck));
      if (nextCursor !== null) tx.plan.add(workFor(SHOW_QUEUE, queue, { ...body, cursor: nextCursor }));
    },
  };
}
