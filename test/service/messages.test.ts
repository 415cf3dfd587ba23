import { describe, expect, it } from 'vitest';

import { LIMITS } from '../../src/contract/index.ts';
import { MovableClock } from './clock.ts';
import { type Settings, startTestService } from './harness.ts';
import { statementsOf } from './statements.ts';
import { anotherWorkspace, openTables } from './world.ts';

/** For a message of chat: each step is a statement. The lane of its deliveries may be new, which takes two of them. */
const MOST_STATEMENTS = 25;

async function start(settings?: Settings) {
  const service = await startTestService(settings);
  const { call } = service;
  const requester = (await call('POST', '/users', { body: { firstName: 'Ada' } })).body.id;
  const agent = (await call('POST', '/users', { body: { firstName: 'Mira', lastName: 'Lind' } })).body.id;
  const ticket = (await call('POST', '/tickets', { body: { title: 'T', requesterId: requester } })).body.id;
  const post = (body: object) =>
    call('POST', '/ticket-messages', { body: { ticketId: ticket, content: 'Text', ...body } });
  return { ...service, requester, agent, ticket, post };
}

describe('adding messages', () => {
  it('stores the author and the copy in chat', async () => {
    const { post, agent } = await start();
    const { body } = await post({
      authorId: agent,
      source: 'CHAT',
      chatChannelId: 'C1',
      chatTimestamp: '1700000000.123456',
    });
    expect(body).toMatchObject({
      status: 'CREATED',
      source: 'CHAT',
      author: { firstName: 'Mira', lastName: 'Lind', email: null, image: null },
      createdAt: '2023-11-14T22:13:20.123Z',
      chatMessages: [{ channelId: 'C1', ts: '1700000000.123456', teamId: null }],
      deleted: false,
    });
  });

  it('takes the time from chat, never from the future; any other timestamp is ignored', async () => {
    const { post } = await start();
    for (const chatTimestamp of ['99999999999.000000', 'not a time', '1700000000', '-1.5']) {
      const { status, body } = await post({ chatChannelId: 'C1', chatTimestamp });
      expect([chatTimestamp, status, body.createdAt]).toEqual([chatTimestamp, 200, body.updatedAt]);
    }
  });

  it.each([
    ['as they were sent', [1, 2, 3, 4]],
    ['the last first', [4, 1, 2, 3]],
    ['in reverse', [4, 3, 2, 1]],
    ['one late', [2, 3, 4, 1]],
    ['two late', [1, 4, 3, 2]],
  ])(
    'stands in the order in which chat sent them, with a clock behind that of chat: arrived %s',
    async (_, arrivals) => {
      const clock = new MovableClock();
      const { post, ticket, call } = await start({ clock });
      const sentAt = clock.now().getTime() / 1000 + 5;
      for (const number of arrivals) {
        clock.pass(40);
        const chatTimestamp = `${sentAt + number / 10}00000`;
        await post({ content: String(number), chatChannelId: 'C1', chatTimestamp });
      }
      const { items } = (await call('GET', `/ticket-messages?ticketId=${ticket}`)).body;
      expect(items.map(({ content }) => content)).toEqual(['1', '2', '3', '4']);
    },
  );

  it('F10 20 concurrent requests with one chat pair make one message, whatever ticket they name', async () => {
    const { call, post, ticket } = await start();
    const second = (await call('POST', '/tickets', { body: { title: 'Second' } })).body.id;
    const pair = { chatChannelId: 'C1', chatTimestamp: '1.1' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post({ ...pair, ticketId: index % 2 ? ticket : second })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect((await call('GET', '/ticket-messages')).body.totalCount).toBe(1);
  });

  it('returns whether the message is new or already existed', async () => {
    const { post } = await start();
    const pair = { chatChannelId: 'C1', chatTimestamp: '1.1' };
    const answers = [await post(pair), await post(pair), await post({}), await post({ content: '' })];
    expect(answers.map(({ headers }) => headers.get('x-created'))).toEqual(['true', 'false', 'true', null]);
  });

  it('F10 the same chat pair in another workspace makes a separate message', async () => {
    const service = await start();
    const pair = { chatChannelId: 'C1', chatTimestamp: '1.1' };
    const here = await service.post(pair);
    const { token } = await anotherWorkspace(service);
    const ticketId = (await service.call('POST', '/tickets', { body: { title: 'T' }, token })).body.id;
    const body = { ticketId, content: 'Elsewhere', ...pair };
    const there = await service.call('POST', '/ticket-messages', { body, token });
    expect([there.status, there.body.content]).toEqual([200, 'Elsewhere']);
    expect(there.body.id).not.toBe(here.body.id);
  });

  it('a message, its copy in chat, its event and its deliveries are one transaction', async () => {
    const { call, post, agent, ...service } = await start({ begins: new Promise(() => undefined) });
    await call('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/hook' } });
    const body = { authorId: agent, chatChannelId: 'C1' };
    await post({ ...body, chatTimestamp: '1.1' });
    const texts = await statementsOf(() => post({ ...body, chatTimestamp: '1.2' }));
    expect([texts.at(0), texts.at(-1)]).toEqual([expect.stringMatching(/^begin/), 'commit']);
    expect(texts.length).toBeLessThanOrEqual(MOST_STATEMENTS);
    for (const table of ['ticket_message', 'chat_message', 'event', 'delivery', 'work'])
      expect(
        texts.filter(
          (text) => text.includes(`insert into ${table} `) || text.includes(`insert into "${table}" `),
        ),
        table,
      ).toHaveLength(1);
    const repeated = await statementsOf(() => post({ ...body, chatTimestamp: '1.2' }));
    expect(repeated.filter((text) => /^(insert|update)/.test(text))).toEqual([]);
    const { db } = openTables(service);
    const events = await db.selectFrom('event').select(['type', 'action']).orderBy('id').execute();
    expect(events.map(({ type, action }) => `${type} ${action}`)).toEqual([
      'Message created',
      'Ticket updated',
      'Message created',
    ]);
    const work = await db.selectFrom('work').select('kind').execute();
    expect(work.map(({ kind }) => kind)).toEqual(['attempt', 'attempt', 'attempt']);
  });

  it('the first public reply by someone other than the requester sets respondedAt', async () => {
    const { call, post, ticket, requester, agent } = await start();
    const responded = async () => (await call('GET', `/tickets/${ticket}`)).body.respondedAt;
    await post({ authorId: requester });
    await post({ authorId: agent, private: true });
    expect(await responded()).toBeNull();
    const reply = (await post({ authorId: agent })).body;
    expect(await responded()).toBe(reply.updatedAt);
    await post({ authorId: agent });
    expect(await responded()).toBe(reply.updatedAt);
  });

  it('a message to an unknown ticket gets 404, by a foreign author 422, empty or too long 400', async () => {
    const { post } = await start();
    expect((await post({ ticketId: 'tkt_none' })).status).toBe(404);
    expect((await post({ authorId: 'usr_none' })).status).toBe(422);
    expect((await post({ content: '' })).status).toBe(400);
    expect((await post({ content: 'x'.repeat(100_001) })).status).toBe(400);
    expect((await post({ content: 'x'.repeat(100_000) })).status).toBe(200);
  });
});

describe('changing messages', () => {
  it('an edit is marked, and the same text again is not an edit', async () => {
    const { call, post } = await start();
    const before = (await post({})).body;
    const { body } = await call('PUT', `/ticket-messages/${before.id}`, { body: { content: 'Edited' } });
    expect(body).toMatchObject({ content: 'Edited', status: 'EDITED', createdAt: before.createdAt });
    expect(body.updatedAt > before.updatedAt).toBe(true);
    expect(
      (await call('PUT', `/ticket-messages/${before.id}`, { body: { content: 'Edited' } })).body,
    ).toEqual(body);
    expect(
      (await call('PUT', `/ticket-messages/${before.id}`, { body: { private: true } })).body.private,
    ).toBe(true);
  });

  it('a deletion removes the text and keeps the record; a second one returns the same', async () => {
    const { call, post, ticket, agent } = await start();
    const { id } = (await post({ content: 'planted words', chatChannelId: 'C1', chatTimestamp: '1.1' })).body;
    const { body } = await call('DELETE', `/ticket-messages/${id}`);
    expect(body).toMatchObject({ deleted: true, status: 'DELETED', content: '', deletedAt: body.updatedAt });
    expect((await call('DELETE', `/ticket-messages/${id}`)).body).toEqual(body);
    expect((await call('PUT', `/ticket-messages/${id}`, { body: { content: 'x' } })).status).toBe(409);
    const reaction = { emoji: 'eyes', authorId: agent };
    expect((await call('PUT', `/ticket-messages/${id}/reactions`, { body: reaction })).status).toBe(409);
    expect((await call('GET', `/ticket-messages?ticketId=${ticket}`)).body.items).toEqual([body]);
    expect(
      (await call('GET', `/ticket-messages?ticketId=${ticket}&includeDeleted=false`)).body.totalCount,
    ).toBe(0);
    expect((await post({ content: 'again', chatChannelId: 'C1', chatTimestamp: '1.1' })).body).toEqual(body);
  });

  it('reactions are one per person and emoji, and appear as changes to clients that follow', async () => {
    const { call, post, agent, requester, ticket } = await start();
    const { id, updatedAt } = (await post({})).body;
    const react = (method: string, authorId: string) =>
      call(method, `/ticket-messages/${id}/reactions`, { body: { emoji: 'eyes', authorId } });
    await Promise.all([react('PUT', agent), react('PUT', agent), react('PUT', requester)]);
    const changed = (
      await call('GET', `/ticket-messages?ticketId=${ticket}&sortBy=updatedAt&updatedFrom=${updatedAt}`)
    ).body.items;
    expect(changed[0]?.reactions.map((reaction) => reaction.authorId).sort()).toEqual(
      [agent, requester].sort(),
    );
    expect((changed[0]?.updatedAt ?? '') > updatedAt).toBe(true);
    expect((await react('DELETE', agent)).body.reactions).toMatchObject([
      { authorId: requester, emoji: 'eyes' },
    ]);
    const settled = (await react('DELETE', agent)).body;
    expect((await react('DELETE', agent)).body).toEqual(settled);
    expect((await react('PUT', 'usr_none')).status).toBe(422);
  });

  it('messages changed since an instant come with their ticket, in that order, up to a limit', async () => {
    const { call, post, ticket } = await start();
    const read = (more = '') => call('GET', `/tickets/${ticket}${more}`).then(({ body }) => body);
    const since = async (from: string) =>
      (await read(`?messagesFrom=${from}`)).messages?.map(({ content }) => content);
    const [first] = [(await post({ content: 'one' })).body, await post({ content: 'two' })];
    expect(await read()).not.toHaveProperty('messages');
    expect(await since(first.updatedAt)).toEqual(['one', 'two']);
    const edited = (await call('PUT', `/ticket-messages/${first.id}`, { body: { content: 'ONE' } })).body;
    expect(await since(first.updatedAt)).toEqual(['two', 'ONE']);
    expect(await since(edited.updatedAt)).toEqual(['ONE']);
    const listed = (await call('GET', `/ticket-messages?ticketId=${ticket}&updatedFrom=${edited.updatedAt}`))
      .body;
    expect((await read(`?messagesFrom=${edited.updatedAt}`)).messages).toEqual(listed.items);
    for (let count = 2; count <= LIMITS.messagesWithTicket; count++) await post({ content: 'more' });
    expect(await since(first.updatedAt)).toBeUndefined();
    expect(await since(edited.updatedAt)).toHaveLength(LIMITS.messagesWithTicket);
  });

  it('another copy in chat is not a change of the message, and belongs to one message', async () => {
    const { call, post } = await start();
    const [first, second] = [(await post({})).body, (await post({})).body];
    const copy = (id: string, body: object) => call('PUT', `/ticket-messages/${id}/chat-messages`, { body });
    await copy(first.id, { channelId: 'C1', ts: '1.1' });
    const { body } = await copy(first.id, { channelId: 'C1', ts: '1.1', teamId: 'T1', threadId: '1.0' });
    expect(body.chatMessages).toMatchObject([
      { channelId: 'C1', ts: '1.1', teamId: 'T1', threadId: '1.0', ticketMessageId: first.id },
    ]);
    expect(body.updatedAt).toBe(first.updatedAt);
    expect((await copy(second.id, { channelId: 'C1', ts: '1.1' })).status).toBe(409);
    const repeated = await post({ chatChannelId: 'C1', chatTimestamp: '1.1' });
    expect(repeated.body.id).toBe(first.id);
    const tickets = (await call('GET', '/tickets?chatChannelId=C1&chatMessageTs=1.1')).body.items;
    expect(tickets.map((ticket) => ticket.id)).toEqual([first.ticketId]);
  });
});
