import { expect, test } from 'vitest';

import type { Bridge } from '../../../src/bridge/bridge.ts';
import { messagesChangedSince, messagesOf } from '../../../src/bridge/threads/ticket-messages.ts';

/** A service without filter and order: it returns all of its messages. */
const service = {
  async *all() {
    yield { id: 'later', ticketId: 'IT-1', updatedAt: '2026-11-20T09:00:02.000Z' };
    yield { id: 'of another', ticketId: 'IT-2', updatedAt: '2026-11-20T09:00:01.000Z' };
    yield { id: 'earlier', ticketId: 'IT-1', updatedAt: '2026-11-20T09:00:00.000Z' };
  },
} as unknown as Bridge['service'];
const channels = {
  workspaceIds: () => Promise.resolve(['wsp_1']),
} as unknown as Bridge['channels'];
const ticket = { id: 'IT-1', workspaceId: 'wsp_1' };

test('a ticket’s messages are filtered and sorted by their changes if the service does neither', async () => {
  const idsOf = (messages: { id: string }[]) => messages.map(({ id }) => id);
  expect(idsOf(await messagesOf({ service, channels }, 'IT-1'))).toEqual(['later', 'earlier']);
  expect(idsOf(await messagesChangedSince({ service, channels }, ticket, null))).toEqual([
    'earlier',
    'later',
  ]);
});
