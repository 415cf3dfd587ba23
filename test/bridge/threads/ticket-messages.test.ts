import { expect, test } from 'vitest';

import type { Bridge } from '../../../src/bridge/bridge.ts';
import {
  messagesChangedSince,
  messagesOf,
  ticketOfMessage,
} from '../../../src/bridge/threads/ticket-messages.ts';
import { AnsweredError } from '../../../src/client/index.ts';
import { bridgeDatabase } from '../../harness/bridge-database.ts';

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

test('the ticket of a message is found in the list if the service cannot read a single message', async () => {
  const { database } = await bridgeDatabase(1);
  const detail = { code: null, message: null, issues: [], conflict: null, requestId: null };
  const readTicketMessage = () =>
    Promise.reject(new AnsweredError('GET /ticket-messages/{id}', 404, detail, undefined));
  const bridge = { database, channels, service: { ...service, readTicketMessage } } as unknown as Bridge;
  expect(await ticketOfMessage(bridge, 'of another')).toBe('IT-2');
  expect(await ticketOfMessage(bridge, 'unknown')).toBeUndefined();
});
