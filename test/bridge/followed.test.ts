import { expect, test } from 'vitest';

import { migrateBridge } from '../../src/bridge/index.ts';
import { placesOfTicket } from '../../src/bridge/threads/conversations.ts';
import { isFollowedBy } from '../../src/bridge/inbox/service-event.ts';
import type { ServiceEvent } from '../../src/bridge/inbox/store.ts';
import type { BridgeTables } from '../../src/bridge/schema/tables.ts';
import { openDatabase, transaction } from '../../src/platform/database/open.ts';
import { enqueue } from '../../src/platform/jobs/index.ts';
import { createLog } from '../../src/platform/log.ts';
import { migratedDatabase } from '../harness/database.ts';

const log = createLog({ level: 'silent', pretty: false });
const PLACE = { queue: 'conversation', orderingKey: 'cnv_1' };

test('B31 a hint is skipped only if the very next job of its ordering key is about the same ticket', async () => {
  const { url } = await migratedDatabase('bridge', (template) => migrateBridge(template, log));
  const database = openDatabase<BridgeTables>({ url, schema: 'bridge', log });
  const { db } = database;
  const hint = (id: string, ticketId: string, more: Partial<ServiceEvent> = {}) =>
    db
      .insertInto('inbox')
      .values({
        id,
        source: 'service',
        kind: 'ticket-changed',
        event_key: id,
        body: JSON.stringify({ version: 1, threads: [], ...more, ticketId }),
        received_at: new Date(),
      })
      .execute();
  await hint('inb_same', 'tkt_1');
  await hint('inb_other', 'tkt_2');
  // An echo ends without a check of the ticket.
  await hint('inb_echo', 'tkt_1', { forwarded: { ticketId: 'tkt_1', messageId: 'msg_1', places: [] } });
  const payloads = [
    { mirror: 'tkt_1' },
    { inbox: 'inb_same' },
    { inbox: 'inb_other' },
    { mirror: 'tkt_1' },
    { copied: 'lnk_1' },
    { mirror: 'tkt_1' },
    { inbox: 'inb_echo' },
    { mirror: 'tkt_1' },
  ];
  await transaction(db, (tx) =>
    enqueue(
      tx,
      payloads.map((payload) => ({ ...PLACE, payload })),
    ),
  );
  const jobs = await db.selectFrom('job').select('id').orderBy('id').execute();
  const followed: boolean[] = [];
  for (const { id } of jobs) {
    const { next } = await placesOfTicket(database.db, 'tkt_1', { ...PLACE, id }, {});
    followed.push(await isFollowedBy({ database }, next, 'tkt_1'));
  }
  await database.close();
  expect(followed).toEqual([true, false, true, false, true, false, true, false]);
});
