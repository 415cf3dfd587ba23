import { describe, expect, it } from 'vitest';

import { BYTE_ROUTES, type Route, type RouteName, routes } from '../../../src/contract/index.ts';
import { indexLeft } from '../../../src/service/search/index/indexing.ts';
import { READER_VERSION } from '../../../src/service/search/reader.ts';
import { until } from '../../harness/until.ts';
import { type Running, serviceDatabase, sharedService, startTestService } from '../harness.ts';
import { uploadFile, uploadToMessage } from '../upload.ts';
import { undoneWork } from '../work.ts';
import { createWorld, openTables, optionsOf, pathOf, type Sample, SAMPLES, type World } from '../world.ts';
import { expectIndexed, expectNothingMarked } from './indexed.ts';

const newWorkspace = sharedService();

interface WordyWorld extends World {
  /** A request type that no ticket has. */
  spareType: string;
}

/** A world whose ticket has words in every place that is indexed. */
async function createWordyWorld(running: Running): Promise<WordyWorld> {
  const { call } = running;
  const world = await createWorld(running);
  const field = async (label: string, type: string, more: object = {}) =>
    (await call('POST', '/custom-fields', { body: { label, type, ...more } })).body as unknown as {
      id: string;
      key: string;
      options: { id: string }[];
    };
  const colour = await field('Colour', 'SELECT', { options: [{ value: 'Vermilion' }, { value: 'Teal' }] });
  const deputy = await field('Deputy', 'USER_SELECT');
  const topics = await field('Topics', 'TAG_SELECT');
  const stage = await field('Stage', 'STATUS_SELECT');
  const secret = await field('Secret', 'TEXT');
  for (const { id } of [colour, deputy, topics, stage, secret])
    expect((await call('GET', `/custom-fields?set=${id}`)).status).toBe(200);
  await call('PUT', `/request-types/${world.requestType}`, {
    body: {
      customFields: [colour, deputy, topics, stage, secret].map(({ id }) => ({
        customFieldId: id,
        private: id === secret.id,
      })),
    },
  });
  const customFields = {
    [colour.key]: colour.options[0]?.id,
    [deputy.key]: world.user,
    [topics.key]: [world.tag],
    [stage.key]: world.ownStatus,
    [secret.key]: 'Xanadu',
  };
  for (const id of [world.ticket, world.otherTicket])
    expect(
      (
        await call('PUT', `/tickets/${id}`, {
          body: { data: { requestTypeId: world.requestType, customFields, description: 'A **bold** word' } },
        })
      ).status,
    ).toBe(200);
  await uploadToMessage(running, world.message, [{ name: 'Protocol-2026.txt' }]);
  const spareType = (await call('POST', '/request-types', { body: { name: 'Spare' } })).body.id;
  return { ...world, customField: secret.id, spareType };
}

/** What a write changes of the words, where the sample of the route changes nothing that is searched. */
const WORDY: { [N in RouteName]?: (world: WordyWorld) => Sample } = {
  createTicket: ({ requestType, user }) => ({
    body: {
      title: 'New words',
      description: '| a | cell |\n|---|---|\n| b | c |',
      requestTypeId: requestType,
      requesterId: user,
    },
  }),
  createTicketMessage: ({ ticket }) => ({
    body: { ticketId: ticket, content: 'First of the **team**', private: true },
  }),
  updateTicket: ({ ticket, user }) => ({
    params: { id: ticket },
    body: { data: { title: 'Renamed', assigneeId: user, customFields: { colour: 'Teal' } } },
  }),
  updateTicketMessage: ({ message }) => ({
    params: { id: message },
    body: { content: 'Edited', private: true },
  }),
  updateUser: ({ user }) => ({
    params: { id: user },
    body: { lastName: 'Zoller', email: 'zoller@x.example' },
  }),
  createUser: () => ({ body: { firstName: 'Adele', email: 'ada@acme.example' } }),
  deleteRequestType: ({ spareType }) => ({ params: { id: spareType } }),
  updateQueue: ({ queue }) => ({ params: { id: queue }, body: { prefix: 'DESK' } }),
  updateCustomField: ({ customField }) => ({ params: { id: customField }, body: { label: 'Hidden' } }),
  updateRequestType: ({ requestType, customField }) => ({
    params: { id: requestType },
    body: { customFields: [{ customFieldId: customField, order: 1, private: false }] },
  }),
};

/** Before others that need what they delete, and each after those that need it. */
const LAST: readonly RouteName[] = [
  'unlinkTicket',
  'deleteTag',
  'deleteStatus',
  'deleteCustomField',
  'deleteRequestType',
  'eraseUser',
  'endSession',
];

const ROUTES_BETWEEN_REBUILDS = 4;

describe('the index of words', () => {
  it('is what a rebuild would make of it after every route that writes', async () => {
    const running = await newWorkspace();
    const { db } = openTables(running);
    const world = await createWordyWorld(running);
    await expectIndexed(db, 'the world');
    const writing = (Object.entries(routes) as [RouteName, Route][])
      .filter(([, route]) => route.method !== 'GET')
      .sort(
        ([a, one], [b, other]) =>
          LAST.indexOf(a) - LAST.indexOf(b) ||
          Number(one.method === 'DELETE') - Number(other.method === 'DELETE'),
      );
    let unchecked: RouteName[] = [];
    for (const [name, route] of writing) {
      const sample = (WORDY[name] ?? SAMPLES[name])(world);
      const answer = await running.call(route.method, pathOf(route.path, sample), optionsOf(sample));
      expect([name, answer.status, answer.status === 200 ? '' : answer.body]).toEqual([name, 200, '']);
      if (name === 'eraseUser')
        await until('the copies to be replaced', async () => {
          return (await undoneWork({ db }, 'erasure')) === 0 || undefined;
        });
      await expectNothingMarked(db, name);
      unchecked.push(name);
      // A rebuild reads everything. A difference stays until its text is written again, so it is found some routes later.
      if (unchecked.length < ROUTES_BETWEEN_REBUILDS && name !== writing.at(-1)?.[0]) continue;
      await expectIndexed(db, `one of ${unchecked.join(', ')}`);
      unchecked = [];
    }
  });

  it('is it after every upload, the undoing of a merge, and a move to another queue', async () => {
    const running = await newWorkspace();
    const { db } = openTables(running);
    const world = await createWordyWorld(running);
    const uploads: { [N in keyof typeof BYTE_ROUTES]?: () => Promise<unknown> } = {
      uploadFile: async () => {
        const { body } = await uploadFile(running, '/files', { name: 'loose.txt' });
        await running.call('POST', '/ticket-messages', {
          body: { ticketId: world.ticket, content: 'See the file', fileIds: [body.id] },
        });
      },
      uploadTicketFile: () =>
        uploadFile(running, `/tickets/${world.ticket}/files?attach=true`, { name: 'Antigua.pdf' }),
      uploadMessageFiles: () => uploadToMessage(running, world.message, [{ name: 'Barbuda.pdf' }]),
    };
    for (const [name, { method }] of Object.entries(BYTE_ROUTES)) {
      if (method === 'GET') continue;
      const upload = uploads[name as keyof typeof BYTE_ROUTES];
      if (!upload) throw new Error(`${name} has no case here`);
      await upload();
      await expectIndexed(db, name);
    }
    const put = (data: object) => running.call('PUT', `/tickets/${world.ticket}`, { body: { data } });
    await running.call('POST', `/tickets/${world.ticket}/merge`, { body: { intoId: world.otherTicket } });
    await running.call('POST', '/ticket-messages', {
      body: { ticketId: world.ticket, content: 'To the other' },
    });
    const open = (await running.call('GET', '/statuses')).body.items.find(({ label }) => label === 'Open');
    await put({ statusId: open?.id });
    await expectIndexed(db, 'the undoing of a merge');
    const queueId = (await running.call('POST', '/queues', { body: { name: 'People', prefix: 'HR' } })).body
      .id;
    await put({ queueId, private: true });
    await expectIndexed(db, 'a move');
  });

  it('is written by a loop for whoever wrote past the transactions, and for all tickets of a renamed person', async () => {
    const running = await newWorkspace();
    const { call } = running;
    const { db } = openTables(running);
    const ada = (await call('POST', '/users', { body: { firstName: 'Ada', email: 'a@x.example' } })).body.id;
    const id = (await call('POST', '/tickets', { body: { title: 'Chair', requesterId: ada } })).body.id;
    const found = async (search: string) =>
      (await call('GET', `/tickets?search=${search}`)).body.items.map((ticket) => ticket.id);
    await db.updateTable('ticket').set({ description: 'velvet' }).where('id', '=', id).execute();
    await db.updateTable('person').set({ last_name: 'Quimby' }).where('id', '=', ada).execute();
    expect([await found('velvet'), await found('quimby')]).toEqual([[], []]);
    while (await indexLeft(db));
    expect([await found('velvet'), await found('quimby')]).toEqual([[id], [id]]);
    await expectIndexed(db, 'the loop');
  });

  it('is written again in the background if a version that reads words in another way wrote it', async () => {
    const databaseUrl = await serviceDatabase();
    const before = await startTestService({ databaseUrl });
    const { id } = (await before.call('POST', '/tickets', { body: { title: 'Walrus' } })).body;
    await before.call('POST', '/ticket-messages', { body: { ticketId: id, content: 'a **narwhal**' } });
    await before.stop();
    const tables = openTables(before);
    // As an earlier reader left it: without these words.
    await tables.db.deleteFrom('ticket_word').execute();
    await tables.db.updateTable('search_setting').set({ reader_version: 0 }).execute();
    const { call } = await startTestService({ databaseUrl });
    await until('everything to be indexed', async () => {
      const setting = await tables.db.selectFrom('search_setting').selectAll().executeTakeFirstOrThrow();
      return setting.reader_version === READER_VERSION || undefined;
    });
    const { items } = (await call('GET', '/tickets?search=walrus+narwhal')).body;
    expect(items.map((ticket) => ticket.id)).toEqual([id]);
    await expectIndexed(tables.db, 'the new reader');
  });
});
