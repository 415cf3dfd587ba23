import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

import { ticketRows } from '../../../src/service/tickets/records.ts';
import { sharedService, startTestService } from '../harness.ts';
import { statementsOf } from '../statements.ts';
import { anotherWorkspace, openTables } from '../world.ts';
import { create, person, put, queue } from './requests.ts';

const newWorkspace = sharedService();

/** For a ticket with a thread in chat, people, a parent and a tag: each step is a statement. */
const MOST_STATEMENTS = 37;
const MOST_STATEMENTS_AFTER_NUMBER = 22;

describe('creating tickets', () => {
  it('needs a title or a description, and makes a title from the description', async () => {
    const service = await newWorkspace();
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

  it('sets defaults for missing fields', async () => {
    const service = await newWorkspace();
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

  it('writes a ticket with all of its records, its event and its deliveries in one transaction', async () => {
    const service = await startTestService({ begins: new Promise(() => undefined) });
    const { call } = service;
    const [ada, mira] = [await person(service, 'Ada'), await person(service, 'Mira')];
    const tag = (await call('POST', '/tags', { body: { name: 'vpn', color: '#123456' } })).body.id;
    const parent = (await create(service)).id;
    // Last, so that none of its lanes is there yet: an earlier event would have made one of four, perhaps the same.
    await call('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/hook' } });
    const body = {
      title: 'T',
      requesterId: ada,
      assigneeId: mira,
      approverIds: [mira, ada],
      followers: [{ id: ada }],
      tags: [{ id: tag }],
      parentId: parent,
      chatChannelId: 'C1',
      chatTimestamp: '1.1',
    };
    const texts = await statementsOf(() => call('POST', '/tickets', { body }));
    expect([texts.at(0), texts.at(-1), texts.length]).toEqual([
      expect.stringMatching(/^begin/),
      'commit',
      MOST_STATEMENTS,
    ]);
    expect(texts.filter((text) => text.includes('insert into delivery'))).toHaveLength(1);
    // Numbers are consecutive, so the queue is locked: the less follows, the more tickets a second.
    const afterNumber = texts.slice(texts.findIndex((text) => text.includes('"last_number"')) + 1);
    expect(afterNumber.length).toBeLessThanOrEqual(MOST_STATEMENTS_AFTER_NUMBER);
    const made = (await call('POST', '/tickets', { body })).body;
    // Events of tickets hold no words of messages.
    const { lastReply, ...record } = made;
    expect(lastReply).toBeNull();
    const { db } = openTables(service);
    const events = await db.selectFrom('event').select('body').orderBy('created_at', 'desc').execute();
    expect(JSON.parse(events[0]?.body ?? '')).toMatchObject({ data: record, changes: null });
    expect(made).toMatchObject({
      approvers: [{ id: mira }, { id: ada }],
      followers: [{ id: ada }],
      tags: [{ id: tag, name: 'vpn' }],
      chatThreads: [{ channelId: 'C1', messageTs: '1.1', type: 'REQUEST' }],
      parent: { number: 1 },
    });
  });

  it('20 concurrent tickets get unique, consecutive numbers', async () => {
    const service = await newWorkspace();
    const made = await Promise.all(Array.from({ length: 20 }, () => create(service)));
    expect(made.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  it('a rejected one uses up no number', async () => {
    const service = await newWorkspace();
    await create(service);
    for (const wrong of [
      { tags: [{ id: 'tag_none' }] },
      { approverIds: ['usr_none'] },
      { statusId: 'sts_none' },
    ])
      expect((await service.call('POST', '/tickets', { body: { title: 'x', ...wrong } })).status).toBe(422);
    expect((await create(service)).number).toBe(2);
  });

  it('F10 20 concurrent requests with one chat pair make one ticket, and use one number', async () => {
    const service = await newWorkspace();
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

  it('assigns round robin in a queue with automatic assignment', async () => {
    const service = await newWorkspace();
    const [ada, ben] = [await person(service, 'Ada'), await person(service, 'Ben')];
    const queueId = await queue(service, 'IT', { autoAssignees: `${ada}, ${ben},` });
    const assigned = [];
    for (let count = 0; count < 3; count++) assigned.push(await create(service, { queueId }));
    expect(assigned.map(({ assigneeId }) => assigneeId)).toEqual([ada, ben, ada]);
    expect(assigned[0]?.assignedAt).toBe(assigned[0]?.createdAt);
  });

  it('rejects records of another workspace with 422, in every field', async () => {
    const service = await newWorkspace();
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
  it('works by id and by reference in any case, and never by an invalid number', async () => {
    const service = await newWorkspace();
    const made = await create(service);
    for (const name of [made.id, 'HELP-1', 'help-1'])
      expect((await service.call('GET', `/tickets/${name}`)).body).toEqual(made);
    for (const name of ['HELP-2', 'HELP-0', 'HELP-01', 'HELP-99999999999999', 'NONE-1', '%2e%2e', "'--"])
      expect((await service.call('GET', `/tickets/${name}`)).status).toBe(404);
  });

  it('keeps old references after a move and after a new prefix', async () => {
    const service = await newWorkspace();
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

describe('thin responses', () => {
  it('reduce relations to ids and keep the rest', async () => {
    const service = await newWorkspace();
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

it('the record of a ticket is read with one plan for all tickets: planning it takes several times as long', async () => {
  const service = await newWorkspace();
  const tickets = [await create(service), await create(service)];
  const { db } = openTables(service);
  // Of a table without rows it takes one plan for all values in any case.
  for (let more = 0; more < 30; more++) await create(service);
  await sql`analyze`.execute(db);
  await db.connection().execute(async (connection) => {
    for (let again = 0; again < 5; again++)
      for (const { id } of tickets) {
        const rows = await ticketRows(connection, [service.workspaceId], [id]);
        expect(rows.map((row) => row.id)).toEqual([id]);
      }
    const { rows } = await sql<{ plans: number }>`
      select generic_plans as plans from pg_prepared_statements where statement like '%from "ticket" as "t"%'`.execute(
      connection,
    );
    // Postgres plans the first five for their values, and compares; the first of all has no name.
    expect(rows).toEqual([{ plans: 4 }]);
  });
});
