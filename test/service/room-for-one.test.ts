import { expect, it } from 'vitest';

import { LIMITS, type Status } from '../../src/contract/index.ts';
import { copyRow } from '../drills/harness/copied-rows.ts';
import { type Running, sharedService } from './harness.ts';
import { openTables } from './world.ts';

const newWorkspace = sharedService();

/** What a record is added to. */
interface To {
  ticket: string;
  message: string;
  queue: string;
  /** Another one for each record that is added. */
  user: string;
}

interface Growing {
  most: number;
  path: string;
  says: string;
  /** Adds one to a record, or writes it again, and returns the answer. */
  add: (running: Running, to: To) => ReturnType<Running['call']>;
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
    says: 'children of a ticket. Choose another parent',
    add: ({ call }, { ticket }) => call('POST', '/tickets', { body: { title: 'x', parentId: ticket } }),
    table: 'ticket',
    values: ticketOf,
  },
  'children of a ticket, moved below it': {
    most: LIMITS.ofTicket.children,
    path: 'data.parentId',
    says: 'children of a ticket. Choose another parent',
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
    says: 'ratings of a ticket. Who rated it may rate it again',
    add: ({ call }, { ticket, user }) =>
      call('POST', `/tickets/${ticket}/csat`, { body: { score: 5, feedback: 'x', userId: user } }),
    table: 'csat',
    values: { person_id: "'p' || n" },
  },
  'chat threads of a ticket': {
    most: LIMITS.ofTicket.chatThreads,
    path: 'messageTs',
    says: 'chat threads of a ticket. Replace one of them (`replaces`)',
    add: ({ call }, { ticket, user }) =>
      call('PUT', `/tickets/${ticket}/chat-threads`, { body: { channelId: 'C1', messageTs: user } }),
    table: 'chat_thread',
    values: { message_ts: 'n' },
  },
  'chat threads of a ticket, written with it': {
    most: LIMITS.ofTicket.chatThreads,
    path: 'data.chatTimestamp',
    says: 'chat threads of a ticket. Replace one of them (`replaces`)',
    add: ({ call }, { ticket, user }) =>
      call('PUT', `/tickets/${ticket}`, { body: { data: { chatChannelId: 'C1', chatTimestamp: user } } }),
    table: 'chat_thread',
    values: { message_ts: 'n' },
  },
  'copies of a message in chat': {
    most: LIMITS.ofMessage.chatCopies,
    path: 'ts',
    says: 'copies of a message in chat. Post no more of them',
    add: ({ call }, { message, user }) =>
      call('PUT', `/ticket-messages/${message}/chat-messages`, { body: { channelId: 'C1', ts: user } }),
    table: 'chat_message',
    values: { ts: 'n' },
  },
  'reactions to a message': {
    most: LIMITS.ofMessage.reactions,
    path: 'emoji',
    says: 'reactions to a message. Remove one of them first',
    add: ({ call }, { message, user }) =>
      call('PUT', `/ticket-messages/${message}/reactions`, { body: { emoji: 'eyes', authorId: user } }),
    table: 'reaction',
    values: { emoji: "'e' || n" },
  },
  'chat accounts of a user': {
    most: LIMITS.ofUser.chatAccounts,
    path: 'chatUsers',
    says: 'chat accounts of a user. Save this one as another user',
    add: ({ call }, { user }) =>
      call('POST', '/users', {
        body: { firstName: 'Cleo', email: 'cleo@acme.example', chatUsers: [{ chatUserId: user }] },
      }),
    table: 'chat_user',
    values: { chat_user_id: 'n' },
  },
  'channels of a queue': {
    most: LIMITS.ofQueue.channels,
    path: 'queueId',
    says: 'channels of a queue. Unlink one of them first, or choose another queue',
    add: ({ call }, { queue, user }) =>
      call('PUT', '/chat-channels', { body: { channelId: user, queueId: queue } }),
    table: 'chat_channel',
    values: { channel_id: 'n' },
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
    const queue = (await call('GET', '/queues')).body.items[0]?.id ?? '';
    const to = { ticket, message, queue, user };
    const first = await growing.add(running, to);
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
    const refused = await growing.add(running, { ticket, message, queue, user: another });
    expect([refused.status, refused.body.issues]).toEqual([
      422,
      [{ path: growing.path, message: `There are at most ${growing.most} ${growing.says}` }],
    ]);
    const again =
      growing.table === 'ticket'
        ? await call('PUT', `/tickets/${id}`, { body: { data: { parentId: ticket } } })
        : await growing.add(running, to);
    expect(again.status).toBe(200);
  },
);

it('a chat thread that another one replaces makes room', async () => {
  const running = await newWorkspace();
  const { call, workspaceId } = running;
  const { id } = (await call('POST', '/tickets', { body: { title: 'x' } })).body;
  const put = (body: object) => call('PUT', `/tickets/${id}/chat-threads`, { body });
  const { chatThreads } = (await put({ channelId: 'C1', messageTs: '1' })).body;
  const row = { table: 'chat_thread', workspaceId, id: chatThreads[0]?.id ?? '' };
  await copyRow(openTables(running), row, LIMITS.ofTicket.chatThreads - 1, { message_ts: "'x' || n" });
  expect((await put({ channelId: 'C1', messageTs: '2' })).status).toBe(422);
  expect((await put({ channelId: 'C1', messageTs: '2', replaces: '1' })).status).toBe(200);
  expect((await put({ channelId: 'C1', messageTs: '3' })).status).toBe(422);
});

it('tags that are added to a ticket have a bound', async () => {
  const running = await newWorkspace();
  const { call, workspaceId } = running;
  const { tags: most } = LIMITS.ofTicket;
  const tag = (await call('POST', '/tags', { body: { name: 'tag' } })).body.id;
  await copyRow(openTables(running), { table: 'tag', workspaceId, id: tag }, most, { name: "'tag' || n" });
  const tags = [tag, ...Array.from({ length: most }, (_, at) => `${tag}${at + 1}`)];
  const { id } = (await call('POST', '/tickets', { body: { title: 'x' } })).body;
  const add = (addTags: object[]) => call('PUT', `/tickets/${id}`, { body: { data: { addTags } } });
  const refs = tags.map((each) => ({ id: each }));
  for (let at = 0; at < most; at += LIMITS.arrayItems)
    expect((await add(refs.slice(at, Math.min(at + LIMITS.arrayItems, most)))).status).toBe(200);
  const refused = await add(refs.slice(most));
  expect([refused.status, refused.body.issues]).toEqual([
    422,
    [
      {
        path: 'data.addTags',
        message: `There are at most ${most} tags of a ticket. Remove some of them first`,
      },
    ],
  ]);
  expect((await add(refs.slice(0, 1))).status).toBe(200);
});

it('followers of a ticket have a bound, and a merge that would add one more changes nothing', async () => {
  const running = await newWorkspace();
  const { call, workspaceId } = running;
  const { followers: most } = LIMITS.ofTicket;
  const user = (await call('POST', '/users', { body: { firstName: 'Ada', email: 'ada@acme.example' } })).body
    .id;
  const row = { table: 'person', workspaceId, id: user };
  await copyRow(openTables(running), row, most + 1, { email: "'ada' || n || '@acme.example'" });
  const [own, last, another, ...others] = [
    user,
    ...Array.from({ length: most + 1 }, (_, at) => `${user}${at + 1}`),
  ];
  const open = async (requesterId = '') =>
    (await call('POST', '/tickets', { body: { title: 'The door is stuck', requesterId } })).body;
  const into = await open(own);
  const refs = others.map((id) => ({ id }));
  const write = async (followers: object[]) =>
    (await call('PUT', `/tickets/${into.id}`, { body: { data: { followers } } })).status;
  expect(refs).toHaveLength(most - 1);
  expect(await write(refs)).toBe(200);
  const merge = async (from: { id: string }) => {
    const { status, body } = await call('POST', `/tickets/${from.id}/merge`, { body: { intoId: into.id } });
    return [status, body.issues?.[0]];
  };
  // Whoever is the requester or a follower already needs no room.
  for (const requesterId of [own, last, last, others[0]])
    expect(await merge(await open(requesterId))).toEqual([200, undefined]);
  const refused = await open(another);
  const message = `There are at most ${most} followers of a ticket. Remove some of ${into.code} first, or choose another ticket`;
  expect(await merge(refused)).toEqual([422, { path: 'intoId', message }]);
  const { body } = await call('GET', `/tickets/${refused.id}`);
  expect([body.mergedIntoId, body.closedAt, body.updatedAt]).toEqual([null, null, refused.updatedAt]);
  expect((await call('GET', `/ticket-messages?ticketId=${refused.id}`)).body.totalCount).toBe(0);

  // Those whom a chain of merges brings along count as well.
  const middle = await open(own);
  const { status } = await call('POST', `/tickets/${refused.id}/merge`, { body: { intoId: middle.id } });
  expect(status).toBe(200);
  expect(await merge(middle)).toEqual([422, { path: 'intoId', message }]);
  // As many as a merge may leave can be written, too.
  const all = [...refs, { id: last ?? '' }];
  expect(await write([...all, { id: another ?? '' }])).toBe(400);
  expect(await write(all.slice(1))).toBe(200);
  expect(await merge(middle)).toEqual([200, undefined]);
});

it('a status has at most as many request types as one request names', async () => {
  const running = await newWorkspace();
  const { call, workspaceId } = running;
  const type = (await call('POST', '/request-types', { body: { name: 'type' } })).body.id;
  const most = LIMITS.arrayItems;
  await copyRow(openTables(running), { table: 'request_type', workspaceId, id: type }, 2 * most, {
    name: "'type' || n",
  });
  const types = Array.from({ length: 2 * most }, (_, at) => `${type}${at + 1}`);
  const [open] = (await call('GET', '/statuses')).body.items as unknown as Status[];
  const statusGroupId = open?.statusGroupId;
  const create = (requestTypeIds: string[]) =>
    call('POST', '/statuses', { body: { label: 'Ordered', statusGroupId, requestTypeIds } });
  expect((await create(types.slice(0, most + 1))).status).toBe(400);
  const made = await create(types.slice(0, most));
  expect(made.status).toBe(200);
  const put = (requestTypeIds: string[]) =>
    call('PUT', '/statuses', { body: { id: made.body.id, requestTypeIds } });
  expect((await put(types.slice(0, most + 1))).status).toBe(400);
  // Others come in the place of those that were there.
  const { requestTypes } = (await put(types.slice(most))).body as unknown as Status;
  expect(new Set(requestTypes.map(({ requestTypeId }) => requestTypeId))).toEqual(new Set(types.slice(most)));
});

const { keys: MOST_KEYS, bytes: MOST_BYTES } = LIMITS.customFields;
const TOO_LARGE =
  'The custom fields of a ticket have at most 256 KiB of JSON together. Send shorter values, or null for some that it has';
const fields = (from: number, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${from + at}`, 1]));

/** One write after the other on the same ticket: the values, and why they are refused. */
const CUSTOM_FIELDS: Record<string, [values: object, refused?: string][]> = {
  'just as many bytes as may be': [[{ a: 'x'.repeat(MOST_BYTES - 8) }]],
  'a byte more': [[{ a: 'x'.repeat(MOST_BYTES - 7) }, TOO_LARGE]],
  'signs of three bytes': [[{ a: '漢'.repeat(MOST_BYTES / 3) }, TOO_LARGE]],
  'nested values': [[{ a: Array.from({ length: 60 }, () => [{ b: 'x'.repeat(5_000) }]) }, TOO_LARGE]],
  'one after the other, with room made by null': [
    [{ a: 'x'.repeat(200_000) }],
    [{ b: 'x'.repeat(100_000) }, TOO_LARGE],
    [{ a: null, b: 'x'.repeat(100_000) }],
  ],
  'new keys again and again': [
    ...[0, 200, 400, 600, 800].map((from): [object] => [fields(from, 200)]),
    [{ another: 1 }, `A ticket has at most ${MOST_KEYS} custom fields. Send null for some that it has`],
    [{ k0: 2 }],
  ],
};

it.each(Object.entries(CUSTOM_FIELDS))('custom fields of a ticket have a bound: %s', async (_, writes) => {
  const { call } = await newWorkspace();
  const { id } = (await call('POST', '/tickets', { body: { title: 'x' } })).body;
  for (const [customFields, refused] of writes) {
    const answers = [await call('PUT', `/tickets/${id}`, { body: { data: { customFields } } })];
    const isFirst = customFields === writes[0]?.[0];
    if (isFirst) answers.push(await call('POST', '/tickets', { body: { title: 'x', customFields } }));
    for (const { status, body } of answers)
      expect([status, body.issues?.[0]?.message]).toEqual(
        refused === undefined ? [200, undefined] : [422, refused],
      );
  }
});

it('a ticket whose custom fields were larger before they had a bound is still written, and shrinks', async () => {
  const running = await newWorkspace();
  const { id } = (await running.call('POST', '/tickets', { body: { title: 'x' } })).body;
  await openTables(running)
    .db.updateTable('ticket')
    .set({ custom_fields: JSON.stringify({ a: 'x'.repeat(2 * MOST_BYTES), b: 'y' }) })
    .where('workspace_id', '=', running.workspaceId)
    .where('id', '=', id)
    .execute();
  const write = async (data: object) =>
    (await running.call('PUT', `/tickets/${id}`, { body: { data } })).status;
  expect(await write({ title: 'Another title' })).toBe(200);
  expect(await write({ customFields: { b: null } })).toBe(200);
  expect(await write({ customFields: { b: 'yy' } })).toBe(422);
});
