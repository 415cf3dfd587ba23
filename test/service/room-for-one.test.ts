import { expect, it } from 'vitest';

import { LIMITS } from '../../src/contract/index.ts';
import { copyRow } from '../drills/harness/copied-rows.ts';
import { type Running, sharedService } from './harness.ts';
import { openTables } from './world.ts';

const newWorkspace = sharedService();

interface Growing {
  most: number;
  path: string;
  says: string;
  /** Adds one to a record, and returns the answer; `again` names what was added before. */
  add: (
    running: Running,
    to: { ticket: string; message: string; user: string },
  ) => ReturnType<Running['call']>;
  table: string;
  /** The columns in which copies differ. */
  values: Record<string, string>;
}

const ticketOf = { number: 'n + 1000', short_id: 'n + 1000' };
/** Whatever a record has without a page of its own, and grows by one write after the other. */
const GROWING: Record<string, Growing> = {
  'children of a ticket, made below it': {
    most: LIMITS.ofTicket.children,
    path: 'parentId',
    says: 'children of a ticket',
    add: ({ call }, { ticket }) => call('POST', '/tickets', { body: { title: 'x', parentId: ticket } }),
    table: 'ticket',
    values: ticketOf,
  },
  'children of a ticket, moved below it': {
    most: LIMITS.ofTicket.children,
    path: 'data.parentId',
    says: 'children of a ticket',
    add: async ({ call }, { ticket }) => {
      const { id } = (await call('POST', '/tickets', { body: { title: 'x' } })).body;
      return call('PUT', `/tickets/${id}`, { body: { data: { parentId: ticket } } });
    },
    table: 'ticket',
    values: ticketOf,
  },
  'ratings of a ticket': {
    most: LIMITS.ofTicket.ratings,
    path: 'userId',
    says: 'ratings of a ticket',
    add: ({ call }, { ticket, user }) =>
      call('POST', `/tickets/${ticket}/csat`, { body: { score: 5, feedback: 'x', userId: user } }),
    table: 'csat',
    values: { person_id: "'p' || n" },
  },
  'reactions to a message': {
    most: LIMITS.reactionsOfMessage,
    path: 'emoji',
    says: 'reactions to a message',
    add: ({ call }, { message, user }) =>
      call('PUT', `/ticket-messages/${message}/reactions`, { body: { emoji: 'eyes', authorId: user } }),
    table: 'reaction',
    values: { emoji: "'e' || n" },
  },
};

it.each(Object.entries(GROWING))(
  '%s have a bound, and one that is there is written again',
  async (_, growing) => {
    const running = await newWorkspace();
    const { call, workspaceId } = running;
    const made = async (path: string, body: object) => (await call('POST', path, { body })).body.id;
    const user = await made('/users', { firstName: 'Ada', email: 'ada@acme.example' });
    const another = await made('/users', { firstName: 'Ben', email: 'ben@acme.example' });
    const ticket = await made('/tickets', { title: 'x' });
    const message = await made('/ticket-messages', { ticketId: ticket, content: 'x' });
    const first = await growing.add(running, { ticket, message, user });
    expect(first.status).toBe(200);
    const { db } = openTables(running);
    const { id } = await db
      .selectFrom(growing.table as 'csat')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    const row = { table: growing.table, workspaceId, id };
    await copyRow({ db }, row, growing.most - 1, growing.values);
    const refused = await growing.add(running, { ticket, message, user: another });
    expect([refused.status, refused.body.issues]).toEqual([
      422,
      [{ path: growing.path, message: `There are at most ${growing.most} ${growing.says}` }],
    ]);
    if (growing.table !== 'ticket')
      expect((await growing.add(running, { ticket, message, user })).status).toBe(200);
    else
      expect((await call('PUT', `/tickets/${id}`, { body: { data: { parentId: ticket } } })).status).toBe(
        200,
      );
  },
);
