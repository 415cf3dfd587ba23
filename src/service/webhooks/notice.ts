import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { NOTICE, type Notice } from '../delivery/kinds.ts';
import { storeEvents } from '../delivery/store.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import { Outbox } from '../outbox.ts';
import { ownCaller } from '../own-caller.ts';
import { indexWritten } from '../search/index/indexing.ts';
import { createTicket } from '../tickets/create.ts';
import type { ServiceEngine } from '../work.ts';

/** Registers the work of notices: a delivery that switches its webhook off plans one. */
export function workNotices({
  engine,
  tools,
  clock,
  log,
}: {
  engine: ServiceEngine;
  tools: Tools;
  clock: Clock;
  log: Log;
}): void {
  engine.handle(NOTICE, {
    work: async ({ body: notice }) => ({
      outcome: 'opened',
      write: async (tx) => {
        const now = clock.now();
        const outbox = new Outbox();
        await openNotice(tx, { tools, now, outbox, log }, notice);
        await storeEvents(tx, { newId: tools.newId, now }, outbox);
      },
    }),
  });
}

/**
 * Opens a system ticket in the workspace's default queue: a disabled webhook needs attention, and tickets reach the
 * team. Its URL may contain a secret, so only the host is shown. Without a default queue there is only the audit entry.
 */
async function openNotice(
  tx: ServiceTx,
  { tools, now, outbox, log }: { tools: Tools; now: Date; outbox: Outbox; log: Log },
  { workspaceId, webhookId, reason }: Notice,
): Promise<void> {
  const about = await tx
    .selectFrom('webhook as w')
    .innerJoin('workspace as s', 's.id', 'w.workspace_id')
    .select(['w.name', 'w.url', 's.default_queue_id'])
    .where('w.workspace_id', '=', workspaceId)
    .where('w.id', '=', webhookId)
    .executeTakeFirst();
  log.warn({ webhookId, workspaceId, reason }, 'webhook switched off');
  if (!about?.default_queue_id) return;
  const { host } = new URL(about.url);
  const title = `A webhook was switched off: ${about.name ?? host}`;
  const description = [
    `The webhook \`${webhookId}\` to ${host} gets no events any more. ${reason}`,
    'When its receiver is well again, switch it on with `PUT /webhooks/{id}` and `{ "active": true }`, and repeat what it missed with `POST /webhooks/{id}/deliveries/{deliveryId}/redeliver`.',
  ].join('\n\n');
  const caller = ownCaller(workspaceId, 'SYSTEM');
  await createTicket(
    tx,
    { tools, caller, now },
    { title, description, priority: 'HIGH', source: 'SYSTEM', queueId: about.default_queue_id },
    outbox,
  );
  await indexWritten(tx);
}
