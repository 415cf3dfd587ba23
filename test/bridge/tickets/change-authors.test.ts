import { expect, test } from 'vitest';

import { recordChangeAuthor } from '../../../src/bridge/entry/service-event.ts';
import { actorsOf, recordActors } from '../../../src/bridge/tickets/update-ticket.ts';
import { systemClock as clock } from '../../../src/platform/clock.ts';
import { bridgeDatabase } from '../../harness/bridge-database.ts';

test('B43 the author of a change made in chat is who made it there, not the user of the bridge’s key that the service’s event names', async () => {
  const { database } = await bridgeDatabase(2);
  const bridge = { database, clock };
  const shown = { title: null, priority: null, queueId: null, dueAt: null, snoozeUntil: null };
  const eventOf = (user: string, after: Record<string, unknown>) =>
    recordChangeAuthor(bridge, database.db, { ticketId: 'tkt_1', change: { user, after } });
  await recordActors(
    bridge,
    database.db,
    'tkt_1',
    { statusId: 'sts_done' },
    { user: 'usr_ada', inChat: true },
  );
  await eventOf('usr_key', { statusId: 'sts_done', assigneeId: 'usr_sam' });
  const actor = await actorsOf(bridge, 'tkt_1', { ...shown, statusId: 'sts_done', assigneeId: 'usr_sam' });
  expect([actor('statusId'), actor('assigneeId'), actor('title')]).toEqual(['usr_ada', 'usr_key', null]);
});
