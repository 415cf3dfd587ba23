import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { TicketActivity } from '../../../src/contract/index.ts';
import { type Body, type Running, sharedService } from '../harness.ts';
import { signIn } from '../signed-in.ts';
import { anotherWorkspace, keyOfBoth, openTables } from '../world.ts';
import { create, person, put, queue, statuses } from './requests.ts';

const newWorkspace = sharedService();

type Started = Running;

const merge = ({ call, token: own }: Started, id: string, intoId: string, token = own) =>
  call('POST', `/tickets/${id}/merge`, { token, body: { intoId } });
const link = ({ call, token: own }: Started, id: string, ticketId: string, kind: string, token = own) =>
  call('POST', `/tickets/${id}/links`, { token, body: { ticketId, kind } });
const read = async ({ call }: Started, id: string): Promise<Body> =>
  (await call('GET', `/tickets/${id}`)).body;
const write = async ({ call }: Started, ticketId: string, content: string, more = {}): Promise<Body> =>
  (await call('POST', '/ticket-messages', { body: { ticketId, content, ...more } })).body;
const contents = async ({ call }: Started, id: string) =>
  (await call('GET', `/ticket-messages?ticketId=${id}&sortBy=createdAt&sortDirection=asc`)).body.items.map(
    ({ content }) => content,
  );
async function activity({ call }: Started, id: string, token?: string) {
  const { body } = await call('GET', `/tickets/${id}/activity`, token === undefined ? {} : { token });
  return (body.items as unknown as TicketActivity[]).slice(1);
}

async function people(service: Started, ...names: string[]): Promise<string[]> {
  const ids = [];
  for (const name of names) ids.push(await person(service, name));
  return ids;
}
const followers = async (service: Started, id: string) =>
  (await read(service, id)).followers.map((one) => one.id);
const visible = async ({ call }: Started, id = '') =>
  (await call('GET', `/tickets?visibleToUserId=${id}`)).body.items.map((ticket) => ticket.id).sort();
const reopen = async (service: Started, id: string) =>
  put(service, id, { statusId: (await statuses(service))['Open'] });

describe('a merge', () => {
  it('closes the ticket, says where it goes on, and makes its requester follow the other one', async () => {
    const service = await newWorkspace();
    const [ada, ben] = [await person(service, 'Ada'), await person(service, 'Ben')];
    const from = await create(service, { requesterId: ada });
    const into = await create(service, { requesterId: ben });
    await write(service, from.id, 'It is broken', { authorId: ada });
    const answer = await merge(service, from.id, into.code);
    expect([answer.status, answer.body]).toMatchObject([200, { id: into.id, followers: [{ id: ada }] }]);
    const merged = await read(service, from.id);
    expect(merged).toMatchObject({ mergedIntoId: into.id, status: { label: 'Closed' }, respondedAt: null });
    expect(merged.closedAt).not.toBeNull();
    expect(merged.updatedAt > from.updatedAt).toBe(true);
    expect((await read(service, into.id)).updatedAt > into.updatedAt).toBe(true);
    expect(await contents(service, from.id)).toEqual([
      'It is broken',
      `This request was merged into ${into.code}. Messages written here are added to ${into.code}.`,
    ]);
    const reference = (ticket: Body) => ({ id: ticket.id, name: ticket.code });
    expect(await activity(service, from.id)).toMatchObject([
      { kind: 'changed', field: 'statusId', to: { name: 'Closed' } },
      { kind: 'merged', field: 'mergedIntoId', from: null, to: reference(into) },
    ]);
    expect(await activity(service, into.id)).toMatchObject([
      { kind: 'merged', field: 'mergedFrom', from: reference(from), to: null },
    ]);
    expect((await write(service, from.code, 'And it smells')).ticketId).toBe(into.id);
  });

  it('stores later messages on the other ticket, in order, and a repeated one where it was', async () => {
    const service = await newWorkspace();
    const ada = await person(service, 'Ada');
    const from = await create(service, { chatChannelId: 'C1', chatTimestamp: '1.1', requesterId: ada });
    const into = await create(service, { chatChannelId: 'C1', chatTimestamp: '2.1' });
    const chat = (ts: string) => ({ chatChannelId: 'C1', chatTimestamp: ts, authorId: ada });
    const early = await write(service, from.id, 'early', chat('1.2'));
    await merge(service, from.id, into.id);
    const repeated = await write(service, from.id, 'early', chat('1.2'));
    expect([repeated.id, repeated.ticketId]).toEqual([early.id, from.id]);
    const late = [];
    for (const ts of ['1.3', '1.4', '1.5']) late.push(await write(service, from.id, `late ${ts}`, chat(ts)));
    expect((await write(service, from.id, 'late 1.4', chat('1.4'))).id).toBe(late[1]?.id);
    expect(await contents(service, into.id)).toEqual(['late 1.3', 'late 1.4', 'late 1.5']);
    // Its record says in which thread it was written, so that it is not taken for a message of the other one's.
    expect(late[0]?.chatMessages).toMatchObject([{ channelId: 'C1', ts: '1.3', threadId: '1.1' }]);
    expect((await write(service, from.id, 'whispered', { private: true })).ticketId).toBe(into.id);
    const { items } = (await service.call('GET', `/tickets?chatChannelId=C1&chatMessageTs=1.1`)).body;
    expect(items.map(({ id }) => id)).toEqual([from.id]);
  });

  it('of 20 messages written while it runs loses none, and stores none twice', async () => {
    const service = await newWorkspace();
    const [from, into] = [await create(service), await create(service)];
    const writes = Array.from({ length: 20 }, (_, n) => write(service, from.id, `message ${n}`));
    const [merged, ...written] = await Promise.all([merge(service, from.id, into.id), ...writes]);
    expect(merged.status).toBe(200);
    const all = [...(await contents(service, from.id)), ...(await contents(service, into.id))];
    expect(all.filter((text) => text.startsWith('message')).sort()).toEqual(
      writes.map((_, n) => `message ${n}`).sort(),
    );
    expect(written.every(({ ticketId }) => [from.id, into.id].includes(ticketId))).toBe(true);
  });

  it('moves what was merged into the ticket on, and is undone when the ticket is reopened', async () => {
    const service = await newWorkspace();
    const [a, b, c] = [await create(service), await create(service), await create(service)];
    await merge(service, a.id, b.id);
    await merge(service, b.id, c.id);
    expect((await contents(service, a.id)).at(-1)).toBe(
      `${b.code} was merged into ${c.code}. Messages written here are added to ${c.code}.`,
    );
    expect([(await read(service, a.id)).mergedIntoId, (await read(service, b.id)).mergedIntoId]).toEqual([
      c.id,
      c.id,
    ]);
    expect((await write(service, a.id, 'still here')).ticketId).toBe(c.id);
    await put(service, a.id, { statusId: (await statuses(service))['Open'] });
    expect(await read(service, a.id)).toMatchObject({ mergedIntoId: null, closedAt: null });
    expect((await write(service, a.id, 'here again')).ticketId).toBe(a.id);
    expect((await activity(service, a.id)).at(-1)).toMatchObject({
      kind: 'unmerged',
      field: 'mergedIntoId',
      from: { name: c.code },
      to: null,
    });
    // The ticket that it was merged into says so, though its messages went to a third one.
    expect((await activity(service, b.id)).at(-1)).toMatchObject({
      kind: 'unmerged',
      field: 'mergedFrom',
      from: { name: a.code },
      to: null,
    });
    expect(await contents(service, a.id)).toContain(
      `This request is no longer merged into ${c.code}. Messages written here stay here.`,
    );
  });

  it('of a chain brings back what was merged into the ticket, in words too', async () => {
    const service = await newWorkspace();
    const [ada, ben, cem] = await people(service, 'Ada', 'Ben', 'Cem');
    const [a, b, c] = [
      await create(service, { requesterId: ada }),
      await create(service, { requesterId: ben }),
      await create(service, { requesterId: cem }),
    ];
    await merge(service, b.id, a.id);
    await merge(service, a.id, c.id);
    expect(await followers(service, c.id)).toEqual([ada, ben]);
    expect(await followers(service, a.id)).toEqual([ben]);
    await reopen(service, a.id);
    expect((await read(service, b.id)).mergedIntoId).toBe(a.id);
    expect((await write(service, b.id, 'more of b')).ticketId).toBe(a.id);
    expect([await followers(service, a.id), await followers(service, c.id)]).toEqual([[ben], []]);
    expect((await contents(service, b.id)).at(-1)).toBe(
      `${a.code} is no longer merged into ${c.code}. Messages written here are added to ${a.code}.`,
    );
    await reopen(service, b.id);
    expect(await followers(service, a.id)).toEqual([]);
  });

  it('takes back only the followers that it added, and keeps what people did since', async () => {
    const service = await newWorkspace();
    const [ada, ben, cem, dee] = await people(service, 'Ada', 'Ben', 'Cem', 'Dee');
    const target = await create(service, { requesterId: ada, followers: [{ id: cem }] });
    const own = (requesterId: string | undefined, more = {}) => create(service, { requesterId, ...more });
    const later = '2040-01-01T09:00:00.000Z';
    const [first, second, followed, removed] = [
      await own(ben, { snoozeUntil: later }),
      await own(ben),
      await own(cem),
      await own(dee),
    ];
    for (const { id } of [first, second, followed, removed]) await merge(service, id, target.id);
    expect(await followers(service, target.id)).toEqual([cem, ben, dee]);
    // Removed by a person and added again, she follows for a reason of her own; the others' reasons stay.
    await put(service, target.id, { followers: [{ id: ben }, { id: cem }] });
    await put(service, target.id, { followers: [{ id: ben }, { id: cem }, { id: dee }] });
    await reopen(service, first.id);
    expect((await read(service, first.id)).snoozeUntil).toBe(later);
    expect(await followers(service, target.id)).toEqual([ben, cem, dee]);
    for (const { id } of [second, followed, removed]) await reopen(service, id);
    expect(await followers(service, target.id)).toEqual([cem, dee]);
  });

  it('of private tickets shows nobody a conversation that they could not read', async () => {
    const service = await newWorkspace();
    const [ada, ben] = await people(service, 'Ada', 'Ben');
    const { personId: agent } = await signIn(openTables(service).db, service.workspaceId, { role: 'agent' });
    for (const [requester, more, status] of [
      [ben, {}, 422],
      [ben, { followers: [ben] }, 200],
      [ben, { approverIds: [ben] }, 200],
      [ben, { assigneeId: ben }, 200],
      [ada, {}, 200],
      [agent, {}, 200],
    ] as const) {
      const { followers: ids, ...rest } = { followers: [] as (string | undefined)[], ...more };
      const target = await create(service, {
        requesterId: ada,
        private: true,
        followers: ids.map((id) => ({ id })),
        ...rest,
      });
      const before = await visible(service, ben);
      const from = await create(service, { requesterId: requester, private: true });
      expect([requester, more, (await merge(service, from.id, target.id)).status]).toEqual([
        requester,
        more,
        status,
      ]);
      expect((await visible(service, ben)).filter((id) => id !== from.id)).toEqual(before);
    }
    // Nor does a ticket that was merged before take its requester along.
    const [middle, outer] = [
      await create(service, { requesterId: ada, private: true, followers: [{ id: ben }] }),
      await create(service, { requesterId: ada, private: true }),
    ];
    await merge(service, (await create(service, { requesterId: ben, private: true })).id, middle.id);
    expect((await merge(service, middle.id, outer.id)).status).toBe(422);
  });

  it('however many there are, undone in any order, leaves everyone what they could see before', async () => {
    const service = await newWorkspace();
    const all = await people(service, 'Ada', 'Ben', 'Cem');
    const steps = fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.boolean()), { minLength: 5, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(5), async (taken, turn) => {
        const tickets: Body[] = [];
        for (let at = 0; at < 6; at++)
          tickets.push(await create(service, { requesterId: all[at % 3], private: at % 4 === 3 }));
        const ids = tickets.map(({ id }) => id);
        const seen = async () => {
          const of = [];
          for (const one of all) of.push((await visible(service, one)).filter((id) => ids.includes(id)));
          const following = [];
          for (const id of ids) following.push(await followers(service, id));
          return { of, following };
        };
        const before = await seen();
        for (const [from, into, isUndone] of taken)
          await (isUndone
            ? reopen(service, ids[from] ?? '')
            : merge(service, ids[from] ?? '', ids[into] ?? ''));
        for (let at = 0; at < 6; at++) await reopen(service, ids[(at + turn) % 6] ?? '');
        expect(await seen()).toEqual(before);
        for (const id of ids) expect((await read(service, id)).mergedIntoId).toBeNull();
      }),
      { numRuns: 3 },
    );
  });

  it('is refused for itself, twice, into a merged or archived one, and across visibility or workspaces', async () => {
    const service = await newWorkspace();
    const [a, b, c] = [await create(service), await create(service), await create(service)];
    const hidden = await create(service, { private: true });
    await merge(service, a.id, b.id);
    const twice = await merge(service, a.id, c.id);
    expect([twice.status, twice.body.conflict]).toMatchObject([
      409,
      { field: 'mergedIntoId', value: { id: b.id }, by: { kind: 'key' } },
    ]);
    const other = await anotherWorkspace(service);
    const abroad = (await service.call('POST', '/tickets', { token: other.token, body: { title: 'x' } }))
      .body;
    await service.call('DELETE', `/tickets/${c.id}`);
    for (const [from, into] of [
      [b.id, b.id],
      [b.id, a.id],
      [b.id, c.id],
      [b.id, hidden.id],
      [hidden.id, b.id],
      [b.id, abroad.id],
      [b.id, 'tkt_nothing'],
    ] as const)
      expect([into, (await merge(service, from, into)).status]).toEqual([into, 422]);
    const both = await keyOfBoth(service, other.workspaceId);
    expect((await merge(service, b.id, abroad.id, both)).status).toBe(422);
    expect((await merge(service, 'tkt_nothing', b.id)).status).toBe(404);
    expect((await read(service, b.id)).mergedIntoId).toBeNull();
  });

  it('needs the team’s access to both tickets, and a reply needs access to the other one', async () => {
    const service = await newWorkspace();
    const { db } = openTables(service);
    const [hr, it] = [await queue(service, 'HR'), await queue(service, 'OPS')];
    const noor = await signIn(db, service.workspaceId, { role: 'agent', queueIds: [hr] });
    const asks = await signIn(db, service.workspaceId, { role: 'requester' });
    const own = await create(service, { queueId: hr, requesterId: asks.personId, private: true });
    const open = await create(service, { queueId: it });
    const hidden = await create(service, { queueId: it, private: true });
    const mine = await create(service, { queueId: hr });
    expect((await merge(service, mine.id, open.id, noor.token)).status).toBe(403);
    expect((await merge(service, open.id, mine.id, noor.token)).status).toBe(403);
    expect((await merge(service, own.id, hidden.id, noor.token)).status).toBe(422);
    expect((await merge(service, hidden.id, own.id, noor.token)).status).toBe(404);
    // The requester follows the other ticket, so may go on; an agent of the first queue may not.
    const refused = await merge(service, own.id, hidden.id);
    expect([refused.status, refused.body.issues?.[0]?.message]).toEqual([
      422,
      expect.stringContaining('Make them a follower'),
    ]);
    await put(service, hidden.id, { followers: [{ id: asks.personId }] });
    await merge(service, own.id, hidden.id);
    const reply = (token: string) =>
      service.call('POST', '/ticket-messages', { token, body: { ticketId: own.id, content: 'hello' } });
    expect((await reply(asks.token)).body.ticketId).toBe(hidden.id);
    expect((await reply(noor.token)).status).toBe(404);
    const seen = await service.call('GET', `/tickets/${own.id}`, { token: noor.token });
    expect(seen.body.mergedIntoId).toBeNull();
    expect(await activity(service, own.id, noor.token)).toContainEqual(
      expect.objectContaining({ kind: 'merged', to: 'another ticket' }),
    );
  });

  it('of private tickets keeps both private', async () => {
    const service = await newWorkspace();
    const [from, into] = [await create(service, { private: true }), await create(service, { private: true })];
    await merge(service, from.id, into.id);
    const refused = await put(service, into.id, { private: false });
    expect([refused.status, refused.body.issues?.[0]?.path]).toEqual([422, 'data.private']);
    expect((await put(service, from.id, { private: false })).status).toBe(422);
    await put(service, from.id, { statusId: (await statuses(service))['Open'] });
    expect((await put(service, into.id, { private: false })).status).toBe(200);
  });

  it('of two tickets into each other at the same time happens once', async () => {
    const service = await newWorkspace();
    const [a, b] = [await create(service), await create(service)];
    const answers = await Promise.all([merge(service, a.id, b.id), merge(service, b.id, a.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });
});

describe('links', () => {
  it('appear on both tickets with their direction, once, until either side removes them', async () => {
    const service = await newWorkspace();
    const [a, b] = [await create(service), await create(service)];
    const made = (await link(service, a.id, b.code, 'blocks')).body;
    expect(made.links).toMatchObject([
      { kind: 'blocks', direction: 'out', ticket: { id: b.id, code: b.code } },
    ]);
    expect((await read(service, b.id)).links).toMatchObject([{ direction: 'in', ticket: { id: a.id } }]);
    await link(service, a.id, b.id, 'blocks');
    await link(service, a.id, b.id, 'related');
    const { links } = (await link(service, b.id, a.id, 'related')).body;
    expect(links.map(({ kind }) => kind).sort()).toEqual(['blocks', 'related']);
    expect(await activity(service, b.id)).toMatchObject([
      { kind: 'linked', field: 'blocked-by', to: { id: a.id, name: a.code } },
      { kind: 'linked', field: 'related', to: { id: a.id } },
    ]);
    const [first] = made.links;
    const remove = (from: string) => service.call('DELETE', `/tickets/${from}/links/${first?.id ?? ''}`);
    expect((await remove(b.id)).body.links.map(({ kind }) => kind)).toEqual(['related']);
    expect((await remove(a.id)).status).toBe(404);
    expect((await activity(service, a.id)).at(-1)).toMatchObject({ kind: 'unlinked', field: 'blocks' });
    expect((await read(service, a.id)).updatedAt > made.updatedAt).toBe(true);
    for (const [wrong, status] of [
      [a.id, 422],
      ['tkt_nothing', 422],
    ] as const)
      expect((await link(service, a.id, wrong, 'related')).status).toBe(status);
    expect((await link(service, a.id, b.id, 'friend')).status).toBe(400);
  });

  it('to tickets that a person does not see are not shown, and cannot be made or removed', async () => {
    const service = await newWorkspace();
    const [hr, ops] = [await queue(service, 'HR'), await queue(service, 'OPS')];
    const noor = await signIn(openTables(service).db, service.workspaceId, { role: 'agent', queueIds: [hr] });
    const own = await create(service, { queueId: hr });
    const hidden = await create(service, { queueId: ops, private: true, title: 'secret' });
    const made = (await link(service, own.id, hidden.id, 'duplicate')).body.links[0]?.id ?? '';
    const seen = await service.call('GET', `/tickets/${own.id}`, { token: noor.token });
    expect(seen.body.links).toEqual([]);
    expect(await activity(service, own.id, noor.token)).toMatchObject([{ to: 'another ticket' }]);
    expect((await link(service, own.id, hidden.id, 'related', noor.token)).status).toBe(422);
    const removed = await service.call('DELETE', `/tickets/${own.id}/links/${made}`, { token: noor.token });
    expect(removed.status).toBe(404);
  });
});
