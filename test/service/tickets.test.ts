import { describe, expect, it } from 'vitest';

import { MovableClock } from './clock.ts';
import { type Answered, type Body, startTestService } from './harness.ts';
import { anotherWorkspace, openTables } from './world.ts';

type Started = Awaited<ReturnType<typeof startTestService>>;

async function create({ call }: Started, body: Record<string, unknown> = {}): Promise<Body> {
  const answer = await call('POST', '/tickets', { body: { title: 'A ticket', ...body } });
  expect([answer.status, answer.body]).toEqual([200, answer.body]);
  return answer.body;
}

async function put(
  { call }: Started,
  id: string,
  data: Record<string, unknown>,
  more = {},
): Promise<Answered> {
  return call('PUT', `/tickets/${id}`, { body: { data, ...more } });
}

async function person({ call }: Started, firstName: string): Promise<string> {
  return (
    await call('POST', '/users', { body: { firstName, email: `${firstName.toLowerCase()}@acme.example` } })
  ).body.id;
}

async function statuses({ call }: Started): Promise<Record<string, string>> {
  const { items } = (await call('GET', '/statuses')).body;
  return Object.fromEntries(items.map((status) => [status.label, status.id]));
}

async function queue({ call }: Started, prefix: string, more = {}): Promise<string> {
  return (await call('POST', '/queues', { body: { name: prefix, prefix, ...more } })).body.id;
}

describe('creating tickets', () => {
  it('needs a title or a description, and makes a title from the description', async () => {
    const service = await startTestService();
    expect((await service.call('POST', '/tickets', { body: { title: ' ', description: '' } })).status).toBe(
      400,
    );
    const made = await create(service, {
      title: null,
      description: `\n  ${'word '.repeat(60)}\nsecond line`,
    });
    expect(made.title).toMatch(/^(word )+word…$/);
    expect(made.title.length).toBeLessThanOrEqual(121);
    expect(await create(service, { title: '', description: 'Short' })).toMatchObject({
      title: 'Short',
      description: 'Short',
    });
  });

  it('fills in what is not named', async () => {
    const service = await startTestService();
    const made = await create(service);
    expect(made).toMatchObject({
      number: 1,
      code: 'HELP-1',
      priority: 'MEDIUM',
      published: true,
      private: false,
      source: 'API',
      status: { label: 'Open' },
      assigneeId: null,
      archivedAt: null,
      customFields: {},
      metadata: { approval: null, claim: null },
    });
    expect(made.publishedAt).toBe(made.createdAt);
    expect(made.shortId).toMatch(/^[2-9a-z]{8}$/);
    expect(made.requesterId).toBe(made.authorId);
  });

  it('50 at once get numbers that are unique and consecutive', async () => {
    const service = await startTestService();
    const made = await Promise.all(Array.from({ length: 50 }, () => create(service)));
    expect(made.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  it('a refused one uses up no number', async () => {
    const service = await startTestService();
    await create(service);
    for (const wrong of [
      { tags: [{ id: 'tag_none' }] },
      { approverIds: ['usr_none'] },
      { statusId: 'sts_none' },
    ])
      expect((await service.call('POST', '/tickets', { body: { title: 'x', ...wrong } })).status).toBe(422);
    expect((await create(service)).number).toBe(2);
  });

  it('F10 20 at once with one chat pair make one ticket, and use one number', async () => {
    const service = await startTestService();
    const body = { title: 'From chat', chatChannelId: 'C1', chatTimestamp: '1700000000.000100' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.call('POST', '/tickets', { body })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(answers[0]?.body.chatThreads).toMatchObject([{ channelId: 'C1', messageTs: '1700000000.000100' }]);
    expect((await create(service)).number).toBe(2);
    const other = await anotherWorkspace(service);
    const elsewhere = await service.call('POST', '/tickets', { body, token: other.token });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([200, 'OTH-1']);
  });

  it('goes round robin over a queue that assigns by itself', async () => {
    const service = await startTestService();
    const [ada, ben] = [await person(service, 'Ada'), await person(service, 'Ben')];
    const queueId = await queue(service, 'IT', { autoAssignees: `${ada}, ${ben},` });
    const assigned = [];
    for (let count = 0; count < 3; count++) assigned.push(await create(service, { queueId }));
    expect(assigned.map(({ assigneeId }) => assigneeId)).toEqual([ada, ben, ada]);
    expect(assigned[0]?.assignedAt).toBe(assigned[0]?.createdAt);
  });

  it('refuses records of another workspace with 422, whatever names them', async () => {
    const service = await startTestService();
    const other = await anotherWorkspace(service);
    const foreign = (
      await service.call('POST', '/users', { body: { firstName: 'Foreign' }, token: other.token })
    ).body.id;
    const ticket = (
      await service.call('POST', '/tickets', { body: { title: 'Foreign' }, token: other.token })
    ).body.id;
    const status = (await service.call('GET', '/statuses', { token: other.token })).body.items[0]?.id;
    const named: [string, unknown][] = [
      ['queueId', other.queueId],
      ['requesterId', foreign],
      ['authorId', foreign],
      ['assigneeId', foreign],
      ['approverIds', [foreign]],
      ['followers', [{ id: foreign }]],
      ['parentId', ticket],
      ['statusId', status],
      ['requestTypeId', 'rqt_none'],
      ['tags', [{ id: 'tag_none' }]],
    ];
    const own = await create(service);
    for (const [field, value] of named) {
      const created = await service.call('POST', '/tickets', { body: { title: 'x', [field]: value } });
      expect([field, created.status, created.body.issues?.length]).toEqual([field, 422, 1]);
      const changed = await put(service, own.id, { [field]: value });
      expect([field, changed.status]).toEqual([field, 422]);
    }
  });
});

describe('reading a ticket', () => {
  it('works by id and by reference in any case, and never by a number that is none', async () => {
    const service = await startTestService();
    const made = await create(service);
    for (const name of [made.id, 'HELP-1', 'help-1'])
      expect((await service.call('GET', `/tickets/${name}`)).body).toEqual(made);
    for (const name of ['HELP-2', 'HELP-0', 'HELP-01', 'HELP-99999999999999', 'NONE-1', '%2e%2e', "'--"])
      expect((await service.call('GET', `/tickets/${name}`)).status).toBe(404);
  });

  it('keeps old references after a move and after a new prefix', async () => {
    const service = await startTestService();
    const it = await queue(service, 'IT');
    const made = await create(service, { queueId: it });
    const people = await queue(service, 'PPL');
    await create(service, { queueId: people });
    const moved = await put(service, 'IT-1', { queueId: people });
    expect([moved.body.code, moved.body.number, moved.body.queueId]).toEqual(['PPL-2', 2, people]);
    await service.call('PUT', `/queues/${people}`, { body: { prefix: 'HR' } });
    for (const name of ['IT-1', 'PPL-2', 'HR-2'])
      expect((await service.call('GET', `/tickets/${name}`)).body.id).toBe(made.id);
    expect((await create(service, { queueId: it })).code).toBe('IT-2');
    const taken = await service.call('POST', '/queues', { body: { name: 'x', prefix: 'PPL' } });
    expect([taken.status, taken.body.code]).toEqual([409, 'CONFLICT']);
    const back = await put(service, made.id, { queueId: it });
    expect(back.body.code).toBe('IT-3');
  });
});

describe('writing to a ticket', () => {
  it('writes what is named and nothing else; null empties; unknown fields are passed over', async () => {
    const service = await startTestService();
    const ada = await person(service, 'Ada');
    const before = await create(service, {
      description: 'Text',
      assigneeId: ada,
      dueAt: '2026-12-01T10:00:00+02:00',
      customFields: { a: 1, b: 2 },
    });
    expect(before.dueAt).toBe('2026-12-01T08:00:00.000Z');
    const { body: after } = await put(service, before.id, {
      dueAt: null,
      assigneeId: null,
      customFields: { b: null, c: [3] },
      id: 'x',
      number: 9,
    });
    const { updatedAt, ...rest } = after;
    expect(rest).toEqual({
      ...rest,
      ...without(before, 'updatedAt'),
      dueAt: null,
      assigneeId: null,
      assignedAt: null,
      customFields: { a: 1, c: [3] },
    });
    expect(updatedAt > before.updatedAt).toBe(true);
    const again = await put(service, before.id, { assigneeId: null });
    expect(again.body).toEqual(after);
  });

  it('status changes set and clear the ends', async () => {
    const service = await startTestService();
    const { id } = await create(service);
    const by = await statuses(service);
    const done = (await put(service, id, { statusId: by['Done'] })).body;
    expect([done.resolvedAt !== null, done.closedAt, done.status.label]).toEqual([true, null, 'Done']);
    const closed = (await put(service, id, { statusId: by['Closed'] })).body;
    expect([closed.resolvedAt, closed.closedAt !== null]).toEqual([done.resolvedAt, true]);
    const reopened = (await put(service, id, { statusId: by['Waiting'] })).body;
    expect([reopened.resolvedAt, reopened.closedAt]).toEqual([null, null]);
    const direct = (await put(service, id, { statusId: by['Closed'] })).body;
    expect(direct.resolvedAt).toBe(direct.closedAt);
    const born = await create(service, { statusId: by['Done'] });
    expect(born.resolvedAt).toBe(born.createdAt);
  });

  it('approvers, followers and tags are replaced as a whole', async () => {
    const service = await startTestService();
    const [ada, ben] = [await person(service, 'Ada'), await person(service, 'Ben')];
    const made = await create(service, {
      approverIds: [ben],
      approvers: [{ id: ada }, { id: ben }],
      followers: [{ id: ada }],
    });
    expect(made.approvers).toEqual([{ id: ben }, { id: ada }]);
    const { body } = await put(service, made.id, { approverIds: [ada], followers: [] });
    expect([body.approvers, body.followers]).toEqual([[{ id: ada }], []]);
  });

  it('the first decision on an approval wins, and a second one is 409', async () => {
    const service = await startTestService();
    const ada = await person(service, 'Ada');
    const { id } = await create(service, { approverIds: [ada] });
    const at = '2026-11-20T10:00:00.000Z';
    expect((await put(service, id, { approvedAt: at, declinedAt: at })).status).toBe(422);
    const answers = await Promise.all([
      put(service, id, { approvedAt: at }, { approverId: ada, reason: 'Within budget' }),
      put(service, id, { declinedAt: at }, { approverId: ada }),
      put(service, id, { approvedAt: at }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const { body } = await service.call('GET', `/tickets/${id}`);
    expect(body.metadata.approval).toMatchObject({ decision: body.approvedAt ? 'approved' : 'declined' });
    expect([body.approvedAt, body.declinedAt].filter(Boolean)).toEqual([at]);
  });

  it('a parent may not be below its child, also when two are set at once', async () => {
    const service = await startTestService();
    const [a, b, c] = [await create(service), await create(service), await create(service)];
    expect((await put(service, a.id, { parentId: a.id })).status).toBe(422);
    await put(service, b.id, { parentId: a.id });
    await put(service, c.id, { parentId: b.id });
    expect((await put(service, a.id, { parentId: c.id })).status).toBe(422);
    const [x, y] = [await create(service), await create(service)];
    const both = await Promise.all([
      put(service, x.id, { parentId: y.id }),
      put(service, y.id, { parentId: x.id }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
    const parent = (await service.call('GET', `/tickets/${a.id}`)).body;
    expect(parent.children).toMatchObject([{ id: b.id, legacyStatus: 'OPEN' }]);
    expect((await service.call('GET', `/tickets/${b.id}`)).body.parent).toEqual({
      number: 1,
      queue: { prefix: 'HELP' },
    });
  });

  it('includeChild carries status and archiving to the children', async () => {
    const service = await startTestService();
    const { Done } = await statuses(service);
    const parent = await create(service);
    const child = await create(service, { parentId: parent.id });
    const { body } = await put(
      service,
      parent.id,
      { statusId: Done, title: 'Parent only' },
      { includeChild: true },
    );
    expect(body.children).toMatchObject([
      { id: child.id, statusId: Done, legacyStatus: 'RESOLVED', title: 'A ticket' },
    ]);
  });

  it('of 5 claims at once one holds for two minutes; it assigns nobody, changes nothing and is told to nobody', async () => {
    const clock = new MovableClock();
    const service = await startTestService({ clock });
    const { id, updatedAt } = await create(service);
    const people = [];
    for (let count = 0; count < 5; count++) people.push(await person(service, `P${count}`));
    await service.call('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/hook' } });
    const claim = (userId: string) => service.call('PUT', `/tickets/${id}/claim`, { body: { userId } });
    const answers = await Promise.all(people.map(claim));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const place = answers.findIndex(({ status }) => status === 200);
    const [winner = '', other = ''] = [people[place], people[(place + 1) % 5]];
    const read = async () => (await service.call('GET', `/tickets/${id}`)).body;
    const until = new Date(clock.now().getTime() + 120_000).toISOString();
    expect(await read()).toMatchObject({
      assigneeId: null,
      updatedAt,
      metadata: { claim: { userId: winner, until } },
    });
    clock.pass(119_000);
    expect([(await claim(other)).status, (await claim(winner)).status]).toEqual([409, 200]);
    clock.pass(119_000);
    expect((await claim(other)).status).toBe(409);
    clock.pass(1_000);
    expect((await read()).metadata.claim).toBeNull();
    expect((await claim(other)).body.metadata.claim).toMatchObject({ userId: other });
    expect((await claim('usr_none')).status).toBe(422);
    const events = await openTables(service).db.selectFrom('event').selectAll().execute();
    expect(events).toEqual([]);
  });

  it('a rating is one per user, replaced by a later one, and told as an update of the ticket', async () => {
    const service = await startTestService();
    const [ada, ben] = [await person(service, 'Ada'), await person(service, 'Ben')];
    const made = await create(service);
    await service.call('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/hook' } });
    const rate = (body: object) => service.call('POST', `/tickets/${made.id}/csat`, { body });
    const answers = await Promise.all([1, 2, 3, 4].map((score) => rate({ score, userId: ada })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await rate({ score: 2, userId: ada, feedback: 'Slow' });
    await rate({ score: 2, userId: ada, feedback: 'Slow' });
    const { body } = await rate({ score: 5, userId: ben });
    expect(body).toMatchObject({
      csat: [
        { score: 2, feedback: 'Slow' },
        { score: 5, feedback: null },
      ],
    });
    expect(body.updatedAt > made.updatedAt).toBe(true);
    for (const wrong of [{ score: 0 }, { score: 6 }, { score: 1.5 }, {}])
      expect((await rate({ userId: ada, ...wrong })).status).toBe(400);
    expect((await rate({ score: 1, userId: 'usr_none' })).status).toBe(422);
    const events = await openTables(service).db.selectFrom('event').selectAll().execute();
    expect(events.map(({ type, action }) => `${type} ${action}`)).toEqual(
      Array.from({ length: 6 }, () => 'Ticket updated'),
    );
    const last = JSON.parse(events.at(-1)?.body ?? '') as { changes: object };
    expect(last.changes).toHaveProperty('csat');
  });

  it('F9 50 writes at once lose nothing, and updatedAt strictly increases', async () => {
    const service = await startTestService();
    const { id } = await create(service);
    const writes = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0
        ? put(service, id, { customFields: { [`f${index}`]: index } })
        : service.call('POST', '/ticket-messages', { body: { ticketId: id, content: `m${index}` } }),
    );
    const answers = await Promise.all(writes);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
    const stamps = answers.map((answer) => answer.body.updatedAt);
    expect(new Set(stamps).size).toBe(50);
    const { customFields } = (await service.call('GET', `/tickets/${id}`)).body;
    expect(Object.keys(customFields)).toHaveLength(25);
    const messages = (await service.call('GET', `/ticket-messages?ticketId=${id}&sortBy=updatedAt`)).body
      .items;
    const times = messages.map((message) => message.updatedAt);
    expect(times).toHaveLength(25);
    expect(times).toEqual([...new Set(times)].sort());
  });

  it('archiving hides a ticket from lists, not from whoever names it', async () => {
    const service = await startTestService();
    const { id } = await create(service);
    const archived = (await service.call('DELETE', `/tickets/${id}`)).body;
    expect(archived.archivedAt).not.toBeNull();
    expect((await service.call('DELETE', `/tickets/${id}`)).body).toEqual(archived);
    expect((await service.call('GET', '/tickets')).body.items).toEqual([]);
    expect((await service.call('GET', '/tickets?includeArchived=true')).body.totalCount).toBe(1);
    expect((await service.call('GET', `/tickets/${id}`)).status).toBe(200);
    expect((await put(service, id, { archivedAt: null })).body.archivedAt).toBeNull();
  });

  it('chat threads are added, updated in place, and belong to one ticket', async () => {
    const service = await startTestService();
    const [a, b] = [await create(service), await create(service)];
    const thread = (id: string, body: object) => service.call('PUT', `/tickets/${id}/chat-threads`, { body });
    await thread(a.id, { channelId: 'C1', messageTs: '1.1', type: 'TRIAGE' });
    const { body } = await thread(a.id, { channelId: 'C1', messageTs: '1.1', mirrorTs: '2.2' });
    expect(body.chatThreads).toMatchObject([
      { channelId: 'C1', messageTs: '1.1', mirrorTs: '2.2', type: 'TRIAGE' },
    ]);
    expect(body.updatedAt).toBe(a.updatedAt);
    expect((await thread(b.id, { channelId: 'C1', messageTs: '1.1' })).status).toBe(409);

    // One in whose place another stands is not listed, and its pair is known still.
    const place = { chatChannelId: 'C1', chatTimestamp: 'none:V1' };
    const c = await create(service, place);
    const moved = await thread(c.id, { channelId: 'C1', messageTs: '3.3', replaces: 'none:V1' });
    expect(moved.body.chatThreads.map(({ messageTs }) => messageTs)).toEqual(['3.3']);
    expect((await create(service, place)).id).toBe(c.id);
    const { body: list } = await service.call('GET', '/tickets?chatChannelId=C1&chatMessageTs=none:V1');
    expect(list.items.map(({ id }) => id)).toEqual([c.id]);
    await thread(b.id, { channelId: 'C1', messageTs: '4.4', replaces: '3.3' });
    expect((await service.call('GET', `/tickets/${c.id}`)).body.chatThreads).toHaveLength(1);
  });
});

describe('thin answers', () => {
  it('reduce relations to ids and keep the rest', async () => {
    const service = await startTestService();
    const ada = await person(service, 'Ada');
    const parent = await create(service);
    await create(service, {
      parentId: parent.id,
      approverIds: [ada],
      chatChannelId: 'C1',
      chatTimestamp: '1.1',
    });
    const { body: full } = await service.call('GET', '/tickets');
    const { body: thin } = await service.call('GET', '/tickets?responseType=thin');
    expect([full.responseType, thin.responseType, thin.totalCount]).toEqual(['default', 'thin', 2]);
    const [child, top] = thin.items;
    expect(child).toMatchObject({
      queue: child?.queueId,
      status: child?.statusId,
      requestType: null,
      parent: parent.id,
      approvers: [ada],
      chatThreads: [full.items[0]?.chatThreads[0]?.id],
      tags: [],
    });
    expect(top?.children).toEqual([child?.id]);
    expect(Object.keys(child ?? {}).sort()).toEqual(Object.keys(full.items[0] ?? {}).sort());
  });
});

function without(record: object, ...keys: string[]): object {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}
