import { describe, expect, it } from 'vitest';

import type { TicketDetail } from '../../src/contract/index.ts';
import { sharedService } from './harness.ts';
import { signIn } from './signed-in.ts';
import { openTables } from './world.ts';

const newWorkspace = sharedService();

/** A service with an agent of the queue ONE and a requester, and a function for a request of each. */
async function setUp() {
  const running = await newWorkspace();
  const { call, workspaceId } = running;
  const { db } = openTables(running);
  const post = async (path: string, body: unknown) => (await call('POST', path, { body })).body.id;
  const one = await post('/queues', { name: 'One', prefix: 'ONE' });
  const two = await post('/queues', { name: 'Two', prefix: 'TWO' });
  const agent = await signIn(db, workspaceId, { role: 'agent', queueIds: [one], name: 'Agent' });
  const requester = await signIn(db, workspaceId, { role: 'requester', name: 'Requester' });
  const as = (token: string) => async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, { token, ...(body !== undefined && { body }) });
    return { status: answer.status, body: answer.body as typeof answer.body & { message: string } };
  };
  const asAgent = as(agent.token);
  const asRequester = as(requester.token);
  return { ...running, db, post, one, two, agent, requester, asAgent, asRequester };
}

describe('a signed-in person', () => {
  it('acts only as themselves, whatever the body says', async () => {
    const { post, one, agent, requester, asAgent, asRequester } = await setUp();
    const ticket = await post('/tickets', { title: 'x', queueId: one, requesterId: requester.personId });
    const message = await post('/ticket-messages', { ticketId: ticket, content: 'x' });
    const other = agent.personId;
    const refused = [
      await asRequester('POST', '/tickets', { title: 'x', authorId: other }),
      await asRequester('POST', '/ticket-messages', { ticketId: ticket, content: 'x', authorId: other }),
      await asRequester('POST', `/tickets/${ticket}/csat`, { score: 5, userId: other }),
      await asRequester('PUT', `/tickets/${ticket}`, {
        data: { approvedAt: '2026-11-20T09:30:00Z' },
        approverId: other,
      }),
      await asAgent('PUT', `/tickets/${ticket}/claim`, { userId: requester.personId }),
      await asAgent('PUT', `/tickets/${ticket}`, { data: { authorId: requester.personId } }),
      await asAgent('PUT', `/ticket-messages/${message}/reactions`, {
        emoji: 'eyes',
        authorId: requester.personId,
      }),
      await asAgent('POST', '/ticket-messages', { ticketId: ticket, content: 'x', source: 'AGENT' }),
      await asAgent('PUT', `/tickets/${ticket}`, { data: { source: 'CHAT' } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect(refused[0]?.body.message).toBe(
      'You can act only as yourself: leave authorId out, or send your own id.',
    );
    const own = await asRequester('POST', '/ticket-messages', { ticketId: ticket, content: 'mine' });
    expect(own.body).toMatchObject({ authorId: requester.personId, source: 'WEB' });
    const named = { ticketId: ticket, content: 'y', authorId: agent.personId, source: 'WEB' };
    expect((await asAgent('POST', '/ticket-messages', named)).status).toBe(200);
  });

  it('opens tickets as a requester in any queue, and for others only in a queue of theirs', async () => {
    const { one, two, agent, requester, asAgent, asRequester } = await setUp();
    const opened = await asRequester('POST', '/tickets', { title: 'Help', queueId: two });
    expect([opened.status, opened.body]).toMatchObject([
      200,
      { requesterId: requester.personId, authorId: requester.personId, source: 'WEB' },
    ]);
    const others = { title: 'Help', requesterId: requester.personId };
    expect((await asAgent('POST', '/tickets', { ...others, queueId: one })).status).toBe(200);
    const refused = await asAgent('POST', '/tickets', { ...others, queueId: two });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'Only agents of this queue may open a ticket for another person. Leave requesterId out.',
    ]);
    const swapped = { title: 'Help', queueId: one, requesterId: agent.personId };
    expect((await asRequester('POST', '/tickets', swapped)).status).toBe(403);
  });

  it('learns nothing by a pair of chat, a parent or a relative that they do not see', async () => {
    const { call, post, one, two, asAgent, asRequester } = await setUp();
    const pair = { chatChannelId: 'C1', chatTimestamp: '1700000000.000100' };
    const secret = await post('/tickets', { title: 'Secret', queueId: two, private: true, ...pair });
    await post('/ticket-messages', { ticketId: secret, content: 'x', ...pair });
    const own = (await asRequester('POST', '/tickets', { title: 'Own', queueId: one })).body.id;
    const statuses = [
      (await asRequester('POST', '/tickets', { title: 'x', ...pair })).status,
      (await asRequester('POST', '/ticket-messages', { ticketId: own, content: 'x', ...pair })).status,
      (await asAgent('PUT', `/tickets/${own}`, { data: pair })).status,
    ];
    expect(statuses).toEqual([403, 403, 403]);
    const unknown = async (parentId: string) => {
      const created = await asRequester('POST', '/tickets', { title: 'x', parentId });
      const updated = await asAgent('PUT', `/tickets/${own}`, { data: { parentId } });
      return [created, updated].map(({ status, body }) => [status, body.message.replace(parentId, '…')]);
    };
    expect(await unknown(secret)).toEqual(await unknown('tkt_nothing'));

    const child = await post('/tickets', {
      title: 'Hidden child',
      queueId: two,
      private: true,
      parentId: own,
    });
    await call('PUT', `/tickets/${own}`, { body: { data: { parentId: secret } } });
    const seen = await asRequester('GET', `/tickets/${own}`);
    expect(seen.body).toMatchObject({ parentId: null, parent: null, children: [] });
    const [thin] = (await asRequester('GET', '/tickets?responseType=thin')).body.items;
    expect(thin).toMatchObject({ parent: null, parentId: null, children: [] });
    const renamed = await asAgent('PUT', `/tickets/${own}`, { data: { title: 'Renamed' } });
    expect(renamed.body).toMatchObject({ title: 'Renamed', parentId: null, children: [] });
    const all = (await call('GET', `/tickets/${own}`)).body as unknown as TicketDetail;
    expect([all.parentId, all.children.map(({ id }) => id)]).toEqual([secret, [child]]);
    const withChild = { data: { archivedAt: '2026-11-20T09:30:00.000Z' }, includeChild: true };
    expect((await asAgent('PUT', `/tickets/${own}`, withChild)).status).toBe(200);
    expect((await call('GET', `/tickets/${child}`)).body.archivedAt).toBeNull();
    await call('PUT', `/tickets/${child}`, { body: { data: { private: false } } });
    const reopened = { data: { archivedAt: null }, includeChild: true };
    expect((await asAgent('PUT', `/tickets/${own}`, reopened)).status).toBe(403);
    expect((await call('GET', `/tickets/${own}`)).body.archivedAt).not.toBeNull();
  });

  it('replies in public to a ticket they take part in, and writes internal notes only in their team', async () => {
    const { post, two, agent, requester, asAgent, asRequester } = await setUp();
    const people = { requesterId: requester.personId, followers: [{ id: agent.personId }] };
    const ticket = await post('/tickets', { title: 'x', queueId: two, private: true, ...people });
    const say = (isPrivate: boolean) => ({ ticketId: ticket, content: 'x', private: isPrivate });
    expect((await asAgent('POST', '/ticket-messages', say(false))).status).toBe(200);
    expect((await asRequester('POST', '/ticket-messages', say(false))).status).toBe(200);
    const notes = [
      await asAgent('POST', '/ticket-messages', say(true)),
      await asRequester('POST', '/ticket-messages', say(true)),
    ];
    expect(notes.map(({ status, body }) => [status, body.message])).toEqual(
      notes.map(() => [403, 'Only agents of this ticket’s queue and its assignee may do this.']),
    );
    const open = await post('/tickets', { title: 'Open', queueId: two });
    const joined = await asAgent('POST', '/ticket-messages', { ticketId: open, content: 'x' });
    expect([joined.status, joined.body.message]).toEqual([
      403,
      'Only people who take part in this ticket and agents of its queue may do this.',
    ]);
  });

  it('works on a ticket of another team that is assigned to them, notes included', async () => {
    const { post, two, agent, asAgent } = await setUp();
    const body = { title: 'x', queueId: two, private: true, assigneeId: agent.personId };
    const ticket = await post('/tickets', body);
    const note = await post('/ticket-messages', { ticketId: ticket, content: 'heron', private: true });
    expect((await asAgent('GET', `/ticket-messages/${note}`)).status).toBe(200);
    expect((await asAgent('GET', '/tickets?search=heron')).body.totalCount).toBe(1);
    expect((await asAgent('PUT', `/tickets/${ticket}`, { data: { priority: 'HIGH' } })).status).toBe(200);
    const handedOver = await asAgent('PUT', `/tickets/${ticket}`, { data: { assigneeId: null } });
    expect(handedOver.status).toBe(200);
    expect((await asAgent('GET', `/tickets/${ticket}`)).status).toBe(404);
  });

  it('decides only where they are an approver, and changes nothing else by it', async () => {
    const { call, post, two, requester, asRequester } = await setUp();
    const body = { title: 'x', queueId: two, requesterId: requester.personId };
    const mine = await post('/tickets', body);
    const decision = { approvedAt: '2026-11-20T09:30:00Z' };
    const refused = await asRequester('PUT', `/tickets/${mine}`, { data: decision });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'Only an approver of this ticket, its assignee and agents of its queue may do this.',
    ]);
    const approvers = [{ id: requester.personId }];
    const ticket = await post('/tickets', { title: 'y', queueId: two, private: true, approvers });
    const more = await asRequester('PUT', `/tickets/${ticket}`, {
      data: { ...decision, priority: 'URGENT' },
    });
    expect(more.status).toBe(403);
    const approved = await asRequester('PUT', `/tickets/${ticket}`, {
      data: decision,
      approverId: requester.personId,
    });
    expect(approved.status).toBe(200);
    expect((await call('GET', `/tickets/${ticket}`)).body).toMatchObject({
      metadata: { approval: { userId: requester.personId, decision: 'approved' } },
    });
  });

  it('reads no other user as a requester', async () => {
    const { agent, requester, asRequester } = await setUp();
    expect((await asRequester('GET', `/users/${requester.personId}`)).status).toBe(200);
    expect((await asRequester('GET', `/users/${agent.personId}`)).status).toBe(404);
    const listed = (await asRequester('GET', '/users')).body as unknown as { items: { id: string }[] };
    expect(listed.items.map(({ id }) => id)).toEqual([requester.personId]);
  });
});

it('a key does what it did: it writes in the name of others, and sees every ticket', async () => {
  const { call, key, two, agent, requester, post } = await setUp();
  const token = await key('agent');
  const ticket = await post('/tickets', { title: 'x', queueId: two, private: true });
  const body = {
    ticketId: ticket,
    content: 'x',
    authorId: requester.personId,
    source: 'CHAT',
    private: true,
  };
  expect((await call('POST', '/ticket-messages', { token, body })).status).toBe(200);
  const rating = { score: 5, userId: agent.personId };
  expect((await call('POST', `/tickets/${ticket}/csat`, { token, body: rating })).status).toBe(200);
  expect((await call('GET', '/tickets', { token: await key('read') })).body.totalCount).toBe(1);
});
