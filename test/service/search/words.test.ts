import { expect, it } from 'vitest';

import { type Running, sharedService } from '../harness.ts';
import { termsOf } from '../../../src/service/search/words.ts';
import { uploadFile } from '../upload.ts';
import { signIn } from '../signed-in.ts';
import { openTables } from '../world.ts';
import { FIRST_SEARCHES, found, inGroups, made, searchesThatMiss } from './word-set.ts';

const newWorkspace = sharedService();

it('the word set has at least 150 searches', () => {
  expect(new Set(FIRST_SEARCHES.map(({ words }) => words)).size).toBeGreaterThanOrEqual(150);
});

// The drill `search-words` tries all searches of each text.
it('every word that stands in a title or in a message finds its ticket, in the list and in the ranked search', async () => {
  expect(await searchesThatMiss(await newWorkspace(), FIRST_SEARCHES)).toEqual([]);
});

/** Words of a ticket (`ticketWithWords`) that all who may read it may find it by. */
const OPEN_WORDS = [
  'quokka',
  'node-17.int.example',
  'node-17',
  '印刷',
  'wiśniewska',
  'król',
  'Wiśniewska-Król',
  'żofia',
  'SN/778-Ω',
  '778',
  'Angebot_2026-Große.pdf',
  'angebot',
  'GROSSE.PDF',
  'screenshot 42.png',
  'screenshot',
  'quokka reply angebot 778 wiśniewska',
];
/** Words of its internal notes, of an answer to a private question, and of its requester's e-mail address. */
const TEAM_WORDS = [
  'zofia.krol@people.example',
  'people.example',
  'secretive',
  '98765',
  'xylophone',
  '/etc/hidden.conf',
  'hidden.conf',
];

/** A ticket with words in its description, its messages, notes, fields and files, and in its requester's name. */
async function ticketWithWords(running: Running) {
  const { call } = running;
  const { items: queues } = (await call('GET', '/queues')).body;
  const queueId = queues[0]?.id ?? '';
  const requester = await made(running, '/users', {
    firstName: 'Żofia',
    lastName: 'Wiśniewska-Król',
    email: 'zofia.krol@people.example',
  });
  const fields = await inGroups(['Serial', 'Salary'], async (label) => {
    const { body } = await call('POST', '/custom-fields', { body: { label, type: 'TEXT' } });
    return body;
  });
  const requestTypeId = await made(running, '/request-types', { name: 'Laptop' });
  await call('PUT', `/request-types/${requestTypeId}`, {
    body: { customFields: fields.map(({ id }, at) => ({ customFieldId: id, private: at === 1 })) },
  });
  const [serial, salary] = fields.map(({ key }) => key);
  const ticket = await call('POST', '/tickets', {
    body: {
      title: 'Everything else',
      description: 'The **quokka** of `node-17.int.example` says 印刷できない',
      requesterId: requester,
      queueId,
      requestTypeId,
      customFields: { [serial ?? '']: 'SN/778-Ω', [salary ?? '']: 'secretive 98765' },
    },
  });
  const { id, code } = ticket.body;
  const messageId = await made(running, '/ticket-messages', { ticketId: id, content: 'A reply' });
  await made(running, '/ticket-messages', {
    ticketId: id,
    content: 'Escalated to **Xylophone** GmbH, see /etc/hidden.conf',
    private: true,
  });
  const noteId = await made(running, '/ticket-messages', {
    ticketId: id,
    content: 'With a file',
    private: true,
  });
  await uploadFile(running, `/ticket-messages/${noteId}/files`, { name: 'hidden.pdf' });
  await uploadFile(running, `/tickets/${id}/files?attach=true`, { name: 'Angebot_2026-Große.pdf' });
  await uploadFile(running, `/ticket-messages/${messageId}/files`, { name: 'screenshot 42.png' });
  return { id, code, requester };
}

it('words of descriptions, notes, fields, people and files find the ticket, for those who may read them', async () => {
  const running = await newWorkspace();
  const { id, code, requester } = await ticketWithWords(running);
  const other = await made(running, '/users', { firstName: 'Other', email: 'other@people.example' });
  const open = [...OPEN_WORDS, code, code.toLowerCase()];
  for (const words of [...open, ...TEAM_WORDS, 'xylophone quokka']) {
    const { listed, ranked, matches } = await found(running, words);
    expect([words, listed, ranked]).toEqual([words, [id], [id]]);
    expect([words, matches[0]?.by]).toEqual([words, 'words']);
  }
  for (const viewer of [{ visibleToUserId: other }, { visibleToUserId: requester }])
    for (const words of [...open, ...TEAM_WORDS]) {
      const expected = open.includes(words) ? [id] : [];
      const { listed, ranked } = await found(running, words, viewer);
      expect([words, viewer, listed, ranked]).toEqual([words, viewer, expected, expected]);
    }
});

it('an agent outside the team finds no ticket by an e-mail address, but the person, and their tickets by a filter', async () => {
  const running = await newWorkspace();
  const { call, workspaceId } = running;
  const { id, requester } = await ticketWithWords(running);
  const { token } = await signIn(openTables(running).db, workspaceId, { role: 'agent', queueIds: [] });
  const ids = async (path: string) =>
    (await call('GET', path, { token })).body.items.map((item: { id: string }) => item.id);
  const address = 'zofia.krol@people.example';
  expect(await ids(`/tickets?search=${address}`)).toEqual([]);
  expect(await ids(`/users?search=${address}`)).toEqual([requester]);
  for (const filter of [`email=${address}`, `requesterId=${requester}`])
    for (const path of ['/tickets?', '/tickets/semantic-search?query=quokka&'])
      expect([filter, path, await ids(`${path}${filter}`)]).toEqual([filter, path, [id]]);
});

it('a match shows the words in the text that has them, and nothing of a text that its reader may not read', async () => {
  const running = await newWorkspace();
  const { requester } = await ticketWithWords(running);
  const snippetsOf = async (words: string, viewer: Record<string, string> = {}) =>
    (await found(running, words, viewer)).matches[0]?.snippets.map(({ field, text, marks }) => [
      field,
      ...marks.map(({ from, to }) => text.slice(from, to)),
    ]);
  for (const viewer of [{}, { visibleToUserId: requester }]) {
    expect(await snippetsOf('angebot', viewer)).toEqual([['file', 'Angebot_2026-Große.pdf']]);
    expect(await snippetsOf('screenshot', viewer)).toEqual([['file', 'screenshot']]);
    expect(await snippetsOf('778', viewer)).toEqual([['field', 'SN/778-Ω']]);
  }
  expect(await snippetsOf('98765')).toEqual([['note', '98765']]);
  expect(await snippetsOf('zofia.krol@people.example')).toEqual([['person', 'zofia.krol@people.example']]);
  // A word that is open elsewhere shows nothing of a private field to those who may not read it.
  expect(await snippetsOf('reply', { visibleToUserId: requester })).toEqual([['message', 'reply']]);
  expect(await snippetsOf('hidden.pdf')).toEqual([['note', 'hidden.pdf']]);
});

it('words that look like the values of parameters are searched like others', async () => {
  const running = await newWorkspace();
  const { call } = running;
  await made(running, '/tickets', { title: 'A chair' });
  for (const word of [
    'null',
    'undefined',
    'true',
    'false',
    '0',
    '1',
    'NaN',
    '-1',
    '2026-11-27',
    '[]',
    'limit',
  ])
    for (const parameter of ['query', 'search']) {
      const title = word === '[]' ? 'Brackets [] alone' : `The word ${word} alone`;
      const [known] = (await call('GET', `/tickets?search=${encodeURIComponent(title)}`)).body.items;
      const id = known?.id ?? (await made(running, '/tickets', { title }));
      const { status, body } = await call(
        'GET',
        `/tickets/semantic-search?${parameter}=${encodeURIComponent(word)}`,
      );
      expect([parameter, word, status]).toEqual([parameter, word, 200]);
      if (word !== '[]') expect([parameter, word, body.items[0]?.id]).toEqual([parameter, word, id]);
    }
  // Another program's absent value does not hide the words.
  const { body } = await call('GET', '/tickets/semantic-search?query=null&search=chair');
  expect(body.items.map(({ title }) => title)).toEqual(['A chair']);
  expect((await call('GET', '/tickets/semantic-search?query=&search=')).status).toBe(400);
});

it('a ticket with all words comes first, wherever they stand, and none is cut off up to the limit', async () => {
  const running = await newWorkspace();
  const { call } = running;
  for (let at = 0; at < 30; at++)
    await made(running, '/tickets', { title: `Projector ${at}`, description: 'The projector flickers' });
  const spread = await made(running, '/tickets', { title: 'Meeting' });
  for (const content of ['there is a projector', 'it is on the balcony', 'its remote is lost'])
    await made(running, '/ticket-messages', { ticketId: spread, content });
  const pasted =
    'Hello, there is a projector in the meeting room and it stands on the balcony because its remote was lost; the ' +
    'projector flickers when somebody closes the window while the heating runs and nobody knows whether that matters';
  for (const words of ['projector balcony remote', 'lost remote projector meeting', 'balcony projector'])
    expect([words, (await found(running, words)).ranked[0]]).toEqual([words, spread]);
  const exact = await made(running, '/tickets', { title: 'Old', description: pasted });
  expect((await found(running, pasted)).ranked[0]).toBe(exact);
  expect((await found(running, pasted)).listed).toEqual([exact]);
  const every = await call('GET', '/tickets/semantic-search?query=projector&limit=20');
  expect(every.body.items).toHaveLength(20);
});

it('of a long text the 32 longest words are looked up, and it finds its ticket', async () => {
  const running = await newWorkspace();
  const { db } = openTables(running);
  const trace = Array.from({ length: 40 }, (_, at) => `at mod${at}.fn (x${at}/a.ts)`).join(' ');
  const pasted = `ConnectionRefusedException while calling billing-gateway.example: ${trace}`.slice(0, 500);
  const id = await made(running, '/tickets', { title: 'It crashes', description: pasted });
  for (let at = 0; at < 5; at++)
    await made(running, '/tickets', { title: `Other ${at}`, description: trace });
  const terms = await termsOf(db, pasted, [running.workspaceId]);
  expect(terms).toHaveLength(32);
  expect(terms.map(({ word }) => word)).toEqual(
    expect.arrayContaining(['connectionrefusedexception', 'billing-gateway.example']),
  );
  const { listed, ranked } = await found(running, pasted);
  expect([listed, ranked[0]]).toEqual([[id], id]);
  // With a word too many, which no ticket has: others may be left out, this one is not.
  expect((await found(running, `${pasted.slice(0, 480)} qqqqqqqqqqq`)).ranked[0]).toBe(id);
});

it('names that look alike are one, and lists find them in both spellings of accents', async () => {
  const { call } = await newWorkspace();
  const [composed, decomposed] = ['caf\u00e9', 'CAFE\u0301'];
  const tag = await call('POST', '/tags', { body: { name: decomposed } });
  expect(tag.body).toMatchObject({ name: 'CAF\u00c9' });
  expect((await call('POST', '/tags', { body: { name: composed.toUpperCase() } })).status).toBe(409);
  await call('POST', '/queues', { body: { name: composed, prefix: 'CAFE' } });
  await call('POST', '/custom-fields', { body: { label: 'Zoe\u0308', type: 'TEXT' } });
  for (const search of [composed, 'cafe\u0301'])
    expect((await call('GET', `/queues?search=${encodeURIComponent(search)}`)).body.items).toHaveLength(1);
  for (const search of ['Zo\u00eb', 'Zoe\u0308'])
    expect(
      (await call('GET', `/custom-fields?search=${encodeURIComponent(search)}`)).body.items,
    ).toHaveLength(1);
});
