import { expect, test } from 'vitest';

import { resultBlocks } from '../../../src/bridge/blocks/results.ts';
import { type NamedSimilar, similarFor } from '../../../src/bridge/features/cards/similar.ts';
import {
  EVERYBODY,
  searchTickets,
  type Searcher,
  similarTickets,
} from '../../../src/bridge/tickets/search.ts';
import { ChannelQueues } from '../../../src/bridge/tickets/channels.ts';
import { UnreachableError } from '../../../src/client/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { startForeignService } from '../../harness/foreign-service.ts';
import { patientClient } from '../../harness/patient-client.ts';
import { type Running, startTestService } from '../../service/harness.ts';

/**
 * A desk with a public ticket of Ada, a private one of hers in the People queue, and an internal note on the
 * public one.
 */
async function deskOf({ call }: Running) {
  const person = async (firstName: string) =>
    (await call('POST', '/users', { body: { firstName, email: `${firstName}@acme.example` } })).body.id;
  const [ada, ben] = [await person('ada'), await person('ben')];
  const queueId = (await call('POST', '/queues', { body: { name: 'People', prefix: 'HR' } })).body.id;
  const make = async (body: object) => (await call('POST', '/tickets', { body })).body.id;
  const open = await make({ title: 'Parental leave form', requesterId: ada, queueId });
  const secret = await make({
    title: 'Parental leave of Ada',
    requesterId: ada,
    authorId: ada,
    private: true,
    queueId,
  });
  await call('POST', '/ticket-messages', {
    body: { ticketId: open, content: 'the works council knows', private: true },
  });
  return { ada, ben, queueId, open, secret };
}

function bridgeOf(service: Running, url = service.url) {
  const client = patientClient({ url, token: service.token });
  const channels = new ChannelQueues(client, systemClock, 'T1', 60_000, async () => undefined);
  return { service: client, channels };
}

test('B35, B62 the requester, a colleague, the team, a stranger and a search for everyone each find what they may see', async () => {
  const service = await startTestService();
  const { ada, ben, queueId, open, secret } = await deskOf(service);
  const bridge = bridgeOf(service);
  const found = async (words: string, searcher: Searcher) =>
    (await searchTickets(bridge, words, searcher)).hits.map(({ ticket, match }) => [
      ticket.id,
      match?.snippets.map(({ field }) => field),
    ]);
  const as = (user_id: string | null, ...queues: (string | null)[]): Searcher => ({
    person: { user_id },
    queues: new Set(queues),
  });
  const title = ['title'];
  for (const searcher of [as(ada), as(ben, queueId, null)])
    expect((await found('leave parental', searcher)).sort()).toEqual(
      [
        [open, title],
        [secret, title],
      ].sort(),
    );
  for (const searcher of [
    as(ben),
    as(ben, 'que_other', null),
    as(null),
    as(null, null),
    EVERYBODY,
  ] as const) {
    expect(await found('leave parental', searcher)).toEqual([[open, title]]);
    expect(await found('works council', searcher)).toEqual([]);
  }
  expect(await found('works council', as(ada))).toEqual([]);
  expect(await found('works council', as(ben, queueId, null))).toEqual([[open, ['note']]]);
  expect(await searchTickets(bridge, 'leave parental', as(ada), { excludeTicketId: open })).toMatchObject({
    hits: [{ ticket: { id: secret } }],
    // There is no model here.
    meaning: false,
  });
});

test.each([
  ['has its own search without filters', { missing: 404, lists: 'data' }],
  ['only searches by words', { missing: 405, lists: 'array' }],
] as const)('B35, B62 with a service that %s, nobody finds what they may not see', async (_, strange) => {
  const service = await startTestService();
  const { ada, ben, open, secret } = await deskOf(service);
  const foreign = await startForeignService(service.url.replace(/\/api$/, ''), {
    ...strange,
    pairs: 'kept',
    events: 'id',
  });
  const bridge = bridgeOf(service, `${foreign.url}/api`);
  const found = async (user_id: string | null) => {
    const { hits, meaning } = await searchTickets(bridge, 'parental leave', {
      person: { user_id },
      queues: new Set(),
    });
    // Nothing is said of the meaning by a service that knows no such search.
    expect(meaning).toBe(true);
    return hits.map(({ ticket, match }) => [ticket.id, match]).sort();
  };
  expect(await found(ada)).toEqual(
    [
      [open, undefined],
      [secret, undefined],
    ].sort(),
  );
  for (const other of [ben, null]) expect(await found(other)).toEqual([[open, undefined]]);
});

test('B26 a redrawn card searches again for similar tickets only if its title changed or the service was down', async () => {
  const service = await startTestService();
  const { open } = await deskOf(service);
  const other = (await service.call('POST', '/tickets', { body: { title: 'Parental leave rules' } })).body.id;
  const { channels, service: client } = bridgeOf(service);
  const asked: (string | undefined)[] = [];
  let isAway = true;
  const counted: typeof client = {
    ...client,
    semanticSearch(call, limits) {
      asked.push(call.query?.query ?? undefined);
      if (isAway) throw new UnreachableError('the service', true, undefined);
      return client.semanticSearch(call, limits);
    },
  };
  const bridge = {
    service: counted,
    channels,
    publicUrl: 'https://desk.example',
    pageKey: 'k',
    clock: systemClock,
  };
  let named: NamedSimilar | undefined;
  const draw = async (title: string) => {
    const { status } = await client.readTicket({ params: { id: other } });
    named = await similarFor(bridge, { id: other, title, status }, named);
    return named?.tickets.map((ticket) => ticket.title);
  };
  expect(await draw('Parental leave')).toBeUndefined();
  isAway = false;
  const found = [expect.stringMatching('^Parental leave')];
  for (let drawn = 0; drawn < 3; drawn++) expect(await draw('Parental leave')).toEqual(found);
  expect(await draw('Parental leave form')).toEqual(found);
  expect(asked).toEqual(['Parental leave', 'Parental leave', 'Parental leave form']);
  expect(open).not.toBe(other);
});

test('B62 a ticket with every word is among the few that are suggested, before solved ones with some of them', async () => {
  const service = await startTestService();
  const { channels, service: client } = bridgeOf(service);
  const make = async (title: string, data: object = {}) => {
    const { id } = (await service.call('POST', '/tickets', { body: { title } })).body;
    await service.call('PUT', `/tickets/${id}`, { body: { data } });
  };
  const { items } = (await service.call('GET', '/statuses')).body;
  const statusId = items.find(({ label }) => label === 'Done')?.id;
  await make('Printer cupboard key of the office');
  for (let at = 0; at < 5; at++) await make('Printer cupboard of the office', { statusId });
  const bridge = {
    service: client,
    channels,
    publicUrl: 'https://desk.example',
    pageKey: 'k',
    clock: systemClock,
  };
  const like = { words: 'printer cupboard office key', searcher: EVERYBODY };
  expect((await similarTickets(bridge, like)).map(({ title }) => title)[0]).toBe(
    'Printer cupboard key of the office',
  );
});

test('B62 a hit says if it is only similar in meaning; a long title is cut together with its highlights', () => {
  const line = {
    code: 'IT-1',
    url: 'https://desk.example/IT-1',
    status: 'Open',
    private: false,
    title: 'x'.repeat(200),
    createdAt: new Date(0),
  };
  const shown = (match: NonNullable<Parameters<typeof resultBlocks>[1][number]['match']>) =>
    JSON.stringify(
      resultBlocks('head', [{ ...line, match }], { next: undefined, now: new Date(0) }).blocks[1],
    );
  const base = { ticketId: 'tkt_1', score: 1, hasAllWords: false };
  expect(shown({ ...base, by: 'meaning', snippets: [] })).toContain('similar in meaning');
  const title = {
    field: 'title',
    messageId: null,
    text: `lamp ${'x'.repeat(200)} lamp`,
    marks: [
      { from: 0, to: 4 },
      { from: 206, to: 210 },
    ],
  };
  const words = shown({ ...base, by: 'words', snippets: [title] });
  expect(words).not.toContain('similar in meaning');
  expect(words.match(/"text":"lamp","style":\{"bold":true\}/g)).toHaveLength(1);
  expect(words).toContain('x…');
});
